"""Entries for the general ledger: one day, one balanced entry a cause, in whole cents.

A line is positive where it debits. The accounts of the meters' parts always stand at the meters'
whole cents, the payable account at what is owed; what a fraction of a cent leaves over when money
moves between parts goes where the fraction came from, to the contributions.
"""

from collections.abc import Iterable

from msgspec import Struct

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import PARTS, Part
from progressive.application.finance.book.standing import MeterPast, Parts, Standing
from progressive.application.finance.reports.gl_accounts import GlAccounts
from progressive.application.finance.reports.rollforward import STEPS, day_steps
from progressive.application.finance.reports.whole_cents import steps_in_cents
from progressive.domain.ids import LinkId, MeterId
from progressive.domain.money import MICROCENTS_PER_CENT


class GlAccount(Struct, frozen=True):
    """An account: its number in the house's chart, and what it is."""

    number: str
    path: tuple[str, ...]
    """`("Liabilities", "Progressive", "main", "mega", "Display")`."""


class GlLine(Struct, frozen=True):
    """One line; debits are positive."""

    account: GlAccount
    cents: int
    meter: str = ""


class GlEntry(Struct, frozen=True):
    """A balanced entry."""

    number: str
    day: str
    memo: str
    lines: tuple[GlLine, ...]
    first_seq: int
    last_seq: int


class GlDay(Struct, frozen=True):
    """The entries of a day, and what the accounts stand at before and after (credits minus)."""

    day: str
    opening: dict[GlAccount, int]
    entries: tuple[GlEntry, ...]
    closing: dict[GlAccount, int]


class Chart(Struct, frozen=True):
    """The accounts of a link."""

    accounts: GlAccounts
    link: LinkId

    def part(self, meter: MeterId, part: str) -> GlAccount:
        """Of one part of a meter."""
        of = self.accounts
        number, name = {
            "primary": (of.display, "Display"),
            "reset": (of.reserve, "Reset"),
            "overflow": (of.overflow, "Overflow"),
        }[part]
        return GlAccount(number, ("Liabilities", "Progressive", self.link, meter, name))

    def base(self, meter: MeterId) -> GlAccount:
        """Of the house's own money on a meter."""
        if self.accounts.accrues_base:
            return self.other("Expenses", "Base", self.accounts.base_expense)
        path = ("Liabilities", "Progressive", self.link, meter, "House-Base")
        return GlAccount(self.accounts.base_memo, path)

    def other(self, kind: str, name: str, number: str) -> GlAccount:
        """Of the whole link."""
        return GlAccount(number, (kind, "Progressive", self.link, name))


def gl_day(book: DayBook, accounts: GlAccounts, link: LinkId) -> GlDay:
    """All entries of one day."""
    chart = Chart(accounts, link)
    meters = [MeterId(meter) for meter in book.closing.meters]
    steps = {
        (meter, part): dict(
            zip([name for name, _ in STEPS], day_steps(book, meter, part), strict=True)
        )
        for meter in meters
        for part in PARTS
    }
    found = [
        ("contributions", _growth(chart, steps, meters, ("increments_cents", "moved_cents"))),
        ("house money", _house(chart, steps, meters)),
        ("awards", _awards(chart, book, steps, meters)),
        ("house part of awards", _house_part(chart, book, steps, meters)),
        ("payments", _payments(chart, book)),
        ("transfers", _growth(chart, steps, meters, ("transfers_cents",))),
        ("corrections", _against(chart, steps, meters, "adjustments_cents")),
        ("retirement", _against(chart, steps, meters, "retired_cents")),
    ]
    entries: list[GlEntry] = []
    for memo, lines in found:
        kept = tuple(line for line in lines if line.cents)
        if kept:
            number = f"{link}-{book.day}-{len(entries) + 1}"
            entries.append(
                GlEntry(number, book.day, memo, kept, book.first_seq or 0, book.last_seq or 0)
            )
    return GlDay(
        book.day,
        balances(chart, book.opening, meters),
        tuple(entries),
        balances(chart, book.closing, meters),
    )


