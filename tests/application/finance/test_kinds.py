"""Each kind of report on the five days, with figures worked out by hand."""

import csv
import io
import json
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import openpyxl
import pytest

from progressive.adapters.reports.render import render
from progressive.application.finance.report import Report
from progressive.application.finance.reports.gl_accounts import GlAccounts
from progressive.application.finance.reports.kinds import KINDS
from progressive.domain.money import exact_money_text, money_text
from tests.support.asked import asked, row, rows
from tests.support.finance_days import DAYS, NOT_OVER_AT
from tests.support.reports import PRINTED_AT

FRIDAY, SATURDAY, SUNDAY, MONDAY, TUESDAY = DAYS


def of(
    data: Path, kind: str, *days: str, accounts: GlAccounts | None = None, **more: str
) -> Report:
    return asked(data, kind, *days, now=NOT_OVER_AT, accounts=accounts, **more)


@pytest.mark.slow
def test_every_kind_makes_a_report_of_every_day(data: Path) -> None:
    for kind in KINDS:
        for day in DAYS:
            report = of(data, kind, day)
            assert (report.report, report.from_day, report.closed) == (kind, day, False)
            assert report.day_rule.endswith("Day starts 06:00 America/New_York.")
            assert report.currency == "USD"
        assert of(data, kind, *DAYS).to_day == TUESDAY


def test_a_day_that_is_not_over_says_so(data: Path) -> None:
    assert not of(data, "wagers", SUNDAY).notes[0].startswith("DAY NOT OVER")
    assert of(data, "wagers", TUESDAY).notes[0] == (
        "DAY NOT OVER: figures up to record 44 (2026-11-03 14:00:35 EST)."
    )


def test_reconciliation_of_friday_by_hand(data: Path) -> None:
    """Wagers on Blazing 7's: 4, 2, 3 (voided), 2, 2 of $5: $65 at 20 and 1 percent; $15 go back.

    The meter opens with $10,000. A tenth of $10,006 (10,000 + 4 + 2 wagers at $1) is $1,000.60. The
    whole, $9,007.40, is claimed and voided. The tenth behind it is worked out again: $900.74.
    """
    found = row(of(data, "reconciliation", FRIDAY), part="primary")
    assert found["opening_microcents"] == 0
    assert found["house_initial_microcents"] == 1_000_000 * 10**6
    assert found["contributions_microcents"] == 1_300 * 10**6
    assert found["void_contra_microcents"] == -300 * 10**6
    # Behind the whole, a tenth of what a reset gives: $2,000 and the $0.40 of the reset meter.
    assert found["awards_microcents"] == -(100_060 + 900_740 + 20_004) * 10**6
    assert found["award_void_back_microcents"] == (900_740 + 20_004 - 90_074) * 10**6
    assert found["house_reset_microcents"] == 0
    assert found["closing_microcents"] == (1_001_000 - 100_060 - 90_074) * 10**6
    assert found["wager_cents"] == 13 * 500
    assert found["effective_ppm"] == 200_000
    assert found["bet_effective_ppm"] == 210_000
    assert found["floor_ppm"] == 200_000
    assert found["rate_versions"] == "1: 200000"


def test_notes_are_in_money_and_add_up(data: Path) -> None:
    report = of(data, "reconciliation", FRIDAY)
    (note,) = [note for note in report.notes if "wagered x" in note]
    meter = row(report, meter="progressive", part="primary")
    wagered = money_text(int(meter["wager_cents"] or 0), "USD")
    fed = exact_money_text(int(meter["contributions_microcents"] or 0), "USD")
    assert note.startswith(f"progressive, terms 1: {wagered} wagered x 200000 ppm = {fed}, x ")


def test_both_rates_of_saturday_are_named(data: Path) -> None:
    report = of(data, "reconciliation", SATURDAY)
    assert report.terms_versions == (2,)
    both = of(data, "reconciliation", FRIDAY, SATURDAY)
    assert row(both, part="primary")["rate_versions"] == "1: 200000, 2: 210000"
    assert both.terms_versions == (1, 2)


