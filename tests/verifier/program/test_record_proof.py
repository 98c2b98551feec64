"""Proofs of a record and from an older seal, as the house gives them out, lead to a signed seal."""

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from progressive.entry.cli import main as progressive
from progressive.verifier.program.main import main
from tests.support.journals import JournalFile, JournalShelf
from tests.support.sealing import (
    SealedFolder,
    Sealer,
    signed_note,
    slow_path,
    slow_root,
)
from tests.support.sealing import records_of as all_records

HOUSE = Sealer("casino.example", b"h" * 32)
OTHER = Sealer("casino.example", b"o" * 32)
WITNESS = Sealer("witness.example", b"w" * 32, kind=4)
KEYS = f"{HOUSE.key_line}\n{WITNESS.key_line}\n"
SEQ, OLD = 7, 9

Told = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> JournalFile:
    """Fifteen records, all sealed."""
    journal = JournalShelf(tmp_path_factory.mktemp("shelf") / "good").journal
    SealedFolder(journal.directory, "main", HOUSE, WITNESS).seal_all({})
    return journal


def given(journal: JournalFile, *arguments: object) -> bytes:
    """What `progressive seal` writes, which is what the service answers."""
    out = journal.directory.parent / "given"
    out.unlink(missing_ok=True)
    words = ["seal", "--data", journal.directory, "--link", "main", *arguments, "-o", out]
    done = CliRunner().invoke(progressive, [str(each) for each in words])
    assert done.exit_code == 0, done.output
    return out.read_bytes()


@pytest.fixture(scope="module")
def record_proof(journal: JournalFile) -> bytes:
    return given(journal, "--proof", SEQ)


@pytest.fixture(scope="module")
def consistency(journal: JournalFile) -> bytes:
    return given(journal, "--from", OLD)


@pytest.fixture
def old_seal(journal: JournalFile, tmp_path: Path) -> Path:
    path = tmp_path / "old.note"
    path.write_bytes(seal_of(all_records(journal.directory, "main")[:OLD]))
    return path


def seal_of(records: list[bytes], signer: Sealer = HOUSE, link: str = "main") -> bytes:
    origin = f"{HOUSE.name}/{link}"
    text = f"{origin}\n{len(records)}\n{b64encode(slow_root(records)).decode()}\n"
    return signed_note(text, signer.called(origin))


@pytest.fixture
def stored(journal: JournalFile, tmp_path: Path) -> Path:
    path = tmp_path / "record"
    path.write_bytes(all_records(journal.directory, "main")[SEQ - 1] + b"\n")
    return path


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Told:
    def run(body: bytes, *arguments: object, keys: str = KEYS) -> tuple[int, str]:
        path, key_file = tmp_path / "given.txt", tmp_path / "keys"
        path.write_bytes(body)
        key_file.write_text(keys)
        words = [path, *arguments, *(("--key", key_file) if keys else ())]
        code = main([str(each) for each in words])
        out, err = capsys.readouterr()
        return code, out + err

    return run


# --- of a record --------------------------------------------------------------------------------


def test_the_proof_of_a_record_says_what_is_proved_and_what_is_not(
    record_proof: bytes, stored: Path, told: Told
) -> None:
    code, page = told(record_proof, "--record", stored)
    assert code == 0, page
    for said in (
        "the proof of a record\nverified: all of it is good",
        "seal of casino.example/main: 15 records, root ",
        "signed with the key that was given",
        "cosigned by witness.example, 2026-11-18T11:06:40Z",
        "proved: record 7 (2026-01-02T",
        "settled), as it was given, is number 7 of the 15 that are sealed",
        "Not known from this: whether what it says is right",
    ):
        assert said in page
    code, page = told(record_proof, "--record", stored, keys="")
    assert (code, "warning: who signed it was not checked" in page) == (0, True)


def test_the_record_is_found_in_an_export(
    journal: JournalFile, record_proof: bytes, told: Told, tmp_path: Path
) -> None:
    export = tmp_path / "export.jsonl"
    export.write_bytes(b"".join([each + b"\n" for each in journal.lines()]))
    assert told(record_proof, "--record", export)[0] == 0
    export.write_bytes(b"".join([each + b"\n" for each in journal.lines()[SEQ:]]))
    code, page = told(record_proof, "--record", export)
    assert (code, "does not hold record 7" in page) == (2, True)


def test_without_the_record_nothing_is_called_good(record_proof: bytes, told: Told) -> None:
    code, page = told(record_proof)
    assert code == 2
    assert "says that record 7 is in a sealed journal, and does not hold it" in page
    assert "--record FILE" in page
    assert page.count("\n") == 1


def test_no_changed_byte_of_a_record_is_taken(
    record_proof: bytes, stored: Path, told: Told
) -> None:
    body = stored.read_bytes()
    for place in range(len(body) - 1):
        stored.write_bytes(body[:place] + bytes((body[place] ^ 1,)) + body[place + 1 :])
        assert told(record_proof, "--record", stored)[0] == 1, place


@pytest.mark.slow
def test_no_changed_byte_of_the_proof_of_a_record_is_taken(
    record_proof: bytes, stored: Path, told: Told
) -> None:
    for place in range(len(record_proof)):
        changed = bytes((record_proof[place] ^ (0x20 if place % 2 else 1),))
        body = record_proof[:place] + changed + record_proof[place + 1 :]
        code, page = told(body, "--record", stored)
        # Where its first line is another it is nothing that a record belongs to.
        assert code == 1 or (code == 2 and place < 22), (place, page)


