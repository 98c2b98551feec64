"""Blazing 7's, N.J.A.C. 13:69F-2.28: the player's first cards, read for sevens."""

from collections.abc import Sequence


def makes_a_line(cards: Sequence[str]) -> bool:
    """Whether a player's cards, in the order dealt, win anything.

    2.28(c): every line of every paytable holds a 7 in the first two cards. One 7 pays there;
    three 7s begin with two; and a 7 that comes third, or as the dealer's up card, counts only
    toward three of them.
    """
    return any(card[0] == "7" for card in cards[:2])
