"""Figures that finance entered, where they stand beside the journal: ledger, bank, forms, notices,
closes."""

from pathlib import Path

import pytest

from progressive.adapters.reports.render import FORMATS, render
from progressive.application.finance.book.closes import close_happening
from progressive.application.finance.report import Report
from progressive.application.journal.record import Record
from progressive.domain.finance_acts import CloseDay, PrepareDay
from progressive.domain.finance_events import (
    AccountingNotified,
    BankBalance,
    DayClosed,
    DayTotals,
    Explanation,
    FormFiled,
    LateItem,
    LedgerBalance,
)
from progressive.domain.ids import AwardId, MeterId
from tests.support.asked import asked, row, rows
from tests.support.award_journals import FAY, FIN
from tests.support.finance_days import DAYS, FinanceShelf
from tests.support.journals import JournalFile
from tests.support.reports import PRINTED_AT
from tests.support.stated_figures import act_later, entered

FRIDAY, SATURDAY, SUNDAY, MONDAY, TUESDAY = DAYS
NOW = "2026-11-03T22:00:00.000000Z"
METER = MeterId("progressive")
TOTALS = DayTotals(
    begins="2026-10-30T10:00:00.000000Z",
    ends="2026-10-31T10:00:00.000000Z",
    first_seq=1,
    last_seq=17,
    head="0" * 64,
    rounds=0,
    wagers=0,
    voided=0,
    opening=(),
    closing=(),
)


def a_balance(cents: int, *, part: str = "primary", month: str = "2026-10") -> LedgerBalance:
    return LedgerBalance(
        month=month, meter=METER, part=part, cents=cents, explanation="rounded"  # type: ignore[arg-type]
    )  # fmt: skip


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return FinanceShelf(tmp_path_factory.mktemp("played") / "data").directory


@pytest.fixture(scope="module")
def closing_cents(played: Path) -> int:
    """Of the displayed meter at the end of October."""
    report = asked(played, "rollforward", FRIDAY, SATURDAY, now=NOW)
    return int(row(report, part="primary")["closing_cents"] or 0)


@pytest.fixture(scope="module")
def sunday(played: Path) -> Report:
    return asked(played, "liability", SUNDAY, now=NOW)


@pytest.fixture(scope="module")
def award(played: Path) -> AwardId:
    """The whole meter that was hit on Sunday: it needs a form."""
    (found,) = rows(asked(played, "tax", SUNDAY, now=NOW), item="form")
    return AwardId(str(found["award"]))


