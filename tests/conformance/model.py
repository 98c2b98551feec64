"""A second, independent settlement of a round, to hold `progressive settle` against.

`settle(request)` takes the command's request and gives its result, or `{"error": {"code"}}`. It is
simple, slow and obvious, in fractions and integers; it shares no code with the product on purpose.
"""

from fractions import Fraction
from math import ceil, floor

from tests.conformance import model_101
from tests.conformance.model_bets import (
    BLAZING,
    JACK_MAGIC,
    blazing_line,
    buster_line,
    buster_odds,
    free_bonus_cents,
    jack_magic_line,
)
from tests.conformance.model_cards import (
    Request,
    best_total,
    cards_of,
    dealer_cards,
    is_blackjack,
    is_soft,
)
from tests.conformance.model_checks import refusal_code

# 101, "How Winners are Determined and Paid": whole-table passes.
PASSES_101 = ["base", "buster", "jack_magic"]


def settle(request: Request) -> Request:
    if code := refusal_code(request):
        return {"error": {"code": code}}
    meters = _registered(request)
    if request["game"] == "nj-blazing-7s":
        results = _blazing_results(request, meters)
    elif request["game"] == "ca-101-blackjack-x":
        results = _results_101(request)
    else:
        results = [_buster_result(request, wager) for wager in _in_order(request)]
    nothing = {"meter": None, "share_percent": None, "bonus_cents": 0}
    return {
        "results": [
            {**nothing, **result, "order": order} for order, result in enumerate(results, start=1)
        ],
        "meters": {
            name: {
                "primary_cents": floor(meter["primary"]),
                "reset_meter_cents": floor(meter["reset_meter"]),
                "reset_cents": floor(meter["reset"]),
            }
            for name, meter in meters.items()
        },
        "dealer": _dealer(request),
        "collection": model_101.collection(request),
    }


def _dealer(request: Request) -> Request:
    cards = dealer_cards(request)
    natural = is_blackjack(cards)
    # 101: a natural is 31, not 21 (U-19).
    is_31 = natural and request["game"] == "ca-101-blackjack-x"
    return {
        "cards": cards,
        "count": len(cards),
        "total": 31 if is_31 else best_total(cards),
        "soft": is_soft(cards),
        "bust": best_total(cards) > 21,
        "blackjack": natural,
    }


def _in_order(request: Request) -> list[Request]:
    """NJ 2.28(h): from the dealer's right, which is the highest seat, unless told otherwise."""
    lowest_first = request.get("payment_order") == "clockwise"
    return sorted(request["wagers"], key=lambda wager: wager["seat"], reverse=not lowest_first)


# --- Blazing 7's and its meters ---------------------------------------------------------------


def _registered(request: Request) -> dict[str, dict[str, Fraction]]:
    """The meters at the deal: with rates, this round's wagers are on them already (2.28(b))."""
    staked_cents = sum(wager["amount_cents"] for wager in request["wagers"])
    meters = {}
    for name, given in request.get("meters", {}).items():
        rates = request.get("rates_ppm", {}).get(name, {"primary": 0, "reset": 0})
        meters[name] = {
            "primary": given["primary_cents"] + Fraction(staked_cents * rates["primary"], 10**6),
            "reset_meter": given["reset_meter_cents"]
            + Fraction(staked_cents * rates["reset"], 10**6),
            "reset": Fraction(given["reset_cents"]),
        }
    return meters


def _blazing_results(request: Request, meters: dict[str, dict[str, Fraction]]) -> list[Request]:
    rows = BLAZING[request["paytable"]]
    results = []
    for wager in _in_order(request):
        line = blazing_line(request, cards_of(request, wager["seat"]))
        pays, number = rows.get(line, ("none", 0))
        won = line != "none"
        result = {
            "seat": wager["seat"],
            "bet": wager["bet"],
            "line": line,
            "result": "win" if won else "lose",
            "kind": "none" if not won else "fixed" if pays == "for" else "meter",
            "pay_cents": wager["amount_cents"] * number if pays == "for" else 0,
            # "for 1": the stake is part of what is paid (B-10).
            "stake_returned_cents": 0,
            "collected_cents": wager["amount_cents"],
        }
        if result["kind"] == "meter":
            result |= {"meter": pays, "share_percent": number}
        results.append(result)
    for name, meter in meters.items():
        winners = [result for result in results if result.get("meter") == name]
        if request.get("payment_order") == "equal_share":
            _pay_equal_shares(winners, meter)
        else:
            _pay_one_after_another(winners, meter, request.get("award_rounding", "nearest"))
    return results


def _pay_one_after_another(
    winners: list[Request], meter: dict[str, Fraction], rounding: str
) -> None:
    """Each is paid from the meter as the one before left it (B-13, B-16)."""
    for winner in winners:
        exact_cents = meter["primary"] * winner["share_percent"] / 100
        if winner["share_percent"] == 100 or rounding == "down":
            cents = floor(exact_cents)
        elif rounding == "up":
            cents = min(ceil(exact_cents), floor(meter["primary"]))
        else:
            cents = floor(exact_cents + Fraction(1, 2))
        winner["pay_cents"] = cents
        meter["primary"] -= cents
        if winner["share_percent"] == 100:
            _reset(meter)


def _pay_equal_shares(winners: list[Request], meter: dict[str, Fraction]) -> None:
    """All winners from one reading of the meter; odd cents stay on it."""
    reading = meter["primary"]
    percents = [winner["share_percent"] for winner in winners]
    for winner in winners:
        winner["pay_cents"] = floor(reading * winner["share_percent"] / max(100, sum(percents)))
        meter["primary"] -= winner["pay_cents"]
    if 100 in percents:
        _reset(meter)


def _reset(meter: dict[str, Fraction]) -> None:
    meter["primary"] += meter["reset"] + meter["reset_meter"]
    meter["reset_meter"] = Fraction(0)


# --- Buster and The 101 -----------------------------------------------------------------------


def _buster_result(request: Request, wager: Request) -> Request:
    line = buster_line(request, cards_of(request, wager["seat"]))
    stake_cents = wager["amount_cents"]
    won = line != "none"
    return {
        "seat": wager["seat"],
        "bet": "buster",
        "line": line,
        "result": "win" if won else "lose",
        "kind": "fixed" if won else "none",
        "pay_cents": stake_cents * buster_odds(request) if won else 0,
        "bonus_cents": free_bonus_cents(request, wager) if won else 0,
        "stake_returned_cents": stake_cents if won else 0,
        "collected_cents": 0 if won else stake_cents,
    }


def _results_101(request: Request) -> list[Request]:
    entries = []
    for bet in PASSES_101:
        wagers = [wager for wager in request["wagers"] if wager["bet"] == bet]
        for wager in sorted(wagers, key=lambda wager: wager["seat"]):
            if bet == "base":
                entries += model_101.base_results(request, wager)
            else:
                entries.append(_bonus_bet_101(request, wager))
    return model_101.covered(entries, request.get("player_dealer_wager_cents"))


def _bonus_bet_101(request: Request, wager: Request) -> Request:
    seat = cards_of(request, wager["seat"])
    if wager["bet"] == "buster":
        line = buster_line(request, seat)
        odds = buster_odds(request) if line != "none" else 0
    else:
        line = jack_magic_line(request, seat)
        odds = JACK_MAGIC.get(line, 0)
    return {
        "seat": wager["seat"],
        "bet": wager["bet"],
        "line": line,
        "result": "lose" if line == "none" else "win",
        "stake_cents": wager["amount_cents"],
        "due_cents": wager["amount_cents"] * odds,
        "loss_cents": wager["amount_cents"],
    }
