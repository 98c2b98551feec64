"""What the reference model refuses, one small check each: `refusal_code(request)` or None.

Checks run from the shape of the message inwards; a later one may rely on those before it.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tests.conformance import model_101
from tests.conformance.model_101_checks import CHECKS_101
from tests.conformance.model_bets import BLAZING, BUSTER, FREE_BONUS_DOLLARS, METERS
from tests.conformance.model_cards import (
    DECK,
    Request,
    cards_of,
    dealer_cards,
    dealer_drew_on,
    dealer_is_done,
    final_hands,
    hard_total,
    may_be_blackjack,
    points,
    soft17_of,
)

GAME_101 = "ca-101-blackjack-x"
BETS = {
    "nj-blazing-7s": {"blazing7"},
    "nj-buster": {"buster"},
    "sd-buster": {"buster"},
    "wa-buster": {"buster"},
    GAME_101: {"base", "buster", "jack_magic"},
}
PAYTABLES = {"nj-blazing-7s": set(BLAZING)} | {game: set(tables) for game, tables in BUSTER.items()}
# SD (1), WA and 101: one to eight decks. NJ 13:69F-2.2(a)4: Blazing 7's six or eight (B-21).
DECKS = {game: set(range(1, 9)) for game in BETS} | {"nj-blazing-7s": {6, 8}}
FREE_BONUSES = {
    "nj-buster": {"B1", "B3"},
    "sd-buster": {"B1", "B3"},
    "wa-buster": set(FREE_BONUS_DOLLARS),
}
CHOICES: dict[str, set[Any]] = {
    "dealing_option": {1, 2},
    "dealer_procedure": {"card_reader", "hole_face_up", "no_peek"},
    "soft17": {"hit", "stand"},
    "payment_order": {"counter_clockwise", "clockwise", "equal_share"},
    "award_rounding": {"nearest", "down", "up"},
    "collection_schedule": set(range(1, 10)),
}
FIELDS = {
    "request": {
        *CHOICES, "game", "paytable", "decks", "free_bonus", "free_bonus_min_cents", "wagers",
        "dealer", "seats", "meters", "rates_ppm", "player_dealer_wager_cents",
    },
    "wager": {"seat", "bet", "amount_cents", "base_cents"},
    "dealer": {"cards"},
    "seat": {"seat", "cards", "hands", "double_cents", "surrendered", "insurance_cents"},
    "meter": {"primary_cents", "reset_meter_cents", "reset_cents"},
    "rate": {"primary", "reset"},
}  # fmt: skip


def refusal_code(request: Request) -> str | None:
    first = next((code for code, is_wrong in CHECKS if is_wrong(request)), None)
    if first or request["game"] != GAME_101:
        return first
    return next((code for code, is_wrong in CHECKS_101 if is_wrong(request)), None)


# --- the message ------------------------------------------------------------------------------


def _is_misshapen(request: Request) -> bool:
    if not isinstance(request, dict):
        return True
    if not _are_objects(request.get("wagers")) or not _are_objects(request.get("seats")):
        return True
    wagers, seats = request["wagers"], request["seats"]
    dealer, meters, rates = (request.get(key, {}) for key in ("dealer", "meters", "rates_ppm"))
    if not _are_objects([dealer, meters, rates, *_values(meters), *_values(rates)]):
        return True
    parts = [
        ("request", [request]),
        ("wager", wagers),
        ("seat", seats),
        ("dealer", [dealer]),
        ("meter", _values(meters)),
        ("rate", _values(rates)),
    ]
    if any(set(value) - FIELDS[part] for part, values in parts for value in values):
        return True
    if any(not {"seat", "bet", "amount_cents"} <= set(wager) for wager in wagers):
        return True
    if any("seat" not in seat for seat in seats):
        return True
    return not all(_is_whole(number) for number in _numbers(request))


def _are_objects(value: Any) -> bool:  # noqa: ANN401 - it is asked of whatever came
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _values(value: Any) -> list[Any]:  # noqa: ANN401 - it is asked of whatever came
    return list(value.values()) if isinstance(value, dict) else []


def _is_whole(value: Any) -> bool:  # noqa: ANN401 - it is asked of whatever came
    return type(value) is int  # True is no number here.


def _numbers(request: Request) -> Iterator[Any]:
    for wager in request["wagers"]:
        yield from (wager[key] for key in ("seat", "amount_cents", "base_cents") if key in wager)
    for seat in request["seats"]:
        yield from (seat[key] for key in ("seat", "insurance_cents") if key in seat)
    for values in (request.get("meters", {}), request.get("rates_ppm", {})):
        yield from (number for value in values.values() for number in value.values())
    for key in ("free_bonus_min_cents", "player_dealer_wager_cents"):
        if key in request:
            yield request[key]


def _is_unknown_choice(request: Request) -> bool:
    game = request.get("game")
    if game not in BETS or request.get("paytable") not in PAYTABLES[game]:
        return True
    if type(request.get("decks")) is not int or request["decks"] not in DECKS[game]:
        return True
    if "free_bonus" in request and request["free_bonus"] not in FREE_BONUSES.get(game, ()):
        return True
    if any(request[key] not in known for key, known in CHOICES.items() if key in request):
        return True
    if request.get("player_dealer_wager_cents", 0) < 0:
        return True
    meters = METERS.get(request["paytable"], []) if game == "nj-blazing-7s" else []
    return set(request.get("meters", {})) != set(meters)


# --- the wagers -------------------------------------------------------------------------------


def _is_unknown_seat(request: Request) -> bool:
    return any(not 1 <= item["seat"] <= 15 for item in request["wagers"] + request["seats"])


def _is_unknown_bet(request: Request) -> bool:
    return any(wager["bet"] not in BETS[request["game"]] for wager in request["wagers"])


def _is_wagered_twice(request: Request) -> bool:
    places = Counter((wager["seat"], wager["bet"]) for wager in request["wagers"])
    return any(count > 1 for count in places.values())


def _is_seat_given_twice(request: Request) -> bool:
    return any(count > 1 for count in Counter(seat["seat"] for seat in request["seats"]).values())


def _base_cents(request: Request, wager: Request) -> int:
    for other in request["wagers"]:
        if other["bet"] == "base" and other["seat"] == wager["seat"]:
            return int(other["amount_cents"])
    return int(wager.get("base_cents", 0))


def _has_no_base(request: Request) -> bool:
    """NJ 2.28(f), 2.30(b), SD (1), WA, 101: a side bet stands beside a bet on the hand."""
    return any(_base_cents(request, wager) <= 0 for wager in request["wagers"])


def _is_wrong_amount(request: Request) -> bool:
    """NJ 2.28(b): $1 or $5, and one of the two for a whole table (B-20)."""
    if any(wager["amount_cents"] <= 0 for wager in request["wagers"]):
        return True
    amounts = {wager["amount_cents"] for wager in request["wagers"]}
    return request["game"] == "nj-blazing-7s" and amounts not in (set(), {100}, {500})


def _is_below_minimum(request: Request) -> bool:
    if request["game"] == "nj-buster":  # NJ 2.30(c): at least $1.
        return any(wager["amount_cents"] < 100 for wager in request["wagers"])
    # 101: no collection is defined under $5 of action (C-3).
    return "collection_schedule" in request and model_101.action_cents(request) < 500


def _is_above_base(request: Request) -> bool:
    """NJ 2.30(c), WA and 101 always; SD (9)(a) where the free bonus is offered (U-6)."""
    capped = {"nj-buster", "wa-buster", GAME_101}
    if request["game"] not in capped | ({"sd-buster"} if "free_bonus" in request else set()):
        return False
    return any(
        wager["amount_cents"] > _base_cents(request, wager)
        for wager in request["wagers"]
        if wager["bet"] == "buster"
    )


# --- the cards --------------------------------------------------------------------------------


def _is_no_card(request: Request) -> bool:
    hands = [hand for seat in request["seats"] for hand in seat.get("hands") or []]
    lists = [dealer_cards(request), *hands, *(seat.get("cards", []) for seat in request["seats"])]
    return any(card not in DECK for cards in lists for card in cards)


def _is_not_wagered(request: Request) -> bool:
    wagered = {wager["seat"] for wager in request["wagers"]}
    return any(seat["seat"] not in wagered for seat in request["seats"])


def _is_hand_short(request: Request) -> bool:
    given = {seat["seat"] for seat in request["seats"] if len(seat.get("cards", [])) >= 2}
    if {wager["seat"] for wager in request["wagers"]} - given:
        return True
    return any(len(hand) < 2 for seat in request["seats"] for hand in final_hands(seat))


def _are_too_many_copies(request: Request) -> bool:
    copies = Counter(dealer_cards(request))
    for seat in request["seats"]:
        copies.update(seat["cards"])
    return any(count > request["decks"] for count in copies.values())


def _are_hands_impossible(request: Request) -> bool:
    for seat in request["seats"]:
        hands = final_hands(seat)
        if Counter(seat["cards"]) != Counter(card for hand in hands for card in hand):
            return True
        first, second = seat["cards"][:2]
        if len(hands) > 1 and points(first) != points(second):
            return True
        # Nobody is dealt to once over 21.
        if any(hard_total(hand[:-1]) > 21 for hand in hands):
            return True
    return False


def _dealer_must_finish(request: Request) -> bool:
    """NJ 2.30(f)3, SD (5), WA (b), 101: as long as there is a Buster bet, or a hand to compare."""
    if any(wager["bet"] == "buster" for wager in request["wagers"]):
        return True
    return request["game"] == GAME_101 and model_101.needs_whole_dealer_hand(request)


def _has_dealer_drawn_on(request: Request) -> bool:
    return _dealer_must_finish(request) and dealer_drew_on(
        dealer_cards(request), soft17_of(request)
    )


def _is_dealer_short(request: Request) -> bool:
    dealer = dealer_cards(request)
    if _dealer_must_finish(request):
        return not dealer_is_done(dealer, soft17_of(request))
    if request["game"] == GAME_101:
        jack_magic = any(wager["bet"] == "jack_magic" for wager in request["wagers"])
        return (jack_magic and not dealer) or model_101.needs_hole_card(request)
    if request["game"] != "nj-blazing-7s" or not request["wagers"]:
        return False
    if request["dealing_option"] == 2:
        return not dealer
    # Option 1: a blackjack still possible under the hole card, and a third 7 that hangs on it.
    unseen = len(dealer) < 2 and may_be_blackjack(dealer)
    return (
        unseen
        and request["dealer_procedure"] != "no_peek"
        and any(
            len(seat["cards"]) >= 3 and all(card[0] == "7" for card in seat["cards"][:3])
            for seat in (cards_of(request, wager["seat"]) for wager in request["wagers"])
        )
    )


CHECKS: list[tuple[str, Callable[[Request], bool]]] = [
    ("BAD_MESSAGE", _is_misshapen),
    ("BAD_MESSAGE", _is_unknown_choice),
    ("UNKNOWN_SEAT", _is_unknown_seat),
    ("UNKNOWN_BET", _is_unknown_bet),
    ("DUPLICATE_WAGER", _is_wagered_twice),
    ("BAD_MESSAGE", _is_seat_given_twice),
    ("NO_BASE_WAGER", _has_no_base),
    ("WRONG_AMOUNT", _is_wrong_amount),
    ("BELOW_MINIMUM", _is_below_minimum),
    ("ABOVE_BASE_WAGER", _is_above_base),
    ("BAD_CARD", _is_no_card),
    ("NOT_WAGERED", _is_not_wagered),
    ("INCOMPLETE_CARDS", _is_hand_short),
    ("IMPOSSIBLE_CARDS", _are_too_many_copies),
    ("IMPOSSIBLE_CARDS", _are_hands_impossible),
    ("IMPOSSIBLE_CARDS", _has_dealer_drawn_on),
    ("INCOMPLETE_CARDS", _is_dealer_short),
]
