"""Files that an editor or a mail program changed, and what is no journal at all: one clear line."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from progressive.verifier.program.main import main
from tests.support.journals import JournalFile, JournalShelf
from tests.support.sealed_journals import HOUSE, KEYS, WITNESS
from tests.support.sealing import SealedFolder

BOM = b"\xef\xbb\xbf"
CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "CR LF": lambda body: body.replace(b"\n", b"\r\n"),
    "byte order mark": lambda body: BOM + body,
    "both": lambda body: BOM + body.replace(b"\n", b"\r\n"),
}

Answer = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    return JournalShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


@pytest.fixture
def seal(journal: JournalFile) -> bytes:
    return SealedFolder(journal.directory, "main", HOUSE, WITNESS).note()


@pytest.fixture
def export(journal: JournalFile) -> bytes:
    return b"".join([line + b"\n" for line in journal.lines()])


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Answer:
    """Exit code, page and complaint."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([str(each) for each in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", ["seal", "export", "record", "consistency", "award"])
def test_a_file_whose_bytes_were_changed_by_a_program_is_bad_input(
    seal: bytes, export: bytes, tmp_path: Path, answer: Answer, kind: str, change: str
) -> None:
    body = {
        "seal": seal,
        "export": export,
        "record": b"c2sp.org/tlog-proof@v1\nindex 6\n\n" + seal,
        "consistency": b"old 9\n\n" + seal,
        "award": b"progressive.award-proof/v1\naward main.1.1\n\n" + seal,
    }[kind]
    path = tmp_path / "mailed.txt"
    path.write_bytes(CHANGES[change](body))
    code, page, complaint = answer(path)
    assert (code, page) == (2, "")
    assert "has been through a program that changed its bytes" in complaint
    assert complaint.count("\n") == 1


@pytest.mark.parametrize("change", CHANGES)
def test_a_seal_that_was_taken_away_and_changed_on_the_way_is_bad_input(
    journal: JournalFile, seal: bytes, tmp_path: Path, answer: Answer, change: str
) -> None:
    kept = tmp_path / "kept.note"
    kept.write_bytes(CHANGES[change](seal))
    code, page, complaint = answer(journal.directory, "--seal", kept)
    assert (code, page) == (2, "")
    assert "not a seal: a program has changed its bytes on the way" in complaint


@pytest.mark.parametrize("change", CHANGES)
def test_keys_may_come_from_an_editor_of_windows(
    seal: bytes, tmp_path: Path, answer: Answer, change: str
) -> None:
    note, keys = tmp_path / "kept.note", tmp_path / "keys.txt"
    note.write_bytes(seal)
    keys.write_bytes(CHANGES[change](KEYS.encode()))
    code, page, _ = answer(note, "--key", keys)
    assert (code, "signed with the key that was given" in page) == (0, True)


def test_what_holds_nothing_or_never_ends_is_bad_input(tmp_path: Path, answer: Answer) -> None:
    empty, pipe = tmp_path / "empty.jsonl", tmp_path / "pipe"
    empty.write_bytes(b"")
    os.mkfifo(pipe)
    for path, said in (
        (empty, "empty.jsonl is empty"),
        (pipe, "a pipe or a device"),
        (Path("/dev/zero"), "a pipe or a device"),
    ):
        code, page, complaint = answer(path)
        assert (code, page) == (2, "")
        assert said in complaint
        assert complaint.count("\n") == 1


def test_an_export_that_ends_within_its_first_record_is_named_also_for_machines(
    export: bytes, tmp_path: Path, answer: Answer
) -> None:
    path = tmp_path / "export.jsonl"
    path.write_bytes(export[:200])
    code, page, _ = answer(path)
    assert (code, page) == (
        1,
        f"NOT GOOD: {path}: does not end with a newline: the file was cut off\n",
    )
    code, page, _ = answer(path, "--json")
    found = json.loads(page)
    assert (code, found["ok"], len(found["file_problems"])) == (1, False, 1)


def test_two_exports_behind_each_other_are_not_one_journal(
    export: bytes, tmp_path: Path, answer: Answer
) -> None:
    path = tmp_path / "export.jsonl"
    path.write_bytes(export + export)
    code, page, _ = answer(path)
    assert code == 1
    assert "record 16: missing: record 1 stands in its place" in page


def test_a_number_of_thousands_of_digits_is_told_in_our_words(
    export: bytes, tmp_path: Path, answer: Answer
) -> None:
    path = tmp_path / "export.jsonl"
    path.write_bytes(export.replace(b'"seq":3,', b'"seq":' + b"9" * 5000 + b",", 1))
    code, page, _ = answer(path)
    assert code == 1
    assert "a number of thousands of digits" in page
    assert "set_int_max_str_digits" not in page
