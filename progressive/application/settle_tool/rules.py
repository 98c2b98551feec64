"""A request's options held against the game's rule text, and its wagers against both."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from progressive.application.settle_tool.messages import SettleRequest
from progressive.domain.commands import Wager
from progressive.domain.games.claims import OfferedBet
from progressive.domain.games.readers import BASE_GAME
from progressive.domain.games.reading import Dealing
from progressive.domain.options import AwardRounding, PaymentOrder, Soft17
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook import legal_checks as legal
from progressive.domain.rulebook.paytable import Game, GameBet, Paytable

SEATS_MAX = 15


class RefusedError(Exception):
    """A request that is not settled, and why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class PlayedBet(Struct, frozen=True):
    """A bet of the game, and how the request offers it."""

    rules: GameBet
    offered: OfferedBet
    capped: bool


class PlayedRules(Struct, frozen=True, kw_only=True):
    """Everything about a request but its round: rounds by the same rules share it."""

    game: Game
    bets: dict[str, PlayedBet]
    """In the order they are settled."""
    soft17: Soft17
    order: PaymentOrder
    rounding: AwardRounding
    meters: frozenset[str]


def bad(message: str) -> RefusedError:
    """A request that makes no sense, whatever its round."""
    return RefusedError(Refusal(Rejection.BAD_MESSAGE, message))


def played_rules(games: Mapping[str, Game], request: SettleRequest) -> PlayedRules:
    """The rules a request was played by; raises where the game does not know them."""
    game = games.get(request.game)
    if game is None:
        raise bad(f"game: no game {request.game!r}: {', '.join(games)}")
    if request.paytable not in game.paytable_ids:
        known = ", ".join(game.paytable_ids)
        raise bad(f"paytable: {game.id} has no paytable {request.paytable!r}: {known}")
    _refuse("decks", legal.unaccepted(request.decks, game.decks))
    soft17 = request.soft17 or game.soft17.accepted[0]
    _refuse("soft17", legal.unaccepted_soft17(soft17, game.soft17))
    order = request.payment_order or game.payment_order.standard
    _refuse("payment_order", legal.unaccepted_order(order, game.payment_order))
    if game.player_dealer is None and (
        request.player_dealer_wager_cents is not None
        or request.collection_schedule is not None
        or request.bank is not None
    ):
        raise bad(f"{game.id} has no player-dealer")
    _refuse_foreign_options(game, request)
    bets: dict[str, PlayedBet] = {}
    meters: set[str] = set()
    for bet in game.bets:
        paytable = bet.paytable(request.paytable)
        if paytable is not None:
            bets[bet.id] = _played_bet(bet, paytable, request, soft17)
            meters |= {meter.id for meter in paytable.meters}
    return PlayedRules(
        game=game,
        bets=bets,
        soft17=soft17,
        order=order,
        rounding=request.award_rounding or "nearest",
        meters=frozenset(meters),
    )


def _refuse_foreign_options(game: Game, request: SettleRequest) -> None:
    """Options that no bet of the game has."""
    if request.dealing_option is not None and not any(bet.dealing_option for bet in game.bets):
        raise bad(f"dealing_option: {game.id} has none")
    if request.free_bonus is not None and not any(bet.free_bonuses for bet in game.bets):
        raise bad(f"free_bonus: {game.id} has none")
    if request.free_bonus is None and request.free_bonus_min_cents is not None:
        raise bad("free_bonus_min_cents: not wanted without a free_bonus")
    if request.lammers is not None and not any(bet.lammers for bet in game.bets):
        raise bad(f"lammers: {game.id} knows none")


