"""A link's log: what is signed extends what was signed before, whatever happened meanwhile."""

import os
from pathlib import Path

import pytest

from progressive.adapters.seals.key_file import new_signer
from progressive.application.seals.link_log import SealFindingError
from progressive.application.seals.link_tree import CannotSealError
from progressive.application.seals.merkle import (
    consistency_proof,
    extends,
    inclusion_proof,
    is_included,
    leaf_hash,
)
from tests.support.sealed import ListedJournal, SealedLink, checkpoint_of, tree_of


@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 1000])
def test_what_is_sealed_is_the_tree_over_all_records(tmp_path: Path, count: int) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(count))
    sealed.seal()
    newest = sealed.newest()
    assert (newest.origin, newest.size) == ("house/main", count)
    assert newest.root == sealed.journal.root(count)
    assert sealed.folder.roots(8) == count // 256


def test_a_restart_goes_on_from_the_stored_tree(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(700))
    sealed.seal(300)
    sealed.seal(513)
    log = sealed.opened()
    assert (log.size, log.hashed) == (513, 513)
    sealed.seal()
    assert sealed.newest().root == sealed.journal.root(700)
    assert sealed.folder.run(8, 0, 3) == [
        tree_of(sealed.journal.records[first : first + 256]).root() for first in (0, 256)
    ]


def test_work_in_parts_gives_the_same_seal(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(900))
    sealed.seal(records_max=7)
    assert sealed.newest().root == sealed.journal.root(900)


def test_a_first_seal_that_was_cut_off_is_not_signed_half(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(900))
    log = sealed.opened()
    assert not log.advance(sealed.journal.target(), records_max=600)
    assert sealed.folder.newest() is None
    assert sealed.folder.roots(8) == 2
    sealed.seal()
    assert sealed.newest().root == sealed.journal.root(900)


def test_nothing_is_signed_for_fewer_records(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(50))
    sealed.seal()
    before = sealed.folder.newest()
    with pytest.raises(SealFindingError, match="50 records are sealed, the journal ends at 49"):
        sealed.seal(49)
    assert sealed.folder.newest() == before


def test_the_same_records_are_not_signed_twice(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(50))
    sealed.seal()
    path = sealed.folder.folder / "newest.note"
    written = path.stat().st_ino
    sealed.seal()
    assert path.stat().st_ino == written


@pytest.mark.parametrize("kept", [0, 255, 256, 299])
def test_a_journal_that_was_written_again_is_not_sealed(tmp_path: Path, kept: int) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(300))
    sealed.seal()
    other = ListedJournal(0)
    other.records = sealed.journal.records[:kept]
    while len(other.records) < 400:
        other.add(extra="changed")
    sealed.journal = other
    before = sealed.folder.newest()
    with pytest.raises(SealFindingError, match="not the one that was sealed"):
        sealed.seal()
    assert sealed.folder.newest() == before


def test_another_record_than_the_committed_one_is_not_sealed(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(30))
    target = sealed.journal.target()
    sealed.journal.records[-1] += b" "
    with pytest.raises(SealFindingError, match="record 30 is not the one that was committed"):
        sealed.opened().advance(target, records_max=100)
    assert sealed.folder.newest() is None


# --- the stored tree ---------------------------------------------------------------------------


def _flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("change", ["flip", "remove", "cut", "half"])
def test_a_damaged_tree_is_built_again(
    tmp_path: Path, change: str, caplog: pytest.LogCaptureFixture
) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(1500))
    sealed.seal(1400)
    tree = sealed.folder.folder / "tree-8"
    whole = tree.read_bytes()
    match change:
        case "flip":
            _flip(tree, 40)
        case "remove":
            tree.unlink()
        case "cut":
            os.truncate(tree, 64)
        case "half":
            os.truncate(tree, 100)
    sealed.seal()
    assert sealed.newest().root == sealed.journal.root(1500)
    assert tree.read_bytes() == whole
    assert "stored tree is damaged" in caplog.text


