"""The checklist of a gaming day: what agrees, what was explained, what is still open.

Everything is worked out from the day's book and reports; people only explain. Meters, wagers and
wins cannot be explained away: they agree to the microcent or the day stays open.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct

from progressive.application.finance.book.day_book import DayBook, currency_of
from progressive.application.finance.closing.exception_items import (
    exception_items,
    exception_words,
)
from progressive.application.finance.report import Report, Row
from progressive.application.finance.reports import reconciliation
from progressive.application.finance.reports.context import Context
from progressive.application.finance.reports.readings import item_of
from progressive.application.finance.stated.entries import Entered, of_kind
from progressive.application.finance.stated.explained import Explanations
from progressive.domain.finance_events import CageFile, SignReading
from progressive.domain.money import MICROCENTS_PER_CENT, difference_text

State = Literal["agrees", "explained", "none", "open"]
FINDINGS_MAX: Final = 200
"""Of one check; the rest are counted."""


class Finding(Struct, frozen=True, kw_only=True):
    """Something that does not agree by itself."""

    item: str
    """What an explanation names it by."""
    what: str
    amount_cents: int | None = None
    explained: str = ""
    explained_by: str = ""
    first_seq: int | None = None
    last_seq: int | None = None


class Check(Struct, frozen=True, kw_only=True):
    """One line of the checklist."""

    check: str
    title: str
    state: State
    detail: str
    difference_microcents: int | None = None
    findings: tuple[Finding, ...] = ()


def checks_of(
    context: Context,
    reports: Mapping[str, Report],
    *,
    open_tables: Sequence[str],
    unread: Sequence[str],
) -> tuple[Check, ...]:
    """The checklist of the one day of a context.

    `reports`: exceptions, readings and cage of that day.
    `open_tables`: whose round of the day is open. `unread`: meters whose signs should have been
    read by the end of the day and were not.
    """
    book = context.last

    def checked(check: str) -> _Checked:
        return _Checked(context.entries, check, book.day)

    return (
        _meters(context),
        _wagers(book),
        _wins(book),
        _documents(book, checked("documents")),
        _rounds(open_tables),
        _exceptions(reports["exceptions"], checked("exceptions")),
        _readings(context, reports["readings"], checked("readings"), unread),
        _cage(context, reports["cage"], checked("cage")),
    )


class _Checked:
    """The findings of one check of one day, each with what people wrote beside it."""

    def __init__(self, entries: Sequence[Entered], check: str, day: str) -> None:
        self._explanations = Explanations(entries, check)
        self._day = day

    def finding(
        self,
        item: str,
        what: str,
        *,
        older: str = "",
        amount_cents: int | None = None,
        first_seq: int | None = None,
        last_seq: int | None = None,
    ) -> Finding:
        """A finding; an explanation of the whole check is one of each.

        `older`: what explanations called it before.
        """
        explained = self._explanations.of(item, self._day, older=older)
        return Finding(
            item=item,
            what=what,
            amount_cents=amount_cents,
            explained="" if explained is None else explained.text,
            explained_by="" if explained is None else explained.by,
            first_seq=first_seq,
            last_seq=last_seq,
        )


# --- to the microcent --------------------------------------------------------------------------


def _meters(context: Context) -> Check:
    report = reconciliation.report(context)
    off = sum(_whole(row["difference_microcents"]) for row in report.rows)
    fine = not reconciliation.difference(report)
    closed_otherwise = [
        Finding(item=f"close {number}", what=what)
        for number, what in enumerate(context.not_as_closed, 1)
    ]
    return Check(
        check="meters",
        title="Meters",
        state="agrees" if fine else "open",
        detail="Every part of every meter follows from its records."
        if fine
        else "A meter is not where its records lead: see the reconciliation.",
        difference_microcents=off,
        findings=tuple(
            Finding(
                item=f"{row['meter']} {row['part']}",
                what=f"{difference_text(_whole(row['difference_microcents']), report.currency)}, "
                f"{row['breaks']} breaks",
                first_seq=_seq(row["first_seq"]),
                last_seq=_seq(row["last_seq"]),
            )
            for row in report.rows
            if row["difference_microcents"] or row["breaks"]
        )
        + tuple(closed_otherwise),
    )


def _wagers(book: DayBook) -> Check:
    """Chips and coupons are what was registered; what was registered is on the accounts."""
    cells = book.cells.values()
    keyed = sum(cell.chip_cents + cell.coupon_cents for cell in cells)
    registered = sum(cell.registered_cents for cell in cells)
    voided = sum(cell.voided_chip_cents + cell.voided_coupon_cents for cell in cells)
    off = abs(keyed - registered) * MICROCENTS_PER_CENT
    # What money came from is negative on its account.
    off += abs(registered * MICROCENTS_PER_CENT + _moved(book, "wagers chip", "wagers coupon"))
    off += abs(voided * MICROCENTS_PER_CENT - _moved(book, "refunds chip", "refunds coupon"))
    fine = "Chips and coupons are what was registered and booked."
    return _tie(book, "wagers", "Wagers", off, fine)


def _wins(book: DayBook) -> Check:
    """What the register says was paid and is owed is what lies on the accounts."""
    paid = sum(
        entry.paid_cents
        for entry in book.awards.values()
        if entry.paid is not None and book.begins <= entry.paid.at < book.ends
    )
    paid += sum(
        rack.cents + rack.bonus_cents - rack.paid_before_cents for rack in book.racks.values()
    )
    owed = sum(entry.made.due_cents for entry in book.closing.awards.values())
    off = abs(paid * MICROCENTS_PER_CENT - _moved(book, "paid"))
    off += abs(owed * MICROCENTS_PER_CENT - book.closing.accounts.get("pending", 0))
    return _tie(book, "wins", "Wins", off, "Awards paid and owed are what was booked.")


def _tie(book: DayBook, check: str, title: str, off: int, fine: str) -> Check:
    return Check(
        check=check,
        title=title,
        state="open" if off else "agrees",
        detail=f"They differ by {difference_text(off, currency_of(book))}." if off else fine,
        difference_microcents=off,
    )


def _moved(book: DayBook, *accounts: str) -> int:
    return sum(
        book.closing.accounts.get(name, 0) - book.opening.accounts.get(name, 0) for name in accounts
    )


# --- what people may explain -------------------------------------------------------------------


def _documents(book: DayBook, checked: _Checked) -> Check:
    """The service's own payment documents have one number after the other."""
    own = [
        (int(entry.document[-6:]), entry)
        for entry in book.awards.values()
        if entry.document is not None
        and not entry.manual
        and entry.paid is not None
        and book.begins <= entry.paid.at < book.ends
    ]
    numbers = [number for number, _ in own]
    due = range(book.opening.documents + 1, book.closing.documents + 1)
    findings = [
        checked.finding(f"{number:06}", f"document {number:06} is missing")
        for number in due
        if number not in numbers
    ]
    findings += [
        checked.finding(
            f"{number:06}", f"document {number:06} stands twice",
            first_seq=entry.seq, last_seq=entry.last_seq,
        )
        for place, (number, entry) in enumerate(own)
        if number in numbers[:place]
    ]  # fmt: skip
    numbered = f"{len(due)} payment documents without a gap."
    fine = numbered if due else "The service numbered no payment document."
    return _listed("documents", "Documents", findings, fine, nothing=not due)