def test_saturday_has_the_hour_that_came_twice(data: Path) -> None:
    report = of(data, "wagers", SATURDAY)
    hours = [each["hour"] for each in rows(report, table="BJ-03")]
    assert hours == [
        "2026-11-01 01:00 -04:00",
        "2026-11-01 01:00 -05:00",
        "2026-11-01 05:00 -05:00",
    ]
    assert [each["voided_cents"] for each in rows(report, table="BJ-03")] == [0, 0, 500]


def test_a_round_belongs_to_its_lock_out_and_its_award_to_the_settlement(data: Path) -> None:
    """Locked out at 05:59 on Friday's gaming day, settled with one 7 at 06:05 on Saturday's."""
    friday, saturday = of(data, "wagers", FRIDAY), of(data, "wagers", SATURDAY)
    assert row(friday, hour="2026-10-31 05:00 -04:00", table="BJ-02")["rounds"] == 1
    settled = row(saturday, hour="2026-10-31 06:00 -04:00", table="BJ-02")
    assert (settled["rounds"], settled["fixed_awards"], settled["fixed_cents"]) == (0, 1, 1_000)


def test_coupons_stand_beside_chips(data: Path) -> None:
    found = rows(of(data, "wagers", FRIDAY), table="BJ-01", bet="blazing7")
    assert sum(int(each["coupons"] or 0) for each in found) == 1
    assert sum(int(each["coupon_cents"] or 0) for each in found) == 500


def test_a_table_alone(data: Path) -> None:
    report = of(data, "wagers", FRIDAY, table="BJ-02")
    assert {each["table"] for each in report.rows} == {"BJ-02"}
    assert {each["table"] for each in of(data, "awards", FRIDAY, table="BJ-02").rows} == {"BJ-02"}
    assert report.totals["rounds"] == 2


def test_a_payment_belongs_to_the_day_it_is_paid(data: Path) -> None:
    friday, saturday = (
        row(of(data, "awards", day), award="main.6.1") for day in (FRIDAY, SATURDAY)
    )
    assert (friday["status"], friday["awarded_cents"], friday["paid_cents"]) == (
        "validated",
        100_060,
        0,
    )
    assert (saturday["status"], saturday["awarded_cents"]) == ("paid", 0)
    assert (saturday["settled_day"], saturday["paid_day"]) == (FRIDAY, SATURDAY)
    assert (saturday["paid_cents"], saturday["document"]) == (100_060, "CAGE-9")
    assert (saturday["series"], saturday["validator"], saturday["payer"]) == (
        "manual",
        "Sue",
        "Fin",
    )
    assert saturday["cards"] == "7s 7c 7s"


def test_a_tenth_takes_from_players_and_house_in_proportion(data: Path) -> None:
    """$10,000 of the house and $6 of the players: of $1,000.60, exactly $1,000 and $0.60."""
    found = row(of(data, "awards", FRIDAY), award="main.6.1")
    assert found["house_microcents"] == 100_000 * 10**6
    assert found["player_microcents"] == 60 * 10**6


def test_a_void_award_and_the_one_behind_it(data: Path) -> None:
    report = of(data, "awards", FRIDAY)
    voided, behind = row(report, award="main.11.1"), row(report, award="main.11.2")
    assert (voided["status"], voided["voided_by"]) == ("void", "Sue, Sid")
    assert (voided["amount_cents"], voided["voided_cents"]) == (900_740, 900_740)
    assert (behind["made_cents"], behind["amount_cents"]) == (20_004, 90_074)
    assert (behind["status"], behind["paid_cents"]) == ("paid", 90_074)
    assert behind["days_since_last_hit"] == 0


def test_steps_of_an_award_have_their_times_on_the_floors_clock(data: Path) -> None:
    """Validated and paid on the evening of its hit, and voided: every step with who and when."""
    report = of(data, "awards", FRIDAY)
    behind, voided = row(report, award="main.11.2"), row(report, award="main.11.1")
    steps = (behind["settled_at"], behind["validated_at"], behind["paid_at"])
    assert [*steps] == sorted(str(each) for each in steps)
    assert (behind["approved_first_at"], behind["approved_at"]) == (None, None)
    assert str(voided["settled_at"]) < str(voided["void_proposed_at"]) < str(voided["voided_at"])
    lines = csv.DictReader(render(report, "csv", PRINTED_AT).decode().splitlines())
    (line,) = (each for each in lines if each["award"] == "main.11.2")
    assert line["validated_at"] == behind["validated_at"]
    moment = datetime.fromisoformat(line["validated_local"])
    assert moment == datetime.fromisoformat(line["validated_at"])
    assert line["validated_local"].endswith("-04:00")