def _played_bet(
    bet: GameBet, paytable: Paytable, request: SettleRequest, soft17: Soft17
) -> PlayedBet:
    option = None
    if bet.dealing_option is not None:
        option = 1 if request.dealing_option is None else request.dealing_option
        _refuse("dealing_option", legal.unaccepted(option, bet.dealing_option))
    bonus, least_cents = None, 0
    if request.free_bonus is not None and bet.free_bonus_minimum is not None:
        bonus = bet.free_bonus(request.free_bonus)
        if bonus is None:
            known = ", ".join(each.id for each in bet.free_bonuses)
            raise bad(f"free_bonus: {bet.id} has no {request.free_bonus!r}: {known}")
        least_cents = bet.free_bonus_minimum.cents
        if request.free_bonus_min_cents is not None:
            least_cents = request.free_bonus_min_cents
            _refuse(
                "free_bonus_min_cents",
                legal.fixed_bonus_minimum(least_cents, bet.free_bonus_minimum),
            )
    return PlayedBet(
        rules=bet,
        capped=bet.capped(with_free_bonus=bonus is not None),
        offered=OfferedBet(
            id=bet.id,
            reader=bet.reader,
            dealing=Dealing(
                procedure=request.dealer_procedure or "no_peek",
                soft17=soft17,
                option=option,
                player_points_max=None if bet.player_points is None else bet.player_points.points,
            ),
            lines=paytable.lines,
            free_bonus_lines=() if bonus is None else bonus.lines,
            free_bonus_min_cents=least_cents,
        ),
    )


def _refuse(name: str, breach: legal.Breach | None) -> None:
    if breach is not None:
        clause = f" ({breach.clause})" if breach.clause else ""
        raise bad(f"{name}: {breach.message}{clause}")


def check_wagers(rules: PlayedRules, wagers: Sequence[Wager]) -> None:
    """Raise at the first wager that the rule text does not take."""
    lit: set[tuple[int, str]] = set()
    for wager in wagers:
        if not 1 <= wager.seat <= SEATS_MAX:
            raise RefusedError(
                Refusal(Rejection.UNKNOWN_SEAT, f"seats are 1 to {SEATS_MAX}, not {wager.seat}")
            )
        bet = rules.bets.get(wager.bet)
        if bet is None:
            known = ", ".join(rules.bets)
            message = f"{rules.game.id} has no bet {wager.bet!r}: {known}"
            raise RefusedError(Refusal(Rejection.UNKNOWN_BET, message))
        if (wager.seat, wager.bet) in lit:
            message = f"seat {wager.seat} has two wagers on {wager.bet}"
            raise RefusedError(Refusal(Rejection.DUPLICATE_WAGER, message))
        lit.add((wager.seat, wager.bet))
    base = {wager.seat: wager.amount_cents for wager in wagers if _is_base(rules, wager)}
    for wager in wagers:
        _check_amount(
            rules.bets[wager.bet], wager, base_cents=base.get(wager.seat, wager.base_cents)
        )
    _check_one_denomination(rules, wagers)


def _is_base(rules: PlayedRules, wager: Wager) -> bool:
    return rules.bets[wager.bet].offered.reader == BASE_GAME


def _check_amount(bet: PlayedBet, wager: Wager, *, base_cents: int) -> None:
    rules, amount = bet.rules, wager.amount_cents
    if rules.needs_base_wager and not base_cents:
        message = f"seat {wager.seat} has {rules.id} without a base wager ({rules.clause})"
        raise RefusedError(Refusal(Rejection.NO_BASE_WAGER, message))
    if rules.wager_cents is not None:
        breach = legal.unaccepted(amount, rules.wager_cents)
        if breach is not None:
            message = f"{rules.id}: {breach.message} ({breach.clause})"
            raise RefusedError(Refusal(Rejection.WRONG_AMOUNT, message))
    least = 1 if rules.least_wager is None else rules.least_wager.cents
    if amount < least:
        message = f"{rules.id} takes {least} cents or more, not {amount} ({rules.clause})"
        raise RefusedError(Refusal(Rejection.BELOW_MINIMUM, message, least))
    if bet.capped and amount > base_cents:
        message = (
            f"{rules.id} at seat {wager.seat} may not exceed the base wager of {base_cents} "
            f"({rules.clause})"
        )
        raise RefusedError(Refusal(Rejection.ABOVE_BASE_WAGER, message, base_cents))


def _check_one_denomination(rules: PlayedRules, wagers: Sequence[Wager]) -> None:
    """NJ 13:69F-2.3(m): one denomination a table, the one that is posted."""
    for bet in rules.bets.values():
        if bet.rules.wager_cents is None:
            continue
        amounts = {wager.amount_cents for wager in wagers if wager.bet == bet.rules.id}
        if len(amounts) > 1:
            several = " and ".join(str(amount) for amount in sorted(amounts))
            message = f"{bet.rules.id} takes one amount at a table, not {several}"
            raise RefusedError(Refusal(Rejection.WRONG_AMOUNT, message))
