"""The same round both ways: `progressive settle` and the live floor must give the same money.

Each generated round is settled by the stateless tool, and by a link of the same rules: all cards
keyed; winners only, as a dealer keys them, who answers what is asked; and, where an ace or a ten is
up before a card reader, with two-card awards first. Awards and meters are compared to the last
microcent, refusals by their code. `make drill` plays 100,000 rounds; a failure names its seed.
"""

import argparse
import re
import sys
from collections import Counter
from random import Random
from typing import Any

import msgspec
from msgspec import structs

from progressive.adapters.config.games import shipped_games
from progressive.application.settle_tool.messages import SettleRequest, SettleResult
from progressive.application.settle_tool.request import Settler
from progressive.application.settle_tool.rules import RefusedError
from progressive.domain.award_events import AwardMade
from progressive.domain.commands import (
    DealerCards,
    RegisterWagers,
    SeatCards,
    SettleRound,
    TableCommand,
    Wager,
)
from progressive.domain.decide.decide import decide, open_link
from progressive.domain.events import RoundSettled, SettledEarly, TableEvent
from progressive.domain.ids import LinkId, MeterId, RoundId, TableId
from progressive.domain.money import PPM, microcents
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import BetRules, LinkRules, LinkTerms, MeterRules, TableRules
from progressive.domain.state.evolve import apply
from progressive.domain.state.invariants import check_deeply
from progressive.domain.state.ledger import FUNDING
from progressive.domain.state.link_state import LinkState
from progressive.domain.time_text import Moment
from tests.conformance.model_cards import Request, best_total, is_blackjack
from tests.conformance.rounds import GAMES, a_round

ROUNDS = 100_000
TABLE = TableId("T-1")
ROUND = RoundId("drill")
NOW = Moment("2026-03-01T12:00:00.000000Z", "2026-03-01")
SEATS = 15
BOOKS = shipped_games()
SETTLER = Settler(BOOKS)
ASKED = re.compile(r"seat (\d+): .*")

Money = list[tuple[object, ...]]
Meters = dict[str, tuple[int, int]]


class DisagreementError(AssertionError):
    """The two ways differ, and in what."""


# --- the round, for both ----------------------------------------------------------------------