def test_more_of_the_tree_than_was_sealed_is_no_damage(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(900))
    sealed.seal(300)
    log = sealed.opened()
    assert not log.advance(sealed.journal.target(), records_max=500)
    assert sealed.folder.roots(8) == 3
    sealed.seal()
    assert sealed.newest().root == sealed.journal.root(900)
    assert "damaged" not in caplog.text


@pytest.mark.slow
def test_upper_levels_are_made_from_lower_ones(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(2 * 65_536 + 300))
    sealed.seal()
    tree = sealed.folder.folder / "tree-16"
    whole = tree.read_bytes()
    assert len(whole) == 64
    tree.unlink()
    log = sealed.opened()
    assert log.hashed == log.size
    assert tree.read_bytes() == whole
    _flip(tree, 32)
    # The first of both is confirmed: only what follows is hashed again.
    assert sealed.opened().hashed == 65_536
    sealed.seal()
    assert tree.read_bytes() == whole


@pytest.mark.slow
def test_a_first_sealing_goes_on_behind_what_two_levels_agree_on(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(65_536 + 3_000))
    assert not sealed.opened().advance(sealed.journal.target(), records_max=65_536 + 1_000)
    assert sealed.opened().hashed == 65_536
    sealed.seal()
    assert sealed.newest().root == sealed.journal.root(65_536 + 3_000)


# --- proofs ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_proofs_from_the_stored_tree_hold(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(1000))
    log = sealed.seal()
    root, subtree = sealed.newest().root, log.tree().subtree
    for seq in (1, 255, 256, 257, 600, 999, 1000):
        leaf = leaf_hash(sealed.journal.records[seq - 1])
        assert is_included(leaf, seq - 1, 1000, inclusion_proof(seq - 1, 1000, subtree), root)
    for size in (1, 255, 256, 300, 512, 999):
        old = sealed.journal.root(size)
        assert extends(size, old, 1000, root, consistency_proof(size, 1000, subtree))


# --- segments ----------------------------------------------------------------------------------


def test_every_segment_has_a_note_of_just_its_end(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(900, checkpoints=(101, 301, 501)))
    sealed.seal(400)
    assert sealed.folder.waiting() == [100, 300]
    first = sealed.journal.close_segment(100)
    sealed.seal(600)
    assert sealed.folder.waiting() == [300, 500]
    third = sealed.journal.close_segment(500)
    sealed.seal()
    assert sealed.folder.waiting() == []
    for segment in (first, third):
        found = checkpoint_of(sealed.folder.segment_note(segment.name))
        assert (found.size, found.root) == (
            segment.last_seq,
            sealed.journal.root(segment.last_seq),
        )
        expected = tree_of(sealed.journal.records[: segment.last_seq]).hashes
        assert tuple(sealed.folder.segment_range(segment.name) or ()) == expected


def test_segments_that_were_there_before_get_their_notes(tmp_path: Path) -> None:
    """A data directory of an older version: some ends are no snapshots."""
    sealed = SealedLink(tmp_path, ListedJournal(900, checkpoints=(51, 101, 801)))
    for last in (100, 400, 700):
        sealed.journal.close_segment(last)
    sealed.seal()
    assert sealed.folder.waiting() == [800]
    for segment in sealed.journal.segments():
        assert checkpoint_of(sealed.folder.segment_note(segment.name)).size == segment.last_seq


def test_an_end_whose_note_was_lost_between_two_writes_is_written_again(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(101, checkpoints=(101,)))
    sealed.seal(100)
    assert sealed.folder.waiting() == []
    sealed.seal()
    assert sealed.folder.waiting() == [100]
    assert sealed.newest().size == 101


# --- purged records ----------------------------------------------------------------------------


