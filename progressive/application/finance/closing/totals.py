"""What a day came to, as its close records it: positions of all accounts before and after it."""

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import PARTS
from progressive.application.finance.book.standing import Standing
from progressive.domain.finance_events import AccountBalance, DayTotals


def totals_of(book: DayBook) -> DayTotals:
    """The totals of a day that is over."""
    cells, hours = book.cells.values(), book.hours.values()
    return DayTotals(
        begins=book.begins,
        ends=book.ends,
        first_seq=book.opening.seq + 1,
        last_seq=book.closing.seq,
        head=book.closing.head,
        rounds=sum(hour.rounds for hour in hours),
        wagers=sum(cell.chips + cell.coupons for cell in cells),
        voided=sum(hour.voided for hour in hours),
        opening=balances(book.opening),
        closing=balances(book.closing),
    )


def balances(standing: Standing) -> tuple[AccountBalance, ...]:
    """Every account of a position, in one order, so that the same position has the same bytes."""
    found = [AccountBalance(name, amount) for name, amount in standing.accounts.items()]
    found += [
        AccountBalance(f"{part} {meter}", getattr(parts, part))
        for meter, parts in standing.meters.items()
        for part in PARTS
    ]
    return tuple(sorted(found, key=lambda each: each.account))
