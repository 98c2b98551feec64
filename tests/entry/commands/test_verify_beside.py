"""The walk beside a service that goes on: records are appended, moved into segments and removed
from the journal's file while it is read."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from progressive.adapters.segments.files import INDEX, RECORDS
from progressive.adapters.sqlite.journal_file import FILE
from progressive.entry.commands.proving import verify
from progressive.verifier.reading import journal_file
from progressive.verifier.reading.journal_audit import audit_journal
from progressive.verifier.reading.journal_file import open_journal
from progressive.verifier.reading.segment_files import SegmentFiles
from progressive.verifier.report import LinkReport
from tests.support.journals import JournalFile, JournalShelf
from tests.support.segment_mischief import Mischief, close_segments


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    return JournalShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


@pytest.fixture(autouse=True)
def one_batch_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_file, "LOOK_BYTES", 1)


def audited_while(
    journal: JournalFile, happens: Callable[[], object], *, after_record: int
) -> LinkReport:
    """The audit of a journal with which something happens once, in the middle of it."""
    done: list[int] = []

    def on_progress(seq: int) -> None:
        if seq >= after_record and not done:
            done.append(seq)
            happens()

    with open_journal(journal.directory) as stored:
        ((row, _),) = stored.links()
        report = audit_journal(
            stored.live(row), SegmentFiles(journal.directory / "segments"), on_progress=on_progress
        )
    assert done
    return report


def audited(journal: JournalFile) -> LinkReport:
    return audited_while(journal, lambda: None, after_record=1)


def counted(report: LinkReport) -> tuple[object, ...]:
    return (report.problem, report.records, report.rounds, report.wagers, report.totals)


@pytest.mark.parametrize("cuts", [(4,), (4, 7), (4, 7, 10), (12,), (15,)], ids=str)
@pytest.mark.parametrize("after_record", [1, 3, 4, 6, 8, 11, 15])
@pytest.mark.parametrize("trimmed", [True, False])
def test_segments_that_are_closed_meanwhile_change_nothing(
    journal: JournalFile, cuts: tuple[int, ...], after_record: int, trimmed: bool
) -> None:
    expected = audited(journal)
    assert expected.problem is None
    report = audited_while(
        journal,
        lambda: close_segments(journal, cuts, trimmed=trimmed),
        after_record=after_record,
    )
    assert counted(report) == counted(expected)


@pytest.mark.parametrize("cuts", [(4,), (4, 7), (4, 7, 10)], ids=str)
@pytest.mark.parametrize("after_record", [5, 7, 11])
@pytest.mark.parametrize("ending", [RECORDS, INDEX])
def test_damage_to_segments_that_are_closed_meanwhile_is_found(
    journal: JournalFile, cuts: tuple[int, ...], after_record: int, ending: str
) -> None:
    """Also where all of their records were audited before they were moved."""

    def closed_and_damaged() -> None:
        close_segments(journal, cuts)
        path = Mischief(journal).path(len(cuts), ending)
        body = bytearray(path.read_bytes())
        body[-9] ^= 1
        path.write_bytes(bytes(body))

    report = audited_while(journal, closed_and_damaged, after_record=after_record)
    assert report.problem is not None
    assert f"{len(cuts):06}-" in str(report.problem.file)


def test_other_records_in_a_segment_that_was_closed_behind_the_walk(journal: JournalFile) -> None:
    """All of it fits: files, index, row. Only the record after it names another hash."""

    def closed_and_forged() -> None:
        close_segments(journal, (4,))

        def change(blocks: list[list[bytes]]) -> None:
            blocks[-1][-1] = blocks[-1][-1].replace(b"00Z", b"01Z")

        Mischief(journal).rewrite(1, change, fit="index and row")

    report = audited_while(journal, closed_and_forged, after_record=9)
    assert report.problem is not None
    assert report.problem.seq == 5
    assert report.problem.message.startswith("does not follow segment 1")


def test_journal_that_grows_is_audited_up_to_its_newest_record(journal: JournalFile) -> None:
    """What is compared with its end is read with the last records, not before the first."""
    rows = journal.rows()
    whole = journal.execute("SELECT seq, head FROM link")[0]
    cut = rows[-1].first_seq
    before = journal.records()[cut - 1]["prev"]
    journal.execute("DELETE FROM batch WHERE first_seq = ?", cut)
    journal.execute("UPDATE link SET seq = ?, head = ?", cut - 1, before)

    def appended() -> None:
        last = rows[-1]
        journal.execute(
            "INSERT INTO batch VALUES (?, ?, ?, ?, ?)",
            *(journal.link, last.first_seq, last.last_seq, last.epoch, last.body),
        )
        journal.execute("UPDATE link SET seq = ?, head = ?", *whole)

    report = audited_while(journal, appended, after_record=3)
    assert (report.problem, report.records) == (None, 15)


def test_nothing_keeps_the_wal_from_being_reset_while_records_are_walked(
    journal: JournalFile,
) -> None:
    close_segments(journal, (4, 7))
    busy: list[int] = []
    with closing(FILE.open_to_write(journal.directory)) as service:

        def write_and_reset(seq: int) -> None:
            service.execute("UPDATE link SET epoch = epoch + 1")
            busy.append(service.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])

        service.execute("UPDATE link SET epoch = epoch + 1")
        with open_journal(journal.directory) as stored:
            ((row, _),) = stored.links()
            report = audit_journal(
                stored.live(row),
                SegmentFiles(journal.directory / "segments"),
                on_progress=write_and_reset,
            )
    assert report.problem is None
    assert len(busy) > 10
    assert not any(busy)


@pytest.mark.slow
def test_service_that_starts_and_stops_all_the_time_is_no_obstacle(journal: JournalFile) -> None:
    """Files beside the journal's come and go between two looks, and within one."""
    program = (
        "import pathlib, sys, time\n"
        "from progressive.adapters.sqlite.journal_file import FILE\n"
        "while True:\n"
        "    db = FILE.open_to_write(pathlib.Path(sys.argv[1]))\n"
        "    db.execute('UPDATE link SET epoch = epoch')\n"
        "    print('written', flush=True)\n"
        # Some looks long, as often open as not: no service starts more often.
        "    time.sleep(0.02)\n"
        "    db.close()\n"
        "    time.sleep(0.02)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(journal.directory)], stdout=subprocess.PIPE
    ) as service:
        assert service.stdout is not None
        assert service.stdout.readline() == b"written\n"
        try:
            reports = [audited(journal) for _ in range(10)]
        finally:
            service.kill()
    assert [counted(report) for report in reports] == [counted(audited(journal))] * 10


def test_row_that_is_edited_while_the_walk_lasts(journal: JournalFile) -> None:
    close_segments(journal)
    report = audited_while(
        journal,
        lambda: Mischief(journal).edit_row(1, lambda row: row.update(last_at=row["first_at"])),
        after_record=5,
    )
    assert report.problem is not None
    assert report.problem.message == "the row of segment 1 changed meanwhile"


def test_records_that_are_purged_under_the_walk_are_not_missing(journal: JournalFile) -> None:
    close_segments(journal)
    report = audited_while(journal, lambda: Mischief(journal).purge(3), after_record=5)
    assert report.problem is None
    assert report.purged is not None
    assert report.purged.count == 3


def test_whole_directory_with_segments_is_good(journal: JournalFile) -> None:
    close_segments(journal)
    assert verify(journal.directory).ok
