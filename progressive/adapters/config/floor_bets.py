"""The bets of a link, with their meters: what may be wagered and where the money goes.

A bet is judged by its game's rule text and by the jurisdiction. Where one of these could not be
read its checks are left out; everything else about the bet is checked all the same.
"""

from collections.abc import Sequence
from typing import Final, get_args

from progressive.adapters.config.fields import Section
from progressive.adapters.config.problems import shown
from progressive.domain.games.readers import BASE_GAME
from progressive.domain.money import CENTS_MAX, PPM
from progressive.domain.options import AwardRounding, Lammers, PaymentOrder, Validation
from progressive.domain.rulebook import legal_checks as legal
from progressive.domain.rulebook.jurisdiction import Jurisdiction
from progressive.domain.rulebook.paytable import FreeBonus, Game, GameBet, MeterFloor, Paytable

BET_KEYS: Final = (
    "id",
    "game",
    "game_bet",
    "paytable",
    "dealing_option",
    "wager_cents",
    "min_cents",
    "max_cents",
    "payment_order",
    "award_rounding",
    "free_bonus",
    "free_bonus_min_cents",
    "lammers",
    "validation",
    "validation_from_cents",
    "meter",
)
VALIDATION_CLAUSE: Final = "N.J.A.C. 13:69F-2.28(g)3"
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
    jurisdiction: Jurisdiction | None,
) -> dict[str, object]:
    """Check one bet; the draft of its `BetRules`."""
    bet.identifier("id")
    offered = None if game is None else _offered(bet, game)
    paytable = _paytable(bet, game, offered)
    _check_dealing_option(bet, offered)
    _check_wager(bet, offered)
    _check_payment(bet, game)
    _check_validation(bet)
    if game is not None and jurisdiction is not None:
        bet.refuse("game", legal.unlisted_game(game.id, jurisdiction))
    if offered is not None:
        bonus = _free_bonus(bet, offered)
        _check_lammers(bet, offered)
        bet.clean["needs_base_wager"] = offered.needs_base_wager
        bet.clean["capped_by_base_wager"] = offered.capped(with_free_bonus=bonus is not None)
        bet.clean["reader"] = offered.reader
        if offered.player_points is not None:
            bet.clean["player_points_max"] = offered.player_points.points
    floors: dict[str, MeterFloor] = {}
    if paytable is not None:
        floors = {floor.id: floor for floor in paytable.meters}
        bet.clean["lines"] = paytable.lines
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


def _offered(bet: Section, game: Game) -> GameBet | None:
    """Which bet of its game the floor offers: the one it names, or the one it is called after."""
    ids = [each.id for each in game.bets]
    wanted = bet.clean.get("id") if len(ids) > 1 else ids[0]
    if bet.has("game_bet"):
        wanted = bet.text("game_bet")
    elif wanted not in ids:
        bet.problem("game_bet", f"missing: {game.id} has {', '.join(ids)}", clause=game.clause)
        return None
    offered = game.bet(str(wanted))
    if offered is None:
        if wanted is not None:
            message = f"{shown(wanted)} is no bet of {game.id}: {', '.join(ids)}"
            bet.problem("game_bet", message, clause=game.clause)
        return None
    if offered.reader == BASE_GAME:
        # Its wagers are won from and lost to another player, whose money is not kept here.
        message = f"{offered.id} is the base game: a floor registers side bets only"
        bet.problem("game_bet", message, clause=offered.clause)
    bet.clean.pop("game_bet", None)
    return offered


def _paytable(bet: Section, game: Game | None, offered: GameBet | None) -> Paytable | None:
    wanted = bet.text("paytable")
    if wanted is None or game is None or offered is None:
        return None
    paytable = offered.paytable(wanted)
    if paytable is None:
        known = ", ".join(each.id for each in offered.paytables)
        message = f"{shown(wanted)} is no paytable of {game.id}: {known}"
        bet.problem("paytable", message, clause=offered.clause)
    return paytable


def _check_dealing_option(bet: Section, offered: GameBet | None) -> None:
    accepted = None if offered is None else offered.dealing_option
    if not bet.has("dealing_option"):
        if accepted is not None:
            # No default: which cards count is the operator's to decide and the players' to know.
            bet.problem("dealing_option", "missing", clause=accepted.clause)
        return
    option = bet.whole("dealing_option")
    if accepted is not None:
        if option is not None:
            bet.refuse("dealing_option", legal.unaccepted(option, accepted))
    elif offered is not None:
        message = f"{offered.id} has no dealing options"
        bet.problem("dealing_option", message, clause=offered.clause)


