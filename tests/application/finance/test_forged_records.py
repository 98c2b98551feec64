"""A changed amount shows, whatever record it is in, even where the chain was made to fit again."""

import copy
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from progressive.application.finance.book.day_book import DayBook, new_book
from progressive.application.finance.book.fold import Fold
from progressive.application.finance.book.standing import Standing
from progressive.application.finance.reports.context import Context
from progressive.application.finance.reports.reconciliation import difference, report
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.record import JournalBrokenError
from progressive.domain.ids import LinkId
from tests.support.finance_days import FinanceShelf
from tests.support.journals import JournalFile, Row, _chained

CENT = 1_000_000
DAYS = GamingDays.of("America/New_York", "06:00")
# What the books of meters do not stand on: names, places, other people's money, papers.
NOT_MONEY = {
    *(
        "terms",
        "floor",
        "seat",
        "order",
        "table_seq",
        "terms_version",
        "chips_counted",
        "base_cents",
    ),
    *("share_percent", "approvers", "before", "wager_cents", "dealt_seq"),
}
IN_CENTS = {"amount_cents", "bonus_cents", "funded_cents", "stake_returned_cents", "cents"}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    shelf = FinanceShelf(tmp_path_factory.mktemp("finance") / "data")
    return JournalFile(shelf.directory).records()


def folded(records: list[Row]) -> DayBook:
    """All records as if they were of one day."""
    begins = DAYS.begins("2026-10-30")
    fold = Fold(new_book(LinkId("main"), "2026-10-30", begins, DAYS, Standing()))
    fold.feed([msgspec.json.encode(record) for record in _chained(records)])
    return fold.finish()


def shows(records: list[Row]) -> bool:
    try:
        book = folded(records)
    except JournalBrokenError:
        return True
    context = Context(link=LinkId("main"), books=(book,), closed=False, over=True, program="")
    return difference(report(context))


def amounts(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all amounts of money in an event."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in NOT_MONEY:
                yield from amounts(inner, (*path, key))
    elif isinstance(value, list):
        if path[:1] == ("plain",):
            yield ("plain", 1)
            return
        for place, inner in enumerate(value):
            yield from amounts(inner, (*path, place))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield path


def bumped(records: list[Row], number: int, path: tuple[Any, ...]) -> list[Row]:
    forged = copy.deepcopy(records)
    holder = forged[number]["event"]
    for key in path[:-1]:
        holder = holder[key]
    in_cents = path[-1] in IN_CENTS or path[0] in ("stakes", "plain")
    holder[path[-1]] += 1 if in_cents else CENT
    return forged


def test_untouched_records_come_to_zero(records: list[Row]) -> None:
    assert not shows(copy.deepcopy(records))


@pytest.mark.slow
def test_a_cent_more_in_any_amount_of_any_record_shows(records: list[Row]) -> None:
    looked_at: set[str] = set()
    for number, record in enumerate(records):
        for path in amounts(record["event"]):
            looked_at.add(f"{record['event']['type']}.{path[0]}")
            assert shows(bumped(records, number, path)), (number + 1, record["event"]["type"], path)
    assert {
        *("link_opened.funding", "wagers_registered.stakes", "wagers_registered.plain"),
        *("wagers_registered.wagers", "wagers_registered.flows", "wagers_registered.hold"),
        *("wagers_registered.meters", "round_settled.awards", "round_settled.flows"),
        *("round_settled.money", "round_settled.meters", "round_voided.stakes"),
        *("round_voided.flows", "round_voided.hold", "award_paid.cents", "award_voided.flows"),
        *("award_voided.money", "award_voided.changes", "correction_proposed.legs"),
        *("correction_approved.flows", "correction_approved.corrected", "checkpointed.meters"),
    } <= looked_at


def test_a_removed_record_that_moved_a_meter_shows(records: list[Row]) -> None:
    moving = [number for number, each in enumerate(records) if each["event"].get("flows")]
    assert len(moving) > 10
    for number in moving:
        forged = copy.deepcopy(records)
        del forged[number]
        for place, each in enumerate(forged, 1):
            each["seq"] = place
        assert shows(forged), number + 1
