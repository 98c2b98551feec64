"""The stored tree of one link, for the one that lets it grow: where it can go on from.

What lies on the disk may be damaged, half written or missing. It is used as far as it agrees with
itself; whether it is right decides a signed checkpoint, which the caller compares.
"""

from collections.abc import Callable, Sequence

from progressive.application.journal.ports import StorePurgedError
from progressive.application.journal.segments import Segment
from progressive.application.seals.merkle import HASH_BYTES, CompactRange
from progressive.application.seals.ports import SealedJournal, SealFolder
from progressive.application.seals.tree import (
    BLOCK_LEVEL,
    BLOCK_RECORDS,
    LEVELS,
    StoredTree,
    TreeIncompleteError,
    agreeing_roots,
    leaves_of,
    missing_roots,
    nodes_of,
)
from progressive.domain.ids import LinkId

UNKNOWN = bytes(HASH_BYTES)


class CannotSealError(Exception):
    """Nothing is wrong with the journal, and yet it cannot be sealed."""


class LinkTree:
    """Stored roots, and the records where they are needed."""

    def __init__(self, link: LinkId, folder: SealFolder, journal: SealedJournal) -> None:
        self._link = link
        self._folder = folder
        self._journal = journal

    def tree(self) -> StoredTree:
        """For proofs."""
        known = None if (last := self._last_purged()) is None else self._range_after(last)
        return StoredTree(self._folder, self._leaves, None if known is None else nodes_of(known))

    def at(self, size: int) -> CompactRange | None:
        """The range at a size, where the stored tree gives one; what lies beyond it is cut off."""
        if agreeing_roots(self._folder)[0] < size >> BLOCK_LEVEL or not self._knows_all(size):
            return None
        self._cut(size)
        try:
            for place in range(1, len(LEVELS)):
                roots = missing_roots(self._folder, place, size >> LEVELS[place])
                there = self._folder.roots(LEVELS[place])
                self._folder.add_roots(LEVELS[place], there, roots)
            return self.tree().range_at(size)
        except (TreeIncompleteError, StorePurgedError):
            return None

    def agreed(self, size_max: int) -> CompactRange | None:
        """As far as two levels agree, up to a size (0: any); the rest is cut off."""
        count = agreeing_roots(self._folder)[1]
        if size_max:
            count = min(count, size_max >> LEVELS[1])
        if not count:
            return None
        self._cut(count << LEVELS[1])
        return self.tree().range_at(count << LEVELS[1])

    def bottom(self, is_sealed: Callable[[str, CompactRange], bool]) -> CompactRange:
        """Nothing stored is trusted but what a signed note confirms; raises CannotSealError."""
        self._cut(0)
        if (last := self._last_purged()) is None:
            return CompactRange()
        begun = self._range_after(last)
        if begun is None or not is_sealed(last.name, begun):
            raise CannotSealError(
                f"records 1 to {last.last_seq:,} were purged, and "
                f"seals/{self._link}/{last.name}.range, which would stand for them, is not there "
                "or not as it was sealed: put it back from a backup"
            )
        for level in LEVELS:
            self._folder.add_roots(level, 0, [UNKNOWN] * (last.last_seq >> level))
        return begun

    # --- parts ---------------------------------------------------------------------------------

    def _knows_all(self, size: int) -> bool:
        """Whether every block has its root but those whose records were purged."""
        last = self._last_purged()
        first = 0 if last is None else last.last_seq >> BLOCK_LEVEL
        return None not in self._folder.run(BLOCK_LEVEL, first, (size >> BLOCK_LEVEL) - first)

    def _last_purged(self) -> Segment | None:
        purged = [each for each in self._journal.segments() if each.purged is not None]
        return purged[-1] if purged else None

    def _range_after(self, segment: Segment) -> CompactRange | None:
        hashes: Sequence[bytes] | None = self._folder.segment_range(segment.name)
        try:
            return None if hashes is None else CompactRange(segment.last_seq, hashes)
        except ValueError:
            return None

    def _leaves(self, block: int) -> list[bytes | None]:
        begin, last = block * BLOCK_RECORDS, self._last_purged()
        # Of a block whose first records were purged, their part of the tree is known otherwise.
        first = begin if last is None else max(begin, last.last_seq)
        found: list[bytes | None] = [None] * (first - begin)
        for records in self._journal.stretch(first, begin + BLOCK_RECORDS):
            found += leaves_of(records)
        return found

    def _cut(self, size: int) -> None:
        for level in LEVELS:
            self._folder.cut_roots(level, size >> level)
