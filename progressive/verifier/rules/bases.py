"""Base wagers beside side bets: one a seat, within the limits recorded for the table.

Programs that recorded no floor asked for neither, so older lock-outs are not held against it.
"""

from collections.abc import Sequence

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.recorded.house import RecordedTable
from progressive.verifier.recorded.values import Wager


def check_bases(name: str, wagers: Sequence[Wager], table: RecordedTable) -> None:
    """Raise where a seat has two base wagers, or one that the table does not take."""
    least, most = table.base_min_cents, table.base_max_cents
    at_seat: dict[int, int] = {}
    for wager in wagers:
        base = wager.base_cents
        if at_seat.setdefault(wager.seat, base) != base:
            raise DiscrepancyError(
                f"seat {shown(wager.seat)} has two base wagers, "
                f"{shown(at_seat[wager.seat])} and {shown(base)} cents"
            )
        # A bet that needs no base wager may lie at a seat that has none.
        if (base and base < least) or (most and base > most):
            raise DiscrepancyError(
                f"seat {shown(wager.seat)} has a base wager of {shown(base)} cents, "
                f"{shown(name)} takes {_in_words(least, most)}"
            )


def _in_words(least: int, most: int) -> str:
    if not most:
        return f"{least} or more"
    return f"{least} to {most}" if least else f"{most} or less"
