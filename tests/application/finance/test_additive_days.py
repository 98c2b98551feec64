"""Days are additive: what flows in a range is the sum of its days, and reports agree about it.

On the scripted days, and on days on which awards are voided long after they hit.
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement, pairwise
from pathlib import Path

import pytest

from progressive.application.finance.report import Cell, Report
from progressive.application.finance.reports.kinds import KINDS
from tests.support.asked import asked, row
from tests.support.finance_days import DAYS, NOT_OVER_AT, FinanceShelf
from tests.support.later_voids import later_voids

FRIDAY, SATURDAY, SUNDAY, MONDAY, TUESDAY = DAYS
MICRO = 10**6
KEYS: dict[str, tuple[str, ...]] = {
    "awards": (),
    "hold": ("bet",),
    "tax": ("item",),
    "wagers": (),
    "reconciliation": ("meter", "part"),
    "rollforward": ("meter", "part"),
    "gl": ("account_name",),
}
"""What says which rows of two days are about the same."""
STANDS = {
    "awards": {"awards"},
    "reconciliation": {"opening_microcents", "closing_microcents", "recomputed_microcents"},
    "rollforward": {"opening_cents", "closing_cents", "fraction_microcents"},
}
"""Sums that are no flows: where something stood, and how many awards are listed."""
BASES = ("base as paid", "base as awarded", "base as accrued")
BASE_FLOWS = ["handle_cents", "coupon_cents", "returned_cents", "deducted_cents", "base_cents"]
"""Of `tax`: three rows, which no total joins."""
SPANS = [
    (DAYS[first], DAYS[last]) for first, last in combinations_with_replacement(range(len(DAYS)), 2)
]

pytestmark = pytest.mark.slow


class Reports:
    """The reports of one journal, each asked for once."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._made: dict[tuple[str, str, str], Report] = {}

    def of(self, kind: str, first: str, last: str = "") -> Report:
        key = (kind, first, last or first)
        if key not in self._made:
            self._made[key] = asked(self._data, *key, now=NOT_OVER_AT)
        return self._made[key]


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    return Reports(FinanceShelf(tmp_path_factory.mktemp("scripted") / "data").directory)


