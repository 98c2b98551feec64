"""`progressive settle`: one request in, one result out; remembers nothing.

For training, disputes and conformance: the same rule books as the live floor, with no journal, no
table and no meter but those in the request.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Final

import msgspec
from msgspec import UNSET, structs

from progressive.application.settle_tool.cards import check_cards, is_played
from progressive.application.settle_tool.messages import (
    BankResult,
    Collection,
    DealerHand,
    LammersResult,
    MeterAfter,
    ResultRow,
    SettleError,
    SettleFault,
    SettleRequest,
    SettleResult,
)
from progressive.application.settle_tool.rules import (
    PlayedBet,
    PlayedRules,
    RefusedError,
    bad,
    check_wagers,
    played_rules,
)
from progressive.domain.awards.meter_payouts import MeterAmounts, MeterReset
from progressive.domain.awards.player_dealer import cover, next_bank
from progressive.domain.awards.settlement import Settled, settle_claims
from progressive.domain.cards import is_natural, total
from progressive.domain.commands import SeatCards
from progressive.domain.games.base_game import PlayedSeat, base_claims
from progressive.domain.games.claims import Claim, in_payment_order, side_bet_claims
from progressive.domain.games.lammers import marked_seats
from progressive.domain.games.readers import BASE_GAME
from progressive.domain.ids import MeterId
from progressive.domain.money import microcents
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rounding import floor_cents
from progressive.domain.rulebook.paytable import Game, ShareOfMeter

LINE_BYTES_MAX: Final = 1024 * 1024
RULES_KEPT_MAX: Final = 1024
"""Different sets of options whose rules are kept ready; a run seldom has more than a few."""

_NATURAL_31: Final = 31

_decoder = msgspec.json.Decoder(SettleRequest)
_encoder = msgspec.json.Encoder()
_UNDECODABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)


class Settler:
    """Settles requests by the games it is given."""

    def __init__(self, games: Mapping[str, Game]) -> None:
        self._games = games
        self._rules: dict[tuple[object, ...], PlayedRules] = {}

    def settle_line(self, line: bytes) -> bytes:
        """One line of JSON to one line of JSON. Never raises because of what the line says."""
        try:
            if len(line) > LINE_BYTES_MAX:
                raise bad(f"a line has {LINE_BYTES_MAX} bytes at the most")
            return _encoder.encode(self.settle(_decoded(line)))
        except RefusedError as error:
            fault = SettleFault(error.refusal.code.value, error.refusal.message)
            return _encoder.encode(SettleError(fault))

    def settle(self, request: SettleRequest) -> SettleResult:
        """The round's result; raises RefusedError."""
        rules = self._rules_of(request)
        check_wagers(rules, request.wagers)
        seats = {seat.seat: seat for seat in request.seats}
        for wager in request.wagers:
            seats.setdefault(wager.seat, PlayedSeat(wager.seat))
        asked = check_cards(rules, request, seats)
        collection = _collection(rules, request)
        settled, meters = _settled(rules, request, seats)
        _refuse_idle_seats(request, settled, asked)
        lammers = _lammers(request, seats, settled)
        return SettleResult(
            results=[_row(order, each) for order, each in enumerate(settled, start=1)],
            meters=meters,
            dealer=_dealer_hand(request.dealer.cards, rules.game),
            collection=collection,
            lammers=UNSET if lammers is None else lammers,
            bank=_bank(rules.game, request) or UNSET,
            remarks=_remarks(rules.game, request) or UNSET,
        )

    def _rules_of(self, request: SettleRequest) -> PlayedRules:
        """The rules of a request; worked out once for all requests with the same options."""
        key = (
            request.game,
            request.paytable,
            request.decks,
            request.dealing_option,
            request.dealer_procedure,
            request.soft17,
            request.payment_order,
            request.award_rounding,
            request.free_bonus,
            request.free_bonus_min_cents,
            request.lammers,
            request.player_dealer_wager_cents is None,
            request.collection_schedule is None,
            request.bank is None,
        )
        rules = self._rules.get(key)
        if rules is None:
            rules = played_rules(self._games, request)
            if len(self._rules) >= RULES_KEPT_MAX:
                self._rules.clear()
            self._rules[key] = rules
        return rules