def test_liability_at_the_end_of_sunday(data: Path) -> None:
    report = of(data, "liability", SUNDAY)
    owed, meter = row(report, item="awards owed"), row(report, item="progressive")
    assert owed["pending"] == 1
    assert owed["pending_cents"] == owed["age_0_1_cents"]
    # $2,000 of the reset, and its part of the fraction of a cent that could not be paid.
    assert int(meter["house_microcents"] or 0) // 10**6 == 200_000
    assert meter["house_microcents"] == meter["memo_microcents"]
    accrued = of(data, "liability", SUNDAY, accounts=GlAccounts(base="accrue"))
    assert row(accrued, item="progressive")["memo_microcents"] == 0
    # Two days later it is older.
    assert (
        row(of(data, "liability", TUESDAY), item="awards owed")["age_2_7_cents"]
        == owed["pending_cents"]
    )


def test_exceptions_of_the_five_days(data: Path) -> None:
    report = of(data, "exceptions", *DAYS)
    kinds = [each["kind"] for each in report.rows]
    assert kinds.count("round voided") == 2
    assert kinds.count("award voided") == 2
    assert kinds.count("correction approved") == 2
    assert kinds.count("manual document") == 1
    assert kinds.count("terms changed") == 1
    voided = row(report, kind="award voided", object="main.11.1")
    assert (voided["who"], voided["second"], voided["amount_cents"]) == ("Sue", "Sid", 900_740)
    assert voided["reason"] == "the light was not on"
    assert voided["first_seq"] == voided["last_seq"] == 13
    numbers = [each["first_seq"] for each in report.rows]
    assert numbers == sorted(numbers, key=lambda number: number or 0)


def test_parameters_name_what_was_changed_and_by_whom(data: Path) -> None:
    report = of(data, "parameters", SATURDAY)
    found = row(report, field="bet.blazing7.meter.progressive.rate_ppm")
    assert (found["old"], found["new"], found["terms_version"]) == ("200000", "210000", 2)
    assert (found["proposed_by"], found["approved_by"]) == ("Fay", "Ada")
    assert found["reason"] == "a better meter; a better meter"
    assert found["first_seq"] == 27
    assert [each["kind"] for each in of(data, "parameters", FRIDAY).rows] == ["link_opened"]


def test_tax_form_of_the_whole_meter(data: Path) -> None:
    (found,) = rows(of(data, "tax", SUNDAY), item="form")
    assert (found["form"], found["status"]) == ("W-2G", "due")
    assert found["net_cents"] == int(found["gross_cents"] or 0) - 500
    (voided,) = rows(of(data, "tax", FRIDAY), item="form")
    assert (voided["award"], voided["status"]) == ("main.11.1", "void")


def test_tax_bases_of_friday_by_hand(data: Path) -> None:
    """Wagers of $5: four and one of $7 for Buster, two, three (voided), two, two: $57, $5 of them
    by coupon. The rack pays $135, and $14 on Buster, whose stake of $7 goes back; $900.74 go out on
    the same day; $1,000.60 are owed till Saturday."""
    found = {
        str(each["item"]): each for each in of(data, "tax", FRIDAY).rows if each["item"] != "form"
    }
    paid, awarded, accrued = found.values()
    assert list(found) == ["base as paid", "base as awarded", "base as accrued"]
    for each in found.values():
        assert (each["handle_cents"], each["coupon_cents"]) == (5_700, 500)
        assert (each["returned_cents"], each["award"]) == (700, None)
    assert (paid["deducted_cents"], paid["base_cents"]) == (104_974, -99_974)
    assert (awarded["deducted_cents"], awarded["base_cents"]) == (205_034, -200_034)
    meters = of(data, "liability", FRIDAY).rows
    players = sum(
        int(each["player_microcents"] or 0) + int(each["reserve_microcents"] or 0)
        for each in meters
    )
    assert accrued["deducted_cents"] == 205_034 + players // 10**6


