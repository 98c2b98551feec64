"""What simulated tables send: good messages are accepted, each spoiled one is refused just so."""

from random import Random

import pytest

from progressive.domain.commands import RegisterWagers, SettleRound, TableCommand
from progressive.domain.decide import Repeat, decide, open_link
from progressive.domain.evolve import evolve
from progressive.domain.ids import BetId, LinkId, MeterId, TableId
from progressive.domain.rejections import Refusal
from progressive.domain.rules import BetRules, LinkRules, LinkTerms, MeterRules, TableRules
from progressive.domain.state import LinkState
from progressive.simulator.plan import Spoiled, TablePlan, fence, no_winners
from progressive.wire.codec import BadMessage, decode_command, encode
from progressive.wire.messages import BetMessage
from tests.support.builders import NOW

TABLE = TableId("A")
SEATS = 7
RULES = LinkRules(
    id=LinkId("main"),
    name="Main",
    terms=LinkTerms(
        decks=6,
        dealer_procedure="card_reader",
        soft17="hit",
        bets=(
            BetRules(
                id=BetId("blazing7"),
                game="nj-blazing-7s",
                reader="blazing_sevens",
                paytable="3",
                wager_cents=500,
                meters=(MeterRules(id=MeterId("mega"), name="Mega", rate_ppm=120_000),),
            ),
        ),
    ),
    tables=(TableRules(id=TABLE, link=LinkId("main"), seats=SEATS),),
)
BETS = [BetMessage("blazing7", "nj-blazing-7s", "3", wager_cents=500, meters=["mega"])]


class Link:
    """The rules alone: no socket, no journal."""

    def __init__(self) -> None:
        self.state = evolve(LinkState(link=RULES.id), open_link(RULES))

    def accept(self, command: TableCommand) -> None:
        sent = decode_command(encode(command))
        assert not isinstance(sent, BadMessage), sent
        event = decide(self.state, RULES, TABLE, sent, NOW)
        assert not isinstance(event, Refusal | Repeat), event
        self.state = evolve(self.state, event)

    def refusal(self, spoiled: Spoiled) -> tuple[int | None, str, int | None]:
        sent = decode_command(spoiled.payload)
        if isinstance(sent, BadMessage):
            return sent.seq, "BAD_MESSAGE", None
        decided = decide(self.state, RULES, TABLE, sent, NOW)
        assert isinstance(decided, Refusal), decided
        return sent.seq, decided.code, decided.expected


@pytest.mark.parametrize("seed", range(5))
def test_rounds_are_accepted_and_spoiled_ones_refused_for_just_that_reason(seed: int) -> None:
    plan, link = TablePlan(Random(seed), seats=SEATS), Link()
    seq, last = 1, None
    codes = set()
    kinds = set()
    for _ in range(300):
        lock = plan.lock(seq, BETS)
        for _ in range(3):
            codes.add(_check_refused(link, plan.spoiled_lock(lock, BETS, last)))
        link.accept(lock)
        for _ in range(3):
            codes.add(_check_refused(link, plan.spoiled_end(seq + 1, lock)))
        last = plan.end(seq + 1, lock)
        link.accept(last)
        kinds.add((type(last).__name__, getattr(last, "complete", None)))
        seq += 2
    assert codes == {
        "BAD_MESSAGE", "SEQ_REUSED", "SEQ_GAP", "ROUND_OPEN", "NO_ROUND", "WRONG_ROUND",
        "UNKNOWN_SEAT", "UNKNOWN_BET", "DUPLICATE_WAGER", "WRONG_AMOUNT", "CHIP_COUNT_MISMATCH",
        "BAD_CARD", "NOT_WAGERED", "INCOMPLETE_CARDS", "IMPOSSIBLE_CARDS",
    }  # fmt: skip
    assert kinds == {("SettleRound", True), ("SettleRound", False), ("VoidRound", None)}


def _check_refused(link: Link, spoiled: Spoiled) -> str:
    seq, code, expected = link.refusal(spoiled)
    assert (seq, code) == (spoiled.seq, spoiled.code)
    assert spoiled.expected in (None, expected)
    return code


def test_the_same_seed_plays_the_same_rounds() -> None:
    def rounds(seed: int) -> list[TableCommand]:
        plan = TablePlan(Random(seed), seats=SEATS)
        played: list[TableCommand] = []
        for number in range(50):
            lock = plan.lock(2 * number + 1, BETS)
            played += [lock, plan.end(2 * number + 2, lock)]
        return played

    assert rounds(1) == rounds(1)
    assert rounds(1) != rounds(2)


def test_no_seven_leaves_the_demo_shoe_and_splits_add_up() -> None:
    plan = TablePlan(Random(4), seats=SEATS)
    splits = 0
    for number in range(400):
        lock = plan.lock(2 * number + 1, BETS)
        end = plan.end(2 * number + 2, lock)
        if not isinstance(end, SettleRound):
            continue
        for seat in end.seats:
            assert not any(card.startswith("7") for card in seat.cards)
            if seat.hands:
                splits += 1
                in_hands = [card for hand in seat.hands for card in hand]
                assert sorted(in_hands) == sorted(seat.cards)
    assert splits > 0


def test_coupons_are_wagers_without_chips() -> None:
    plan = TablePlan(Random(5), seats=SEATS)
    locks = [plan.lock(number, BETS) for number in range(1, 200)]
    assert any(wager.tender == "coupon" for lock in locks for wager in lock.wagers)
    assert any(lock.wagers == () for lock in locks)
    for lock in locks:
        assert lock.chips_counted == sum(wager.tender == "chip" for wager in lock.wagers)


def test_a_bet_with_a_range_is_played_within_it() -> None:
    bets = [BetMessage("buster", "nj-buster", "A", min_cents=100, max_cents=350)]
    plan = TablePlan(Random(6), seats=SEATS)
    locks: list[RegisterWagers] = [plan.lock(number, bets) for number in range(1, 100)]
    amounts = {wager.amount_cents for lock in locks for wager in lock.wagers}
    assert amounts == {100, 200, 300, 350}
    assert all(w.base_cents >= w.amount_cents for lock in locks for w in lock.wagers)
    assert all(lock.chips_counted == 0 for lock in locks), "no acceptor: the bet has no meter"


def test_the_fence_is_a_gap_with_or_without_an_open_round() -> None:
    link = Link()
    assert link.refusal(fence(1)) == (2, "SEQ_GAP", 1)
    link.accept(TablePlan(Random(1), seats=SEATS).lock(1, BETS))
    assert link.refusal(fence(2)) == (3, "SEQ_GAP", 2)
    link.accept(no_winners(2, link.state.tables[TABLE].round.round))  # type: ignore[union-attr]