def _decoded(line: bytes) -> SettleRequest:
    try:
        return _decoder.decode(line)
    except _UNDECODABLE as error:
        if isinstance(error, UnicodeDecodeError):
            raise bad("the text is not UTF-8") from None
        if isinstance(error, RecursionError):
            raise bad("the JSON is nested too deeply") from None
        raise bad(str(error)[:200]) from None


# --- money ------------------------------------------------------------------------------------


def _settled(
    rules: PlayedRules, request: SettleRequest, seats: dict[int, PlayedSeat]
) -> tuple[list[Settled], dict[str, MeterAfter]]:
    """Every wager in the order of payment, and the meters afterwards."""
    meters = _meters_before(rules, request)
    resets = {
        MeterId(meter): MeterReset(reset_cents=given.reset_cents)
        for meter, given in (request.meters or {}).items()
    }
    settled: list[Settled] = []
    for bet in rules.bets.values():
        claims = in_payment_order(_claims(bet, request, seats), rules.order)
        _check_meters_given(claims, meters)
        of_bet, meters = settle_claims(
            claims, meters, resets, order=rules.order, rounding=rules.rounding
        )
        settled += of_bet
    if request.player_dealer_wager_cents is not None:
        settled = cover(settled, request.player_dealer_wager_cents)
    return settled, {
        meter: MeterAfter(
            primary_cents=floor_cents(after.primary),
            reset_meter_cents=floor_cents(after.reset),
            reset_cents=resets[meter].reset_cents,
            primary_microcents=after.primary,
            reset_meter_microcents=after.reset,
        )
        for meter, after in meters.items()
    }


def _claims(
    bet: PlayedBet, request: SettleRequest, seats: dict[int, PlayedSeat]
) -> Sequence[Claim]:
    wagers = [wager for wager in request.wagers if wager.bet == bet.rules.id]
    dealer = request.dealer.cards
    if bet.offered.reader == BASE_GAME:
        return [
            claim
            for wager in wagers
            for claim in base_claims(bet.offered, wager, seats[wager.seat], dealer)
        ]
    as_dealt: dict[int, SeatCards] = {**seats}
    played = [wager for wager in wagers if is_played(bet, seats[wager.seat])]
    # Of winners only: what is not keyed is lost.
    lost = [
        Claim(seat=wager.seat, bet=bet.rules.id, stake_cents=wager.amount_cents, result="lose")
        for wager in wagers
        if not is_played(bet, seats[wager.seat])
    ]
    return side_bet_claims(bet.offered, played, as_dealt, dealer) + lost


def _refuse_idle_seats(request: SettleRequest, settled: Sequence[Settled], asked: Set[int]) -> None:
    """Winners only: a seat that wins nothing, and that nobody asked about, is a slip."""
    if request.complete:
        return
    won = {each.claim.seat for each in settled if each.claim.result == "win"}
    if idle := {seat.seat for seat in request.seats} - won - set(asked):
        message = f"the cards of seat {min(idle)} win nothing: only winning seats are given, or all"
        raise RefusedError(Refusal(Rejection.NOT_A_WINNER, message))


def _meters_before(rules: PlayedRules, request: SettleRequest) -> dict[MeterId, MeterAmounts]:
    """The meters the winners find: as given, and with `rates_ppm` this round's wagers on them.

    NJ 13:69F-2.28(b): wagers are registered before the first card, so they count.
    """
    given = request.meters or {}
    rates = request.rates_ppm or {}
    for name, ids in (("meters", given), ("rates_ppm", rates)):
        for meter in ids:
            if meter not in rules.meters:
                known = ", ".join(sorted(rules.meters)) or "none"
                raise bad(f"{name}: no meter {meter!r}: paytable {request.paytable} has {known}")
    for meter in rates:
        if meter not in given:
            raise bad(f"rates_ppm: {meter!r} is not among the meters given")
    wagered_cents = sum([wager.amount_cents for wager in request.wagers])
    before: dict[MeterId, MeterAmounts] = {}
    for meter, amounts in given.items():
        rate = rates.get(meter)
        before[MeterId(meter)] = MeterAmounts(
            primary=microcents(amounts.primary_cents)
            + (0 if rate is None else wagered_cents * rate.primary),
            reset=microcents(amounts.reset_meter_cents)
            + (0 if rate is None else wagered_cents * rate.reset),
        )
    return before


