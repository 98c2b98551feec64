"""One thing wrong with a good round, and the codes that say so.

A mutation gets a deep copy of a round that settles and spoils it, or gives None where it does not
apply. Where more than one code is a fair answer, all are listed; the reference model's is first.
"""

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from random import Random

from tests.conformance.model_cards import DECK, Request, best_total, dealer_cards, points

Mutation = Callable[[Random, Request], Request | None]
MUTATIONS: dict[str, tuple[tuple[str, ...], Mutation]] = {}


def spoiled(rng: Random, request: Request) -> tuple[Request, str, tuple[str, ...]]:
    """The round with one thing wrong, the name of the mutation, and the codes that fit."""
    while True:
        name = rng.choice(list(MUTATIONS))
        codes, mutate = MUTATIONS[name]
        mutated = mutate(rng, deepcopy(request))
        if mutated is not None:
            return mutated, name, codes


def refused_as(*codes: str) -> Callable[[Mutation], Mutation]:
    def enter(mutation: Mutation) -> Mutation:
        MUTATIONS[mutation.__name__] = (codes, mutation)
        return mutation

    return enter


def _spare_card(request: Request) -> str:
    """A card the shoe still has."""
    dealt = Counter(dealer_cards(request))
    for seat in request["seats"]:
        dealt.update(seat["cards"])
    return next(card for card in DECK if dealt[card] < request["decks"])


def _free_seats(request: Request) -> list[int]:
    taken = {wager["seat"] for wager in request["wagers"]}
    return [number for number in range(1, 16) if number not in taken]


def _has_buster(request: Request) -> bool:
    return any(wager["bet"] == "buster" for wager in request["wagers"])


def _unsplit(request: Request) -> list[Request]:
    return [seat for seat in request["seats"] if "hands" not in seat]


# --- the message ------------------------------------------------------------------------------


@refused_as("BAD_MESSAGE")
def unknown_choice(rng: Random, request: Request) -> Request:
    key, value = rng.choice(
        (
            ("game", "nj-blazing-8s"), ("game", 7), ("game", None), ("paytable", "Z"),
            ("paytable", 3), ("paytable", ""), ("decks", 0), ("decks", -1), ("decks", "6"),
            ("decks", 6.5), ("payment_order", "widdershins"), ("payment_order", 1),
            ("soft17", "maybe"), ("dealing_option", 3), ("dealing_option", "1"),
            ("dealer_procedure", "peek"), ("free_bonus", "B9"), ("award_rounding", "nearly"),
            ("collection_schedule", 0), ("collection_schedule", 10),
            ("player_dealer_wager_cents", "5"), ("wagers", None), ("wagers", {}), ("seats", 7),
            ("seats", [[]]), ("wagers", ["7s"]), ("dealer", []), ("meters", []),
        )
    )  # fmt: skip
    return {**request, key: value}


@refused_as("BAD_MESSAGE")
def unknown_field(rng: Random, request: Request) -> Request:
    place = rng.choice((request, request["wagers"][0], request["seats"][0], request["dealer"]))
    place["lucky"] = 7
    return request


@refused_as("BAD_MESSAGE")
def missing_field(rng: Random, request: Request) -> Request:
    place, key = rng.choice(
        (
            (request, "game"), (request, "paytable"), (request, "wagers"),
            (request["wagers"][0], "seat"), (request["wagers"][0], "bet"),
            (request["wagers"][0], "amount_cents"), (request["seats"][0], "seat"),
        )
    )  # fmt: skip
    del place[key]
    return request


@refused_as("BAD_MESSAGE")
def amount_of_another_type(rng: Random, request: Request) -> Request:
    wager = rng.choice(request["wagers"])
    wager[rng.choice(("amount_cents", "seat"))] = rng.choice(("500", 500.5, True, None, [500]))
    return request


@refused_as("BAD_MESSAGE")
def seven_decks_of_blazing_sevens(rng: Random, request: Request) -> Request | None:
    if request["game"] != "nj-blazing-7s":
        return None
    return {**request, "decks": rng.choice((7, 9))}


