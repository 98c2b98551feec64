"""What simulated tables send: good messages are accepted, each spoiled one is refused just so."""

from collections import Counter
from random import Random

import pytest
from msgspec import structs

from progressive.domain.commands import (
    DealerCards,
    RegisterWagers,
    SeatCards,
    SettleRound,
    TableCommand,
)
from progressive.domain.ids import RoundId
from progressive.domain.rulebook.paytable import BonusLine
from progressive.domain.rulebook.rules import LinkRules
from progressive.simulator.plan import Spoiled, TablePlan, closing, fence, winners_only
from progressive.simulator.terms import TableTerms
from progressive.wire.codec import encode
from progressive.wire.table_messages import AwardMessage, BetMessage, Settled
from tests.support.builders import a_bet, a_buster, a_link, a_wager
from tests.support.pure_link import PureLink

SEATS = 7
RULES = a_link(bets=(a_bet(), a_buster()))
ROUNDS = 300


def played(
    plan: TablePlan, seq: int, lock: RegisterWagers, terms: TableTerms
) -> tuple[SettleRound | None, TableCommand]:
    """What is settled early of a round, and how it ends."""
    dealt = plan.deal(lock, terms)
    early = plan.early(seq, lock, dealt, terms)
    last = plan.end(seq + (early is not None), lock, dealt, terms, early=early is not None)
    return early, last


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("procedure", ["card_reader", "hole_face_up", "no_peek"])
def test_rounds_are_accepted_and_spoiled_ones_refused_for_just_that_reason(
    seed: int, procedure: str
) -> None:
    rules = a_link(bets=RULES.terms.bets, dealer_procedure=procedure)
    plan, link = TablePlan(Random(seed), seats=SEATS), PureLink(rules)
    terms = link.terms
    seq, last = 1, None
    codes, kinds = set(), set()
    for _ in range(ROUNDS):
        lock = plan.lock(seq, terms.bets)
        for _ in range(3):
            codes.add(_check_refused(link, plan.spoiled_lock(lock, terms.bets, last)))
        link.answer(encode(lock))
        early, last = played(plan, seq + 1, lock, terms)
        if early is not None:
            link.answer(encode(early))
        for _ in range(3):
            codes.add(_check_refused(link, plan.spoiled_end(last.seq, lock, terms, early)))
        link.answer(encode(last))
        seq = last.seq + 1
        kinds.add((type(last).__name__, getattr(last, "complete", None), early is not None))
    expected = {
        "BAD_MESSAGE", "SEQ_REUSED", "SEQ_GAP", "ROUND_OPEN", "NO_ROUND", "WRONG_ROUND",
        "UNKNOWN_SEAT", "UNKNOWN_BET", "DUPLICATE_WAGER", "WRONG_AMOUNT", "CHIP_COUNT_MISMATCH",
        "BAD_CARD", "NOT_WAGERED", "INCOMPLETE_CARDS", "IMPOSSIBLE_CARDS", "NOT_A_WINNER",
    }  # fmt: skip
    ends = {
        ("SettleRound", True, False),
        ("SettleRound", False, False),
        ("VoidRound", None, False),
    }
    if procedure == "card_reader":
        expected.add("ROUND_HAS_AWARDS")
        ends |= {("SettleRound", True, True), ("SettleRound", False, True)}
    assert codes == expected
    assert kinds == ends


def _check_refused(link: PureLink, spoiled: Spoiled) -> str:
    seq, code, expected = link.refusal(spoiled)
    assert (seq, code) == (spoiled.seq, spoiled.code)
    assert spoiled.expected in (None, expected)
    return code


def test_the_same_seed_plays_the_same_rounds() -> None:
    def rounds(seed: int) -> list[TableCommand | None]:
        plan, terms = TablePlan(Random(seed), seats=SEATS), PureLink(RULES).terms
        found: list[TableCommand | None] = []
        for number in range(50):
            lock = plan.lock(3 * number + 1, terms.bets)
            found += [lock, *played(plan, lock.seq + 1, lock, terms)]
        return found

    assert rounds(1) == rounds(1)
    assert rounds(1) != rounds(2)


@pytest.mark.parametrize("decks", [1, 6, 8])
@pytest.mark.parametrize("demo", [False, True])
def test_the_shoe_never_holds_more_than_its_decks_and_splits_add_up(decks: int, demo: bool) -> None:
    rules = a_link(bets=RULES.terms.bets, decks=decks)
    plan, terms = TablePlan(Random(4), seats=SEATS, demo_shoe=demo), PureLink(rules).terms
    splits = sevens = cards = 0
    for number in range(400):
        lock = plan.lock(2 * number + 1, terms.bets)
        dealt = plan.deal(lock, terms)
        on_table = [*dealt.dealer, *(card for seat in dealt.seats for card in seat.cards)]
        assert max(Counter(on_table).values()) <= decks
        cards += len(on_table)
        sevens += sum(card[0] == "7" for card in on_table)
        for seat in dealt.seats:
            if seat.hands:
                splits += 1
                in_hands = [card for hand in seat.hands for card in hand]
                assert sorted(in_hands) == sorted(seat.cards)
    assert splits > 0
    assert (sevens * 5 > cards) is (demo and decks > 1), "the demo shoe is dense with sevens"