def _rounds(open_tables: Sequence[str]) -> Check:
    return Check(
        check="rounds",
        title="Rounds",
        state="open" if open_tables else "agrees",
        detail=f"A round of the day is still open at {', '.join(open_tables)}."
        if open_tables
        else "Every round of the day is settled or void.",
    )


def _exceptions(report: Report, checked: _Checked) -> Check:
    """Severe ones, and others for which nobody gave a reason."""
    zone = ZoneInfo(report.time_zone)
    findings = [
        checked.finding(
            named.item, exception_words(row, zone),
            older=named.older,
            amount_cents=_cents(row["amount_cents"]),
            first_seq=_seq(row["first_seq"]), last_seq=_seq(row["last_seq"]),
        )
        for row, named in zip(report.rows, exception_items(report.rows), strict=True)
        if row["severity"] == "severe" or (row["severity"] == "notable" and not row["reason"])
    ]  # fmt: skip
    return _listed("exceptions", "Exceptions", findings, "Nothing that needs an explanation.")


def _readings(context: Context, report: Report, checked: _Checked, unread: Sequence[str]) -> Check:
    """Signs that were read show what the journal says; and they are read as often as is asked."""
    day = context.last.day
    findings = [
        checked.finding(
            item_of(str(row["sign"]), str(row["meter"])), f"{row['sign']}, {row['meter']}",
            amount_cents=_cents(row.get("difference_cents")),
            first_seq=_seq(row["first_seq"]), last_seq=_seq(row["last_seq"]),
        )
        for row in report.rows
        if row.get("difference_cents")
    ]  # fmt: skip
    read = {entry.meter for _, entry in of_kind(context.entries, SignReading, day=day)}
    findings += [checked.finding(meter, f"no sign was read that shows {meter}") for meter in unread]
    fine = (
        f"{len(read)} meters read off signs." if read else "No sign was read, and none had to be."
    )
    return _listed("readings", "Readings", findings, fine, nothing=not read)


def _cage(context: Context, report: Report, checked: _Checked) -> Check:
    """The cage paid what our documents say."""
    book = context.last
    entered = of_kind(context.entries, CageFile, day=book.day)
    paid = [
        entry
        for entry in book.awards.values()
        if entry.document is not None
        and entry.paid is not None
        and book.begins <= entry.paid.at < book.ends
    ]
    if not entered:
        findings = (
            [checked.finding("", f"{len(paid)} payments, and no file of the cage")] if paid else []
        )
        return _listed("cage", "Cage", findings, "The cage paid no award.", nothing=True)
    findings = [
        checked.finding(
            _cage_item(row), f"{row['status']}: {_cage_item(row)}",
            amount_cents=_cents(row["difference_cents"]),
            first_seq=_seq(row["first_seq"]), last_seq=_seq(row["last_seq"]),
        )
        for row in report.rows
        if row["status"] != "matched"
    ]  # fmt: skip
    return _listed("cage", "Cage", findings, f"{len(paid)} payments, as the cage has them.")


def _cage_item(row: Row) -> str:
    """As `Match.item` has it: our document, or the cage's own number."""
    return str(row["cage_ref"] if row["system_cents"] is None else row["document"])


def _listed(
    check: str, title: str, findings: Sequence[Finding], fine: str, *, nothing: bool = False
) -> Check:
    waiting = [each for each in findings if not each.explained]
    state: State = "open" if waiting else "explained" if findings else "agrees"
    if not findings and nothing:
        state = "none"
    if waiting:
        detail = f"{len(waiting)} to explain: {waiting[0].what}"
    elif findings:
        detail = f"{len(findings)} explained."
    else:
        detail = fine
    shown = [*waiting, *(each for each in findings if each.explained)][:FINDINGS_MAX]
    return Check(check=check, title=title, state=state, detail=detail, findings=tuple(shown))


def _whole(cell: object) -> int:
    return cell if isinstance(cell, int) else 0


def _cents(cell: object) -> int | None:
    return cell if isinstance(cell, int) else None


def _seq(cell: object) -> int | None:
    return cell if isinstance(cell, int) else None