def balances(chart: Chart, standing: Standing, meters: Iterable[MeterId]) -> dict[GlAccount, int]:
    """What the balance-sheet accounts must stand at."""
    found: dict[GlAccount, int] = {}
    for meter in meters:
        parts = standing.meters.get(meter, Parts())
        for part in PARTS:
            found[chart.part(meter, part)] = -(getattr(parts, part) // MICROCENTS_PER_CENT)
        if not chart.accounts.accrues_base:
            house = standing.pasts.get(meter, MeterPast()).house
            found[chart.base(meter)] = house // MICROCENTS_PER_CENT
    payable = chart.other("Liabilities", "Awards-Payable", chart.accounts.payable)
    found[payable] = -(standing.accounts.get("pending", 0) // MICROCENTS_PER_CENT)
    return found


_Steps = dict[tuple[MeterId, Part], dict[str, int]]


def _growth(
    chart: Chart, steps: _Steps, meters: list[MeterId], names: tuple[str, ...]
) -> list[GlLine]:
    """Money of wagers onto the parts of meters, and between them."""
    lines = [
        GlLine(chart.part(meter, part), -sum(steps[meter, part][name] for name in names), meter)
        for meter in meters
        for part in PARTS
    ]
    contra = chart.other("Income", "Contributions", chart.accounts.contributions)
    return [GlLine(contra, -sum(line.cents for line in lines)), *lines]


def _house(chart: Chart, steps: _Steps, meters: list[MeterId]) -> list[GlLine]:
    lines = []
    for meter in meters:
        cents = sum(steps[meter, part]["base_cents"] for part in PARTS)
        lines.append(GlLine(chart.base(meter), cents, meter))
        lines += [
            GlLine(chart.part(meter, part), -steps[meter, part]["base_cents"], meter)
            for part in PARTS
        ]
    return lines


def _awards(chart: Chart, book: DayBook, steps: _Steps, meters: list[MeterId]) -> list[GlLine]:
    """Off the meters, and what fixed lines owe against a document; onto the payable account."""
    lines = [
        GlLine(chart.part(meter, part), -steps[meter, part]["awards_cents"], meter)
        for meter in meters
        for part in PARTS
    ]
    owed = _pending(book.closing) - _pending(book.opening) + sum(_paid(book))
    payable = chart.other("Liabilities", "Awards-Payable", chart.accounts.payable)
    fixed = chart.other("Expenses", "Fixed-Awards", chart.accounts.fixed_awards)
    off_meters = sum(line.cents for line in lines)
    return [*lines, GlLine(fixed, owed - off_meters), GlLine(payable, -owed)]


def _house_part(chart: Chart, book: DayBook, steps: _Steps, meters: list[MeterId]) -> list[GlLine]:
    """Where the base is a memo: the house's part of awards is an expense when they are made."""
    if chart.accounts.accrues_base:
        return []
    expense = chart.other("Expenses", "Jackpots-House-Part", chart.accounts.jackpot_expense)
    lines = []
    for meter in meters:
        nothing = MeterPast()
        before = book.opening.pasts.get(meter, nothing).house
        after = book.closing.pasts.get(meter, nothing).house
        put = sum(steps[meter, part]["base_cents"] for part in PARTS)
        (change,) = steps_in_cents(before, [after - before])
        lines += [
            GlLine(expense, put - change, meter),
            GlLine(chart.base(meter), change - put, meter),
        ]
    return lines


def _payments(chart: Chart, book: DayBook) -> list[GlLine]:
    """From the cage against documents; what the rack paid is inside table win already."""
    by_cage, by_rack = _paid(book)
    payable = chart.other("Liabilities", "Awards-Payable", chart.accounts.payable)
    return [
        GlLine(payable, by_cage + by_rack),
        GlLine(chart.other("Assets", "Cage", chart.accounts.cage), -by_cage),
        GlLine(chart.other("Expenses", "Fixed-Awards", chart.accounts.fixed_awards), -by_rack),
    ]


def _against(chart: Chart, steps: _Steps, meters: list[MeterId], name: str) -> list[GlLine]:
    """Corrections against the house, or everything to the account of parked money."""
    lines = [
        GlLine(chart.part(meter, part), -steps[meter, part][name], meter)
        for meter in meters
        for part in PARTS
    ]
    other = (
        chart.other("Expenses", "Corrections", chart.accounts.corrections)
        if name == "adjustments_cents"
        else chart.other("Liabilities", "Parked", chart.accounts.parked)
    )
    return [*lines, GlLine(other, -sum(line.cents for line in lines))]


def _pending(standing: Standing) -> int:
    return standing.accounts.get("pending", 0) // MICROCENTS_PER_CENT


def _paid(book: DayBook) -> tuple[int, int]:
    """Paid on this day: against documents, and from the rack after a supervisor's confirmation."""
    paid = [
        entry
        for entry in book.awards.values()
        if entry.paid is not None and book.begins <= entry.paid.at < book.ends
    ]
    by_cage = sum(entry.paid_cents for entry in paid if entry.document is not None)
    return by_cage, sum(entry.paid_cents for entry in paid if entry.document is None)
