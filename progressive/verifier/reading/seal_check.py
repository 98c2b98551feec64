"""Whether the records are those that were sealed, and who sealed them.

The chain shows that a journal is whole in itself. A seal shows that it is the one that was there
when the seal was made, also to somebody who trusts neither the machine nor the house: neither an
earlier record nor the end can have been replaced since.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NoReturn

from progressive.verifier.findings import FindingError, Problem, shown
from progressive.verifier.proof.checkpoint import (
    Checkpoint,
    Cosigned,
    Keyring,
    SignatureError,
    check_log_signature,
    cosignatures,
    not_cosigned,
)
from progressive.verifier.proof.merkle import NotARangeError, Range
from progressive.verifier.reading.seal_tally import SealTally
from progressive.verifier.reading.sealed_tree import LOG_HASH_DIGITS, TreeStretch
from progressive.verifier.reading.seals import FOLDER, KEPT, NEWEST, LinkSeals, StoredSeal, log_in
from progressive.verifier.reading.segments import Segment
from progressive.verifier.record import read_record
from progressive.verifier.recorded.guard_events import LossAccepted, SegmentsPurged
from progressive.verifier.seals_report import SealsReport


@dataclass(frozen=True, slots=True)
class Sealable:
    """A journal that was found good in itself."""

    last_seq: int
    segments: Sequence[Segment]
    purged_seq: int
    """The last record that was purged; 0: none."""
    purge: SegmentsPurged | None
    losses: Sequence[LossAccepted]
    tree: TreeStretch | None
    passed_seq: int = 0
    """The last record that was not read, as an earlier audit has found it good; 0: none."""


class _Logs:
    """The logs of a link: one, and another after each loss that two people accepted."""

    def __init__(self, journal: Sealable) -> None:
        self.names = [""]
        self.ends: list[int] = []
        """Behind which record each but the last has lost its own."""
        for stored in () if journal.purge is None else journal.purge.kept:
            # Accepted before the records around it were purged: it was kept.
            record = read_record(stored.encode())
            if isinstance(record.event, LossAccepted) and record.seq <= journal.purged_seq:
                digest = sha256(stored.encode()).hexdigest()[:LOG_HASH_DIGITS]
                self._add(f"{record.seq}-{digest}", record.event)
        places = () if journal.tree is None else journal.tree.losses
        for place, loss in zip(places, journal.losses, strict=False):
            self._add(place.log, loss)

    def _add(self, name: str, loss: LossAccepted) -> None:
        self.names.append(name)
        self.ends.append(loss.found_seq)


class SealCheck:
    """All seals of one link; raises FindingError at the first that does not fit."""

    def __init__(self, seals: LinkSeals, journal: Sealable, keys: Keyring | None) -> None:
        self._seals = seals
        self._journal = journal
        self._keys = keys
        self._logs = _Logs(journal)
        self._tally = SealTally(keys)

    def run(self) -> SealsReport:
        """What they prove."""
        for seal in self._seals.seals:
            self._check(seal)
        self._check_newest()
        tree = self._journal.tree
        if tree is not None and (other := tree.other_subtree) is not None:
            height, place = other
            first = (place << height) + 1
            file = f"seals/{self._seals.link}/tree-{height}"
            last = first + (1 << height) - 1
            message = f"the stored hash of records {first:,} to {last:,} is not theirs"
            raise FindingError(Problem(first, None, None, message, file))
        if missing := self._tally.not_cosigned():
            seq = min(max(1, self._tally.sealed_seq), self._journal.last_seq)
            seals = self._seals
            file = seals.seals[0].file if seals.folder is None else f"{FOLDER}/{seals.link}"
            raise FindingError(Problem(seq, None, None, not_cosigned(missing), file))
        return self._tally.report()

    def _check(self, seal: StoredSeal) -> None:
        checkpoint = seal.checkpoint
        if checkpoint is None:
            self._find(seal, f"is not a seal: {seal.trouble}")
        log = self._log_of(seal, checkpoint)
        cosigned = self._check_signatures(seal, checkpoint)
        self._check_place(seal, checkpoint)
        if seal.hashes is not None and _root(checkpoint.size, seal.hashes) != checkpoint.root:
            self._find(seal, "the range beside it does not lead to its root")
        newest_log = log == len(self._logs.names) - 1
        if not newest_log and checkpoint.size > self._logs.ends[log]:
            # Two people accepted that these records are gone: the report says so. Who has
            # cosigned them has confirmed nothing that is here.
            self._tally.of_lost(seal, checkpoint, left=self._logs.ends[log])
        elif checkpoint.size < max(self._journal.purged_seq, self._journal.passed_seq):
            self._tally.of_purged()
        else:
            self._check_root(seal, checkpoint)
            self._tally.fits(checkpoint, cosigned)

    def _check_newest(self) -> None:
        """No seal that lies there is larger than the one that a start goes by.

        That one is written before any other of its size: whoever puts an older one in its place, or
        takes it away, wants the end of the journal to be taken for one that was never sealed.
        """
        placed = [
            ((self._log_of(seal, checkpoint), checkpoint.size), seal.name)
            for seal in self._seals.seals
            if seal.name != KEPT and (checkpoint := seal.checkpoint) is not None
        ]
        newest = [place for place, name in placed if name == NEWEST]
        # Behind an accepted loss nothing may be sealed yet, and seals of before lie there.
        place = newest[0] if newest else (len(self._logs.names) - 1, 0)
        largest, name = max(placed, default=(place, NEWEST))
        if largest > place:
            seq = min(max(1, place[1]), self._journal.last_seq)
            it = f"it is of {place[1]:,} records" if newest else "it is missing"
            message = f"is not the newest seal: {it}, and {name}.note is of {largest[1]:,}"
            file = f"{FOLDER}/{self._seals.link}/{NEWEST}.note"
            raise FindingError(Problem(seq, None, None, message, file))

    def _log_of(self, seal: StoredSeal, checkpoint: Checkpoint) -> int:
        """Which of the link's logs it is of."""
        log = log_in(checkpoint.origin, self._seals.link)
        if log is None:
            self._find(seal, f"is a seal of another link: {shown(checkpoint.origin)}")
        if log not in self._logs.names:
            self._find(seal, f"is of a log that this journal knows nothing of: {shown(log)}")
        return self._logs.names.index(log)

    def _check_signatures(self, seal: StoredSeal, checkpoint: Checkpoint) -> list[Cosigned]:
        if self._keys is None:
            return []
        try:
            if self._keys.can_check_logs:
                check_log_signature(checkpoint, self._keys)
            return cosignatures(checkpoint, self._keys.witnesses)
        except SignatureError as error:
            self._find(seal, str(error))

    def _check_place(self, seal: StoredSeal, checkpoint: Checkpoint) -> None:
        """The seal of a segment is about the journal up to the end of that very segment."""
        if not seal.of_segment:
            return
        ends = {each.name: each.last_seq for each in self._journal.segments}
        if (last_seq := ends.get(seal.name)) is None:
            self._find(seal, "belongs to no segment of the journal")
        if checkpoint.size != last_seq:
            self._find(
                seal, f"seals {checkpoint.size:,} records, and the segment ends with {last_seq:,}"
            )

    def _check_root(self, seal: StoredSeal, checkpoint: Checkpoint) -> None:
        size, end, tree = checkpoint.size, self._journal.last_seq, self._journal.tree
        if size > end:
            raise FindingError(
                Problem(
                    end + 1,
                    None,
                    None,
                    f"the tail was cut off: {size:,} records are sealed, the journal ends at "
                    f"{end:,}",
                    seal.file,
                )
            )
        if tree is None:
            self._find(
                seal,
                "cannot be checked: the range of the last purged segment, with which its tree "
                "begins, is missing or damaged",
            )
        if tree.at[size].root() != checkpoint.root:
            self._find(
                seal,
                f"the first {size:,} records are not those that were sealed: sealed "
                f"{checkpoint.root.hex()}, recomputed {tree.at[size].root().hex()}",
            )

    def _find(self, seal: StoredSeal, message: str) -> NoReturn:
        size = 0 if seal.checkpoint is None else seal.checkpoint.size
        seq = min(max(1, size), self._journal.last_seq)
        raise FindingError(Problem(seq, None, None, message, seal.file))


def _root(size: int, hashes: Sequence[bytes]) -> bytes | None:
    try:
        return Range.from_hashes(size, hashes).root()
    except NotARangeError:
        return None
