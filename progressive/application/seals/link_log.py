"""The log of one link: its records are hashed in order, and checkpoints of them signed.

Works in the process that seals, and nowhere else. What it signs always extends what it signed
last: it goes on from the newest note, whose root it has computed again, or not at all. It never
signs fewer records than before.
"""

import logging
from collections.abc import Sequence
from typing import Final, Protocol

from msgspec import Struct

from progressive.application.journal.record import hash_record
from progressive.application.seals.judging import Judged, SignedBy, judge, log_origin
from progressive.application.seals.link_tree import LinkTree
from progressive.application.seals.merkle import CompactRange, leaf_hash
from progressive.application.seals.note import (
    Checkpoint,
    Note,
    NoteError,
    NoteSignature,
    VerifierKey,
    read_checkpoint,
    read_note,
)
from progressive.application.seals.ports import SealedJournal, SealFolder
from progressive.application.seals.tree import LEVELS, StoredTree
from progressive.domain.ids import LinkId

log = logging.getLogger(__name__)

_CHECKPOINTED: Final = b'"event":{"type":"checkpointed"'
_HEAD_BYTES: Final = 200
"""Within which a record names its type."""


class SealFindingError(Exception):
    """The journal is not the one that was sealed: whoever runs the service has to know."""


class Sealer(Protocol):
    """Who signs."""

    name: str

    def key(self) -> VerifierKey:
        """What its signatures are checked with."""
        ...

    def named(self, name: str) -> "Sealer":
        """The same key under another name."""
        ...

    def sign(self, text: str) -> NoteSignature:
        """A signature over a note's text."""
        ...


class Target(Struct, frozen=True):
    """Up to where a link's journal is to be sealed: a record that is durable, and its hash."""

    link: LinkId
    log: str
    """Which log of the link goes on; empty for its first."""
    seq: int
    head: str