@pytest.mark.parametrize("end", [512, 700])
def test_sealing_goes_on_without_the_records_that_were_purged(tmp_path: Path, end: int) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(2000, checkpoints=(end + 1,)))
    sealed.seal(1500)
    sealed.journal.close_segment(end)
    sealed.seal(1600)
    sealed.journal.purge(1)
    log = sealed.seal()
    root = sealed.journal.root(2000)
    assert sealed.newest().root == root
    for seq in (end + 1, end + 2, 1023, 1024, 2000):
        leaf = leaf_hash(sealed.journal.records[seq - 1])
        proof = inclusion_proof(seq - 1, 2000, log.tree().subtree)
        assert is_included(leaf, seq - 1, 2000, proof, root)


@pytest.mark.parametrize("end", [512, 700])
def test_a_tree_that_is_lost_after_a_purge_is_built_from_the_range(
    tmp_path: Path, end: int
) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(2000, checkpoints=(end + 1,)))
    sealed.seal(1500)
    segment = sealed.journal.close_segment(end)
    sealed.seal(1600)
    sealed.journal.purge(1)
    (sealed.folder.folder / "tree-8").unlink()
    log = sealed.seal()
    root = sealed.journal.root(2000)
    assert sealed.newest().root == root
    for seq in (end + 1, 1023, 1024, 2000):
        leaf = leaf_hash(sealed.journal.records[seq - 1])
        proof = inclusion_proof(seq - 1, 2000, log.tree().subtree)
        assert is_included(leaf, seq - 1, 2000, proof, root)
    assert sealed.opened().hashed == 2000
    (sealed.folder.folder / "tree-8").unlink()
    _flip(sealed.folder.folder / f"{segment.name}.range", 3)
    with pytest.raises(CannotSealError, match="put it back from a backup"):
        sealed.seal()


# --- keys and logs -----------------------------------------------------------------------------


def test_another_key_is_refused_unless_the_old_one_is_named(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(50))
    sealed.seal(40)
    old, before = sealed.signer, sealed.folder.newest()
    sealed.signer = new_signer("house")
    with pytest.raises(SealFindingError, match="sealed with another key"):
        sealed.opened()
    sealed.before = [old.key()]
    sealed.seal()
    assert sealed.newest().size == 50
    assert (sealed.folder.folder / "ended-40.note").read_bytes() == before
    sealed.before = []
    sealed.opened()


def test_a_key_of_another_name_begins_a_log_of_its_own(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(50))
    sealed.seal(40)
    old = sealed.signer
    sealed.signer = new_signer("new-house")
    with pytest.raises(SealFindingError, match="sealed under another name, house/main"):
        sealed.opened()
    sealed.before = [old.key()]
    # Also where no record came since.
    sealed.seal(40)
    assert sealed.newest().origin == "new-house/main"
    assert (sealed.folder.folder / "ended-40.note").exists()


def test_the_seal_of_another_link_is_refused(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(50))
    sealed.seal()
    note = (sealed.folder.newest() or b"").replace(b"house/main", b"house/high-limit")
    sealed.folder.write_newest(note)
    with pytest.raises(SealFindingError, match="seal of another link, house/high-limit"):
        sealed.opened()


def test_after_an_accepted_loss_another_log_begins(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(50))
    sealed.seal()
    before = sealed.folder.newest()
    del sealed.journal.records[30:]
    sealed.journal.add("loss_accepted")
    sealed.seal(name="31-1234abcd")
    newest = sealed.newest()
    assert (newest.origin, newest.size) == ("house/main/31-1234abcd", 31)
    assert newest.root == sealed.journal.root(31)
    assert (sealed.folder.folder / "ended-50.note").read_bytes() == before
    with pytest.raises(SealFindingError, match="it is an older one"):
        sealed.opened()


def test_every_changed_byte_of_the_newest_note_is_noticed(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(20))
    sealed.seal()
    note = sealed.folder.newest() or b""
    for place in range(len(note)):
        changed = bytearray(note)
        changed[place] ^= 1
        sealed.folder.write_newest(bytes(changed))
        with pytest.raises(SealFindingError):
            sealed.opened()
