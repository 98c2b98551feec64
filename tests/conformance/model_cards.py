"""The cards of the reference model: totals, blackjacks, and when a dealer has finished.

A card is its text, `"7d"`; a hand is a list of them. Nothing here knows a bet.
"""

from collections.abc import Sequence
from typing import Any

RANKS = "A23456789TJQK"
SUITS = "shdc"
DECK = [rank + suit for suit in SUITS for rank in RANKS]

Hand = Sequence[str]
Request = dict[str, Any]


def points(card: str) -> int:
    """An ace is 1 here; `best_total` makes it 11 where that helps."""
    return min(RANKS.index(card[0]) + 1, 10)


def is_ten(card: str) -> bool:
    return card[0] in "TJQK"


def hard_total(hand: Hand) -> int:
    return sum(points(card) for card in hand)


def is_soft(hand: Hand) -> bool:
    return any(card[0] == "A" for card in hand) and hard_total(hand) <= 11


def best_total(hand: Hand) -> int:
    return hard_total(hand) + (10 if is_soft(hand) else 0)


def is_blackjack(hand: Hand) -> bool:
    """An ace and a ten-value card, nothing else; of a split it is for the caller to know."""
    return len(hand) == 2 and is_soft(hand) and best_total(hand) == 21


def may_be_blackjack(hand: Hand) -> bool:
    """Whether these dealer's cards, as far as they are known, are or could yet be a blackjack."""
    if len(hand) >= 2:
        return is_blackjack(hand)
    return not hand or hand[0][0] == "A" or is_ten(hand[0])


def dealer_is_done(hand: Hand, soft17: str) -> bool:
    """NJ 2.30(f)3: hard 17 or soft 18 ends it; where the house stands on it, soft 17 too."""
    if len(hand) < 2:
        return False
    soft_17 = is_soft(hand) and best_total(hand) == 17
    return best_total(hand) >= 17 and not (soft_17 and soft17 == "hit")


def dealer_drew_on(hand: Hand, soft17: str) -> bool:
    return any(dealer_is_done(hand[:count], soft17) for count in range(2, len(hand)))


def is_red(card: str) -> bool:
    return card[1] in "hd"


def final_hands(seat: Request) -> list[list[str]]:
    """A seat that did not split has one hand: its cards."""
    return list(seat.get("hands") or [seat["cards"]])


def cards_of(request: Request, seat_number: int) -> Request:
    return next(seat for seat in request["seats"] if seat["seat"] == seat_number)


def dealer_cards(request: Request) -> list[str]:
    return list(request.get("dealer", {}).get("cards", []))


def soft17_of(request: Request) -> str:
    """NJ and 101 draw to soft 17 by rule (U-4); elsewhere the house says."""
    return str(request.get("soft17", "hit"))
