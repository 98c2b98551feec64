"""What is stored of a day is never more than the journal says, and never what people sign."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest
from msgspec import structs

from progressive.adapters.day_books import FileBookCache
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.finance.book.day_book import DayBook, encode_book
from progressive.application.finance.days import LinkDays
from progressive.application.finance.questions.asking import Question, context_for
from progressive.application.finance.questions.books import Books
from progressive.application.finance.questions.day_status import DayStatus, day_status
from progressive.application.finance.reports import reconciliation
from progressive.application.finance.reports.context import Context
from progressive.application.journal.ports import StoreCorruptError
from progressive.application.journal.record import JournalBrokenError
from tests.support.asked import around
from tests.support.closed_day import close_day
from tests.support.finance_days import DAYS, NOT_OVER_AT, FinanceShelf
from tests.support.forgeries import lie_at, put
from tests.support.journals import JournalFile, Row
from tests.support.long_journal import make_long_journal
from tests.support.stored_books import MAIN, forge_book, store_books, stored_book

FRIDAY, SATURDAY = DAYS[:2]
CAGE_CENTS = 90_074


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> FinanceShelf:
    """The first day is closed; the books of all days are stored."""
    shelf = FinanceShelf(tmp_path_factory.mktemp("finance") / "data")
    asyncio.run(close_day(shelf.directory, FRIDAY, cage_cents=CAGE_CENTS))
    store_books(shelf.directory, *DAYS)
    return shelf


@pytest.fixture
def data(shelf: FinanceShelf, tmp_path: Path) -> Path:
    return shelf.copy_to(tmp_path / "data").directory


def asked(data: Path, *days: str, refold: bool = False, confirming: bool = False) -> Context:
    surroundings = structs.replace(
        around(data, now=NOT_OVER_AT, cache=FileBookCache(data)),
        refold=refold,
        confirming=confirming,
    )
    question = Question(kind="reconciliation", from_day=days[0], to_day=days[-1])
    return asyncio.run(context_for(question, surroundings))


def status(data: Path, day: str, *, refold: bool) -> DayStatus:
    surroundings = around(data, now=NOT_OVER_AT, cache=FileBookCache(data))
    return asyncio.run(day_status(structs.replace(surroundings, refold=refold), None, day))


def close_seq(data: Path) -> int:
    """The record that closed Friday."""
    (seq,) = (
        each["seq"] for each in JournalFile(data).records() if each["event"]["type"] == "day_closed"
    )
    return int(seq)


def more_hold(book: DayBook) -> None:
    book.closing.accounts["hold"] += 1


# --- beside the record that closed the day --------------------------------------------------------


def test_a_book_that_is_as_its_day_was_closed_is_used(data: Path) -> None:
    found = asked(data, *DAYS)
    assert found.not_as_closed == found.set_aside == ()


def test_a_stored_book_that_is_not_as_its_day_was_closed_is_set_aside(data: Path) -> None:
    right = encode_book(stored_book(data, FRIDAY))
    forge_book(data, FRIDAY, more_hold)
    found = asked(data, FRIDAY)
    (told,) = found.set_aside
    assert f"2026-10-30 is not as record {close_seq(data)} closed it: closing hold " in told
    assert "set aside" in told
    assert encode_book(found.last) == right
    assert found.not_as_closed == ()
    # The report is that of the journal, to the byte.
    assert reconciliation.report(found) == reconciliation.report(asked(data, FRIDAY, refold=True))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda book: next(iter(book.cells.values())).__setattr__("chips", 99), "wagers 1"),
        (lambda book: next(iter(book.hours.values())).__setattr__("rounds", 99), "rounds 1"),
        (
            lambda book: book.opening.accounts.update(hold=7),
            "opening hold $0.00000007 (7 microcents), closed with $0.00 (0 microcents)",
        ),
    ],
)
def test_rounds_wagers_and_both_positions_are_compared(
    data: Path, change: object, said: str
) -> None:
    forge_book(data, FRIDAY, change)  # type: ignore[arg-type]
    (told,) = asked(data, FRIDAY).set_aside
    assert said in told


def test_a_day_opens_as_the_one_before_was_closed(data: Path) -> None:
    """Saturday is open, but it begins where Friday was closed."""
    forge_book(data, SATURDAY, lambda book: book.opening.accounts.update(hold=7))
    (told,) = asked(data, SATURDAY).set_aside
    assert "closing hold $0.00000007 (7 microcents)" in told
    assert asked(data, SATURDAY, DAYS[2]).first.opening == stored_book(data, FRIDAY).closing


def test_a_journal_that_is_not_what_was_closed_is_a_difference(data: Path) -> None:
    """Every hash made to fit: only the close still says what was."""
    shutil.rmtree(data / "finance")

    seq = close_seq(data)

    def lie(records: list[Row]) -> None:
        totals = records[seq - 1]["event"]["totals"]
        hold = next(each for each in totals["closing"] if each[0] == "hold")
        hold[1] += 5_000_000

    JournalFile(data).forge(lie)
    found = asked(data, FRIDAY)
    (told,) = found.not_as_closed
    assert told.startswith(f"2026-10-30 is not as record {seq} closed it: closing hold ")
    report = reconciliation.report(found)
    assert reconciliation.difference(report)
    assert f"DIFFERENCE: {told}." in report.notes
    checks = {each.check: each for each in status(data, FRIDAY, refold=True).checks}
    assert checks["meters"].state == "open"
    assert told in [each.what for each in checks["meters"].findings]


# --- what people sign -----------------------------------------------------------------------------


def test_what_people_sign_never_rests_on_a_stored_book(data: Path) -> None:
    """Neither on that of the day nor on the one before, with which it would open."""
    right = status(data, DAYS[2], refold=True).totals
    for day in (SATURDAY, DAYS[2]):
        forge_book(data, day, more_hold)
    assert status(data, DAYS[2], refold=False).totals != right
    assert status(data, DAYS[2], refold=True).totals == right


def test_a_day_folded_anew_has_the_same_book(shelf: FinanceShelf, tmp_path: Path) -> None:
    """With books beside it, with some of them, and with none."""
    data = shelf.copy_to(tmp_path / "data").directory
    right = [encode_book(stored_book(data, day)) for day in DAYS if day != "2026-11-02"]
    days = [day for day in DAYS if day != "2026-11-02"]
    for kept in range(len(days) + 1):
        for day in days[kept:]:
            (data / "finance" / "main" / f"{day}.book").unlink(missing_ok=True)
        assert [encode_book(asked(data, day, refold=True).last) for day in days] == right
        shutil.copytree(shelf.directory / "finance", data / "finance", dirs_exist_ok=True)


@pytest.mark.slow
def test_a_long_day_folded_anew_has_the_same_book(tmp_path: Path) -> None:
    """From the state file of a closed segment, with awards open across the turn of the day."""
    made = make_long_journal(tmp_path, records=20_000, tables=20, days=4)
    days = ("2026-02-25", "2026-02-26", "2026-02-27", "2026-02-28")
    store_books(made.data, *days)

    async def ask() -> list[tuple[bytes, bytes]]:
        reader = SqliteJournalReader(made.data, unchanged=True)
        link_days = await LinkDays.load(reader, MAIN)
        found = []
        for day in days:
            books = Books(reader, MAIN, link_days, cache=FileBookCache(made.data))
            stored = encode_book(stored_book(made.data, day))
            found.append((encode_book(await books.book(day, refold=True)), stored))
        return found

    for refold, stored in asyncio.run(ask()):
        # Open rounds may stand in another order.
        assert json.loads(refold)["book"] == json.loads(stored)["book"]


# --- the records behind a stored book -------------------------------------------------------------


def test_a_record_that_was_changed_behind_a_stored_book_is_found(data: Path) -> None:
    journal = JournalFile(data)
    lines = journal.lines()
    lines[4] = lines[4].replace(b'"seats":[2,', b'"seats":[3,').replace(b'"BJ-02"', b'"BJ-03"')
    assert lines != journal.lines()
    journal.store(lines)
    # A stored book alone does not tell.
    assert asked(data, FRIDAY).last.records
    with pytest.raises(JournalBrokenError, match="record 6 does not follow record 5"):
        asked(data, FRIDAY, confirming=True)
    with pytest.raises(JournalBrokenError, match="record 6 does not follow record 5"):
        asked(data, FRIDAY, refold=True)


def test_a_journal_that_another_was_put_in_the_place_of_is_folded_again(data: Path) -> None:
    JournalFile(data).forge(lie_at(5, put("flows", 0, 1, value=200_000_001)))
    assert reconciliation.difference(reconciliation.report(asked(data, FRIDAY, confirming=True)))


def test_good_records_behind_stored_books_are_confirmed(data: Path) -> None:
    for days in ((FRIDAY,), (SATURDAY,), DAYS):
        assert asked(data, *days, confirming=True).books


@pytest.mark.slow
def test_a_segment_that_was_changed_behind_a_stored_book_is_found(tmp_path: Path) -> None:
    made = make_long_journal(tmp_path, records=20_000, tables=20, days=4)
    day = "2026-02-26"
    store_books(made.data, day)

    def confirmed() -> None:
        async def ask() -> None:
            reader = SqliteJournalReader(made.data, unchanged=True)
            link_days = await LinkDays.load(reader, MAIN)
            books = Books(reader, MAIN, link_days, cache=FileBookCache(made.data))
            assert (await books.book(day)).records
            assert books.was_stored(day)
            await books.confirm()

        asyncio.run(ask())

    confirmed()
    segment = next((made.data / "segments" / "main").glob(f"*-{day}.jsonl.gz"))
    body = bytearray(segment.read_bytes())
    # The time of one of its gzip members: every record can still be read.
    body[4] ^= 1
    segment.chmod(0o600)
    segment.write_bytes(body)
    with pytest.raises(StoreCorruptError, match=r"segments/main/.*records"):
        confirmed()
