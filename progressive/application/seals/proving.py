"""COLD. The newest seal of a link, and proofs to it, for whoever asks.

Every proof is checked against the signed root before it is given out. Reads a few blocks of records
and the stored tree, whatever the age of the journal; signs nothing.
"""

import asyncio
import base64
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from msgspec import Struct

from progressive.application.journal.ports import (
    JournalReader,
    StorePurgedError,
    StoreUnavailableError,
)
from progressive.application.journal.reading import reading
from progressive.application.seals.judging import judge, log_of
from progressive.application.seals.merkle import (
    CompactRange,
    consistency_proof,
    extends,
    inclusion_proof,
    is_included,
    leaf_hash,
)
from progressive.application.seals.note import (
    Checkpoint,
    NoteError,
    read_checkpoint,
    read_note,
)
from progressive.application.seals.ports import SealFolder
from progressive.application.seals.tree import (
    BLOCK_RECORDS,
    StoredTree,
    TreeIncompleteError,
    block_of,
    nodes_of,
)
from progressive.domain.ids import LinkId

T = TypeVar("T")

PROOF_HEADER: Final = "c2sp.org/tlog-proof@v1"


class NotSealedError(Exception):
    """There is no seal of this link."""


class NotYetSealedError(Exception):
    """The newest seal does not cover what was asked for."""


class NewestSeal(Struct, frozen=True):
    """A note, and what it says."""

    note: bytes
    checkpoint: Checkpoint


class Inclusion(Struct, frozen=True):
    """A record, and the way from it to the root of a seal."""

    seq: int
    record: bytes
    hashes: tuple[bytes, ...]


