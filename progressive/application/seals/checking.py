"""Whether a journal is the one that was sealed, before a link opens. Reads only.

The root is computed from the stored tree and the newest sealed records; whatever was changed
before them has changed them too, by the chain of hashes. So it takes as long after ten years as
after a day. Where the stored tree is damaged, the records since a segment's end decide.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from progressive.application.journal.ports import JournalReader, StoreUnavailableError
from progressive.application.journal.reading import reading
from progressive.application.journal.segments import Segment
from progressive.application.seals.judging import Judged, SignedBy, judge, log_of
from progressive.application.seals.merkle import CompactRange, leaf_hash
from progressive.application.seals.note import (
    NoteError,
    VerifierKey,
    read_checkpoint,
    read_note,
)
from progressive.application.seals.ports import SealFolder
from progressive.application.seals.tree import (
    BLOCK_LEVEL,
    BLOCK_RECORDS,
    StoredTree,
    TreeIncompleteError,
    block_of,
    nodes_of,
)
from progressive.domain.ids import LinkId

log = logging.getLogger(__name__)

OTHER: Final = "the journal is not the one that was sealed"


class NotAsSealedError(Exception):
    """What is stored is not what was sealed; two people may accept that."""


class SealCheck(Struct, kw_only=True):
    """One link's seals, as a start looks at them."""

    link: LinkId
    folder: SealFolder
    signed_by: SignedBy
    keys: Sequence[VerifierKey] = ()
    """Whose seals count; without any, signatures are not checked."""
    disagreement: Callable[[str], str | None] = lambda _: None
    """What a witness holds against a log."""

    async def check(self, journal: JournalReader, *, end_seq: int, remembered_size: int) -> int:
        """How many records are sealed, and are just those; raises NotAsSealedError, StoreError.

        `remembered_size`: so many were sealed, for all that is remembered outside `seals/`.
        """
        name = await log_of(journal, self.link)
        try:
            stored = await asyncio.to_thread(self.folder.newest)
            confirmed = await asyncio.to_thread(self._confirmed, name)
        except OSError as error:
            of = error.filename or f"seals/{self.link}"
            raise StoreUnavailableError(f"{of}: {error.strerror}") from error
        judged = judge(stored, self.link, name, self.keys, self.signed_by)
        if judged.standing == "refused":
            raise NotAsSealedError(judged.why)
        size = judged.size
        if remembered_size > size:
            what = f"the newest seal is of {size:,}" if size else "there is no seal any more"
            raise NotAsSealedError(
                f"{remembered_size:,} records of {self.link} were sealed, and {what}: "
                f"seals/{self.link} was removed or replaced"
            )
        if confirmed > size:
            raise NotAsSealedError(
                f"a witness has confirmed {confirmed:,} records of {self.link}, and the newest "
                f"seal is of {size:,}: seals/{self.link}/newest.note was removed or replaced"
            )
        if size > end_seq:
            raise NotAsSealedError(
                f"{size:,} records are sealed, the journal ends at {end_seq:,}: "
                "its tail was cut off"
            )
        if (why := self.disagreement(name)) is not None:
            raise NotAsSealedError(why)
        if size:
            await self._compare(journal, judged)
        return size

    def _confirmed(self, log: str) -> int:
        """Records of this log that a witness has confirmed, by what lies beside the newest seal.

        What cannot be read there has confirmed nothing: `verify` names it.
        """
        ending = f"/{self.link}/{log}" if log else f"/{self.link}"
        sizes = [0]
        for stored in self.folder.cosigned():
            with contextlib.suppress(NoteError):
                checkpoint = read_checkpoint(read_note(stored).text)
                if checkpoint.origin.endswith(ending):
                    sizes.append(checkpoint.size)
        return max(sizes)

    async def _compare(self, journal: JournalReader, judged: Judged) -> None:
        root = None if judged.checkpoint is None else judged.checkpoint.root
        segments = await journal.segments(self.link)
        if await self._root_by_tree(journal, judged.size, segments) == root:
            return
        if await self._leads_to(journal, judged.size, root, segments):
            log.warning("stored tree is damaged: it is built again", extra={"link": self.link})
            return
        raise NotAsSealedError(
            f"{OTHER}: its first {judged.size:,} records give another root than "
            f"seals/{self.link}/newest.note"
        )

    async def _root_by_tree(
        self, journal: JournalReader, size: int, segments: Sequence[Segment]
    ) -> bytes | None:
        """Out of stored roots, and of the last block's records in any case."""
        purged = [each for each in segments if each.purged is not None]
        block = block_of(size)
        first = max([block * BLOCK_RECORDS, *[each.last_seq for each in purged]])
        leaves: list[bytes | None] = [None] * (first - block * BLOCK_RECORDS)
        async with reading(journal.read(self.link, after_seq=first, until_seq=size)) as chunks:
            async for records in chunks:
                leaves += [leaf_hash(record) for record in records]

        def computed() -> bytes | None:
            known: dict[tuple[int, int], bytes] = {}
            if purged:
                at = self._range_of(purged[-1])
                known = {} if at is None else nodes_of(at)
            if len(leaves) == BLOCK_RECORDS and None not in leaves:
                whole = CompactRange()
                whole.append_all([leaf for leaf in leaves if leaf is not None])
                known[BLOCK_LEVEL, block] = whole.root()

            def at_hand(asked: int) -> Sequence[bytes | None]:
                return leaves if asked == block else ()

            try:
                return StoredTree(self.folder, at_hand, known).range_at(size).root()
            except (TreeIncompleteError, OSError):
                return None

        return await asyncio.to_thread(computed)

    async def _leads_to(
        self, journal: JournalReader, size: int, root: bytes | None, segments: Sequence[Segment]
    ) -> bool:
        """Whether the records lead to the root, from some segment's end or from the first on.

        A range needs no proof of its own: none but the right one leads to the signed root.
        """
        for segment in reversed([each for each in segments if each.last_seq <= size]):
            begun = await asyncio.to_thread(self._range_of, segment)
            if begun is not None:
                intact = await asyncio.to_thread(self._is_as_sealed, segment, begun.root())
                if await self._grown(journal, begun, size) == root:
                    return True
                if intact:
                    return False
                break
            if segment.purged is not None:
                return False
        if any(each.purged is not None for each in segments):
            return False
        return await self._grown(journal, CompactRange(), size) == root

    async def _grown(self, journal: JournalReader, begun: CompactRange, size: int) -> bytes | None:
        read = journal.read(self.link, after_seq=begun.size, until_seq=size)
        async with reading(read) as chunks:
            async for records in chunks:
                begun.append_all([leaf_hash(record) for record in records])
                # Whoever asks for our health has their turn.
                await asyncio.sleep(0)
        return begun.root() if begun.size == size else None

    def _is_as_sealed(self, segment: Segment, root: bytes) -> bool:
        """Whether a range is that of the segment's own note: then it is not what is damaged."""
        try:
            note = read_note(self.folder.segment_note(segment.name) or b"")
            return read_checkpoint(note.text).root == root
        except (OSError, NoteError):
            return False

    def _range_of(self, segment: Segment) -> CompactRange | None:
        try:
            hashes = self.folder.segment_range(segment.name)
            return None if hashes is None else CompactRange(segment.last_seq, hashes)
        except (OSError, ValueError):
            return None
