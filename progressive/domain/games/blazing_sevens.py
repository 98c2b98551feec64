"""Blazing 7's, N.J.A.C. 13:69F-2.28: the player's first cards, read for sevens."""

from collections.abc import Sequence
from typing import Final

from progressive.domain.cards import is_natural
from progressive.domain.commands import SeatCards
from progressive.domain.games.reading import Dealing, Reader

RED: Final = frozenset("hd")
TEN_OR_ACE: Final = frozenset("ATJQK")


def made(seat: SeatCards, dealer: Sequence[str], dealing: Dealing) -> Sequence[str]:
    """The lines that a seat's sevens make.

    2.28(c): one 7 and two 7s are made by the player's first two cards and by nothing else; a 7
    that comes third, or as the dealer's up card, counts only toward three of them.
    """
    first, second = seat.cards[:2]
    if first[0] != "7" and second[0] != "7":
        return ()
    if first[0] != second[0]:
        return ("one_7",)
    third = _third_card(seat, dealer, dealing)
    if third is None or third[0] != "7":
        return ("two_7", "one_7")
    return (*_three_sevens(first[1] + second[1] + third[1]), "two_7", "one_7")


def _three_sevens(suits: str) -> tuple[str, ...]:
    if suits == "ddd":
        return ("three_7_diamonds", "three_7_suited", "three_7_color", "three_7_any")
    if len(set(suits)) == 1:
        return ("three_7_suited_other", "three_7_suited", "three_7_color", "three_7_any")
    if len({suit in RED for suit in suits}) == 1:
        return ("three_7_color", "three_7_any")
    return ("three_7_mixed", "three_7_any")


def _third_card(seat: SeatCards, dealer: Sequence[str], dealing: Dealing) -> str | None:
    """The card beside the player's two that counts, if there is one.

    Option 1: the next card dealt to that player, however they came by it; after a split it is the
    first card dealt then (2.11(g)) and no later one. Option 2: the dealer's up card.
    """
    if dealing.option == 2:
        return dealer[0]
    if len(seat.cards) < 3 or _limited_to_two(dealer, dealing):
        return None
    return seat.cards[2]


def _limited_to_two(dealer: Sequence[str], dealing: Dealing) -> bool:
    """2.6(j)4 and 2.6(k)7: with a dealer's blackjack seen before the draw, two cards count.

    Where nobody looks at the hole card before the players have drawn, no clause takes back a card
    that has been dealt.
    """
    return dealing.procedure != "no_peek" and is_natural(dealer[:2])


def missing(seat: SeatCards, dealer: Sequence[str], dealing: Dealing) -> str | None:
    """The dealer's cards matter to option 2, and to three 7s where a blackjack would be seen."""
    if dealing.option == 2:
        return None if dealer else "the dealer's up card is missing"
    if dealing.procedure == "no_peek" or any(card[0] != "7" for card in seat.cards[:3]):
        return None
    if len(seat.cards) < 3 or len(dealer) >= 2:
        return None
    if not dealer:
        return "the dealer's up card is missing: a blackjack would limit the bet to two cards"
    if dealer[0][0] in TEN_OR_ACE:
        return "the dealer's hole card is missing: a blackjack would limit the bet to two cards"
    return None


READER: Final = Reader(
    lines=(
        "three_7_diamonds",
        "three_7_suited_other",
        "three_7_suited",
        "three_7_color",
        "three_7_mixed",
        "three_7_any",
        "two_7",
        "one_7",
    ),
    made=made,
    missing=missing,
)