class LinkLog:
    """What is known of one link's log, from one request to the next."""

    def __init__(
        self,
        link: LinkId,
        name: str,
        folder: SealFolder,
        journal: SealedJournal,
        sealer: Sealer,
        *,
        keys: Sequence[VerifierKey],
        signed_by: SignedBy,
    ) -> None:
        """`name`: of the log (see `judging`). `keys`: whose notes may be extended."""
        self.link = link
        self.log = name
        self.folder = folder
        self._journal = journal
        self._sealer = sealer.named(log_origin(sealer.name, link, name))
        self._keys = keys
        self._signed_by = signed_by
        self.origin = self._sealer.name
        folder.remove_unfinished()
        self.newest: Judged = judge(folder.newest(), link, name, keys, signed_by)
        if self.newest.standing == "refused":
            raise SealFindingError(self.newest.why)
        self._ends: dict[int, str] = {}
        """Last records of segments, and their names."""
        self._pending: dict[int, list[bytes]] = {level: [] for level in LEVELS}
        """Roots of complete subtrees that are not stored yet."""
        self._from_bottom = False
        self._last = b""
        self._tree = LinkTree(link, folder, journal)
        self._range = self._begun()

    @property
    def size(self) -> int:
        """Records that the newest seal of this log covers."""
        return self.newest.size

    @property
    def hashed(self) -> int:
        """Records that are hashed so far."""
        return self._range.size

    def advance(self, target: Target, *, records_max: int) -> bool:
        """Hash some records, and seal up to the target once it is reached; whether it was.

        Raises SealFindingError, CannotSealError, StoreError or OSError.
        """
        if target.seq < self.size:
            raise SealFindingError(
                f"{self.size:,} records are sealed, the journal ends at {target.seq:,}: "
                "its tail was cut off"
            )
        self._name_segments()
        # Up to the newest seal first: what is signed next has to extend it.
        sealed = self.size
        until = sealed if self._range.size < sealed else target.seq
        self._grow(min(until, self._range.size + records_max))
        if self._range.size < until:
            return False
        if until == sealed and not self._confirmed():
            return False
        if self._range.size < target.seq:
            return False
        if self._last and hash_record(self._last) != target.head:
            raise SealFindingError(f"record {target.seq:,} is not the one that was committed")
        if target.seq > sealed or not self._is_ours():
            self._sign()
        return True

    def cosigned(
        self, witness: VerifierKey, signatures: Sequence[NoteSignature], note: Note
    ) -> None:
        """A witness has signed a checkpoint. It is stored by witness, so that one that falls silent
        leaves what it confirmed last; and in the newest note, if it is still that."""
        self.folder.write_cosigned(
            witness.id.hex(), note.with_signatures(signatures).encoded.encode()
        )
        try:
            newest = read_note(self.newest.note)
        except NoteError:
            return
        if newest.text == note.text:
            self._write(newest.with_signatures(signatures))

    def tree(self) -> StoredTree:
        """For proofs: the stored roots, and the records where they are needed."""
        return self._tree.tree()

    # --- hashing -----------------------------------------------------------------------------

    def _grow(self, until: int) -> None:
        grown = self._range
        for records in self._journal.stretch(grown.size, until):
            for record in records:
                if grown.size >= self.size and self._may_end(record):
                    self._seal_end()
                grown.append(leaf_hash(record), self._found)
                self._last = record
            self._flush()

    def _found(self, level: int, index: int, root: bytes) -> None:
        if level in self._pending:
            self._pending[level].append(root)

    def _flush(self) -> None:
        """The lowest level first: what a crash leaves out above is made from it again."""
        for level in LEVELS:
            roots = self._pending[level]
            if roots:
                self.folder.add_roots(level, (self._range.size >> level) - len(roots), roots)
            self._pending[level] = []

    def _confirmed(self) -> bool:
        """At the newest seal: whether the records are those that were sealed."""
        checkpoint = self.newest.checkpoint
        if checkpoint is None or self._range.root() == checkpoint.root:
            return True
        if self._from_bottom:
            raise SealFindingError(
                f"the journal is not the one that was sealed: the first {checkpoint.size:,} "
                "records give another root"
            )
        log.warning("stored tree is damaged: built again", extra={"link": self.link})
        self._range = self._bottom()
        return False

    # --- signing -----------------------------------------------------------------------------

    def _sign(self) -> None:
        checkpoint = Checkpoint(self.origin, self._range.size, self._range.root())
        if checkpoint.size < self.size:
            raise SealFindingError(f"{self.size:,} records are sealed: fewer are never signed")
        if self.newest.note and not self._is_ours():
            ended = self.newest.checkpoint
            self.folder.keep_ended(0 if ended is None else ended.size, self.newest.note)
        self._write(self.signed(checkpoint))

    def signed(self, checkpoint: Checkpoint) -> Note:
        """The note of a checkpoint of this log."""
        return Note(checkpoint.text, (self._sealer.sign(checkpoint.text),))

    def _write(self, note: Note) -> None:
        stored = note.encoded.encode()
        self.folder.write_newest(stored)
        self.newest = Judged("goes_on", stored, read_checkpoint(note.text))

    def _is_ours(self) -> bool:
        """Whether the newest note is of this log and by this key: nothing ends with the next."""
        if self.newest.standing != "goes_on":
            return False
        return self._signed_by(read_note(self.newest.note), [self._sealer.key()])

    # --- ends of segments ----------------------------------------------------------------------

    def _may_end(self, following: bytes) -> bool:
        """Whether a segment ends, or may end, before this record."""
        size = self._range.size
        if size in self._ends:
            return True
        if size < max(self._ends, default=0) or not size:
            return False
        return following.find(_CHECKPOINTED, 0, _HEAD_BYTES) > 0

    def _seal_end(self) -> None:
        """A note of just these records, beside their range."""
        size, name = self._range.size, self._ends.get(self._range.size)
        if self.folder.segment_note(name) is not None if name else size in self.folder.waiting():
            return
        if size > self.size:
            # First: no other note is ever larger than the newest.
            self._flush()
            self._sign()
        self.folder.write_waiting(size, self.newest.note, self._range.hashes)
        if name:
            self.folder.name_waiting(size, name)

    def _name_segments(self) -> None:
        segments = self._journal.segments()
        ends = {each.last_seq: each.name for each in segments}
        if ends == self._ends:
            return
        for size in self.folder.waiting():
            if size in ends:
                self.folder.name_waiting(size, ends[size])
        self.folder.drop_waiting(max(ends, default=0))
        self._ends = ends

    # --- where to go on ------------------------------------------------------------------------

    def _begun(self) -> CompactRange:
        """The range to go on from: that of the newest note, where the stored tree gives it."""
        checkpoint = self.newest.checkpoint if self.size else None
        if checkpoint is not None:
            begun = self._tree.at(checkpoint.size)
            if begun is not None and begun.root() == checkpoint.root:
                return begun
            log.warning("stored tree is damaged: built again", extra={"link": self.link})
        # What two levels agree on is taken as it is: a checkpoint decides in the end.
        if (agreed := self._tree.agreed(self.size)) is not None:
            return agreed
        return self._bottom()

    def _bottom(self) -> CompactRange:
        """Nothing of the stored tree is trusted: from the first record that is still there."""
        self._from_bottom = True
        self._pending = {level: [] for level in LEVELS}
        return self._tree.bottom(self._is_sealed)

    def _is_sealed(self, name: str, begun: CompactRange) -> bool:
        """Whether the range at a segment's end is the one that was sealed there."""
        try:
            note = read_note(self.folder.segment_note(name) or b"")
            checkpoint = read_checkpoint(note.text)
            signed = self._signed_by(note, [key.named(checkpoint.origin) for key in self._keys])
        except NoteError:
            return False
        return signed and (checkpoint.size, checkpoint.root) == (begun.size, begun.root())
