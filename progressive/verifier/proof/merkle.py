"""Hash trees over records (RFC 6962, section 2.1): root, inclusion, consistency.

The whole tree is never held. A `Range` is the stretch of leaves from `begin` to `end`, as the
largest complete subtrees that fill it: some hashes, however long it is. Stretches that meet are
joined, so that parts of a journal can be hashed side by side. Nothing here reads a file.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Final

HASH_BYTES: Final = 32
EMPTY_ROOT: Final = sha256(b"").digest()
_LEAF: Final = b"\x00"
_NODE: Final = b"\x01"

OnSubtree = Callable[[int, int, bytes], None]
"""Hears of a complete subtree: its height, its place among those of that height, its hash."""


class NotARangeError(Exception):
    """Hashes that cannot be those of a stretch of leaves."""


def leaf_hash(content: bytes) -> bytes:
    """The hash of one leaf."""
    return sha256(_LEAF + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees that lie side by side."""
    return sha256(_NODE + left + right).digest()


class Range:
    """The leaves from `begin` (inclusive) to `end` (exclusive), counted from 0."""

    def __init__(self, begin: int = 0, *, on_subtree: OnSubtree | None = None) -> None:
        self.begin: Final = begin
        self.end = begin
        self._parts: list[tuple[int, bytes]] = []
        """Height and hash of each subtree, from left to right."""
        self.on_subtree = on_subtree

    @classmethod
    def from_hashes(
        cls, size: int, hashes: Sequence[bytes], *, on_subtree: OnSubtree | None = None
    ) -> "Range":
        """The first `size` leaves, by the hashes of their subtrees, the largest first."""
        heights = [place for place in range(size.bit_length() - 1, -1, -1) if size >> place & 1]
        if len(heights) != len(hashes) or any(len(each) != HASH_BYTES for each in hashes):
            raise NotARangeError(f"{size} leaves have {len(heights)} hashes, not {len(hashes)}")
        made = cls(on_subtree=on_subtree)
        made.end, made._parts = size, list(zip(heights, hashes, strict=True))
        return made

    @property
    def hashes(self) -> list[bytes]:
        """Of its subtrees, from left to right."""
        return [each for _, each in self._parts]

    def copy(self) -> "Range":
        """As it is now."""
        made = Range(self.begin)
        made.end, made._parts = self.end, list(self._parts)
        return made

    def extend(self, contents: Iterable[bytes]) -> None:
        """More leaves. HOT in a verification: once a record."""
        for content in contents:
            self._take(0, sha256(b"\x00" + content).digest())

    def join(self, following: "Range") -> None:
        """The stretch that begins where this one ends."""
        if following.begin != self.end:
            raise NotARangeError(f"{following.begin} does not follow {self.end}")
        for height, hash_ in following._parts:  # noqa: SLF001 - its own kind
            self._take(height, hash_)

    def root(self) -> bytes:
        """The root of the tree; only of a stretch that begins with the first leaf."""
        if self.begin:
            raise NotARangeError("only a range from the first leaf on has a root")
        if not self._parts:
            return EMPTY_ROOT
        root = self._parts[-1][1]
        for _, left in reversed(self._parts[:-1]):
            root = node_hash(left, root)
        return root

    def _take(self, height: int, hash_: bytes) -> None:
        parts, place = self._parts, self.end >> height
        self.end += 1 << height
        tell = self.on_subtree
        while True:
            if tell is not None:
                tell(height, place, hash_)
            # The right half of a pair whose left half is here.
            if not (place & 1 and parts and parts[-1][0] == height):
                break
            hash_ = sha256(b"\x01" + parts.pop()[1] + hash_).digest()
            height, place = height + 1, place >> 1
        parts.append((height, hash_))


def root_by_inclusion(
    leaf: bytes, *, index: int, size: int, proof: Sequence[bytes]
) -> bytes | None:
    """The root that an inclusion proof leads to (RFC 9162, section 2.1.3.2).

    None: the proof has not the hashes that a leaf at that place has in a tree of that size.
    """
    if not 0 <= index < size or any(len(each) != HASH_BYTES for each in proof):
        return None
    place, last, root = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return None
        if place & 1 or place == last:
            root = node_hash(sibling, root)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            root = node_hash(root, sibling)
        place, last = place >> 1, last >> 1
    return root if last == 0 else None


def is_consistent(
    old_size: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether the older tree is the beginning of the newer one (RFC 9162, section 2.1.4.2)."""
    if any(len(each) != HASH_BYTES for each in proof) or not 0 <= old_size <= size:
        return False
    if old_size == size:
        return not proof and old_root == root
    if old_size == 0:
        return not proof and old_root == EMPTY_ROOT
    hashes = list(proof)
    if old_size & (old_size - 1) == 0:
        hashes.insert(0, old_root)
    if not hashes:
        return False
    place, last = old_size - 1, size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    first = second = hashes[0]
    for each in hashes[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            first, second = node_hash(each, first), node_hash(each, second)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            second = node_hash(second, each)
        place, last = place >> 1, last >> 1
    return last == 0 and (first, second) == (old_root, root)