@refused_as("BAD_MESSAGE")
def unknown_meter(rng: Random, request: Request) -> Request | None:
    if "meters" not in request:
        return None
    name = rng.choice(list(request["meters"]))
    request["meters"]["grand"] = request["meters"].pop(name)
    request.pop("rates_ppm", None)
    return request


# --- the wagers -------------------------------------------------------------------------------


@refused_as("UNKNOWN_BET")
def unknown_bet(rng: Random, request: Request) -> Request:
    bets = ["lucky", "", "BUSTER"] + (["jack_magic"] if len(request["paytable"]) < 3 else [])
    rng.choice(request["wagers"])["bet"] = rng.choice(bets)
    return request


@refused_as("UNKNOWN_SEAT")
def seat_off_the_table(rng: Random, request: Request) -> Request:
    seat = rng.choice(request["seats"])
    number = rng.choice((0, 16, -1, 10**6))
    for wager in request["wagers"]:
        if wager["seat"] == seat["seat"]:
            wager["seat"] = number
    seat["seat"] = number
    return request


@refused_as("DUPLICATE_WAGER")
def same_wager_twice(rng: Random, request: Request) -> Request:
    request["wagers"].append(dict(rng.choice(request["wagers"])))
    return request


@refused_as("NO_BASE_WAGER")
def no_bet_on_the_hand(rng: Random, request: Request) -> Request | None:
    based = {wager["seat"] for wager in request["wagers"] if wager["bet"] == "base"}
    wagers = [wager for wager in request["wagers"] if wager["seat"] not in based]
    if not wagers:
        return None
    rng.choice(wagers)["base_cents"] = 0
    return request


@refused_as("WRONG_AMOUNT")
def neither_one_dollar_nor_five(rng: Random, request: Request) -> Request | None:
    if request["game"] != "nj-blazing-7s":
        return None
    wager = rng.choice(request["wagers"])
    other_cents = 600 - wager["amount_cents"] if len(request["wagers"]) > 1 else 200
    wager["amount_cents"] = rng.choice((99, 101, 499, 501, 1_000, other_cents))
    return request


@refused_as("BELOW_MINIMUM")
def under_one_dollar(rng: Random, request: Request) -> Request | None:
    if request["game"] != "nj-buster":
        return None
    rng.choice(request["wagers"])["amount_cents"] = rng.choice((1, 99))
    return request


@refused_as("BELOW_MINIMUM")
def action_under_five_dollars(rng: Random, request: Request) -> Request | None:
    if "collection_schedule" not in request:
        return None
    if any({"double_cents", "insurance_cents"} & set(seat) for seat in request["seats"]):
        return None
    wagers = request["wagers"]
    for wager in wagers:
        wager["amount_cents"] = wager["base_cents"] = 499 // len(wagers)
    return request


@refused_as("ABOVE_BASE_WAGER")
def a_cent_above_the_bet_on_the_hand(rng: Random, request: Request) -> Request | None:
    if request["game"] == "sd-buster" and "free_bonus" not in request:
        return None
    based = {w["seat"]: w["amount_cents"] for w in request["wagers"] if w["bet"] == "base"}
    wagers = [wager for wager in request["wagers"] if wager["bet"] == "buster"]
    if not wagers:
        return None
    wager = rng.choice(wagers)
    wager["amount_cents"] = based.get(wager["seat"], wager.get("base_cents", 0)) + 1
    return request


# --- the cards --------------------------------------------------------------------------------


@refused_as("BAD_CARD")
def no_such_card(rng: Random, request: Request) -> Request:
    lists = [request["dealer"]["cards"]] if request["dealer"]["cards"] else []
    lists += [seat["cards"] for seat in request["seats"]]
    cards = rng.choice(lists)
    wrong = rng.choice(("", "7", "7x", "1s", "10s", "7D", "d7", "7d ", "Zs", "7♦", "77d"))
    cards[rng.randrange(len(cards))] = wrong
    return request


@refused_as("BAD_CARD", "BAD_MESSAGE")
def a_card_of_another_type(rng: Random, request: Request) -> Request:
    rng.choice(request["seats"])["cards"][0] = rng.choice((7, None, ["7d"]))
    return request


