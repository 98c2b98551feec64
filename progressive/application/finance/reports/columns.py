"""Columns of a report written as a list for people: one paragraph a column.

    meter       text         Meter: The meter.
    wagers      int, sum     Wagers: Chips and coupons,
        of all seats.
    difference  int, sum, zero  Difference: Zero, or something is wrong.

    dealer      text, detail  Dealer: Named under the row on paper.

A line that is indented further goes on with the one before. The journal columns follow by
themselves.
"""

from typing import cast

from progressive.application.finance.report import JOURNAL_COLUMNS, Column, Kind

_SUM = ", sum"
_ZERO = ", zero"
_WIDTH = ", width "
_DETAIL = ", detail"


def columns(text: str) -> tuple[Column, ...]:
    """The columns of a list, and the journal columns behind them."""
    paragraphs: list[str] = []
    lines = [line for line in text.splitlines() if line.strip()]
    left = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    for line in lines:
        if len(line) - len(line.lstrip()) > left:
            paragraphs[-1] += " " + line.strip()
        else:
            paragraphs.append(line.strip())
    return (*[_column(each) for each in paragraphs], *JOURNAL_COLUMNS)


def _column(paragraph: str) -> Column:
    name, rest = paragraph.split(maxsplit=1)
    kind, _, said = rest.partition("  ")
    title, _, meaning = said.strip().partition(": ")
    is_detail = kind.endswith(_DETAIL)
    kind = kind.removesuffix(_DETAIL)
    kind, has_width, width = kind.partition(_WIDTH)
    must_be_zero = kind.endswith(_ZERO)
    kind = kind.removesuffix(_ZERO)
    return Column(
        name,
        title,
        cast("Kind", kind.removesuffix(_SUM)),
        meaning,
        total=kind.endswith(_SUM),
        width=int(width) if has_width else None,
        must_be_zero=must_be_zero,
        detail=is_detail,
    )
