"""The tree against its definition, and every proof against every change of it."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.application.seals.merkle import (
    EMPTY_ROOT,
    CompactRange,
    consistency_proof,
    extends,
    inclusion_proof,
    is_included,
    leaf_hash,
    node_hash,
    root_of,
)

LEAVES = [leaf_hash(b"%d" % number) for number in range(80)]
OTHER = bytes(32)


def head(leaves: list[bytes]) -> bytes:
    """RFC 6962, section 2.1, word for word."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node_hash(head(leaves[:split]), head(leaves[split:]))


def subtree(level: int, index: int) -> bytes:
    return head(LEAVES[index << level : (index + 1) << level])


# The trees of the certificate transparency project's own tests: inputs and heads.
INPUTS = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657",
          "606162636465666768696a6b6c6d6e6f"]  # fmt: skip
HEADS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def test_heads_are_those_that_everybody_knows() -> None:
    grown = CompactRange()
    assert grown.root() == EMPTY_ROOT
    for given_input, expected in zip(INPUTS, HEADS, strict=True):
        grown.append(leaf_hash(bytes.fromhex(given_input)))
        assert grown.root().hex() == expected


@pytest.mark.parametrize("size", range(66))
def test_a_range_has_the_head_of_the_definition(size: int) -> None:
    grown = CompactRange()
    grown.append_all(LEAVES[:size])
    assert grown.root() == head(LEAVES[:size]) == root_of(0, size, subtree)
    assert CompactRange(size, grown.hashes).root() == grown.root()


def test_a_range_tells_every_subtree_it_completes() -> None:
    found: dict[tuple[int, int], bytes] = {}
    grown = CompactRange()
    for leaf in LEAVES[:64]:
        grown.append(leaf, lambda level, index, root: found.update({(level, index): root}))
    assert found == {
        (level, index): subtree(level, index)
        for level in range(1, 7)
        for index in range(64 >> level)
    }


def test_a_range_of_the_wrong_shape_is_refused() -> None:
    for size, hashes in ((3, [OTHER]), (1, [b"short"]), (-1, [])):
        with pytest.raises(ValueError, match=r"hash|leaves"):
            CompactRange(size, hashes)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 21, 40])
def test_a_proof_of_inclusion_holds_and_no_change_of_it_does(size: int) -> None:
    root = head(LEAVES[:size])
    for index in range(size):
        leaf, proof = LEAVES[index], inclusion_proof(index, size, subtree)
        assert is_included(leaf, index, size, proof, root)
        assert not is_included(OTHER, index, size, proof, root)
        assert not is_included(leaf, index, size, proof, OTHER)
        assert not is_included(leaf, index, size, [*proof, OTHER], root)
        assert not is_included(leaf, size, size, proof, root)
        assert not is_included(leaf, -1, size, proof, root)
        for place in range(len(proof)):
            changed = [*proof[:place], OTHER, *proof[place + 1 :]]
            assert not is_included(leaf, index, size, changed, root)
            assert not is_included(leaf, index, size, proof[:place] + proof[place + 1 :], root)
        for other in set(range(size)) - {index}:
            assert not is_included(leaf, other, size, proof, root)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 21, 40])
def test_a_proof_of_consistency_holds_and_no_change_of_it_does(size: int) -> None:
    root = head(LEAVES[:size])
    for old in range(size + 1):
        old_root, proof = head(LEAVES[:old]), consistency_proof(old, size, subtree)
        assert extends(old, old_root, size, root, proof)
        assert not extends(old, OTHER, size, root, proof)
        assert not extends(old, old_root, size, root, [*proof, OTHER])
        assert not extends(size + 1, old_root, size, root, proof)
        if old:
            assert not extends(old, old_root, size, OTHER, proof)
        for place in range(len(proof)):
            changed = [*proof[:place], OTHER, *proof[place + 1 :]]
            assert not extends(old, old_root, size, root, changed)
            assert not extends(old, old_root, size, root, proof[:place] + proof[place + 1 :])


@given(st.integers(1, 80), st.data())
def test_proofs_of_any_tree(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    old = data.draw(st.integers(0, size))
    root = head(LEAVES[:size])
    assert is_included(LEAVES[index], index, size, inclusion_proof(index, size, subtree), root)
    assert extends(old, head(LEAVES[:old]), size, root, consistency_proof(old, size, subtree))


def test_what_is_in_no_tree_has_no_proof() -> None:
    with pytest.raises(ValueError, match="not in a tree"):
        inclusion_proof(5, 5, subtree)
    with pytest.raises(ValueError, match="does not extend"):
        consistency_proof(6, 5, subtree)
