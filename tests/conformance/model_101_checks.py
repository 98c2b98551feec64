"""What the reference model refuses of a player's decisions at The 101 Casino.

"Player Options" of the rule text: splits, doubles, surrender and insurance, one check each.
"""

from collections.abc import Callable

from tests.conformance.model_cards import (
    Hand,
    Request,
    dealer_cards,
    final_hands,
    is_blackjack,
    points,
)


def _based(request: Request) -> list[tuple[Request, int]]:
    """The seats with a bet on the hand, and that bet."""
    wagers = {w["seat"]: w["amount_cents"] for w in request["wagers"] if w["bet"] == "base"}
    return [(seat, wagers[seat["seat"]]) for seat in request["seats"] if seat["seat"] in wagers]


def _is_natural(hand: Hand, hands: list[list[str]]) -> bool:
    return len(hands) == 1 and is_blackjack(hand)


def _splits_too_often(request: Request) -> bool:
    """Four hands at most, each begun with one of the equal cards; aces take one card each."""
    for seat in request["seats"]:
        hands = final_hands(seat)
        if len(hands) > 4 or len({points(hand[0]) for hand in hands}) > 1:
            return True
        aces = len(hands) > 1 and hands[0][0][0] == "A"
        if aces and (len(hands) > 2 or any(len(hand) > 2 for hand in hands)):
            return True
    return False


def _draws_to_natural(request: Request) -> bool:
    """ "The player must stand on a natural." """
    return any(
        len(seat["cards"]) > 2 and len(final_hands(seat)) == 1 and is_blackjack(seat["cards"][:2])
        for seat, _ in _based(request)
    )


def _lists_other_hands(request: Request) -> bool:
    return any(
        len(seat[decision]) != len(final_hands(seat))
        for seat in request["seats"]
        for decision in ("double_cents", "surrendered")
        if seat.get(decision)
    )


def _doubles_above_wager(request: Request) -> bool:
    return any(
        double_cents > wager_cents
        for seat, wager_cents in _based(request)
        for double_cents in seat.get("double_cents", [])
    )


def _doubles_another_hand(request: Request) -> bool:
    """One card, and one only, after doubling: the hand has three."""
    return any(
        double_cents and len(hand) != 3
        for seat, _ in _based(request)
        for hand, double_cents in zip(
            final_hands(seat), seat.get("double_cents") or [0] * 4, strict=False
        )
    )


def _surrenders_another_hand(request: Request) -> bool:
    """Before any hit; a natural stands."""
    return any(
        given_up and (len(hand) != 2 or _is_natural(hand, final_hands(seat)))
        for seat, _ in _based(request)
        for hand, given_up in zip(
            final_hands(seat), seat.get("surrendered") or [False] * 4, strict=False
        )
    )


def _insures_without_ace(request: Request) -> bool:
    insured = any(seat.get("insurance_cents", 0) for seat, _ in _based(request))
    return insured and bool(dealer_cards(request)) and dealer_cards(request)[0][0] != "A"


def _insures_above_half(request: Request) -> bool:
    return any(2 * seat.get("insurance_cents", 0) > cents for seat, cents in _based(request))


def _insures_below_one_percent(request: Request) -> bool:
    return any(
        0 < 100 * seat.get("insurance_cents", 0) < wager_cents
        for seat, wager_cents in _based(request)
    )


CHECKS_101: list[tuple[str, Callable[[Request], bool]]] = [
    ("BAD_MESSAGE", _lists_other_hands),
    ("IMPOSSIBLE_CARDS", _splits_too_often),
    ("IMPOSSIBLE_CARDS", _draws_to_natural),
    ("ABOVE_BASE_WAGER", _doubles_above_wager),
    ("IMPOSSIBLE_CARDS", _doubles_another_hand),
    ("IMPOSSIBLE_CARDS", _surrenders_another_hand),
    ("IMPOSSIBLE_CARDS", _insures_without_ace),
    ("ABOVE_BASE_WAGER", _insures_above_half),
    ("BELOW_MINIMUM", _insures_below_one_percent),
]