def test_coupons_are_wagers_without_chips() -> None:
    plan, bets = TablePlan(Random(5), seats=SEATS), PureLink(a_link()).terms.bets
    locks = [plan.lock(number, bets) for number in range(1, 200)]
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


def test_a_seat_has_one_base_wager_that_the_table_takes() -> None:
    bets = [
        BetMessage("blazing7", "nj-blazing-7s", "3", wager_cents=500, meters=["mega"]),
        BetMessage("buster", "nj-buster", "A", min_cents=100, max_cents=10_000),
    ]
    for least, most in [(0, 0), (1_500, 200_000), (2_500, 2_500), (20_000, 0), (0, 1_500)]:
        plan = TablePlan(Random(7), seats=SEATS)
        for number in range(1, 50):
            placed = plan.lock(number, bets, (least, most)).wagers
            bases = {(wager.seat, wager.base_cents) for wager in placed}
            assert len(bases) == len({wager.seat for wager in placed})
            assert all(least <= base <= (most or base) for _, base in bases)
            assert all(wager.amount_cents <= wager.base_cents for wager in placed)


def test_the_fence_is_refused_with_or_without_an_open_round() -> None:
    link = PureLink(RULES)
    lock = TablePlan(Random(1), seats=SEATS).lock(1, link.terms.bets)
    link.answer(encode(lock))
    assert link.refusal(fence(1)) == (1, "SEQ_REUSED", None)
    link.answer(encode(closing(2, lock, link.terms, None)))
    assert link.refusal(fence(2)) == (2, "SEQ_REUSED", None)


@pytest.mark.parametrize("up_card", ["As", "Kd"])
def test_a_round_left_open_after_the_peek_is_closed_with_its_up_card(up_card: str) -> None:
    link = PureLink(RULES)
    wagers = (a_wager(1), structs.replace(a_wager(2), bet="buster"))
    lock = RegisterWagers(1, RoundId("left"), wagers, chips_counted=1)
    link.answer(encode(lock))
    seats = (SeatCards(1, ("7s", "7h")),)
    early = SettleRound(2, lock.round, DealerCards((up_card,)), seats, complete=False, early=True)
    link.answer(encode(early))
    link.answer(encode(closing(3, lock, link.terms, up_card)))


def test_only_winners_by_their_cards_are_keyed_and_all_of_them() -> None:
    link = PureLink(RULES)
    plan, terms = TablePlan(Random(8), seats=SEATS, demo_shoe=True), link.terms
    keyed = 0
    for number in range(200):
        lock = plan.lock(2 * number + 1, terms.bets)
        dealt = plan.deal(lock, terms)
        end = plan.end(lock.seq + 1, lock, dealt, terms)
        if not isinstance(end, SettleRound) or end.complete:
            continue
        keyed += bool(end.seats)
        whole = structs.replace(
            end, seats=dealt.seats, complete=True, dealer=DealerCards(dealt.dealer)
        )
        # A bust pays all who bet on it, keyed or not: here nothing about them is asked.
        assert _winners(RULES, lock, whole, "blazing7") == {seat.seat for seat in end.seats}
        assert _winners(RULES, lock, end, "buster") == _winners(RULES, lock, whole, "buster")
    assert keyed > 0


@pytest.mark.parametrize("limit", [None, 27])
def test_a_dealer_answers_what_a_seat_is_asked_and_the_money_is_the_same(limit: int | None) -> None:
    bonus = tuple(BonusLine(id=f"bust_{cards}", cents=5_000) for cards in range(3, 8))
    wa = a_buster(free_bonus_lines=bonus, free_bonus_min_cents=500, player_points_max=limit)
    rules = a_link(bets=(a_bet(), wa))
    link = PureLink(rules)
    plan, terms, answers = TablePlan(Random(9), seats=SEATS), link.terms, 0
    for number in range(300):
        lock = plan.lock(2 * number + 1, terms.bets)
        dealt = plan.deal(lock, terms)
        whole = SettleRound(lock.seq + 1, lock.round, DealerCards(dealt.dealer), dealt.seats)
        for shown in (True, False):
            part = winners_only(lock.seq + 1, lock, dealt, terms, shown=shown)
            answers += sum(seat.answers for seat in part.seats)
            assert _awards(rules, lock, part) == _awards(rules, lock, whole)
    assert answers > 100


def _awards(rules: LinkRules, lock: RegisterWagers, settle: SettleRound) -> list[AwardMessage]:
    """What the service itself awards."""
    link = PureLink(rules)
    link.answer(encode(structs.replace(lock, seq=1)))
    settled = link.answer(encode(structs.replace(settle, seq=2)))
    assert isinstance(settled, Settled)
    return settled.awards


def _winners(rules: LinkRules, lock: RegisterWagers, settle: SettleRound, bet: str) -> set[int]:
    return {award.seat for award in _awards(rules, lock, settle) if award.bet == bet}
