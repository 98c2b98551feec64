"""Hash trees are those of RFC 6962: by known values, and by its own slow definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.verifier.proof.merkle import (
    EMPTY_ROOT,
    NotARangeError,
    Range,
    is_consistent,
    leaf_hash,
    node_hash,
    root_by_inclusion,
)

# The leaves and roots that the tests of Certificate Transparency have used since 2012.
LEAVES = [
    bytes.fromhex(each)
    for each in (
        *("", "00", "10", "2021", "3031", "40414243"),
        *("5051525354555657", "606162636465666768696a6b6c6d6e6f"),
    )
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]

some_leaves = st.lists(st.binary(max_size=8), max_size=70)


def split(count: int) -> int:
    """The largest power of two below a number of leaves."""
    return 1 << (count - 1).bit_length() - 1


def slow_root(leaves: list[bytes]) -> bytes:
    """Section 2.1, word by word."""
    if not leaves:
        return EMPTY_ROOT
    if len(leaves) == 1:
        return leaf_hash(leaves[0])
    k = split(len(leaves))
    return node_hash(slow_root(leaves[:k]), slow_root(leaves[k:]))


def slow_path(index: int, leaves: list[bytes]) -> list[bytes]:
    """Section 2.1.1."""
    if len(leaves) <= 1:
        return []
    k = split(len(leaves))
    if index < k:
        return [*slow_path(index, leaves[:k]), slow_root(leaves[k:])]
    return [*slow_path(index - k, leaves[k:]), slow_root(leaves[:k])]


def slow_consistency(size: int, leaves: list[bytes], *, known: bool = True) -> list[bytes]:
    """Section 2.1.2."""
    if size == len(leaves):
        return [] if known else [slow_root(leaves)]
    k = split(len(leaves))
    if size <= k:
        return [*slow_consistency(size, leaves[:k], known=known), slow_root(leaves[k:])]
    return [*slow_consistency(size - k, leaves[k:], known=False), slow_root(leaves[:k])]


def tree_of(leaves: list[bytes]) -> Range:
    tree = Range()
    tree.extend(leaves)
    return tree


def test_an_empty_tree_has_the_hash_of_nothing() -> None:
    expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert Range().root().hex() == expected


@pytest.mark.parametrize("size", range(1, 9))
def test_known_roots(size: int) -> None:
    assert tree_of(LEAVES[:size]).root().hex() == ROOTS[size - 1]


@given(leaves=some_leaves)
def test_root_is_that_of_the_definition(leaves: list[bytes]) -> None:
    assert tree_of(leaves).root() == slow_root(leaves)


@given(leaves=some_leaves, cuts=st.lists(st.integers(0, 70), max_size=4))
def test_stretches_hashed_side_by_side_join_to_the_same_tree(
    leaves: list[bytes], cuts: list[int]
) -> None:
    joined, begin = Range(), 0
    for end in [*sorted(min(cut, len(leaves)) for cut in cuts), len(leaves)]:
        part = Range(begin)
        part.extend(leaves[begin:end])
        joined.join(part)
        begin = end

    assert joined.root() == slow_root(leaves)
    assert joined.hashes == tree_of(leaves).hashes


@given(leaves=some_leaves, size=st.integers(0, 70))
def test_a_tree_goes_on_from_the_hashes_of_its_subtrees(leaves: list[bytes], size: int) -> None:
    size = min(size, len(leaves))
    tree = Range.from_hashes(size, tree_of(leaves[:size]).hashes)

    assert tree.root() == slow_root(leaves[:size])
    tree.extend(leaves[size:])
    assert tree.root() == slow_root(leaves)


def test_too_many_hashes_or_too_few_are_refused() -> None:
    hashes = tree_of(LEAVES[:7]).hashes
    for size, wrong in (
        (7, hashes[:2]),
        (7, [*hashes, hashes[0]]),
        (8, hashes),
        (7, [b"", b"", b""]),
    ):
        with pytest.raises(NotARangeError):
            Range.from_hashes(size, wrong)


def test_stretches_that_do_not_meet_are_refused() -> None:
    with pytest.raises(NotARangeError):
        tree_of(LEAVES[:3]).join(Range(4))
    with pytest.raises(NotARangeError):
        Range(1).root()


@given(leaves=st.lists(st.binary(max_size=4), max_size=40), cut=st.integers(0, 40))
def test_complete_subtrees_are_told_once_each(leaves: list[bytes], cut: int) -> None:
    told: list[tuple[int, int, bytes]] = []

    def on_subtree(*each: int | bytes) -> None:
        told.append(each)  # type: ignore[arg-type]

    cut = min(cut, len(leaves))
    joined = Range(on_subtree=on_subtree)
    joined.extend(leaves[:cut])
    inside: list[tuple[int, int]] = []
    part = Range(cut, on_subtree=lambda height, place, _: inside.append((height, place)))
    part.extend(leaves[cut:])
    joined.join(part)

    for height, place, hash_ in told:
        first = place << height
        assert hash_ == slow_root(leaves[first : first + (1 << height)])
    expected = {(height, place) for height in range(6) for place in range(len(leaves) >> height)}
    assert {(height, place) for height, place, _ in told} | set(inside) == expected


@given(leaves=st.lists(st.binary(max_size=4), min_size=1, max_size=40), data=st.data())
def test_inclusion_is_proved_for_the_leaf_its_place_and_its_tree_only(
    leaves: list[bytes], data: st.DataObject
) -> None:
    size = len(leaves)
    index = data.draw(st.integers(0, size - 1))
    proof, root = slow_path(index, leaves), slow_root(leaves)

    assert root_by_inclusion(leaf_hash(leaves[index]), index=index, size=size, proof=proof) == root
    wrong = leaf_hash(leaves[index] + b"x")
    assert root_by_inclusion(wrong, index=index, size=size, proof=proof) != root
    leaf = leaf_hash(leaves[index])
    for place in range(len(proof)):
        less = proof[:place] + proof[place + 1 :]
        assert root_by_inclusion(leaf, index=index, size=size, proof=less) != root
    assert root_by_inclusion(leaf, index=index, size=size, proof=[*proof, root]) != root
    assert root_by_inclusion(leaf, index=size, size=size, proof=proof) is None


@given(leaves=st.lists(st.binary(max_size=4), min_size=1, max_size=40), data=st.data())
def test_consistency_is_proved_for_the_beginning_of_the_tree_only(
    leaves: list[bytes], data: st.DataObject
) -> None:
    size = len(leaves)
    old = data.draw(st.integers(1, size))
    proof = slow_consistency(old, leaves)
    roots = slow_root(leaves[:old]), slow_root(leaves)

    assert is_consistent(old, roots[0], size, roots[1], proof)
    assert not is_consistent(old, roots[0], size, bytes(32), proof)
    assert not is_consistent(old, bytes(32), size, roots[1], proof)
    for place in range(len(proof)):
        changed = [*proof[:place], bytes(32), *proof[place + 1 :]]
        assert not is_consistent(old, roots[0], size, roots[1], changed)
    assert not is_consistent(size + 1, roots[0], size, roots[1], proof)