def _free_bonus(bet: Section, offered: GameBet) -> FreeBonus | None:
    """The free bonus the floor offers with the bet, if any."""
    minimum = offered.free_bonus_minimum
    if not bet.has("free_bonus"):
        if bet.has("free_bonus_min_cents"):
            bet.problem("free_bonus_min_cents", "is not wanted without a free_bonus")
        return None
    if minimum is None:
        bet.problem("free_bonus", f"{offered.id} has no free bonus", clause=offered.clause)
        return None
    wanted = bet.text("free_bonus")
    if wanted is None:
        return None
    bonus = offered.free_bonus(wanted)
    if bonus is None:
        known = ", ".join(each.id for each in offered.free_bonuses)
        message = f"{shown(wanted)} is no free bonus of {offered.id}: {known}"
        bet.problem("free_bonus", message, clause=minimum.clause)
        return None
    least = bet.whole("free_bonus_min_cents", low=0, default=minimum.cents)
    if least is not None:
        bet.refuse("free_bonus_min_cents", legal.fixed_bonus_minimum(least, minimum))
    bet.clean["free_bonus_lines"] = bonus.lines
    return bonus


def _check_lammers(bet: Section, offered: GameBet) -> None:
    if not bet.has("lammers"):
        return
    bet.choice("lammers", get_args(Lammers))
    if not offered.lammers:
        bet.problem("lammers", f"{offered.id} knows no lammers", clause=offered.clause)


def _check_wager(bet: Section, offered: GameBet | None) -> None:
    """One accepted amount, or a range; where the rule text fixes the amounts, one of those."""
    accepted = None if offered is None else offered.wager_cents
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
    _check_least_wager(bet, offered)


def _check_least_wager(bet: Section, offered: GameBet | None) -> None:
    """The least that the rule text lets the bet take binds the amount, or the range's low end."""
    if offered is None or offered.least_wager is None:
        return
    name = "wager_cents" if bet.has("wager_cents") else "min_cents"
    amount = bet.clean.get(name)
    if isinstance(amount, int):
        bet.refuse(name, legal.small_wager(amount, offered.least_wager))
    elif not bet.has(name):
        bet.clean["min_cents"] = offered.least_wager.cents


def _check_payment(bet: Section, game: Game | None) -> None:
    bet.choice("award_rounding", get_args(AwardRounding), default="nearest")
    standard = "counter_clockwise" if game is None else game.payment_order.standard
    order = bet.choice("payment_order", get_args(PaymentOrder), default=standard)
    if game is not None and order is not None:
        bet.refuse("payment_order", legal.unaccepted_order(order, game.payment_order))
        bet.warn("payment_order", legal.order_to_approve(order, game.payment_order))


def _check_validation(bet: Section) -> None:
    """Which fixed awards a supervisor confirms before the rack pays them."""
    chosen = bet.choice("validation", get_args(Validation), default="meters")
    wanted = chosen == "from_amount"
    if bet.has("validation_from_cents"):
        cents = bet.whole("validation_from_cents", low=1, high=CENTS_MAX)
        if cents is not None and chosen is not None and not wanted:
            message = f'{cents} is wanted with validation = "from_amount" only'
            bet.problem("validation_from_cents", message, clause=VALIDATION_CLAUSE)
    elif wanted:
        message = 'missing: validation = "from_amount" needs it'
        bet.problem("validation_from_cents", message, clause=VALIDATION_CLAUSE)


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
    bet: Section, meters: Sequence[Section], jurisdiction: Jurisdiction | None
) -> None:
    """All meters of the bet together, primary and reset: what part of a wager they take."""
    rates = [meter.clean.get(name) for meter in meters for name in ("rate_ppm", "reset_rate_ppm")]
    known = [rate for rate in rates if isinstance(rate, int)]
    combined_ppm = sum(known)
    bet.refuse("meter", legal.overspent_wager(combined_ppm), value=combined_ppm)
    # With a rate that cannot be read, the sum may be enough after all.
    progression = None if jurisdiction is None else jurisdiction.progression
    if progression is not None and len(known) == len(rates):
        breach = legal.slow_progression(combined_ppm, progression)
        bet.refuse("meter", breach, value=combined_ppm)
