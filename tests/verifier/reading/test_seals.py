"""Seals: the journal is the one that was sealed, or the seal that it does not fit is named."""

import shutil
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

from progressive.verifier.proof.checkpoint import read_keys
from progressive.verifier.reading.data_directory import How, data_place, verify_data
from progressive.verifier.reading.found import VerifyResult
from progressive.verifier.reading.seals import read_kept_seal
from progressive.verifier.report import LinkReport
from tests.support.journals import JournalFile, JournalShelf
from tests.support.sealed_journals import HOUSE, KEYS, OTHER, WITNESS, in_segments, sealed_by
from tests.support.sealing import SealedFolder, signed_note
from tests.support.segment_mischief import Mischief


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    return JournalShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    return in_segments(shelf, tmp_path / "data")


@pytest.fixture
def seals(journal: JournalFile) -> SealedFolder:
    return sealed_by(journal, WITNESS)


def verified(journal: JournalFile, keys: str | None = KEYS) -> LinkReport:
    keyring = None if keys is None else read_keys(keys.encode())
    [report] = verify_data(data_place(journal.directory), How(keys=keyring)).links
    return report


def problem_of(journal: JournalFile, keys: str | None = KEYS) -> str:
    problem = verified(journal, keys).problem
    assert problem is not None
    return f"{problem.file}, record {problem.seq}: {problem.message}"


def test_seals_that_fit_say_up_to_where_and_who_saw_it(
    journal: JournalFile, seals: SealedFolder
) -> None:
    report = verified(journal)

    assert report.problem is None
    assert report.seals is not None
    assert (report.seals.count, report.seals.origin) == (4, "casino.example/main")
    assert (report.seals.sealed_seq, report.seals.signatures_checked) == (15, True)
    [witness] = report.seals.witnesses
    assert (witness.witness, witness.seq, witness.at) == ("witness.example", 15, 1_795_000_000)


def test_without_a_key_the_records_are_held_against_the_seals_all_the_same(
    journal: JournalFile, seals: SealedFolder
) -> None:
    report = verified(journal, None)
    assert report.seals is not None
    assert report.seals.signatures_checked is False

    seals.newest.write_bytes(seals.note(15).replace(b"\n15\n", b"\n14\n"))
    assert "newest.note, record 14: the first 14 records are not those" in problem_of(journal, None)


def test_a_forged_record_with_a_chain_made_to_fit_is_found(
    shelf: JournalShelf, tmp_path: Path
) -> None:
    journal = shelf.copy_to(tmp_path / "data")
    sealed = SealedFolder(journal.directory, "main", HOUSE)
    sealed.seal_all({})

    def earlier(records: list[dict[str, object]]) -> None:
        records[-1]["at"] = str(records[-1]["at"]).replace("7.5", "7.6")

    journal.forge(earlier)
    assert "newest.note, record 15: the first 15 records are not those" in problem_of(journal)


def test_a_tail_that_was_cut_off_is_found(shelf: JournalShelf, tmp_path: Path) -> None:
    journal = shelf.copy_to(tmp_path / "data")
    sealed = SealedFolder(journal.directory, "main", HOUSE)
    sealed.seal_all({})
    journal.forge(lambda records: records.pop())

    assert problem_of(journal) == (
        "seals/main/newest.note, record 15: the tail was cut off: 15 records are sealed, the "
        "journal ends at 14"
    )


def test_a_sealed_link_without_seals_is_a_finding_only_where_a_key_was_given(
    journal: JournalFile,
) -> None:
    assert verified(journal, None).seals is None
    assert "not sealed: a key was given" in problem_of(journal)


Change = Callable[[SealedFolder], object]
SEGMENT = "000002-2026-01-02"
CHANGES: list[tuple[str, Change, str]] = [
    (
        "of another key",
        lambda s: s.newest.write_bytes(
            s.note().replace(
                HOUSE.called(s.origin).line(_text(s)), OTHER.called(s.origin).line(_text(s))
            )
        ),
        "newest.note, record 15: sealed with another key",
    ),
    (
        "of another link",
        lambda s: s.newest.write_bytes(
            signed_note(_text(s).replace("/main", "/side"), HOUSE.called("casino.example/side"))
        ),
        "is a seal of another link: casino.example/side",
    ),
    (
        "of a log that never was",
        lambda s: s.newest.write_bytes(
            signed_note(
                _text(s).replace("/main", "/main/9-00000000"),
                HOUSE.called("casino.example/main/9-00000000"),
            )
        ),
        "is of a log that this journal knows nothing of: 9-00000000",
    ),
    (
        "text changed",
        lambda s: s.newest.write_bytes(s.note().replace(b"\n15\n", b"\n14\n")),
        "its signature does not fit",
    ),
    ("cut off", lambda s: s.newest.write_bytes(s.note()[:-9]), "is not a seal: its last line"),
    ("empty", lambda s: s.newest.write_bytes(b""), "newest.note, record 1: is not a seal"),
    (
        "segment's of another size",
        lambda s: (s.folder / f"{SEGMENT}.note").write_bytes(s.note(6)),
        "seals 6 records, and the segment ends with 7",
    ),
    (
        "segment's without a segment",
        lambda s: [
            shutil.copy(s.folder / f"{SEGMENT}{end}", s.folder / f"000009-2026-01-02{end}")
            for end in (".note", ".range")
        ],
        "000009-2026-01-02.note, record 7: belongs to no segment",
    ),
    (
        "range of other records",
        lambda s: (s.folder / f"{SEGMENT}.range").write_bytes(s.range(7).swapcase()),
        "is unreadable: a hash a line",
    ),
    (
        "range too short",
        lambda s: (s.folder / f"{SEGMENT}.range").write_bytes(s.range(6)),
        "the range beside it does not lead to its root",
    ),
    ("no range", lambda s: (s.folder / f"{SEGMENT}.range").unlink(), "beside it is missing"),
]


