"""Amounts into a day book: onto a part of a meter under a cause, or onto another account."""

from collections.abc import Iterable

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import Cause, Part
from progressive.domain.award_events import MeterFlow
from progressive.domain.ids import MeterId


def move(book: DayBook, seq: int, meter: MeterId, part: Part, cause: Cause, amount: int) -> None:
    """An amount onto a part of a meter."""
    moved = book.part(meter, part)
    moved.move(cause, amount)
    moved.stands_on(seq)
    if part == "primary":
        book.name(meter, cause, seq, amount)


def account(book: DayBook, name: str, amount: int) -> None:
    """An amount onto an account beside the meters."""
    accounts = book.closing.accounts
    accounts[name] = accounts.get(name, 0) + amount


def parts_of(flow: MeterFlow) -> Iterable[tuple[Part, int]]:
    """The parts of a meter that a flow moves."""
    found: tuple[tuple[Part, int], ...] = (
        ("primary", flow.primary),
        ("reset", flow.reset),
        ("overflow", flow.overflow),
    )
    return [(part, amount) for part, amount in found if amount]
