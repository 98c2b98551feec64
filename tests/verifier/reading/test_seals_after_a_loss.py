"""After a loss that two people accepted: what is said of seals is true of the records here."""

import shutil
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from tests.support.journals import JournalFile, JournalShelf, Row
from tests.support.sealed_journals import HOUSE, KEYS, WITNESS, Told, teller
from tests.support.sealing import COSIGNED_AT, SealedFolder, Sealer, signed_note, slow_root

LEFT = 11
"""Of fifteen."""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    return JournalShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    """Sealed at 6, 9 and 15; then cut to 11, which two people accepted."""
    journal = shelf.copy_to(tmp_path / "data")
    seals = SealedFolder(journal.directory, "main", HOUSE, WITNESS)
    for name, size in (("at-6", 6), ("at-9", 9), ("ended-15", 15)):
        (seals.folder / f"{name}.note").write_bytes(seals.note(size))
    shutil.copy(seals.folder / "ended-15.note", tmp_path / "kept.note")
    lines = journal.lines()
    digest = sha256(lines[LEFT - 1]).hexdigest()
    was = sha256(lines[-1]).hexdigest()
    journal.execute("DELETE FROM snapshot WHERE seq > ?", LEFT)

    def cut(records: list[Row]) -> None:
        lost = records[-1]
        del records[LEFT:]
        last = records[-1]
        event = {
            "type": "loss_accepted",
            "remembered": {"epoch": 2, "seq": 15, "head": was, "at": lost["at"]},
            "found_seq": LEFT,
            "found_head": digest,
            "reason": "the disk burnt",
            "second_reason": "",
            "by": [
                {"name": "Cara", "department": "Cage"},
                {"name": "Fred", "department": "Finance"},
            ],
            "meters": last["event"].get("meters") or lost["event"]["meters"],
        }
        records.append({"seq": LEFT + 1, "at": last["at"], "prev": "", "event": event})

    journal.forge(cut)
    return journal


def seal_again(journal: JournalFile, *witnesses: Sealer) -> None:
    """The first seal of the log that begins with the loss."""
    lines = journal.lines()
    origin = f"casino.example/main/{LEFT + 1}-{sha256(lines[-1]).hexdigest()[:8]}"
    text = f"{origin}\n{len(lines)}\n{b64encode(slow_root(lines)).decode()}\n"
    note = signed_note(text, HOUSE.called(origin), *witnesses, at=COSIGNED_AT)
    (journal.directory / "seals" / "main" / "newest.note").write_bytes(note)


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Told:
    return teller(tmp_path / "keys", capsys)


def test_only_seals_of_records_that_are_here_are_said_to_fit(
    journal: JournalFile, told: Told
) -> None:
    seal_again(journal, WITNESS)
    code, page = told(journal.directory)
    assert code == 0, page
    assert "sealed: 3 seals of casino.example/main/12-" in page
    assert "and of logs before it fit the records, up to record 12; 0 are not sealed yet" in page
    assert "seals without records: 0 of purged ones, 1 of lost ones" in page
    assert (
        "seal seals/main/ended-15.note is of 15 records: 4 of them are gone, as two people "
        "accepted, and whether the others are those that were sealed it cannot show any more"
    ) in page
    assert "cosigned by witness.example up to record 12, " in page
    assert "your seal" not in page


def test_before_the_first_seal_of_the_new_log_older_ones_still_hold_for_their_records(
    journal: JournalFile, told: Told
) -> None:
    code, page = told(journal.directory)
    assert code == 0, page
    assert (
        "sealed: 2 seals of casino.example/main fit the records, up to record 9; 3 are not sealed "
        "yet"
    ) in page
    assert "cosigned by witness.example up to record 9 of 12, " in page


def test_where_all_seals_are_of_lost_records_none_is_said_to_fit(
    journal: JournalFile, told: Told
) -> None:
    for size in (6, 9):
        (journal.directory / "seals" / "main" / f"at-{size}.note").unlink()
    code, page = told(journal.directory, HOUSE.key_line)
    assert code == 0, page
    assert "sealed: no seal is of records that are here; 12 are not sealed yet" in page
    assert "cosigned" not in page
    assert "seals of" not in page
    # What the witness has confirmed is gone.
    code, page = told(journal.directory)
    assert (code, "NOT cosigned by witness.example" in page) == (1, True)


def test_a_witness_is_not_said_to_have_confirmed_what_is_gone(
    journal: JournalFile, told: Told
) -> None:
    seal_again(journal)
    code, page = told(journal.directory)
    assert code == 0
    assert "cosigned by witness.example up to record 9 of 12, " in page
    assert "up to record 15" not in page


def test_a_seal_that_was_kept_says_how_many_of_its_records_are_gone(
    journal: JournalFile, told: Told, tmp_path: Path
) -> None:
    seal_again(journal, WITNESS)
    kept = tmp_path / "kept.note"
    code, page = told(journal.directory, KEYS, "--seal", kept)
    assert code == 0
    assert f"your seal {kept} is of 15 records: 4 of them are gone, as two people accepted" in page
    assert "records are gone: 11 were found where 15 had been committed, as Cara and Fred" in page
