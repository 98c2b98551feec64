"""The side bets of the reference model: which line a wager makes, and what a line pays.

Written from the rule texts alone and kept as near to their tables as Python allows. It must never
import the product: the two are worth comparing only while neither knows the other.
"""

from tests.conformance.model_cards import (
    Hand,
    Request,
    best_total,
    cards_of,
    dealer_cards,
    final_hands,
    hard_total,
    is_blackjack,
    is_red,
    may_be_blackjack,
)

# NJ 13:69F-2.28(c): line -> (meter, percent of it) or ("for", times the wager).
BLAZING: dict[str, dict[str, tuple[str, int]]] = {
    "1": {
        "three_7_suited": ("progressive", 100),
        "three_7_color": ("progressive", 10),
        "three_7_any": ("for", 200),
        "two_7": ("for", 25),
        "one_7": ("for", 2),
    },
    "2": {
        "three_7_diamonds": ("progressive", 100),
        "three_7_suited_other": ("progressive", 10),
        "three_7_color": ("for", 500),
        "three_7_mixed": ("for", 200),
        "two_7": ("for", 25),
        "one_7": ("for", 2),
    },
    "3": {
        "three_7_diamonds": ("mega", 100),
        "three_7_suited_other": ("major", 100),
        "three_7_color": ("minor", 100),
        "three_7_mixed": ("for", 200),
        "two_7": ("for", 25),
        "one_7": ("for", 2),
    },
}
METERS = {"1": ["progressive"], "2": ["progressive"], "3": ["mega", "major", "minor"]}

# NJ 13:69F-2.30(g), SD 20:18:15:30.07(8), WA, 101: cards in the busted hand -> to 1.
NJ_AND_SD_BUSTER = {
    "A": {8: 250, 7: 50, 6: 15, 5: 4, 4: 2, 3: 2},
    "B": {8: 200, 7: 50, 6: 15, 5: 4, 4: 2, 3: 2},
    "C": {8: 250, 7: 50, 6: 12, 5: 4, 4: 2, 3: 2},
    "D": {8: 200, 7: 50, 6: 12, 5: 4, 4: 2, 3: 2},
    "E": {8: 250, 7: 50, 6: 12, 5: 3, 4: 2, 3: 2},
    "F": {8: 250, 7: 50, 6: 20, 5: 8, 4: 2, 3: 1},
}
BUSTER = {
    "nj-buster": NJ_AND_SD_BUSTER,
    "sd-buster": NJ_AND_SD_BUSTER,
    "wa-buster": {"WA": {8: 250, 7: 50, 6: 15, 5: 4, 4: 2, 3: 2}},
    "ca-101-blackjack-x": {"101": {8: 200, 7: 50, 6: 15, 5: 4, 4: 2, 3: 2}},
}
# NJ 2.30(i), SD (9)(b), WA: dollars for a player's blackjack.
FREE_BONUS_DOLLARS = {
    "B1": {8: 8_000, 7: 1_000},
    "B2": {8: 8_000, 7: 1_000, 6: 40},
    "B3": {8: 5_000, 7: 1_000},
}
# 101, Jack Magic: to 1.
JACK_MAGIC = {
    "three_one_eyed_jacks": 300,
    "three_jacks": 100,
    "two_one_eyed_jacks": 40,
    "two_jacks": 10,
    "one_one_eyed_jack": 3,
    "one_jack": 1,
}


def blazing_third_card(request: Request, seat: Request) -> str | None:
    """The card that stands third beside the player's first two, or None where only two count."""
    dealer = dealer_cards(request)
    if request["dealing_option"] == 2:
        return dealer[0]  # 2.28(c): the upcard, split or not (2.11(g)).
    peeked = request["dealer_procedure"] != "no_peek"
    if len(seat["cards"]) < 3 or (peeked and may_be_blackjack(dealer)):
        return None  # 2.6(j)4 and (k)7: a dealer's blackjack leaves two cards.
    return str(seat["cards"][2])


def blazing_line(request: Request, seat: Request) -> str:
    first, second = seat["cards"][:2]
    third = blazing_third_card(request, seat)
    if third is not None and first[0] == second[0] == third[0] == "7":
        return three_sevens_line(request["paytable"], [first, second, third])
    # 2.28(c), end: Two 7s are the player's own first two cards, and so is One 7 (B-1, B-2).
    return ["none", "one_7", "two_7"][[first[0], second[0]].count("7")]


def three_sevens_line(paytable: str, sevens: Hand) -> str:
    suits = {card[1] for card in sevens}
    colors = {is_red(card) for card in sevens}
    if suits == {"d"} and paytable != "1":
        return "three_7_diamonds"
    if len(suits) == 1:
        return "three_7_suited" if paytable == "1" else "three_7_suited_other"
    if len(colors) == 1:
        return "three_7_color"
    return "three_7_any" if paytable == "1" else "three_7_mixed"


def buster_line(request: Request, seat: Request) -> str:
    dealer = dealer_cards(request)
    if best_total(dealer) <= 21:
        return "none"  # NJ 2.30(d): a blackjack or a hand that stands.
    if request["game"] == "wa-buster" and any(hard_total(hand) >= 28 for hand in final_hands(seat)):
        return "none"  # WA: 27 or less is paid; one such hand of a split is enough (U-8, U-10).
    return "bust_8_or_more" if len(dealer) >= 8 else f"bust_{len(dealer)}"


def buster_odds(request: Request) -> int:
    return BUSTER[request["game"]][request["paytable"]][min(len(dealer_cards(request)), 8)]


def free_bonus_cents(request: Request, wager: Request) -> int:
    """For a wager that has won. The blackjack is of the two cards first dealt, unsplit (U-14)."""
    least_cents = request.get("free_bonus_min_cents", 500)
    hands = final_hands(cards_of(request, wager["seat"]))
    if "free_bonus" not in request or wager["amount_cents"] < least_cents:
        return 0
    if len(hands) > 1 or not is_blackjack(hands[0]):
        return 0
    dollars = FREE_BONUS_DOLLARS[request["free_bonus"]]
    return dollars.get(min(len(dealer_cards(request)), 8), 0) * 100


def jack_magic_line(request: Request, seat: Request) -> str:
    """101: the first two cards and the up card; the one row that pays most (J-2)."""
    three = [*seat["cards"][:2], dealer_cards(request)[0]]
    jacks = [card for card in three if card[0] == "J"]
    one_eyed = [card for card in jacks if card[1] in "sh"]
    made = {
        "three_one_eyed_jacks": len(one_eyed) == 3,
        "three_jacks": len(jacks) == 3,
        "two_one_eyed_jacks": len(one_eyed) == 2,
        "two_jacks": len(jacks) == 2,
        "one_one_eyed_jack": len(one_eyed) == 1,
        "one_jack": len(jacks) == 1,
    }
    lines = [line for line, is_made in made.items() if is_made]
    return max(lines, key=lambda line: JACK_MAGIC[line], default="none")
