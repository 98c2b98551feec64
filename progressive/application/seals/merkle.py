"""The Merkle tree of RFC 6962, section 2.1, over the records of a journal.

A leaf is a stored record, without its newline. Record 1 is leaf 0. Nothing here reads a file: what
needs a part of the tree asks for the hashes of complete subtrees.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Final

EMPTY_ROOT: Final = sha256(b"").digest()
HASH_BYTES: Final = 32
PROOF_HASHES_MAX: Final = 63
"""C2SP tlog-witness: a consistency proof has no more lines than this."""

Subtree = Callable[[int, int], bytes]
"""`(level, index)`: the root of the complete subtree of 2^level leaves from leaf index*2^level."""


def leaf_hash(record: bytes) -> bytes:
    """Section 2.1: leaves and nodes are hashed apart, so that neither can pass for the other."""
    return sha256(b"\x00" + record).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The parent of two subtrees."""
    return sha256(b"\x01" + left + right).digest()


class CompactRange:
    """The tree over the first `size` leaves, as the roots of its complete subtrees.

    Left to right, the largest first: as many as `size` has bits that are set.
    """

    def __init__(self, size: int = 0, hashes: Sequence[bytes] = ()) -> None:
        if size < 0 or len(hashes) != size.bit_count():
            raise ValueError(f"a range of {size} leaves has {len(hashes)} hashes")
        if any(len(each) != HASH_BYTES for each in hashes):
            raise ValueError("a hash has another length")
        self.size = size
        self._hashes = list(hashes)

    @property
    def hashes(self) -> tuple[bytes, ...]:
        """The roots of the complete subtrees, the largest first."""
        return tuple(self._hashes)

    def append(self, leaf: bytes, found: Callable[[int, int, bytes], object] | None = None) -> None:
        """One leaf more; `found` is given each subtree that it completes: level, index, root."""
        level, index, root = 0, self.size, leaf
        while index & 1:
            root = node_hash(self._hashes.pop(), root)
            level, index = level + 1, index >> 1
            if found is not None:
                found(level, index, root)
        self._hashes.append(root)
        self.size += 1

    def append_all(self, leaves: Iterable[bytes]) -> None:
        """Many leaves, of which no subtree is asked for."""
        for leaf in leaves:
            self.append(leaf)

    def root(self) -> bytes:
        """The tree head."""
        if not self._hashes:
            return EMPTY_ROOT
        root = self._hashes[-1]
        for left in reversed(self._hashes[:-1]):
            root = node_hash(left, root)
        return root

    def copy(self) -> "CompactRange":
        """Another one that grows on its own."""
        return CompactRange(self.size, self._hashes)


# --- proofs made ---------------------------------------------------------------------------------


def inclusion_proof(index: int, size: int, subtree: Subtree) -> list[bytes]:
    """Section 2.1.1: the way from leaf `index` to the head of a tree of `size` leaves."""
    if not 0 <= index < size:
        raise ValueError(f"leaf {index} is not in a tree of {size}")
    return _path(index, 0, size, subtree)


def consistency_proof(old_size: int, size: int, subtree: Subtree) -> list[bytes]:
    """Section 2.1.2: that the tree of `size` leaves begins with the one of `old_size`."""
    if not 0 <= old_size <= size:
        raise ValueError(f"a tree of {size} does not extend one of {old_size}")
    if old_size in (0, size):
        return []
    return _subproof(old_size, 0, size, True, subtree)


def root_of(begin: int, end: int, subtree: Subtree) -> bytes:
    """The head over leaves `begin` to `end`, where `begin` is where a subtree that large begins."""
    count = end - begin
    if count == 0:
        return EMPTY_ROOT
    if count & (count - 1) == 0:
        level = count.bit_length() - 1
        return subtree(level, begin >> level)
    split = _split(count)
    return node_hash(root_of(begin, begin + split, subtree), root_of(begin + split, end, subtree))


def _path(index: int, begin: int, end: int, subtree: Subtree) -> list[bytes]:
    if end - begin == 1:
        return []
    middle = begin + _split(end - begin)
    if index < middle:
        return [*_path(index, begin, middle, subtree), root_of(middle, end, subtree)]
    return [*_path(index, middle, end, subtree), root_of(begin, middle, subtree)]


def _subproof(old_end: int, begin: int, end: int, is_known: bool, subtree: Subtree) -> list[bytes]:
    """`is_known`: whether this subtree's root is the old head itself."""
    if old_end == end:
        return [] if is_known else [root_of(begin, end, subtree)]
    middle = begin + _split(end - begin)
    if old_end <= middle:
        proof = _subproof(old_end, begin, middle, is_known, subtree)
        return [*proof, root_of(middle, end, subtree)]
    proof = _subproof(old_end, middle, end, False, subtree)
    return [*proof, root_of(begin, middle, subtree)]


def _split(count: int) -> int:
    """The largest power of two that is smaller."""
    return 1 << (count - 1).bit_length() - 1


# --- proofs checked ------------------------------------------------------------------------------


def is_included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether the proof leads from the leaf to the head, and uses every hash on the way."""
    if not 0 <= index < size:
        return False
    at, last, found = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node_hash(sibling, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


def extends(old_size: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the proof shows that the old tree is the beginning of the new one."""
    if not 0 <= old_size <= size:
        return False
    if old_size == size:
        return not proof and old_root == root
    if old_size == 0:
        return not proof and old_root == EMPTY_ROOT
    hashes = list(proof)
    if old_size & (old_size - 1) == 0:
        # The old tree is one complete subtree: its head is where the proof begins.
        hashes.insert(0, old_root)
    if not hashes:
        return False
    at, last = old_size - 1, size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    found_old = found = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            found_old, found = node_hash(sibling, found_old), node_hash(sibling, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and found_old == old_root and found == root