@pytest.fixture(scope="module")
def voids(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    return Reports(later_voids(tmp_path_factory.mktemp("voids") / "data"))


@pytest.fixture(params=["scripted", "voids"])
def reports(request: pytest.FixtureRequest) -> Reports:
    found: Reports = request.getfixturevalue(request.param)
    return found


def number(cell: Cell) -> int:
    return cell if isinstance(cell, int) else 0


def flows_of(kind: str) -> list[str]:
    if kind == "tax":
        return BASE_FLOWS
    columns = [column.id for column in KINDS[kind].columns if column.total]
    return [name for name in columns if name not in STANDS.get(kind, ())]


Flowed = dict[tuple[Cell, ...], int]


def flowed(report: Report, name: str) -> Flowed:
    """One column by what its rows are about; nothing where it is zero."""
    found: Flowed = {}
    for each in report.rows:
        key = tuple(each[part] for part in KEYS[report.report])
        found[key] = found.get(key, 0) + number(each[name])
    return {key: amount for key, amount in found.items() if amount}


def days_of(first: str, last: str) -> Iterator[str]:
    yield from (day for day in DAYS if first <= day <= last)


@pytest.mark.parametrize("kind", KEYS)
def test_every_flow_of_a_range_is_the_sum_of_its_days(reports: Reports, kind: str) -> None:
    for first, last in SPANS:
        whole = reports.of(kind, first, last)
        for name in flows_of(kind):
            together: Flowed = {}
            for day in days_of(first, last):
                for key, amount in flowed(reports.of(kind, day), name).items():
                    together[key] = together.get(key, 0) + amount
            together = {key: amount for key, amount in together.items() if amount}
            assert flowed(whole, name) == together, (name, first, last)


@pytest.mark.parametrize(
    ("kind", "unit"), [("reconciliation", "microcents"), ("rollforward", "cents")]
)
def test_what_stands_goes_on_from_day_to_day(reports: Reports, kind: str, unit: str) -> None:
    for before, after in pairwise(DAYS):
        closing = flowed(reports.of(kind, before), f"closing_{unit}")
        assert closing == flowed(reports.of(kind, after), f"opening_{unit}")


def test_reports_agree_about_awards_voids_and_settling_again(reports: Reports) -> None:
    for span in SPANS:
        register, hold = reports.of("awards", *span), reports.of("hold", *span).totals
        meters = reports.of("reconciliation", *span).totals
        # No bonus and nothing paid early in these days: what is due is what the meter gave.
        of_meter = [each for each in register.rows if each["meter"] is not None]
        given = sum(number(each["awarded_cents"]) for each in of_meter)
        back = sum(
            number(each["voided_cents"]) - number(each["resettled_cents"]) for each in of_meter
        )
        assert given * MICRO == -meters["awards_microcents"], span
        assert back * MICRO == meters["award_void_back_microcents"], span
        assert hold["meter_awards_cents"] == given - back, span
        totals = register.totals
        awarded = totals["awarded_cents"] + totals["resettled_cents"] - totals["voided_cents"]
        tax = [row(reports.of("tax", *span), item=item) for item in BASES]
        assert [each["deducted_cents"] for each in tax[:2]] == [totals["paid_cents"], awarded]
        assert {each["handle_cents"] for each in tax} == {hold["handle_cents"]}
        assert hold["fixed_cents"] == awarded - (given - back) + number(tax[0]["returned_cents"])


def test_what_is_owed_is_awarded_less_voided_and_paid(reports: Reports) -> None:
    for last in DAYS:
        register = reports.of("awards", FRIDAY, last).totals
        owed = row(reports.of("liability", last), item="awards owed")["pending_cents"]
        assert owed == (
            register["awarded_cents"]
            + register["resettled_cents"]
            - register["voided_cents"]
            - register["paid_cents"]
        )
        ledger = reports.of("gl", FRIDAY, last)
        account = ("Liabilities:Progressive:main:Awards-Payable",)
        credit, debit = (flowed(ledger, f"{side}_cents") for side in ("credit", "debit"))
        assert credit.get(account, 0) - debit.get(account, 0) == owed


def test_wagers_hold_and_meters_agree_about_play(reports: Reports) -> None:
    for span in SPANS:
        wagers, hold = reports.of("wagers", *span).totals, reports.of("hold", *span).totals
        meters = reports.of("reconciliation", *span).totals
        put = meters["contributions_microcents"] + meters["void_contra_microcents"]
        assert hold["handle_cents"] == wagers["net_cents"]
        assert hold["contributions_microcents"] == wagers["to_meters_microcents"] == put
        assert hold["house_reset_microcents"] == meters["house_reset_microcents"]


def test_a_void_on_a_later_day_by_hand(voids: Reports) -> None:
    """The whole meter, $10,002, was no hit: the tenth behind it, $200.01 of what a reset gives, is
    $1,000.20 from Saturday on, when the void was, and was paid on Sunday."""

    def of(day: str, award: str) -> tuple[int, ...]:
        found = row(voids.of("awards", day), award=award)
        names = ("awarded_cents", "resettled_cents", "paid_cents", "voided_cents")
        return tuple(number(found[name]) for name in names)

    assert of(FRIDAY, "main.4.1") == (1_000_200, 0, 0, 0)
    assert of(FRIDAY, "main.4.2") == (20_001, 0, 0, 0)
    assert of(SATURDAY, "main.4.1") == (0, 0, 0, 1_000_200)
    assert of(SATURDAY, "main.4.2") == (0, 80_019, 0, 0)
    assert of(SUNDAY, "main.4.2") == (0, 0, 100_020, 0)
    hold = voids.of("hold", SATURDAY).totals
    assert (hold["meter_awards_cents"], hold["hits"]) == (80_019 - 1_000_200, -1)
    # A day without play, on which a fixed award of another month is voided.
    monday = row(voids.of("hold", MONDAY), bet="blazing7")
    assert (monday["wagers"], monday["fixed_cents"]) == (0, -100_000)
    assert monday["first_seq"] == monday["last_seq"]
    # Three tenths: the second is voided on the same day, the first one in the next month.
    assert of(FRIDAY, "main.6.3") == (14_605, 1_623, 0, 0)
    assert of(SUNDAY, "main.6.3") == (0, 1_803, 0, 0)
    assert of(TUESDAY, "main.6.3") == (0, 0, 18_031, 0)
    # Both months together: two winners are left of five.
    whole = voids.of("hold", FRIDAY, TUESDAY)
    assert whole.totals["meter_awards_cents"] == 100_020 + 18_031
    assert whole.totals["hits"] == 2
    assert [note for note in whole.notes if note.startswith("progressive 10 %: 2 hits, ")]