def test_tax_bases_are_of_the_table_that_is_asked_for(data: Path) -> None:
    """The tables together are the link; money on the meters is of no table."""
    tables = [of(data, "tax", FRIDAY, table=table) for table in ("BJ-01", "BJ-02", "BJ-03")]
    whole = of(data, "tax", FRIDAY)
    for item in ("base as paid", "base as awarded"):
        for name in (
            *("handle_cents", "coupon_cents", "returned_cents", "deducted_cents", "base_cents"),
        ):
            cells = [row(report, item=item)[name] for report in tables]
            assert len(set(cells)) > 1 or name == "returned_cents"
            assert sum(int(cell or 0) for cell in cells) == row(whole, item=item)[name]
    for report, table in zip(tables, ("BJ-01", "BJ-02", "BJ-03"), strict=True):
        accrued = row(report, item="base as accrued")
        assert accrued["deducted_cents"] is accrued["base_cents"] is None
        assert any(note.startswith(f"Forms and bases of table {table}. ") for note in report.notes)


def test_tax_bases_are_money_in_every_format(data: Path) -> None:
    report = of(data, "tax", FRIDAY)
    (made,) = (
        each
        for each in json.loads(render(report, "json", PRINTED_AT))["rows"]
        if each["item"] == "base as paid"
    )
    assert made["base_cents"] == -99_974
    line = next(
        each
        for each in csv.DictReader(render(report, "csv", PRINTED_AT).decode().splitlines())
        if each["item"] == "base as paid"
    )
    assert (line["base_cents"], line["base_amount"]) == ("-99974", "-999.74")
    for form in ("table", "html"):
        assert "-$999.74" in render(report, form, PRINTED_AT).decode()
    assert not [note for note in report.notes if "cents" in note]


def test_hold_of_friday_by_hand(data: Path) -> None:
    """Ten wagers of $5 that were not voided; 21 percent to meters; two 7s pay $125, one 7 $10."""
    report = of(data, "hold", FRIDAY)
    found = row(report, bet="blazing7")
    assert (found["wagers"], found["handle_cents"]) == (10, 5_000)
    assert found["fixed_cents"] == 12_500 + 1_000
    assert found["contributions_microcents"] == 1_050 * 10**6
    assert found["net_win_microcents"] == (5_000 - 13_500 - 1_050) * 10**6
    assert found["hits"] == 2
    assert found["meter_awards_cents"] == 100_060 + 90_074
    buster = row(report, bet="buster")
    assert (buster["wagers"], buster["handle_cents"]) == (1, 700)


def test_decimals_of_hold_are_decimals_for_people_and_thousandths_for_programs(data: Path) -> None:
    report = of(data, "hold", FRIDAY)
    found = row(report, bet="blazing7")
    errors, expected = found["standard_errors_milli"], found["hits_expected_milli"]
    assert isinstance(errors, int)
    assert isinstance(expected, int)
    shown = [f"{Decimal(each).scaleb(-3):,.3f}" for each in (errors, expected)]
    for form in ("table", "html"):
        text = render(report, form, PRINTED_AT).decode()
        assert all(each in text for each in shown)
        assert "x 1000" not in text
    book = openpyxl.load_workbook(io.BytesIO(render(report, "xlsx", PRINTED_AT)))
    sheet = book["Hold"]
    titles = [cell.value for cell in sheet[5]]
    cells = dict(zip(titles, sheet[6], strict=True))
    for title, milli in (("Errors", errors), ("Expected hits", expected)):
        assert round(cells[title].value * 1_000) == milli
        assert cells[title].number_format == "#,##0.000"
    (made,) = (
        each
        for each in json.loads(render(report, "json", PRINTED_AT))["rows"]
        if each["bet"] == "blazing7"
    )
    assert (made["standard_errors_milli"], made["hits_expected_milli"]) == (errors, expected)


def test_only_some_kinds_can_be_asked_for_a_table(data: Path) -> None:
    able = {kind for kind, each in KINDS.items() if each.by_table}
    assert able == {"wagers", "awards", "exceptions", "tax"}