def _text(seals: SealedFolder) -> str:
    return seals.note().partition(b"\n\n")[0].decode() + "\n"


@pytest.mark.parametrize(
    ("change", "said"), [each[1:] for each in CHANGES], ids=[c[0] for c in CHANGES]
)
def test_a_changed_seal_is_named(
    journal: JournalFile, seals: SealedFolder, change: Change, said: str
) -> None:
    change(seals)

    assert said in problem_of(journal)


def test_a_signature_of_a_root_of_other_records_is_found(
    journal: JournalFile, seals: SealedFolder
) -> None:
    """The house itself sealed something else."""
    text = f"casino.example/main\n15\n{b64encode(bytes(32)).decode()}\n"
    seals.newest.write_bytes(signed_note(text, HOUSE.called("casino.example/main")))

    assert "the first 15 records are not those that were sealed" in problem_of(journal)


def test_a_waiting_seal_and_one_without_its_range_are_read_like_any_other(
    journal: JournalFile, seals: SealedFolder
) -> None:
    (seals.folder / "at-12.note").write_bytes(seals.note(12))
    assert verified(journal).problem is None

    (seals.folder / "at-12.note").write_bytes(seals.note(12).replace(b"\n12\n", b"\n13\n"))
    assert "at-12.note" in problem_of(journal, None)


def test_files_beside_the_notes_are_left_alone(journal: JournalFile, seals: SealedFolder) -> None:
    for name in ("witnesses.json", ".newest.note.new", "README"):
        (seals.folder / name).write_bytes(b"whatever")

    assert verified(journal).problem is None


def test_behind_purged_records_the_tree_begins_with_the_range_of_the_last_segment_that_went(
    journal: JournalFile, seals: SealedFolder
) -> None:
    Mischief(journal).purge(3)
    report = verified(journal)

    assert report.problem is None
    assert report.seals is not None
    assert (report.seals.sealed_seq, report.seals.of_purged, report.records) == (15, 2, 16)

    (seals.folder / "000003-2026-01-02.range").write_bytes(seals.range(9))
    assert "000003-2026-01-02.note" in problem_of(journal)


# --- seals that somebody took away ---------------------------------------------------------------


def with_kept(journal: JournalFile, kept: Path) -> VerifyResult:
    how = How(keys=read_keys(KEYS.encode()), kept=(read_kept_seal(kept),))
    return verify_data(data_place(journal.directory), how)


def test_a_journal_that_was_rewritten_and_sealed_again_does_not_fit_a_seal_that_was_kept(
    shelf: JournalShelf, tmp_path: Path
) -> None:
    journal = shelf.copy_to(tmp_path / "data")
    SealedFolder(journal.directory, "main", HOUSE, WITNESS).seal_all({})
    kept = tmp_path / "kept.note"
    shutil.copy(journal.directory / "seals/main/newest.note", kept)
    assert with_kept(journal, kept).ok

    journal.forge(lambda records: records[1].update(at="2026-01-02T03:04:06.000000Z"))
    shutil.rmtree(journal.directory / "seals")
    shutil.rmtree(journal.directory / "committed", ignore_errors=True)
    SealedFolder(journal.directory, "main", HOUSE, WITNESS).seal_all({})
    assert verified(journal).problem is None

    [link] = with_kept(journal, kept).links
    assert link.problem is not None
    assert link.problem.file == str(kept)
    assert "are not those that were sealed" in link.problem.message


def test_a_kept_seal_of_a_link_that_is_not_there_is_a_finding(
    journal: JournalFile, seals: SealedFolder, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    name = "casino.example/high-limit"
    text = f"{name}\n3\n{b64encode(bytes(32)).decode()}\n"
    other.write_bytes(signed_note(text, HOUSE.called(name)))
    result = with_kept(journal, other)
    assert not result.ok
    assert result.file_problems == (f"{other} is a seal of casino.example/high-limit: not here",)