def side_bets_only(request: Request) -> Request:
    """A floor registers side bets; what only the base game and its bank ask is left out."""
    left_out = ("player_dealer_wager_cents", "collection_schedule", "bank")
    request = {name: value for name, value in request.items() if name not in left_out}
    wagers = [dict(wager) for wager in request["wagers"] if wager["bet"] != "base"]
    # A seat has one base wager, whether or not every side bet beside it repeats the amount.
    based: dict[int, int] = {}
    for wager in request["wagers"]:
        base_cents = wager.get("base_cents", wager["amount_cents"])
        based[wager["seat"]] = max(based.get(wager["seat"], 0), base_cents)
    for wager in wagers:
        wager["base_cents"] = based[wager["seat"]]
    lit = {wager["seat"] for wager in wagers}
    seats = [
        {name: seat[name] for name in ("seat", "cards", "hands") if name in seat}
        for seat in request["seats"]
        if seat["seat"] in lit
    ]
    rates = request.get("rates_ppm") or {}
    if sum(each["primary"] + each["reset"] for each in rates.values()) > PPM:
        # No floor takes more than the whole wager.
        request["rates_ppm"] = {
            meter: {name: rate // 2 for name, rate in each.items()} for meter, each in rates.items()
        }
    return request | {"wagers": wagers, "seats": seats}


def the_link(request: Request) -> LinkRules:
    """The rules of the request as a floor file would lead to them."""
    game = BOOKS[request["game"]]
    given, rates = request.get("meters") or {}, request.get("rates_ppm") or {}
    bets: list[BetRules] = []
    for offered in game.bets:
        paytable = offered.paytable(request["paytable"])
        if paytable is None or offered.id == "base":
            continue
        bonus = offered.free_bonus(request["free_bonus"]) if "free_bonus" in request else None
        minimum = 0 if offered.free_bonus_minimum is None else offered.free_bonus_minimum.cents
        amounts = {w["amount_cents"] for w in request["wagers"] if w["bet"] == offered.id}
        bets.append(
            BetRules(
                id=offered.id,
                game=game.id,
                reader=offered.reader,
                paytable=paytable.id,
                dealing_option=None
                if offered.dealing_option is None
                else request["dealing_option"],
                wager_cents=None if offered.wager_cents is None else max(amounts, default=500),
                payment_order=request.get("payment_order", game.payment_order.standard),
                award_rounding=request.get("award_rounding", "nearest"),
                lines=paytable.lines,
                free_bonus_lines=() if bonus is None else bonus.lines,
                free_bonus_min_cents=0
                if bonus is None
                else request.get("free_bonus_min_cents", minimum),
                player_points_max=offered.player_points and offered.player_points.points,
                needs_base_wager=offered.needs_base_wager,
                capped_by_base_wager=offered.capped(with_free_bonus=bonus is not None),
                meters=tuple(
                    MeterRules(
                        id=meter.id,
                        name=meter.id,
                        rate_ppm=rates.get(meter.id, {}).get("primary", 0),
                        reset_rate_ppm=rates.get(meter.id, {}).get("reset", 0),
                        initial_cents=given[meter.id]["primary_cents"],
                        reset_cents=given[meter.id]["reset_cents"],
                    )
                    for meter in paytable.meters
                ),
            )
        )
    terms = LinkTerms(
        decks=request["decks"],
        dealer_procedure=request.get("dealer_procedure", "no_peek"),
        soft17=request.get("soft17", game.soft17.accepted[0]),
        bets=tuple(bets),
    )
    table = TableRules(id=TABLE, link=LinkId("drill"), seats=SEATS)
    return LinkRules(id=LinkId("drill"), name="Drill", terms=terms, tables=(table,))


class Floor:
    """A link with one table, from its opening to the end of one round."""

    def __init__(self, request: Request) -> None:
        self.rules = the_link(request)
        self.state = LinkState(link=self.rules.id)
        apply(self.state, open_link(self.rules))
        for meter, amounts in (request.get("meters") or {}).items():
            # What earlier rounds would have brought onto the reset meter.
            brought = microcents(amounts["reset_meter_cents"])
            self.state.balances["reset", MeterId(meter)] += brought
            self.state.balances[FUNDING] -= brought
        self._seq = 0

    def send(self, command: TableCommand) -> TableEvent | Refusal:
        """A message and what came of it."""
        decision = decide(self.state, self.rules, TABLE, command, NOW)
        if isinstance(decision, TableEvent):
            self._seq += 1
            apply(self.state, decision)
            check_deeply(self.state)
            return decision
        if not isinstance(decision, Refusal):
            raise DisagreementError(f"a repeat: {decision}")
        return decision

    @property
    def next_seq(self) -> int:
        return self._seq + 1

    @property
    def meters(self) -> Meters:
        balances = self.state.balances
        ids = [meter.id for meter in self.rules.terms.meters]
        return {each: (balances["primary", each], balances["reset", each]) for each in ids}


def locked(request: Request) -> Floor | Refusal:
    """The floor after the lock-out."""
    floor = Floor(request)
    wagers = msgspec.convert(request["wagers"], tuple[Wager, ...])
    progressive = {bet.id for bet in floor.rules.terms.bets if bet.meters}
    chips = sum(wager.bet in progressive for wager in wagers)
    answer = floor.send(RegisterWagers(1, ROUND, wagers, chips_counted=chips))
    return answer if isinstance(answer, Refusal) else floor


# --- the two answers --------------------------------------------------------------------------


def by_the_tool(request: Request) -> SettleResult | Rejection:
    try:
        return SETTLER.settle(msgspec.convert(request, SettleRequest))
    except RefusedError as refused:
        return refused.refusal.code


def money_of_tool(result: SettleResult) -> Money:
    return [
        (
            *(row.seat, row.bet, row.line, row.kind, row.meter, row.share_percent),
            *(row.pay_cents, row.bonus_cents, row.stake_returned_cents),
        )
        for row in result.results
        if row.result == "win"
    ]


def meters_of_tool(result: SettleResult) -> Meters:
    return {
        name: (meter.primary_microcents, meter.reset_meter_microcents)
        for name, meter in result.meters.items()
    }


def money_of(awards: tuple[AwardMade, ...]) -> Money:
    return [
        (
            *(made.seat, made.bet, made.line, made.kind, made.meter, made.share_percent),
            *(made.amount_cents, made.bonus_cents, made.stake_returned_cents),
        )
        for made in awards
    ]


def same(what: str, tool: object, floor: object) -> None:
    if tool != floor:
        raise DisagreementError(f"{what}: settle says {tool}, the floor {floor}")


# --- the drill --------------------------------------------------------------------------------


def drill(request: Request, chance: Random) -> Counter[str]:
    """One round every way there is; what it was good for. Raises DisagreementError."""
    tool = by_the_tool(request)
    floor = locked(request)
    if isinstance(floor, Refusal):
        same("lock-out refused", tool, floor.code)
        return Counter(["refused"])
    answer = floor.send(_settle(request, 2, complete=True))
    if isinstance(answer, Refusal):
        same(f"refused ({answer.message})", tool, answer.code)
        return Counter(["refused"])
    if not isinstance(tool, SettleResult) or not isinstance(answer, RoundSettled):
        raise DisagreementError(f"settle refuses with {tool}, the floor settles")
    money, meters = money_of_tool(tool), meters_of_tool(tool)
    same("awards, complete", money, money_of(answer.awards))
    same("meters, complete", meters, floor.meters)
    seen = Counter(["complete", *(str(row[2]) for row in money)])
    seen += _drill_winners_only(request, chance, money, meters)
    seen += _drill_early(request, money, meters)
    return seen


def _settle(
    request: Request, seq: int, *, complete: bool, seats: tuple[SeatCards, ...] | None = None
) -> SettleRound:
    given = msgspec.convert(request["seats"], tuple[SeatCards, ...]) if seats is None else seats
    cards = DealerCards(tuple(request["dealer"]["cards"]))
    return SettleRound(seq, ROUND, cards, given, complete=complete)


def _drill_winners_only(
    request: Request, chance: Random, money: Money, meters: Meters
) -> Counter[str]:
    """As a dealer keys it: who won by cards of their own, and what the service asks for."""
    by_seat: dict[int, Request] = {seat["seat"]: seat for seat in request["seats"]}
    by_cards = {row[0] for row in money if row[1] != "buster"}
    given = {seat: _shown(by_seat[seat]) for seat in by_seat if seat in by_cards}
    seen: Counter[str] = Counter(["winners only"])
    floor = locked(request)
    if isinstance(floor, Refusal):
        raise DisagreementError(f"locked once, refused then: {floor}")
    while True:
        seats = tuple(given[seat] for seat in sorted(given))
        answer = floor.send(_settle(request, 2, complete=False, seats=seats))
        if not isinstance(answer, Refusal):
            break
        asked = ASKED.fullmatch(answer.message)
        if answer.code is not Rejection.INCOMPLETE_CARDS or asked is None:
            raise DisagreementError(f"winners only: {answer.code} {answer.message}")
        seat = int(asked[1])
        if seat in given and given[seat].cards:
            raise DisagreementError(f"asked for a seat that is keyed: {answer.message}")
        given[seat] = _answered(by_seat[seat], given.get(seat), answer.message, chance)
        seen["answers" if given[seat].answers else "shown"] += 1
    if not isinstance(answer, RoundSettled):
        raise DisagreementError(f"winners only: {answer}")
    same("awards, winners only", money, money_of(answer.awards))
    same("meters, winners only", meters, floor.meters)
    keyed = [msgspec.to_builtins(each) for each in seats]
    tool = by_the_tool(request | {"seats": keyed, "complete": False})
    if not isinstance(tool, SettleResult):
        raise DisagreementError(f"winners only: settle refuses with {tool}")
    same("awards, winners only by the tool", money_of_tool(tool), money)
    same("meters, winners only by the tool", meters_of_tool(tool), meters)
    return seen


def _shown(seat: Request) -> SeatCards:
    return msgspec.convert(seat, SeatCards)


def _answered(seat: Request, before: SeatCards | None, question: str, chance: Random) -> SeatCards:
    """What the dealer sees at the seat, keyed or said."""
    if chance.random() < 0.4:
        return _shown(seat)
    said = before or SeatCards(seat["seat"])
    if "points count" in question:
        over = any(best_total(hand) > 27 for hand in seat.get("hands") or [seat["cards"]])
        return structs.replace(said, points_over=over)
    if is_blackjack(seat["cards"]):
        return _shown(seat)
    return structs.replace(said, blackjack=False)


def _drill_early(request: Request, money: Money, meters: Meters) -> Counter[str]:
    """NJ 13:69F-2.6(j)4: what is paid before the peek is part of the same money."""
    dealer = request["dealer"]["cards"]
    if (
        request.get("dealer_procedure") != "card_reader"
        or not dealer
        or dealer[0][0] not in "ATJQK"
    ):
        return Counter()
    pairs = {seat["seat"]: tuple(seat["cards"][:2]) for seat in request["seats"]}
    holding = {seat: pair for seat, pair in pairs.items() if any(card[0] == "7" for card in pair)}
    floor = locked(request)
    if isinstance(floor, Refusal) or not holding:
        return Counter()
    seats = tuple(SeatCards(seat, pair) for seat, pair in sorted(holding.items()))
    up = DealerCards((dealer[0],))
    early = floor.send(SettleRound(2, ROUND, up, seats, complete=False, early=True))
    if not isinstance(early, SettledEarly):
        raise DisagreementError(f"before the peek: {early}")
    paid = {made.seat: made for made in early.awards}
    answer = floor.send(_settle(request, 3, complete=True))
    if not isinstance(answer, RoundSettled):
        raise DisagreementError(f"after the peek: {answer}")
    rest = [row for row in money if not _is_paid(row, paid.get(int(str(row[0]))))]
    same("awards after the peek", rest, money_of(answer.awards))
    same("meters after the peek", meters, floor.meters)
    for made in answer.awards:
        before = paid[made.seat].amount_cents if made.seat in paid else 0
        same("paid before the peek", before, made.paid_before_cents)
    for row in money:
        first = paid.get(int(str(row[0])))
        if _is_paid(row, first) and first is not None:
            same("paid in full before the peek", row[6], first.amount_cents)
    return Counter([f"early, option {request['dealing_option']}"])


def _is_paid(row: tuple[object, ...], early: AwardMade | None) -> bool:
    return early is not None and early.line == row[2]


def play(rounds: int, seed: int) -> Counter[str]:
    """So many rounds of all games in turn, each from a seed of its own."""
    seen: Counter[str] = Counter()
    for number in range(rounds):
        own = f"{seed}/{number}"
        chance = Random(own)
        game = GAMES[number % len(GAMES)]
        request = side_bets_only(a_round(chance, game))
        options = (game, request["paytable"], request.get("dealing_option", "-"))
        try:
            seen += drill(request, chance)
        except DisagreementError as error:
            raise DisagreementError(f"seed {own}: {error}\n{request}") from None
        seen["{} {} option {}".format(*options)] += 1
    return seen


def main() -> None:
    arguments: Any = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=ROUNDS)
    arguments.add_argument("--seed", type=int, default=Random().randrange(2**32))
    given = arguments.parse_args()
    sys.stdout.write(f"seed {given.seed}, {given.rounds} rounds\n")
    sys.stdout.flush()
    seen = play(given.rounds, given.seed)
    for what, count in sorted(seen.items()):
        sys.stdout.write(f"{count:>8}  {what}\n")
    sys.stdout.write("settle and the floor agree on every one\n")


if __name__ == "__main__":
    main()
