"""Every figure of the reports against books that were kept a second time, by plain means."""

import asyncio
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from progressive.application.finance.book.figures import CAUSES
from tests.support.asked import asked, row, rows
from tests.support.award_journals import write_award_journal
from tests.support.finance_days import DAYS, NOT_OVER_AT, FinanceShelf
from tests.support.finance_week import CLOSED_AT, STARTS, ZONE, write_finance_week
from tests.support.later_voids import later_voids
from tests.support.long_journal import make_long_journal
from tests.support.second_books import PARTS, SecondBooks
from tests.support.validated_journals import ValidatedShelf

MICRO = 1_000_000
STEP_TIMES = (
    *("validated_at", "approved_first_at", "approved_at", "paid_at"),
    *("void_proposed_at", "voided_at"),
)


class Journal:
    """A data directory, when it is looked at, and its second books."""

    def __init__(self, data: Path, now: str, zone: str, starts: str) -> None:
        self.data, self.now = data, now
        done = subprocess.run(
            [sys.executable, "-m", "progressive", "export", "--data", str(data), "--link", "main"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        self.second = SecondBooks(done.stdout, zone, starts)


@pytest.fixture(scope="module")
def finance_days(tmp_path_factory: pytest.TempPathFactory) -> Journal:
    shelf = FinanceShelf(tmp_path_factory.mktemp("finance") / "data")
    return Journal(shelf.directory, NOT_OVER_AT, "America/New_York", "06:00")


@pytest.fixture(scope="module")
def finance_week(tmp_path_factory: pytest.TempPathFactory) -> Journal:
    """Its totals, and its closes, are looked at in `integration/test_finance_week`."""
    data = tmp_path_factory.mktemp("week") / "data"
    data.mkdir()
    asyncio.run(write_finance_week(data))
    return Journal(data, CLOSED_AT, ZONE, STARTS)


@pytest.fixture(scope="module")
def voids(tmp_path_factory: pytest.TempPathFactory) -> Journal:
    """Awards that are voided, and others worked out again, days and a month after they hit."""
    data = later_voids(tmp_path_factory.mktemp("voids") / "data")
    return Journal(data, NOT_OVER_AT, "America/New_York", "06:00")


@pytest.fixture(scope="module")
def awards(tmp_path_factory: pytest.TempPathFactory) -> Journal:
    """Every kind of award and act, other terms, a crash; one day, UTC."""
    data = tmp_path_factory.mktemp("awards") / "data"
    data.mkdir()
    asyncio.run(write_award_journal(data))
    return Journal(data, "2026-01-04T00:00:00.000000Z", "UTC", "00:00")


@pytest.fixture(scope="module")
def validated(tmp_path_factory: pytest.TempPathFactory) -> Journal:
    """Fixed awards that wait for a supervisor, early ones among them."""
    data = tmp_path_factory.mktemp("validated") / "data"
    ValidatedShelf(data)
    return Journal(data, "2026-01-04T00:00:00.000000Z", "UTC", "00:00")


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Journal:
    """Some days of a floor of twelve tables, in segments and in the open part."""
    made = make_long_journal(
        tmp_path_factory.mktemp("floor"), records=12_000, tables=12, days=3, terms_every=5_000
    )
    return Journal(made.data, "2026-03-02T00:00:00.000000Z", "America/New_York", "06:00")


@pytest.fixture(
    params=[
        "finance_days",
        "finance_week",
        "voids",
        "awards",
        "validated",
        pytest.param("floor", marks=pytest.mark.slow),
    ]
)
def journal(request: pytest.FixtureRequest) -> Journal:
    found: Journal = request.getfixturevalue(request.param)
    return found


def micro(amount: Fraction) -> int:
    assert (amount * MICRO).denominator == 1
    return int(amount * MICRO)


def test_every_part_of_every_meter_by_cause(journal: Journal) -> None:
    for day, second in journal.second.days.items():
        report = asked(journal.data, "reconciliation", day, now=journal.now)
        meters = {meter for meter, _ in second["closing"]}
        assert {each["meter"] for each in report.rows} == meters
        for meter in meters:
            for part in PARTS:
                found = row(report, meter=meter, part=part)
                assert found["opening_microcents"] == micro(
                    second["opening"].get((meter, part), Fraction())
                )
                for cause in CAUSES:
                    expected = micro(second["flows"].get((meter, part, cause), Fraction()))
                    assert found[f"{cause}_microcents"] == expected, (day, meter, part, cause)
                closing = micro(second["closing"].get((meter, part), Fraction()))
                assert found["closing_microcents"] == closing
                assert found["recomputed_microcents"] == closing
        assert report.totals["difference_microcents"] == 0
        assert report.totals["breaks"] == 0
        assert not [note for note in report.notes if note.startswith("DIFFERENCE")]
        assert report.journal.last_seq == second["last_seq"]


def test_a_range_is_the_days_together(journal: Journal) -> None:
    days = sorted(journal.second.days)
    whole = asked(journal.data, "reconciliation", days[0], days[-1], now=journal.now)
    for found in whole.rows:
        key = (found["meter"], found["part"])
        for cause in CAUSES:
            together = sum(
                (
                    day["flows"].get((*key, cause), Fraction())
                    for day in journal.second.days.values()
                ),
                Fraction(),
            )
            assert found[f"{cause}_microcents"] == micro(together)
    assert whole.totals["difference_microcents"] == 0


def test_wagers_by_hour_table_and_bet(journal: Journal) -> None:
    for day, second in journal.second.days.items():
        report = asked(journal.data, "wagers", day, now=journal.now)
        expected = {key: cell for key, cell in second["cells"].items() if any(cell.values())}
        assert {(each["hour"], each["table"], each["bet"]) for each in report.rows} == set(expected)
        for (hour, table, bet), cell in expected.items():
            found = row(report, hour=hour, table=table, bet=bet)
            for name in (
                *("rounds", "chips", "chip_cents", "coupons", "coupon_cents", "registered_cents"),
                *("voided", "voided_cents", "fixed_awards", "fixed_cents", "returned_cents"),
            ):
                assert found[name] == cell[name], (day, hour, table, bet, name)
            assert found["to_meters_microcents"] == micro(cell["to_meters"])
            net = cell["registered_cents"] - cell["voided_cents"]
            assert found["net_cents"] == net
            assert found["to_hold_microcents"] == micro(net - cell["to_meters"])
        assert report.totals["difference_cents"] == 0


def test_awards_from_settlement_to_document(journal: Journal) -> None:
    for day, second in journal.second.days.items():
        report = asked(journal.data, "awards", day, now=journal.now)
        for made in second["made"]:
            found = row(report, award=made["award"])
            assert (found["settled_day"], found["table"]) == (day, made["table"])
        for paid in second["paid"]:
            found = row(report, award=paid["award"])
            assert (found["document"], found["paid_cents"]) == (paid["document"], paid["paid"])
            assert found["paid_day"] == day
            if paid.get("meter"):
                assert found["house_microcents"] == micro(paid["house_part"])
        for voided in second["voided"]:
            assert row(report, award=voided["award"])["status"] == "void"
        for award, flows in second["register"].items():
            found = row(report, award=award)
            for name in ("awarded", "resettled", "voided"):
                assert found[f"{name}_cents"] == flows[name], (day, award, name)
        assert report.totals["paid_cents"] == second["paid_out"]
        racks = {
            (each["table"], each["bet"], each["line"]): [each["awards"], each["paid_cents"]]
            for each in rows(report, status="rack")
        }
        assert racks == second["rack"]


def test_every_step_of_an_award_has_its_time(journal: Journal) -> None:
    found_names = set()
    for day, second in journal.second.days.items():
        report = asked(journal.data, "awards", day, now=journal.now)
        for award, times in second["times"].items():
            found = row(report, award=award)
            for name in STEP_TIMES:
                assert found[name] == times.get(name), (day, award, name)
                found_names |= {name} if found[name] else set()
            assert (found["validator"] is None) == (found["validated_at"] is None)
            assert (found["approvers"] is None) == (found["approved_at"] is None)
            assert (found["voided_by"] is None) == (found["voided_at"] is None)
    assert found_names


def test_liability_and_whose_money_it_is(journal: Journal) -> None:
    for day, second in journal.second.days.items():
        report = asked(journal.data, "liability", day, now=journal.now)
        for meter, house in second["house"].items():
            found = row(report, item=meter)
            shown = second["closing"][meter, "primary"]
            assert found["displayed_microcents"] == micro(shown)
            assert found["house_microcents"] == micro(house)
            assert found["player_microcents"] == micro(shown - house)
        assert row(report, item="awards owed")["pending_cents"] == second["owed"]


def test_ledger_stands_at_the_meters_whole_cents(journal: Journal) -> None:
    days = sorted(journal.second.days)
    balances: dict[str, int] = {}
    report = asked(journal.data, "gl", days[0], days[-1], now=journal.now)
    assert report.totals["debit_cents"] == report.totals["credit_cents"]
    for found in report.rows:
        debit, credit = found["debit_cents"], found["credit_cents"]
        assert isinstance(debit, int)
        assert isinstance(credit, int)
        name = str(found["account_name"])
        balances[name] = balances.get(name, 0) + credit - debit
    last = journal.second.days[days[-1]]
    names = {"primary": "Display", "reset": "Reset", "overflow": "Overflow"}
    for (meter, part), amount in last["closing"].items():
        account = f"Liabilities:Progressive:main:{meter}:{names[part]}"
        assert balances.get(account, 0) == amount.__floor__()
    for meter, house in last["house"].items():
        account = f"Liabilities:Progressive:main:{meter}:House-Base"
        assert -balances.get(account, 0) == house.__floor__()
    assert balances.get("Liabilities:Progressive:main:Awards-Payable", 0) == last["owed"]


def test_hold_is_what_the_journal_kept(journal: Journal) -> None:
    for day, second in journal.second.days.items():
        totals = asked(journal.data, "hold", day, now=journal.now).totals
        kept = totals["net_win_microcents"] + totals["house_reset_microcents"]
        assert kept == micro(second["hold"]), day


def test_hold_has_what_meters_gave_on_the_day_on_which_they_gave_it(journal: Journal) -> None:
    for day, second in journal.second.days.items():
        found = asked(journal.data, "hold", day, now=journal.now).rows
        for name in ("meter_awards", "hits"):
            column = f"{name}_cents" if name == "meter_awards" else name
            by_bet = {str(each["bet"]): each[column] for each in found}
            expected = {bet: amount for bet, amount in second[name].items() if amount}
            assert {bet: amount for bet, amount in by_bet.items() if amount} == expected, day


def test_bases_of_tax(journal: Journal) -> None:
    for day, second in journal.second.days.items():
        report = asked(journal.data, "tax", day, now=journal.now)
        cells = second["cells"].values()
        handle = sum(cell["registered_cents"] - cell["voided_cents"] for cell in cells)
        # Owed at the end, and paid: that was awarded, or owed before.
        awarded = second["owed"] + second["paid_out"] - second["owed_before"]
        accrued = awarded + second["players"] - second["players_before"]
        for name, deducted in (
            ("paid", second["paid_out"]),
            ("awarded", awarded),
            ("accrued", accrued),
        ):
            found = row(report, item=f"base as {name}")
            assert found["handle_cents"] == handle, day
            assert found["returned_cents"] == second["returned"], day
            assert found["deducted_cents"] == deducted, (day, name)
            assert found["base_cents"] == handle - second["returned"] - deducted, (day, name)


def test_roll_forward_ties_to_the_ledger(journal: Journal) -> None:
    days = sorted(journal.second.days)
    report = asked(journal.data, "rollforward", days[0], days[-1], now=journal.now)
    last = journal.second.days[days[-1]]["closing"]
    for found in report.rows:
        steps = [
            found[name]
            for name in (
                *("opening_cents", "increments_cents", "base_cents", "moved_cents", "awards_cents"),
                *("transfers_cents", "adjustments_cents", "retired_cents"),
            )
        ]
        closing = last.get((found["meter"], found["part"]), Fraction())
        assert sum(steps) == found["closing_cents"] == closing.__floor__()  # type: ignore[arg-type]


def test_second_books_know_the_days_that_the_story_has(finance_days: Journal) -> None:
    """2 November has no record: it has a report all the same."""
    assert set(finance_days.second.days) == {*DAYS} - {"2026-11-02"}
    report = asked(finance_days.data, "reconciliation", "2026-11-02", now=NOT_OVER_AT)
    assert report.journal.first_seq is None
    assert report.totals["opening_microcents"] == report.totals["closing_microcents"] != 0