@refused_as("IMPOSSIBLE_CARDS")
def more_copies_than_decks(rng: Random, request: Request) -> Request | None:
    if request["game"] == "ca-101-blackjack-x" and not _has_buster(request):
        return None
    wager = request["wagers"][0]
    free = _free_seats(request)
    needed = request["decks"] // 2 + 1
    if len(free) < needed or "collection_schedule" in request:
        return None
    card = rng.choice(DECK)
    for number in free[:needed]:
        request["wagers"].append({"base_cents": wager["amount_cents"], **wager, "seat": number})
        request["seats"].append({"seat": number, "cards": [card, card]})
    return request


@refused_as("INCOMPLETE_CARDS")
def dealer_stopped_early(rng: Random, request: Request) -> Request | None:
    if not _has_buster(request):
        return None
    request["dealer"]["cards"].pop()
    return request


@refused_as("INCOMPLETE_CARDS")
def dealer_without_cards(rng: Random, request: Request) -> Request | None:
    if not _has_buster(request) and request.get("dealing_option") != 2:
        return None
    request["dealer"]["cards"] = []
    return request


@refused_as("IMPOSSIBLE_CARDS")
def dealer_drew_too_far(rng: Random, request: Request) -> Request | None:
    if not _has_buster(request):
        return None
    request["dealer"]["cards"].append(_spare_card(request))
    return request


@refused_as("NOT_WAGERED")
def seat_without_a_wager(rng: Random, request: Request) -> Request:
    cards: list[str] = []
    for _ in range(2):
        cards.append(_spare_card({**request, "seats": [*request["seats"], {"cards": cards}]}))
    request["seats"].append({"seat": rng.choice(_free_seats(request)), "cards": cards})
    return request


@refused_as("INCOMPLETE_CARDS")
def wagered_seat_without_cards(rng: Random, request: Request) -> Request:
    request["seats"].remove(rng.choice(request["seats"]))
    return request


@refused_as("INCOMPLETE_CARDS")
def a_hand_of_less_than_two_cards(rng: Random, request: Request) -> Request | None:
    seats = _unsplit(request)
    if not seats:
        return None
    seat = rng.choice(seats)
    seat["cards"] = seat["cards"][: rng.randint(0, 1)]
    for decision in ("double_cents", "surrendered"):
        seat.pop(decision, None)
    return request


@refused_as("IMPOSSIBLE_CARDS")
def hands_of_other_cards(rng: Random, request: Request) -> Request | None:
    split = [seat for seat in request["seats"] if len(seat.get("hands", [])) > 1]
    if not split:
        return None
    hand = rng.choice(split)["hands"][0]
    # Another suit of the same rank: the totals stay, only the cards differ.
    hand[0] = hand[0][0] + rng.choice([suit for suit in "shdc" if suit != hand[0][1]])
    return request


@refused_as("IMPOSSIBLE_CARDS")
def split_of_two_unlike_cards(rng: Random, request: Request) -> Request | None:
    seats = [
        seat
        for seat in _unsplit(request)
        if len(seat["cards"]) == 4 and points(seat["cards"][0]) != points(seat["cards"][1])
    ]
    if not seats or request["game"] == "ca-101-blackjack-x":
        return None
    first, second, third, fourth = seats[0]["cards"]
    seats[0]["hands"] = [[first, third], [second, fourth]]
    return request


@refused_as("IMPOSSIBLE_CARDS")
def a_card_dealt_to_a_hand_over_21(rng: Random, request: Request) -> Request | None:
    seats = [seat for seat in _unsplit(request) if best_total(seat["cards"]) > 21]
    if not seats or any("double_cents" in seat for seat in seats):
        return None
    rng.choice(seats)["cards"].append(_spare_card(request))
    return request


@refused_as("BAD_MESSAGE", "IMPOSSIBLE_CARDS", "DUPLICATE_WAGER", "UNKNOWN_SEAT")
def seat_given_twice(rng: Random, request: Request) -> Request | None:
    if request["decks"] < 2 or len(request["seats"]) < 2:
        return None
    request["seats"].append({"seat": request["seats"][0]["seat"], "cards": ["2c", "9c"]})
    return request
