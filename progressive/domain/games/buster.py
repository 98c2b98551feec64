"""Buster Blackjack (New Jersey, South Dakota, Washington, The 101 Casino): the dealer's bust size.

N.J.A.C. 13:69F-2.30, ARSD 20:18:15:30.07, Washington's rules of 2014, 101's bonus bet: all cards of
the dealer's completed hand are counted, the first two included. A dealer's blackjack is no bust, so
the bet loses to it everywhere; what the player's own hand did has no bearing, but for Washington's
limit on the player's points.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from progressive.domain.cards import total
from progressive.domain.commands import SeatCards
from progressive.domain.games.reading import Dealing, Reader, final_hands

LINES: Final = ("bust_8_or_more", "bust_7", "bust_6", "bust_5", "bust_4", "bust_3")
MOST_CARDS: Final = 8
"""From here on the paytables count no further."""


def made(seat: SeatCards, dealer: Sequence[str], dealing: Dealing) -> Sequence[str]:
    """The line of the dealer's bust, or none."""
    if not total(dealer).bust:
        return ()
    limit = dealing.player_points_max
    if limit is not None and _is_over(seat, limit):
        return ()
    return (bust_line(len(dealer)),)


def _is_over(seat: SeatCards, limit: int) -> bool:
    """WA: one hand of 28 or more is enough: the clause is against burning cards."""
    if seat.points_over is not UNSET:
        return seat.points_over
    return any(total(hand).points > limit for hand in final_hands(seat))


def bust_line(cards: int) -> str:
    """The line of a bust with so many cards."""
    return f"bust_{cards}" if cards < MOST_CARDS else "bust_8_or_more"


def missing(_: SeatCards, dealer: Sequence[str], __: Dealing) -> str | None:
    """The dealer's hand, two cards at the least; whether it is played out is asked elsewhere."""
    if len(dealer) >= 2:
        return None
    return "the dealer's completed hand is missing: it decides every Buster wager of the round"


READER: Final = Reader(lines=LINES, made=made, missing=missing, needs_whole_dealer_hand=True)
