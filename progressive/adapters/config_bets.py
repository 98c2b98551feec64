"""The bets of a link, with their meters: what may be wagered and where the money goes.

A bet is judged by its game's rule text and by the jurisdiction. Where one of these could not be
read its checks are left out; everything else about the bet is checked all the same.
"""

from collections.abc import Sequence
from typing import Final, get_args

from progressive.adapters.config_fields import Section
from progressive.adapters.config_problems import shown
from progressive.domain import jurisdiction as legal
from progressive.domain.money import CENTS_MAX, PPM
from progressive.domain.paytable import Game, MeterFloor, Paytable
from progressive.domain.rules import AwardRounding, PaymentOrder

BET_KEYS: Final = (
    "id",
    "game",
    "paytable",
    "dealing_option",
    "wager_cents",
    "min_cents",
    "max_cents",
    "payment_order",
    "award_rounding",
    "free_bonus",
    "meter",
)
METER_KEYS: Final = (
    "id",
    "name",
    "rate_ppm",
    "reset_rate_ppm",
    "initial_cents",
    "reset_cents",
    "limit_cents",
)


def check_bet(
    bet: Section,
    meters: Sequence[Section],
    *,
    game: Game | None,
    jurisdiction: legal.Jurisdiction | None,
) -> dict[str, object]:
    """Check one bet; the draft of its `BetRules`."""
    bet.identifier("id")
    paytable = _paytable(bet, game)
    _check_dealing_option(bet, game)
    _check_wager(bet, game)
    _check_payment(bet, game)
    if game is not None:
        bet.clean["needs_base_wager"] = game.needs_base_wager
        bet.clean["capped_by_base_wager"] = game.capped_by_base_wager
        bet.clean["reader"] = game.reader
        if bet.has("free_bonus"):
            bet.problem("free_bonus", f"{game.id} has no free bonus", clause=game.clause)
        if jurisdiction is not None:
            bet.refuse("game", legal.unlisted_game(game.id, jurisdiction))
    floors: dict[str, MeterFloor] = {}
    if paytable is not None:
        floors = {floor.id: floor for floor in paytable.meters}
    for meter in meters:
        own = meter.identifier("id")
        meter.text("name", default=own)
        meter.whole("rate_ppm", low=0, high=PPM)
        meter.whole("reset_rate_ppm", low=0, high=PPM, default=0)
        _check_amounts(meter, floors.get(own or ""))
    if paytable is not None:
        given = [str(meter.clean["id"]) for meter in meters if "id" in meter.clean]
        for meter_id, breach in legal.meters_amiss(given, paytable):
            bet.refuse(f"meter.{meter_id}", breach)
    if meters or floors:
        _check_progression(bet, meters, jurisdiction)
    return bet.clean | {"meters": [meter.clean for meter in meters]}


def _paytable(bet: Section, game: Game | None) -> Paytable | None:
    wanted = bet.text("paytable")
    if wanted is None or game is None:
        return None
    paytable = game.paytable(wanted)
    if paytable is None:
        known = ", ".join(each.id for each in game.paytables)
        message = f"{shown(wanted)} is no paytable of {game.id}: {known}"
        bet.problem("paytable", message, clause=game.clause)
    return paytable


def _check_dealing_option(bet: Section, game: Game | None) -> None:
    accepted = None if game is None else game.dealing_option
    if not bet.has("dealing_option"):
        if accepted is not None:
            # No default: which cards count is the operator's to decide and the players' to know.
            bet.problem("dealing_option", "missing", clause=accepted.clause)
        return
    option = bet.whole("dealing_option")
    if accepted is not None:
        if option is not None:
            bet.refuse("dealing_option", legal.unaccepted(option, accepted))
    elif game is not None:
        bet.problem("dealing_option", f"{game.id} has no dealing options", clause=game.clause)


def _check_wager(bet: Section, game: Game | None) -> None:
    """One accepted amount, or a range; where the rule text fixes the amounts, one of those."""
    accepted = None if game is None else game.wager_cents
    clause = None if accepted is None else accepted.clause
    wager = None
    if bet.has("wager_cents"):
        wager = bet.whole("wager_cents", low=1 if accepted is None else -CENTS_MAX)
    if accepted is not None and wager is not None:
        bet.refuse("wager_cents", legal.unaccepted(wager, accepted))
    ranged = [name for name in ("min_cents", "max_cents") if bet.has(name)]
    for name in ranged:
        amount = bet.whole(name, low=1, high=CENTS_MAX)
        if amount is not None and (accepted is not None or bet.has("wager_cents")):
            # NJ 13:69F-2.3(m): one denomination a table, the one posted; more is no better.
            bet.problem(name, f"{amount} is not wanted beside wager_cents", clause=clause)
    if not bet.has("wager_cents") and (accepted is not None or not ranged):
        bet.problem("wager_cents", "missing", clause=clause)
    low, high = bet.clean.get("min_cents"), bet.clean.get("max_cents")
    if isinstance(low, int) and isinstance(high, int) and high < low:
        bet.problem("max_cents", f"{high} is below min_cents {low}")


def _check_payment(bet: Section, game: Game | None) -> None:
    bet.choice("award_rounding", get_args(AwardRounding), default="nearest")
    standard = "counter_clockwise" if game is None else game.payment_order.standard
    order = bet.choice("payment_order", get_args(PaymentOrder), default=standard)
    if game is not None and order is not None:
        bet.refuse("payment_order", legal.unaccepted_order(order, game.payment_order))
        bet.warn("payment_order", legal.order_to_approve(order, game.payment_order))


def _check_amounts(meter: Section, floor: MeterFloor | None) -> None:
    """What the house puts on a meter: each amount against its floor, the limit against both."""
    initial = meter.whole("initial_cents", low=0, high=CENTS_MAX, default=0)
    reset = meter.whole("reset_cents", low=0, high=CENTS_MAX, default=0)
    limit = meter.whole("limit_cents", low=0, high=CENTS_MAX, default=0)
    for name, amount in (("initial_cents", initial), ("reset_cents", reset)):
        if limit is not None and amount is not None:
            meter.refuse("limit_cents", legal.low_limit(limit, least_cents=amount, least=name))
    if floor is None:
        return
    clause = floor.clause
    if initial is not None:
        minimum = floor.initial_min_cents
        meter.refuse(
            "initial_cents", legal.underfunded(initial, minimum_cents=minimum, clause=clause)
        )
    if reset is not None:
        minimum = floor.reset_min_cents
        meter.refuse("reset_cents", legal.underfunded(reset, minimum_cents=minimum, clause=clause))
        rate_ppm = meter.clean.get("reset_rate_ppm")
        if minimum == 0 and isinstance(rate_ppm, int):
            breach = legal.unpaid_second_winner(
                reset_cents=reset, reset_rate_ppm=rate_ppm, clause=clause
            )
            meter.warn("reset_cents", breach)


def _check_progression(
    bet: Section, meters: Sequence[Section], jurisdiction: legal.Jurisdiction | None
) -> None:
    """All meters of the bet together, primary and reset: what part of a wager they take."""
    rates = [meter.clean.get(name) for meter in meters for name in ("rate_ppm", "reset_rate_ppm")]
    known = [rate for rate in rates if isinstance(rate, int)]
    combined_ppm = sum(known)
    bet.refuse("meter", legal.overspent_wager(combined_ppm), value=combined_ppm)
    # With a rate that cannot be read, the sum may be enough after all.
    if jurisdiction is not None and len(known) == len(rates):
        breach = legal.slow_progression(combined_ppm, jurisdiction.progression)
        bet.refuse("meter", breach, value=combined_ppm)