# --- from an older seal -------------------------------------------------------------------------


def test_a_seal_extends_the_older_one_that_was_kept(
    consistency: bytes, old_seal: Path, told: Told
) -> None:
    code, page = told(consistency, "--seal", old_seal)
    assert code == 0, page
    for said in (
        "a proof that a seal extends an older one\nverified: all of it is good",
        "seal of casino.example/main: 15 records",
        "proved: it extends the older seal of 9 records",
        "Not known from this: what any of the records says",
    ):
        assert said in page


def test_without_the_older_seal_nothing_is_called_good(consistency: bytes, told: Told) -> None:
    code, page = told(consistency)
    assert code == 2
    assert "extends an older one of 9 records, and does not hold that: give it with --seal" in page
    assert page.count("\n") == 1


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda records: seal_of(records[: OLD - 1]), "is not about a seal of 8 records"),
        (lambda records: seal_of([b"x", *records[1:OLD]]), "the newest seal does not extend it"),
        (lambda records: seal_of(records[:OLD], OTHER), "sealed with another key"),
        (lambda records: seal_of(records[:OLD], HOUSE, "side"), "of another log"),
    ],
)
def test_another_older_seal_is_not_the_one_it_extends(
    journal: JournalFile,
    consistency: bytes,
    old_seal: Path,
    told: Told,
    make: Callable[[list[bytes]], bytes],
    said: str,
) -> None:
    old_seal.write_bytes(make(all_records(journal.directory, "main")))
    code, page = told(consistency, "--seal", old_seal)
    assert code == 1
    assert said in page


@pytest.mark.slow
def test_no_changed_byte_of_a_proof_from_an_older_seal_is_taken(
    consistency: bytes, old_seal: Path, told: Told
) -> None:
    for place in range(len(consistency)):
        changed = bytes((consistency[place] ^ (0x20 if place % 2 else 1),))
        body = consistency[:place] + changed + consistency[place + 1 :]
        code, page = told(body, "--seal", old_seal)
        # Where its first line is another it is nothing that an older seal belongs to.
        assert code == 1 or (code == 2 and place < len("old 9\n")), (place, page)


# --- both ---------------------------------------------------------------------------------------


CHANGES: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "one hash less": (lambda lines: [*lines[:2], *lines[3:]], ""),
    "one hash more": (lambda lines: [*lines[:2], lines[2], *lines[2:]], ""),
    "not base64": (lambda lines: [*lines[:2], b"*", *lines[3:]], "not base64"),
    "a short hash": (lambda lines: [*lines[:2], b"AAAA", *lines[3:]], "another length"),
    "no seal": (lambda lines: lines[: lines.index(b"")], ""),
    "cut off": (lambda lines: [*lines[:-2], lines[-2][:-4]], "cut off"),
    "no text": (lambda lines: [*lines[: lines.index(b"") + 1], b"", lines[-2], b""], ""),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_proof_that_is_written_otherwise_is_refused(
    record_proof: bytes,
    consistency: bytes,
    stored: Path,
    old_seal: Path,
    told: Told,
    change: str,
) -> None:
    make, said = CHANGES[change]
    for body, needed in ((record_proof, ("--record", stored)), (consistency, ("--seal", old_seal))):
        code, page = told(b"\n".join(make(body.split(b"\n"))), *needed)
        assert code in (1, 2), page
        assert "verified" not in page
        assert said in page


def test_who_signed_the_seal_of_a_proof_is_asked_as_everywhere(
    journal: JournalFile, stored: Path, old_seal: Path, told: Told
) -> None:
    records = all_records(journal.directory, "main")
    hashes = b"".join([b64encode(each) + b"\n" for each in slow_path(SEQ - 1, records)])
    head = b"c2sp.org/tlog-proof@v1\nindex 6\n" + hashes + b"\n"
    code, page = told(head + seal_of(records), "--record", stored)
    assert (code, "NOT cosigned by witness.example" in page) == (1, True)
    assert told(head + seal_of(records), "--record", stored, keys=HOUSE.key_line)[0] == 0
    code, page = told(head + seal_of(records, OTHER), "--record", stored)
    assert (code, "sealed with another key" in page) == (1, True)
    code, page = told(head.replace(b"index 6", b"index 5") + seal_of(records), "--record", stored)
    assert (code, "record 6 is not in the sealed journal" in page) == (1, True)


def test_what_belongs_to_no_proof_is_bad_input(
    journal: JournalFile,
    record_proof: bytes,
    consistency: bytes,
    stored: Path,
    old_seal: Path,
    told: Told,
) -> None:
    code, page = told(record_proof, "--record", stored, "--seal", old_seal)
    assert (code, "--seal is for" in page) == (2, True)
    code, page = told(consistency, "--record", stored, "--seal", old_seal)
    assert (code, "--record is for the proof of a record" in page) == (2, True)
    code, page = told(old_seal.read_bytes(), "--record", stored)
    assert (code, "--record is for the proof of a record" in page) == (2, True)
    code = main([str(journal.directory), "--record", str(stored)])
    assert code == 2
