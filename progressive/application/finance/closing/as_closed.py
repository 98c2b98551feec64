"""A day book beside the record that closed its day: the same positions, records, rounds, wagers."""

from collections.abc import Iterable

from progressive.application.finance.book.day_book import DayBook, currency_of
from progressive.application.finance.closing.totals import balances, totals_of
from progressive.application.finance.stated.closed_days import Close
from progressive.domain.finance_events import AccountBalance
from progressive.domain.money import difference_text


def not_as_closed(book: DayBook, close: Close) -> str | None:
    """What a book has otherwise than its day was closed with; None: nothing."""
    found, stated = totals_of(book), close.event.totals
    for name in ("begins", "ends", "first_seq", "last_seq", "head", "rounds", "wagers", "voided"):
        if (here := getattr(found, name)) != (there := getattr(stated, name)):
            return _differs(close, name.replace("_seq", " record"), here, there)
    for when, of_book, of_close in (
        ("opening", found.opening, stated.opening),
        ("closing", found.closing, stated.closing),
    ):
        if (wrong := _position(book, close, when, of_book, of_close)) is not None:
            return wrong
    return None


def not_opened_as_closed(book: DayBook, before: Close) -> str | None:
    """The same of the position that a day opens with and the day before was closed with."""
    stated = before.event.totals.closing
    return _position(book, before, "closing", balances(book.opening), stated)


def _position(
    book: DayBook,
    close: Close,
    when: str,
    of_book: Iterable[AccountBalance],
    of_close: Iterable[AccountBalance],
) -> str | None:
    here, there = (
        {each.account: each.microcents for each in position} for position in (of_book, of_close)
    )
    for account in sorted(here.keys() | there.keys()):
        # An account that nothing was ever on may be named or not.
        found, stated = here.get(account, 0), there.get(account, 0)
        if found != stated:
            amounts = [difference_text(each, currency_of(book)) for each in (found, stated)]
            return _differs(close, f"{when} {account}", *amounts)
    return None


def _differs(close: Close, what: str, here: object, there: object) -> str:
    return (
        f"{close.event.day} is not as record {close.seq} closed it: {what} {here}, closed with "
        f"{there}"
    )
