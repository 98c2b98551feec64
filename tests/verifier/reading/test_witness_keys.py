"""Whoever gives the key of a witness asks for its word: where it is missing, that is a finding."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from progressive.entry.cli import main as progressive
from tests.support.journals import JournalFile, JournalShelf
from tests.support.sealed_journals import HOUSE, KEYS, WITNESS, Told, in_segments, sealed_by, teller
from tests.support.sealing import COSIGNED_AT, Sealer
from tests.support.segment_mischief import Mischief

SECOND = Sealer("second.example", b"x" * 32, kind=4)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    return JournalShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    return in_segments(shelf, tmp_path / "data")


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Told:
    return teller(tmp_path / "keys", capsys)


def without_witness(note: bytes, *witnesses: Sealer) -> bytes:
    text = note.decode().rpartition("\n\n")[0] + "\n"
    for each in witnesses or (WITNESS,):
        note = note.replace(each.line(text, at=COSIGNED_AT), b"")
    return note


def test_a_link_that_the_witness_never_cosigned_is_a_finding(
    journal: JournalFile, told: Told
) -> None:
    sealed_by(journal)
    code, page = told(journal.directory)
    assert code == 1
    assert "NOT GOOD" in page
    assert "seals/main: NOT cosigned by witness.example, whose key was given" in page
    assert "Leave out its line to check the house's key alone" in page

    code, page = told(journal.directory, HOUSE.key_line)
    assert (code, "Without a witness's key: " in page) == (0, True)


def test_a_link_whose_every_seal_is_cosigned_says_up_to_where(
    journal: JournalFile, told: Told
) -> None:
    sealed_by(journal, WITNESS)
    code, page = told(journal.directory)
    assert code == 0
    assert "  cosigned by witness.example up to record 15, 2026-11-18T11:06:40Z\n" in page
    assert "Without" not in page


def test_while_a_witness_is_silent_the_page_says_up_to_where_it_confirmed(
    journal: JournalFile, told: Told
) -> None:
    seals = sealed_by(journal, WITNESS)
    for path in (seals.newest, seals.folder / "000003-2026-01-02.note"):
        path.write_bytes(without_witness(path.read_bytes()))
    code, page = told(journal.directory)
    assert code == 0
    assert (
        "cosigned by witness.example up to record 7 of 15, 2026-11-18T11:06:40Z; the records "
        "behind it are not confirmed by anybody else\n"
    ) in page


def test_what_a_witness_confirmed_last_counts_though_newer_seals_lack_it(
    journal: JournalFile, told: Told
) -> None:
    seals = sealed_by(journal, WITNESS)
    cosigned = seals.newest.read_bytes()
    for path in seals.folder.glob("*.note"):
        path.write_bytes(without_witness(path.read_bytes()))
    assert told(journal.directory)[0] == 1
    (seals.folder / "cosigned-0a1b2c3d.note").write_bytes(cosigned)
    code, page = told(journal.directory)
    assert code == 0
    assert "cosigned by witness.example up to record 15, 2026" in page
    # It is held against the records like every other.
    (seals.folder / "cosigned-0a1b2c3d.note").write_bytes(cosigned.replace(b"\n15\n", b"\n16\n"))
    code, page = told(journal.directory)
    assert (code, "seals/main/cosigned-0a1b2c3d.note" in page) == (1, True)


def test_each_witness_is_asked_for_by_itself(journal: JournalFile, told: Told) -> None:
    seals = sealed_by(journal, WITNESS, SECOND)
    seals.newest.write_bytes(without_witness(seals.newest.read_bytes(), SECOND))
    code, page = told(journal.directory, f"{KEYS}{SECOND.key_line}\n")
    assert code == 0
    assert "cosigned by witness.example up to record 15, 2026" in page
    assert "cosigned by second.example up to record 10 of 15" in page
    assert "the records behind it are not confirmed by it" in page
    third = Sealer("third.example", b"t" * 32, kind=4)
    code, page = told(journal.directory, f"{KEYS}{third.key_line}\n")
    assert (code, "NOT cosigned by third.example" in page) == (1, True)


@pytest.mark.parametrize("name", ["witness.example", "Witness.example"])
def test_a_witness_of_another_name_or_key_has_not_cosigned(
    journal: JournalFile, told: Told, name: str
) -> None:
    sealed_by(journal, WITNESS)
    other = Sealer(name, b"o" * 32, kind=4)
    code, page = told(journal.directory, f"{HOUSE.key_line}\n{other.key_line}\n")
    assert (code, f"NOT cosigned by {name}" in page) == (1, True)


def test_without_any_seal_the_key_of_a_witness_alone_is_not_satisfied(
    journal: JournalFile, told: Told
) -> None:
    sealed_by(journal, WITNESS)
    code, page = told(journal.directory, WITNESS.key_line)
    assert code == 0
    assert "who signed the seals was not checked: give the house's public key" in page
    shutil.rmtree(journal.directory / "seals")
    code, page = told(journal.directory, WITNESS.key_line)
    assert (code, "not sealed: a key was given, and no seal is there" in page) == (1, True)


def test_a_cosignature_of_purged_records_confirms_none_that_are_here(
    journal: JournalFile, told: Told
) -> None:
    seals = sealed_by(journal, WITNESS)
    for path in (seals.newest, seals.folder / "000003-2026-01-02.note"):
        path.write_bytes(without_witness(path.read_bytes()))
    Mischief(journal).purge(3)
    code, page = told(journal.directory)
    assert (code, "NOT cosigned by witness.example" in page) == (1, True)
    assert told(journal.directory, HOUSE.key_line)[0] == 0


def test_the_command_of_the_service_asks_for_it_as_well(
    journal: JournalFile, tmp_path: Path
) -> None:
    sealed_by(journal)
    (tmp_path / "keys").write_text(KEYS)
    arguments = ["verify", "--data", str(journal.directory), "--key", str(tmp_path / "keys")]
    found = CliRunner().invoke(progressive, arguments)
    assert (found.exit_code, "NOT cosigned by witness.example" in found.output) == (1, True)


def test_an_export_says_that_no_seal_was_there_to_try_the_keys_on(
    journal: JournalFile, told: Told, tmp_path: Path
) -> None:
    seals = sealed_by(journal)
    kept, whole, part = tmp_path / "kept.note", tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    kept.write_bytes(seals.note(9))
    for path, first in ((whole, "1"), (part, "6")):
        arguments = ["export", "--data", str(journal.directory), "--link", "main", "--from", first]
        assert CliRunner().invoke(progressive, [*arguments, "--out", str(path)]).exit_code == 0
    for path in (whole, part, journal.directory / "segments" / "main"):
        code, page = told(path)
        assert code == 0
        assert "warning: no seal is here to try the given keys on" in page
        assert "NOT known to be sealed by casino.example" in page
        assert "NOT cosigned by witness.example" in page
    code, page = told(whole, KEYS, "--seal", kept)
    assert (code, "NOT cosigned by witness.example" in page) == (1, True)
    assert told(whole, HOUSE.key_line, "--seal", kept)[0] == 0