def _check_meters_given(claims: Sequence[Claim], meters: Mapping[MeterId, MeterAmounts]) -> None:
    for claim in claims:
        pays = None if claim.line is None else claim.line.pays
        if isinstance(pays, ShareOfMeter) and pays.meter not in meters:
            raise bad(f"meters: seat {claim.seat} wins {pays.meter}, which is not given")


def _collection(rules: PlayedRules, request: SettleRequest) -> Collection | None:
    """The card room's fee, by all that was wagered before the deal."""
    banked = rules.game.player_dealer
    if banked is None or request.collection_schedule is None:
        return None
    schedule = banked.collection(request.collection_schedule)
    if schedule is None:
        known = ", ".join(str(each.id) for each in banked.collections)
        raise bad(f"collection_schedule: {request.collection_schedule} is none of {known}")
    action_cents = sum(wager.amount_cents for wager in request.wagers)
    if action_cents < banked.least_action_cents:
        message = (
            f"no rate is defined for {action_cents} cents of action, below "
            f"{banked.least_action_cents} ({banked.clause})"
        )
        raise RefusedError(Refusal(Rejection.BELOW_MINIMUM, message, banked.least_action_cents))
    return Collection(schedule.player_dealer_cents(action_cents), schedule.player_cents)


# --- what else the result says ----------------------------------------------------------------


def _row(order: int, settled: Settled) -> ResultRow:
    claim, taking = settled.claim, settled.taking
    pays = None if claim.line is None else claim.line.pays
    from_meter = isinstance(pays, ShareOfMeter)
    row = ResultRow(
        order=order,
        seat=claim.seat,
        bet=claim.bet,
        line="none" if claim.line is None else claim.line.id,
        result=claim.result,
        kind=settled.kind,
        meter=pays.meter if isinstance(pays, ShareOfMeter) else None,
        share_percent=pays.share_percent if isinstance(pays, ShareOfMeter) else None,
        pay_cents=settled.pay_cents,
        bonus_cents=claim.bonus_cents,
        stake_returned_cents=settled.stake_returned_cents,
        collected_cents=settled.collected_cents,
        hand=UNSET if claim.hand is None else claim.hand,
    )
    if taking is None or not from_meter:
        return row
    return structs.replace(
        row,
        meter_before_cents=floor_cents(taking.before.primary),
        meter_after_cents=floor_cents(taking.after.primary),
    )


def _dealer_hand(cards: tuple[str, ...], game: Game) -> DealerHand:
    counted = total(cards)
    natural = is_natural(cards)
    # 101: an ace and a ten-point card are 31 there.
    points = _NATURAL_31 if natural and game.player_dealer is not None else counted.points
    return DealerHand(
        cards=cards,
        count=len(cards),
        total=points,
        soft=counted.soft,
        bust=counted.bust,
        blackjack=natural,
    )


def _lammers(
    request: SettleRequest, seats: Mapping[int, PlayedSeat], settled: Sequence[Settled]
) -> LammersResult | None:
    if request.lammers is None:
        return None
    marked = marked_seats({each.claim.seat for each in settled}, seats, request.lammers)
    busted = total(request.dealer.cards).bust
    return LammersResult(marked, "paid" if busted else "collected")


def _bank(game: Game, request: SettleRequest) -> BankResult | None:
    if request.bank is None or game.player_dealer is None:
        return None
    bank = request.bank
    turn = next_bank(
        bank.seat,
        rounds_banked=bank.rounds_banked,
        seats=bank.seats,
        bank_rounds=game.player_dealer.bank_rounds,
    )
    return BankResult(turn.may_continue, turn.offered_to)


def _remarks(game: Game, request: SettleRequest) -> list[str]:
    """What a supervisor would want to know, and no reason to refuse: stakes off the table limit."""
    banked = game.player_dealer
    if banked is None or request.collection_schedule is None:
        return []
    schedule = banked.collection(request.collection_schedule)
    if schedule is None:
        return []
    low, high = schedule.table_min_cents, schedule.table_max_cents
    return [
        f"seat {wager.seat}: {wager.amount_cents} is outside the table limit {low} to {high}"
        for wager in request.wagers
        if wager.bet == "base" and not low <= wager.amount_cents <= high
    ]
