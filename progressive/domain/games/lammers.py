"""Lammers: the markers on side bets that stay in action, ARSD 20:18:15:30.07(6) and (7)."""

from collections.abc import Iterable, Mapping

from progressive.domain.cards import total
from progressive.domain.commands import SeatCards
from progressive.domain.games.reading import final_hands, has_blackjack
from progressive.domain.options import Lammers


def marked_seats(
    wagered: Iterable[int], seats: Mapping[int, SeatCards], use: Lammers | None
) -> list[int]:
    """The seats whose side bet carries a lammer, while the dealer has yet to finish.

    (6)(a): on every side bet, before the first card. (6)(b): after the player has a blackjack or
    has busted, in every hand where the seat split. (7): they come off when the dealer collects or
    pays, so a settled round has none.
    """
    if use is None:
        return []
    if use == "before_deal":
        return sorted(wagered)
    return sorted(seat for seat in wagered if seat in seats and _is_done(seats[seat]))


def _is_done(seat: SeatCards) -> bool:
    return has_blackjack(seat) or all(total(hand).bust for hand in final_hands(seat))
