"""The tree over a journal as it lies on the disk: roots of complete subtrees of three sizes.

Between them a subtree is the hash of its halves; below the smallest it is made from the records
themselves. So any proof needs the records of a few blocks only, whatever the age of the journal.
The stored roots are a cache: whoever uses them holds the result against a signed checkpoint.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Protocol

from progressive.application.seals.merkle import CompactRange, leaf_hash, node_hash

LEVELS: Final = (8, 16, 24)
"""Of the subtrees that are stored: 256, 65,536 and 16,777,216 records."""
BLOCK_LEVEL: Final = LEVELS[0]
BLOCK_RECORDS: Final = 1 << BLOCK_LEVEL

Leaves = Callable[[int], Sequence[bytes | None]]
"""The leaf hashes of a block by its number; None where a record was purged."""
Nodes = Mapping[tuple[int, int], bytes]
"""Roots by level and index."""


class TreeIncompleteError(Exception):
    """A hash that is asked for is not stored, and its records are not at hand."""


class TreeFiles(Protocol):
    """The stored roots of one link."""

    def roots(self, level: int) -> int:
        """How many there are of a level."""
        ...

    def root(self, level: int, index: int) -> bytes | None:
        """One of them; None where there is none."""
        ...

    def run(self, level: int, first: int, count: int) -> Sequence[bytes | None]:
        """Some of them, one behind the other; fewer where the file ends."""
        ...


class StoredTree:
    """Subtrees out of stored roots and the records of some blocks."""

    def __init__(
        self,
        files: TreeFiles,
        leaves: Leaves,
        known: Nodes | None = None,
    ) -> None:
        """`leaves`: what a block holds; may raise TreeIncompleteError.

        `known`: roots that are known besides, of records that were purged, say.
        """
        self._files = files
        self._leaves = leaves
        self._known = {} if known is None else known

    def subtree(self, level: int, index: int) -> bytes:
        """The root of a complete subtree; raises TreeIncompleteError."""
        if (known := self._known.get((level, index))) is not None:
            return known
        if level in LEVELS and (stored := self._files.root(level, index)) is not None:
            return stored
        if level == 0:
            return self._leaf(index)
        return node_hash(self.subtree(level - 1, 2 * index), self.subtree(level - 1, 2 * index + 1))

    def range_at(self, size: int) -> CompactRange:
        """The tree over the first records."""
        return CompactRange(size, [self.subtree(*place) for place in places_at(size)])

    def _leaf(self, index: int) -> bytes:
        leaves = self._leaves(index >> BLOCK_LEVEL)
        within = index & BLOCK_RECORDS - 1
        leaf = leaves[within] if within < len(leaves) else None
        if leaf is None:
            raise TreeIncompleteError(f"record {index + 1:,} is not there any more, or not yet")
        return leaf


def places_at(size: int) -> Iterator[tuple[int, int]]:
    """Level and index of each complete subtree over the first records, the largest first."""
    begin = 0
    for level in reversed(range(size.bit_length())):
        if size >> level & 1:
            yield level, begin >> level
            begin += 1 << level


def nodes_of(found: CompactRange) -> dict[tuple[int, int], bytes]:
    """The roots of a range by their places."""
    return dict(zip(places_at(found.size), found.hashes, strict=True))


def leaves_of(records: Sequence[bytes]) -> list[bytes]:
    """The leaf hashes of some records."""
    return [leaf_hash(record) for record in records]


def block_of(seq: int) -> int:
    """The number of the block that holds a record."""
    return seq - 1 >> BLOCK_LEVEL


def agreeing_roots(files: TreeFiles) -> tuple[int, ...]:
    """How many roots of each level agree with those of the level above, from the first on.

    Those that no root of the level above confirms yet count as well.
    """
    counts = [files.roots(level) for level in LEVELS]
    for place in reversed(range(1, len(LEVELS))):
        confirmed = _confirmed(files, place, counts)
        if confirmed < counts[place]:
            # One of the two is wrong, and nothing says which.
            width = 1 << LEVELS[place] - LEVELS[place - 1]
            counts[place], counts[place - 1] = confirmed, confirmed * width
    for place in range(1, len(LEVELS)):
        # Nothing above what is left below.
        most = counts[place - 1] >> LEVELS[place] - LEVELS[place - 1]
        counts[place] = min(counts[place], most)
    return tuple(counts)


def missing_roots(files: TreeFiles, place: int, count: int) -> list[bytes]:
    """The roots of a level that its file lacks, made from the level below."""
    level, below = LEVELS[place], LEVELS[place - 1]
    width = 1 << level - below
    folded = [
        _fold(files.run(below, index * width, width)) for index in range(files.roots(level), count)
    ]
    if None in folded:
        raise TreeIncompleteError(f"the roots of level {below} do not reach as far")
    return [root for root in folded if root is not None]


def _confirmed(files: TreeFiles, place: int, counts: Sequence[int]) -> int:
    """How many roots of a level are those that the level below gives, from the first on."""
    level, below = LEVELS[place], LEVELS[place - 1]
    width = 1 << level - below
    for index in range(min(counts[place], counts[place - 1] // width)):
        folded = _fold(files.run(below, index * width, width))
        # Not known any more, once the records were purged: then it cannot be compared.
        if folded is not None and folded != files.root(level, index):
            return index
    return min(counts[place], counts[place - 1] // width)


def _fold(roots: Sequence[bytes | None]) -> bytes | None:
    hashes = [root for root in roots if root is not None]
    if not hashes or len(hashes) != len(roots) or len(hashes) & len(hashes) - 1:
        return None
    while len(hashes) > 1:
        hashes = [node_hash(*hashes[each : each + 2]) for each in range(0, len(hashes), 2)]
    return hashes[0]
