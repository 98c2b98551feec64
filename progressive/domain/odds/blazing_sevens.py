"""Blazing 7's, N.J.A.C. 13:69F-2.28: sevens among the first cards."""

from collections.abc import Sequence
from typing import Final

from progressive.domain.odds.dealing import LOST, Chances, Dealing, Hand
from progressive.domain.odds.shoe import ACES_PER_DECK, TENS_PER_DECK, tally

LINES: Final = frozenset(
    {
        "three_7_diamonds",
        "three_7_suited",
        "three_7_suited_other",
        "three_7_color",
        "three_7_mixed",
        "three_7_any",
        "two_7",
        "one_7",
    }
)

_SEVENS: Final = {"7s": "black", "7c": "black", "7h": "red", "7d": "red"}
_WITHOUT_DEALER: Final = dict.fromkeys(_SEVENS, 1) | {"other": 48}
_WITH_DEALER: Final = dict.fromkeys(_SEVENS, 1) | {
    "ace": ACES_PER_DECK,
    "ten": TENS_PER_DECK,
    "other": 28,
}
_COUNTED: Final = 3


def chances(dealing: Dealing) -> Chances:
    """Option 1: the player's first three cards; a pair of 7s always takes its third card.

    Option 2: the player's two and the dealer's up card, which come from the shoe alike.
    """
    if _dealer_blackjack_matters(dealing):
        return tally(dealing.shoe, _WITH_DEALER, cards=_COUNTED + 2, read=_read_beside_dealer)
    return tally(dealing.shoe, _WITHOUT_DEALER, cards=_COUNTED, read=_read)


def assumptions(dealing: Dealing) -> tuple[str, ...]:
    """What a reader must know to trust the figures."""
    if dealing.dealing_option != 1:
        return ("a 7 up counts toward three 7s only (N.J.A.C. 13:69F-2.28(c))",)
    taken = "a player with a pair of 7s takes a third card whenever there is one"
    if _dealer_blackjack_matters(dealing):
        clause = {"card_reader": "2.6(j)4", "hole_face_up": "2.6(k)7"}[dealing.dealer_procedure]
        return (taken, f"two cards count against a dealer blackjack (N.J.A.C. 13:69F-{clause})")
    return (taken, "three cards count against a dealer blackjack too (N.J.A.C. 13:69F-2.6(j))")


def _dealer_blackjack_matters(dealing: Dealing) -> bool:
    """Only where the round ends on it before a third card, NJ 13:69F-2.6(j)4 and (k)7.

    With option 2 it cannot: where the up card is a 7 the dealer has no blackjack.
    """
    return dealing.dealing_option == 1 and dealing.dealer_procedure != "no_peek"


def _read_beside_dealer(kinds: Sequence[str]) -> Hand:
    """The player's three cards, then the dealer's two."""
    dealer_blackjack = set(kinds[_COUNTED:]) == {"ace", "ten"}
    return _read(kinds[:2] if dealer_blackjack else kinds[:_COUNTED])


def _read(kinds: Sequence[str]) -> Hand:
    # 2.28(c): one and two 7s are on the first two cards; three 7s therefore begin with two.
    first_two = sum(kind in _SEVENS for kind in kinds[:2])
    if first_two < 2:
        return Hand(("one_7",)) if first_two else LOST
    if len(kinds) < _COUNTED or kinds[2] not in _SEVENS:
        return Hand(("two_7",))
    return Hand((*_three(set(kinds)), "three_7_any", "two_7"))


def _three(suits: set[str]) -> tuple[str, ...]:
    if len({_SEVENS[suit] for suit in suits}) == 2:
        return ("three_7_mixed",)
    if len(suits) == 2:
        return ("three_7_color",)
    own = "three_7_diamonds" if suits == {"7d"} else "three_7_suited_other"
    return (own, "three_7_suited", "three_7_color")