@pytest.fixture(scope="module")
def data(
    closing_cents: int, sunday: Report, award: AwardId, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    directory = FinanceShelf(tmp_path_factory.mktemp("stated") / "data").directory
    required = sunday.totals["bank_required_cents"]
    act_later(
        directory,
        "2026-11-03T20:00:00+00:00",
        *entered(
            SATURDAY,
            a_balance(1),
            a_balance(closing_cents - 5),
            a_balance(0, part="overflow"),
            a_balance(7, month="2026-09"),
        ),
        *entered(SUNDAY, BankBalance(cents=1), BankBalance(cents=required - 30)),
        *entered(MONDAY, BankBalance(cents=10**9)),
        *entered(SUNDAY, FormFiled(award=award, form="W-2G", serial="2026-000017")),
        *entered(SATURDAY, AccountingNotified(seq=27), AccountingNotified(seq=27, note="again")),
        *entered(FRIDAY, Explanation(check="rounds", item="", text="settled on Saturday")),
        PrepareDay(day=FRIDAY, totals=TOTALS, checks=(), by=FAY),
        rate_ppm=210_000,
    )
    prepared = next(
        record["seq"]
        for record in JournalFile(directory).records()
        if record["event"]["type"] == "day_prepared"
    )
    act_later(
        directory,
        "2026-11-03T21:00:00+00:00",
        CloseDay(day=FRIDAY, prepared_seq=prepared, by=FIN),
        rate_ppm=210_000,
    )
    return directory


def of(data: Path, kind: str, *days: str, **more: str) -> Report:
    return asked(data, kind, *days, now=NOW, **more)


def test_the_ledgers_balance_stands_beside_the_closing_of_its_month(
    data: Path, closing_cents: int
) -> None:
    report = of(data, "rollforward", FRIDAY, SATURDAY)
    found = row(report, part="primary")
    assert (found["closing_cents"], found["gl_cents"]) == (closing_cents, closing_cents - 5)
    assert (found["difference_cents"], found["explanation"]) == (5, "rounded")
    assert row(report, part="overflow")["difference_cents"] == 0
    assert row(report, part="reset")["gl_cents"] is None
    assert any(note.startswith("The ledger's balances of 2026-10 were entered by Fay (records ")
               for note in report.notes)  # fmt: skip


def test_a_range_that_ends_within_a_month_has_no_balance_beside_it(data: Path) -> None:
    for days in ((FRIDAY,), (FRIDAY, SUNDAY)):
        report = of(data, "rollforward", *days)
        assert {each["gl_cents"] for each in report.rows} == {None}
        assert any("none stands beside this day" in note for note in report.notes)


def test_without_an_entry_the_month_says_so(played: Path) -> None:
    report = of(played, "rollforward", FRIDAY, SATURDAY)
    assert (
        "The ledger's balances are entered by people; none is entered of 2026-10." in report.notes
    )


def test_the_bank_beside_what_it_should_have(data: Path, sunday: Report) -> None:
    report = of(data, "liability", SUNDAY)
    required = sunday.totals["bank_required_cents"]
    assert report.totals == sunday.totals
    found = row(report, item="bank")
    assert (found["bank_entered_cents"], found["shortfall_cents"]) == (required - 30, 30)
    assert found["first_seq"] == found["last_seq"]
    # More than is required is no shortfall.
    assert row(of(data, "liability", MONDAY), item="bank")["shortfall_cents"] == 0
    tuesday = of(data, "liability", TUESDAY)
    assert rows(tuesday, item="bank") == []
    assert f"Bank: no balance is entered for the end of {TUESDAY}." in tuesday.notes


def test_a_filed_form_has_its_serial(data: Path, award: AwardId) -> None:
    (found,) = rows(of(data, "tax", SUNDAY), item="form")
    assert (found["award"], found["form"]) == (award, "W-2G")
    assert (found["status"], found["form_serial"]) == ("filed", "2026-000017")
    assert str(found["filed_at"]).startswith("2026-11-03T20:00:")
    (voided,) = rows(of(data, "tax", FRIDAY), item="form")
    assert (voided["status"], voided["form_serial"]) == ("void", None)


def test_accounting_was_told_of_new_terms(data: Path) -> None:
    report = of(data, "parameters", SATURDAY)
    found = row(report, field="bet.blazing7.meter.progressive.rate_ppm")
    told = [
        record["at"]
        for record in JournalFile(data).records()
        if record["event"].get("entry", {}).get("type") == "notified"
    ]
    assert len(told) == 2
    assert (found["notified_at"], found["notified_by"]) == (told[0], "Fay")
    assert [each["notified_at"] for each in of(data, "parameters", FRIDAY).rows] == [None]


def test_a_close_is_among_the_exceptions_with_how_late_it_was(data: Path) -> None:
    """Friday was over on Saturday at 10:00 UTC, and closed on Tuesday at 21:00."""
    report = of(data, "exceptions", TUESDAY)
    found = row(report, kind="day closed late")
    assert (found["object"], found["who"], found["second"]) == (FRIDAY, "Fay", "Fin")
    assert found["detail"] == "83 h 00 min after its end"
    assert found["severity"] == "notable"
    assert rows(of(data, "exceptions", TUESDAY, table="BJ-02"), kind="day closed late") == []


@pytest.mark.parametrize(
    ("at", "number", "within_hours", "kind", "detail"),
    [
        ("2026-10-31T10:00:00.000000Z", 0, 24, "day closed", "0 h 00 min after its end"),
        ("2026-11-01T09:59:59.999999Z", 0, 24, "day closed", "23 h 59 min after its end"),
        ("2026-11-01T10:00:00.000000Z", 0, 24, "day closed late", "24 h 00 min after its end"),
        ("2026-11-01T10:00:00.000000Z", 0, 72, "day closed", "24 h 00 min after its end"),
        ("2026-10-31T11:59:59.999999Z", 0, 2, "day closed", "1 h 59 min after its end"),
        ("2026-10-31T12:00:00.000000Z", 0, 2, "day closed late", "2 h 00 min after its end"),
        ("2026-11-09T10:00:00.000000Z", 2, 24, "day stated again", "restatement 2, 1 late items"),
    ],
)
def test_closes_in_words(at: str, number: int, within_hours: int, kind: str, detail: str) -> None:
    late = (LateItem(40, "void", AwardId("main.6.1"), None, None, 0),)
    event = DayClosed(
        day=FRIDAY, number=number, prepared_seq=3, before_seq=0, totals=TOTALS, late=late,
        by=(FAY, FIN), meters=(),
    )  # fmt: skip
    found = close_happening(
        Record(seq=4, at=at, prev="", event=event), event, within_hours=within_hours
    )
    assert (found.kind, found.detail, found.seq) == (kind, detail, 4)
    assert (found.by, found.second, found.about) == ("Fay", "Fin", FRIDAY)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_shows_them(data: Path, form: str) -> None:
    for kind, days in (
        ("rollforward", (FRIDAY, SATURDAY)),
        ("liability", (SUNDAY,)),
        ("tax", (SUNDAY,)),
        ("parameters", (SATURDAY,)),
        ("exceptions", (TUESDAY,)),
    ):
        body = render(of(data, kind, *days), form, PRINTED_AT)  # type: ignore[arg-type]
        assert len(body) > 200
