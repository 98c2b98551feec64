"""Batches that lie in the journal file and in a segment: `verify` and the service, which compares
them before it removes them, name the same record.

The journal of `write_journal`: records 1 to 12 lie in two segments, 8 and 9 are one batch, 11 was
the first of the second epoch, and 12 is in the second segment.
"""

import asyncio
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.ports import StoreError
from progressive.application.journal.record import JournalBrokenError
from progressive.domain.ids import LinkId
from progressive.entry.cli import main
from tests.support.journals import JournalFile, JournalShelf
from tests.support.killed_writers import contents
from tests.support.segment_mischief import close_segments

CUTS = (8, 12)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    shelf = JournalShelf(tmp_path_factory.mktemp("shelf") / "good")
    close_segments(shelf.journal, CUTS, trimmed=False)
    return shelf


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


def by_verify(journal: JournalFile) -> str:
    before = contents(journal.directory)
    result = CliRunner().invoke(main, ["verify", "--data", str(journal.directory)])
    assert contents(journal.directory) == before
    if result.exit_code == 0:
        return ""
    (line,) = [each for each in result.stdout.splitlines() if each.startswith("link main")]
    found = re.fullmatch(r"link main, (record \d+)(?:, segments/\S+)?: (.+)", line)
    assert found is not None, line
    return f"{found[1]}: {found[2]}"


def by_the_service(journal: JournalFile) -> str:
    async def compare() -> str:
        store = SqliteStore(journal.directory)
        try:
            async for _ in store.compare_moved(LinkId(journal.link)):
                pass
        except (JournalBrokenError, StoreError) as error:
            return str(error)
        finally:
            await store.close()
        return ""

    return asyncio.run(compare())


def replaced(seq: int, before: str, after: str) -> str:
    return (
        f"UPDATE batch SET body = CAST(replace(body, '{before}', '{after}') AS BLOB) "
        f"WHERE first_seq = {seq}"
    )


@pytest.mark.parametrize("removed", ["", "first_seq <= 3", "first_seq <= 7", "first_seq <= 12"])
def test_what_is_as_it_was_is_good(journal: JournalFile, removed: str) -> None:
    """However far the service had come with removing it."""
    if removed:
        journal.execute(f"DELETE FROM batch WHERE {removed}")
    assert (by_verify(journal), by_the_service(journal)) == ("", "")


@pytest.mark.parametrize(
    ("statement", "record"),
    [
        (replaced(6, "BJ-03", "BJ-04"), 6),
        (replaced(1, "main", "mane"), 1),
        (replaced(12, "BJ-01", "BJ-02"), 12),
        (replaced(8, "BJ-01", "BJ-02"), 8),
        (replaced(8, '"seq":9', '"seq": 9'), 9),
        (replaced(7, '"seq":7', '"seq":8'), 7),
        (replaced(5, '"prev"', '"pref"'), 5),
        ("UPDATE batch SET body = CAST('x' || body AS BLOB) WHERE first_seq = 4", 4),
        ("UPDATE batch SET body = CAST(body || 'x' AS BLOB) WHERE first_seq = 4", 4),
        ("UPDATE batch SET body = CAST(body AS TEXT) WHERE first_seq = 4", 4),
        ("UPDATE batch SET body = x'' WHERE first_seq = 4", 4),
        ("UPDATE batch SET last_seq = 8 WHERE first_seq = 8", 8),
        ("UPDATE batch SET last_seq = 10 WHERE first_seq = 8", 8),
        ("UPDATE batch SET last_seq = 20 WHERE first_seq = 12", 12),
        ("UPDATE batch SET epoch = 2 WHERE first_seq = 6", 6),
        ("UPDATE batch SET epoch = 1 WHERE first_seq = 12", 12),
        ("UPDATE batch SET epoch = 'x' WHERE first_seq = 12", 12),
        ("DELETE FROM batch WHERE first_seq = 6", 6),
        ("DELETE FROM batch WHERE first_seq = 12", 12),
        ("DELETE FROM batch WHERE first_seq BETWEEN 5 AND 11", 5),
        ("UPDATE batch SET first_seq = 0, last_seq = 0 WHERE first_seq = 1", 1),
        ("INSERT INTO batch SELECT link, -3, -3, 1, body FROM batch WHERE first_seq = 4", 1),
    ],
)
def test_what_is_not_is_named_by_both(journal: JournalFile, statement: str, record: int) -> None:
    journal.execute(statement)
    said, stopped = by_verify(journal), by_the_service(journal)
    assert said.startswith(f"record {record}: ")
    assert re.search(rf"(record|batch from|batch at) {record}\b", stopped), stopped


def test_row_that_was_put_back_is_named_by_both(journal: JournalFile) -> None:
    """What it says is true; the service would not have left it alone there."""
    row = journal.rows()[4]
    assert row.first_seq == 5
    journal.execute("DELETE FROM batch WHERE first_seq <= 12")
    journal.execute("INSERT INTO batch VALUES ('main', 5, 5, 1, ?)", row.body)
    assert by_verify(journal).startswith("record 6: missing in the journal file")
    assert by_the_service(journal).startswith("record 6 is missing in the journal file")


def test_record_in_two_batches_is_named_by_both(journal: JournalFile) -> None:
    """Record 9 lies behind the first segment's end, in the batch of 8."""
    second = journal.lines()[8]
    journal.execute("INSERT INTO batch VALUES ('main', 9, 9, 1, ?)", second + b"\n")
    assert by_verify(journal).startswith("record 9: stands in two batches")
    assert by_the_service(journal).startswith("record 9 stands in two batches")