class SealReading:
    """Seals of the links of a store."""

    def __init__(self, journal: JournalReader, folder_of: Callable[[LinkId], SealFolder]) -> None:
        self._journal = journal
        self._folder_of = folder_of

    async def newest(self, link: LinkId) -> NewestSeal:
        """The newest seal of the log that goes on; raises NotSealedError, StoreError."""
        name = await log_of(self._journal, link)
        try:
            stored = await asyncio.to_thread(self._folder_of(link).newest)
        except OSError as error:
            raise StoreUnavailableError(f"seals/{link}: {error.strerror}") from error
        judged = judge(stored, link, name, (), lambda _, __: True)
        if judged.standing != "goes_on" or judged.checkpoint is None:
            raise NotSealedError(f"the journal of {link} is not sealed")
        return NewestSeal(judged.note, judged.checkpoint)

    async def inclusions(
        self, link: LinkId, seqs: Sequence[int]
    ) -> tuple[NewestSeal, list[Inclusion]]:
        """Proofs that records are in one seal, all in the same: the newest, or, where no witness
        has confirmed that yet, the newest confirmed one that holds them all.

        Raises NotSealedError, NotYetSealedError, StorePurgedError and other StoreErrors.
        """
        seal = await self._confirmed(link, await self.newest(link), max(seqs, default=0))
        size, root = seal.checkpoint.size, seal.checkpoint.root
        for seq in seqs:
            if not 1 <= seq <= size:
                raise NotYetSealedError(f"record {seq} is not sealed: the newest seal is of {size}")
        blocks = {block_of(seq) for seq in seqs}
        records = {each: await self._block(link, each, size) for each in blocks}
        for seq in seqs:
            if seq <= (first := records[block_of(seq)].first):
                raise StorePurgedError(
                    f"{link}: record {seq:,} was purged, like all up to {first:,}", last_seq=first
                )
        tree = await self._tree(link, size, records)

        def proofs() -> list[Inclusion]:
            found = []
            for seq in seqs:
                within = records[block_of(seq)]
                record = within.records[seq - 1 - within.first]
                hashes = inclusion_proof(seq - 1, size, tree.subtree)
                if not is_included(leaf_hash(record), seq - 1, size, hashes, root):
                    raise TreeIncompleteError("the stored tree is damaged: it is built again")
                found.append(Inclusion(seq, record, tuple(hashes)))
            return found

        return seal, await self._in_thread(link, proofs)

    async def consistency(
        self, link: LinkId, old_size: int, *, to: NewestSeal | None = None
    ) -> tuple[NewestSeal, list[bytes]]:
        """That a seal, the newest unless one is given, extends one of so many records; raises as
        `inclusions`."""
        seal = await self.newest(link) if to is None else to
        size, root = seal.checkpoint.size, seal.checkpoint.root
        if not 0 <= old_size <= size:
            raise NotYetSealedError(f"{old_size} records are not sealed: the seal is of {size}")
        blocks = {block_of(old_size)} if old_size else set()
        records = {each: await self._block(link, each, size) for each in blocks}
        tree = await self._tree(link, size, records)

        def proof() -> list[bytes]:
            hashes = consistency_proof(old_size, size, tree.subtree)
            if not extends(old_size, tree.range_at(old_size).root(), size, root, hashes):
                raise TreeIncompleteError("the stored tree is damaged: it is built again")
            return hashes

        return seal, await self._in_thread(link, proof)

    # --- parts ---------------------------------------------------------------------------------

    async def _confirmed(self, link: LinkId, newest: NewestSeal, seq: int) -> NewestSeal:
        """Whoever takes a proof home has it confirmed by somebody else than the house."""
        if len(read_note(newest.note).signatures) > 1:
            return newest
        try:
            stored = await asyncio.to_thread(self._folder_of(link).cosigned)
        except OSError as error:
            raise StoreUnavailableError(f"seals/{link}: {error.strerror}") from error
        origin, size = newest.checkpoint.origin, newest.checkpoint.size
        found = [each for note in stored if (each := _seal_in(note)) is not None]
        # Of this log only: one that ended has another tree.
        fitting = [
            each
            for each in found
            if each.checkpoint.origin == origin and seq <= each.checkpoint.size <= size
        ]
        return max(fitting, key=lambda each: each.checkpoint.size, default=newest)

    async def _tree(self, link: LinkId, size: int, records: dict[int, "_Block"]) -> StoredTree:
        blocks = {block_of(size): await self._block(link, block_of(size), size), **records}
        leaves = {number: block.leaves for number, block in blocks.items()}
        return StoredTree(
            self._folder_of(link), lambda number: leaves.get(number, ()), await self._purged(link)
        )

    async def _block(self, link: LinkId, number: int, size: int) -> "_Block":
        """The records of a block as far as they are sealed; those that were purged are left out."""
        begin = number * BLOCK_RECORDS
        purged = [e.last_seq for e in await self._journal.segments(link) if e.purged is not None]
        end = min(begin + BLOCK_RECORDS, size)
        # Where all of it was purged, reading says so.
        first = max([begin, *[each for each in purged if each < end]])
        found: list[bytes] = []
        async with reading(self._journal.read(link, after_seq=first, until_seq=end)) as chunks:
            async for records in chunks:
                found += records
        gone: list[bytes | None] = [None] * (first - begin)
        return _Block(first, found, [*gone, *[leaf_hash(record) for record in found]])

    async def _purged(self, link: LinkId) -> dict[tuple[int, int], bytes]:
        purged = [each for each in await self._journal.segments(link) if each.purged is not None]
        if not purged:
            return {}
        folder, last = self._folder_of(link), purged[-1]
        hashes = await asyncio.to_thread(folder.segment_range, last.name)
        try:
            return {} if hashes is None else nodes_of(CompactRange(last.last_seq, hashes))
        except ValueError:
            return {}

    async def _in_thread(self, link: LinkId, work: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(work)
        except (TreeIncompleteError, OSError) as error:
            raise StoreUnavailableError(f"seals/{link}: no proof now: {error}") from error


def _seal_in(note: bytes) -> NewestSeal | None:
    try:
        return NewestSeal(note, read_checkpoint(read_note(note).text))
    except NoteError:
        # The verifier names it; a proof is given without it.
        return None


class _Block(Struct, frozen=True):
    """Records of one block."""

    first: int
    """How many records lie before the first of these."""
    records: list[bytes]
    leaves: list[bytes | None]


def proof_text(index: int, hashes: Sequence[bytes], note: bytes) -> bytes:
    """C2SP tlog-proof: a file that proves one record."""
    lines = _lines(hashes)
    return f"{PROOF_HEADER}\nindex {index}\n{lines}\n".encode() + note


def consistency_text(old_size: int, hashes: Sequence[bytes], note: bytes) -> bytes:
    """As a witness is asked: what a newer seal has to do with an older one."""
    return f"old {old_size}\n{_lines(hashes)}\n".encode() + note


def _lines(hashes: Sequence[bytes]) -> str:
    return "".join([f"{base64.b64encode(each).decode()}\n" for each in hashes])
