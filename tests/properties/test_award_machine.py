"""Jackpots against a notebook: any order of rounds, acts of people, faults, crashes and restarts.

The notebook (`award_model`) is written from the rules and shares nothing with the program.
"""

import asyncio
from fractions import Fraction
from unittest.mock import patch

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec import structs

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.record import decode_record
from progressive.application.link import appender as link_appender
from progressive.application.link import standing as link_standing
from progressive.application.link.batch import ActReceipt
from progressive.application.link.replies import FateUnknownError
from progressive.domain.acts import (
    ApproveCorrection,
    ApprovePayment,
    ApproveVoid,
    PayAward,
    PersonsAct,
    ProposeCorrection,
    ProposeVoid,
    ValidateAward,
    WithdrawVoid,
)
from progressive.domain.commands import TableCommand
from progressive.domain.events import RoundSettled, SettledEarly
from progressive.domain.ids import AwardId, MeterId, TableId
from progressive.domain.person_events import CorrectionLeg, CorrectionProposed
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.policy import ApprovalRule, ApprovalStep, AwardPolicy
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.evolve import evolve
from progressive.domain.state.invariants import check_deeply
from progressive.domain.state.link_state import LinkState, Receipt
from tests.properties.award_model import (
    BUSTER,
    LIMIT,
    RACK_LIMIT,
    RATE,
    RESET,
    RESET_RATE,
    STEPS,
    Floor,
    House,
    Prize,
)
from tests.support.awards import ANN, BEN, CARA, FRED, a_progressive, one_meter
from tests.support.builders import (
    BJ1,
    BJ2,
    BJ3,
    Desk,
    a_buster,
    a_lock,
    a_settle,
    a_void,
    a_wager,
    journal_of,
    kill,
)
from tests.support.fake_clock import FakeClock
from tests.support.faulty_store import FaultyStore

TABLES = (BJ1, BJ2, BJ3)
GWEN = Signature("Gwen", "Administration")
SUITS = {1: "shc", 2: "hsd", 3: "dch", 4: "cds"}
"""By seat: its suit, one of the other color, and the other one of its own color."""
HANDS = ("whole", "tenth", "nothing", "pair", "mixed", "one")
BEHIND = {None: HANDS, "one": ("one",), "pair": ("whole", "tenth", "pair", "mixed")}
"""What a seat can end with, by what it was paid on before the peek."""

faults = st.sampled_from([None, None, None, False, True])
"""No fault; or an append that fails, and was kept or not."""


def cards(seat: int, hand: str) -> str:
    own, other, like = SUITS[seat]
    return {
        "nothing": f"9{own} 8{own}",
        "one": f"7{own} 2{own}",
        "pair": f"7{own} 7{own}",
        "mixed": f"7{own} 7{own} 7{other}",
        "tenth": f"7{own} 7{own} 7{like}",
        "whole": f"7{own} 7{own} 7{own}",
    }[hand]


def rules_of(house: House) -> LinkRules:
    meter = a_progressive(
        rate_ppm=int(RATE * 10**6),
        reset_rate_ppm=int(RESET_RATE * 10**6),
        initial_cents=house.initial,
        reset_cents=RESET,
        limit_cents=LIMIT if house.limited else 0,
    )
    steps = tuple(ApprovalStep(from_cents=cents, approvers=people) for cents, people in STEPS)
    rules = one_meter(
        meter,
        decks=8,
        payment_order=house.order,
        award_rounding=house.rounding,
        overflow="stay" if house.overflow_stays else "to_reset_meter",
        policy=AwardPolicy(
            rack_limit_cents=RACK_LIMIT,
            approvals=(ApprovalRule(from_day="2000-01-01", clause="steps", steps=steps),),
        ),
    )
    buster = a_buster(payment_order=house.order)
    terms = structs.replace(rules.terms, bets=(*rules.terms.bets, buster))
    return structs.replace(rules, terms=terms)


class AwardMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.patches = [
            patch.object(link_standing, "RETRY_SECONDS", 0.0005),
            patch.object(link_appender, "CHECKPOINT_EVERY", 9),
        ]
        for each in self.patches:
            each.start()
        self.runner = asyncio.Runner()
        self.store = FaultyStore(MemoryStore())
        self.clock = FakeClock()
        self.desk: Desk
        self.model: Floor
        self.rules: LinkRules
        self.papers = 0

    @initialize(
        order=st.sampled_from(["counter_clockwise", "clockwise", "equal_share"]),
        rounding=st.sampled_from(["nearest", "down", "up"]),
        stays=st.booleans(),
        limited=st.booleans(),
        initial=st.sampled_from([5_050, 1_000]),
    )
    def begin(self, order: str, rounding: str, stays: bool, limited: bool, initial: int) -> None:
        house = House(order, rounding, stays, limited, initial)
        self.model, self.rules = Floor(house), rules_of(house)
        self.runner.run(self._start())

    def teardown(self) -> None:
        if hasattr(self, "desk"):
            self.runner.run(self.desk.worker.stop())
        self.runner.close()
        for each in self.patches:
            each.stop()

    async def _start(self) -> None:
        self.desk = Desk(self.rules, self.store, self.clock)
        await self.desk.worker.start()

    # --- tables ------------------------------------------------------------------------------

    def _accepted(self, table: TableId, command: TableCommand, fault: bool | None) -> Receipt:
        """A table sends until it is answered, whatever becomes of the store meanwhile."""
        if fault is not None:
            self.store.fail_append(1, kept=fault)
        given = self.runner.run(self.desk.ask(command, table=table))
        if not isinstance(given.answer, Receipt):
            assert given.answer is None or given.answer.code is Rejection.LINK_INOPERABLE, given
            self._come_back()
            given = self.runner.run(self.desk.ask(command, table=table))
        assert isinstance(given.answer, Receipt), given
        self._come_back()
        # Once more: the same answer, and no money.
        again = self.runner.run(self.desk.ask(command, table=table))
        assert (again.answer, again.repeat) == (given.answer, True)
        return given.answer

    def _come_back(self) -> None:
        """After two failures in a row a link waits a while before it looks again."""
        self.clock.advance(60)
        self.runner.run(self.desk.published.wait_for_state("live"))

    def _next(self, table: TableId) -> int:
        return self.desk.worker.table_state(table).last_seq + 1

    def _a_table(self, data: st.DataObject) -> TableId:
        return TableId(data.draw(st.sampled_from(sorted(self.model.open))))

    @precondition(lambda self: len(self.model.open) < len(TABLES))
    @rule(
        data=st.data(),
        seats=st.dictionaries(st.integers(1, 4), st.booleans(), max_size=4),
        fault=faults,
    )
    def lock(self, data: st.DataObject, seats: dict[int, bool], fault: bool | None) -> None:
        table = data.draw(st.sampled_from([t for t in TABLES if t not in self.model.open]))
        self._lock(table, seats, fault=fault)

    def _lock(self, table: TableId, seats: dict[int, bool], *, fault: bool | None) -> None:
        seq = self._next(table)
        placed = [a_wager(seat) for seat in seats]
        placed += [
            a_wager(seat, bet="buster", amount_cents=BUSTER) for seat, too in seats.items() if too
        ]
        self._accepted(table, a_lock(seq, wagers=placed), fault)
        self.model.lock(table, f"r{seq}", seats)

    @precondition(lambda self: any(not each.early for each in self.model.open.values()))
    @rule(data=st.data(), fault=faults)
    def misdeal(self, data: st.DataObject, fault: bool | None) -> None:
        table = self._a_table(data)
        opened = self.model.open[table]
        command = a_void(self._next(table), round=opened.name)
        if opened.early:
            given = self.runner.run(self.desk.ask(command, table=table))
            assert isinstance(given.answer, Refusal)
            assert given.answer.code is Rejection.ROUND_HAS_AWARDS
            return
        self._accepted(table, command, fault)
        self.model.misdeal(table)

    @precondition(lambda self: any(e.seats and not e.early for e in self.model.open.values()))
    @rule(data=st.data(), fault=faults)
    def pay_before_the_peek(self, data: st.DataObject, fault: bool | None) -> None:
        able = [t for t, e in self.model.open.items() if e.seats and not e.early]
        table = TableId(data.draw(st.sampled_from(sorted(able))))
        opened = self.model.open[table]
        given = data.draw(st.sets(st.sampled_from(sorted(opened.seats)), min_size=1))
        hands = {seat: data.draw(st.sampled_from(["one", "pair"])) for seat in sorted(given)}
        receipt = self._accepted(
            table,
            a_settle(
                self._next(table),
                round=opened.name,
                seats={seat: cards(seat, hand) for seat, hand in hands.items()},
                dealer="As",
                early=True,
                complete=False,
            ),
            fault,
        )
        assert isinstance(receipt.event, SettledEarly)
        self.model.early(table, hands)

    @precondition(lambda self: self.model.open)
    @rule(data=st.data(), whole=st.booleans(), bust=st.booleans(), fault=faults)
    def settle(self, data: st.DataObject, whole: bool, bust: bool, fault: bool | None) -> None:
        table = self._a_table(data)
        opened = self.model.open[table]
        hands = {
            seat: data.draw(st.sampled_from(BEHIND[opened.early.get(seat)]))
            for seat in sorted(opened.seats)
        }
        self._settle(table, hands, whole=whole, bust=bust and not opened.early, fault=fault)

    @precondition(lambda self: len(self.model.open) < len(TABLES))
    @rule(
        data=st.data(),
        hands=st.dictionaries(st.integers(1, 4), st.sampled_from(HANDS[:2]), min_size=1),
        buster=st.booleans(),
    )
    def hit(self, data: st.DataObject, hands: dict[int, str], buster: bool) -> None:
        """A whole round whose every seat wins from the meter, so that hits are not rare."""
        table = data.draw(st.sampled_from([t for t in TABLES if t not in self.model.open]))
        self._lock(table, dict.fromkeys(hands, buster), fault=None)
        self._settle(table, hands, whole=True, bust=buster, fault=None)

    def _settle(
        self, table: TableId, hands: dict[int, str], *, whole: bool, bust: bool, fault: bool | None
    ) -> None:
        opened = self.model.open[table]
        winners = {
            seat
            for seat, hand in hands.items()
            if hand != "nothing" or (bust and opened.seats[seat])
        }
        shown = hands if whole else {seat: hands[seat] for seat in winners}
        receipt = self._accepted(
            table,
            a_settle(
                self._next(table),
                round=opened.name,
                seats={seat: cards(seat, hand) for seat, hand in shown.items()},
                dealer="As 9h" if opened.early else "Ts 6h Kd" if bust else "9s 9h",
                complete=whole,
            ),
            fault,
        )
        assert isinstance(receipt.event, RoundSettled)
        won = self.model.settle(table, hands, bust=bust, seq=receipt.journal_seq)
        assert [
            (made.award, made.seat, made.amount_cents, made.due_cents)
            for made in receipt.event.awards
        ] == [(name, p.seat, p.amount, p.due) for name, p in won.prizes.items()]

    # --- people ------------------------------------------------------------------------------

    def _does(
        self, act: PersonsAct, expected: Rejection | None, fault: bool | None = None
    ) -> ActReceipt | None:
        """An act that must be refused with that code, or done; None where it was not done.

        A person is not told what became of an act under which the journal failed: they look.
        """
        if expected is None and fault is not None:
            self.store.fail_append(1, kept=fault)
        try:
            answer = self.runner.run(self.desk.worker.perform(act))
        except FateUnknownError:
            assert fault is not None
            self._come_back()
            return ActReceipt(0, None) if fault else None  # type: ignore[arg-type]
        if isinstance(answer, Refusal):
            assert answer.code is expected, answer
            return None
        assert expected is None, (answer, expected)
        return answer

    def _a_prize(self, data: st.DataObject) -> tuple[AwardId, Prize]:
        """Mostly an open one; a finished one now and then, to be refused."""
        names = self.model.names()
        if data.draw(st.integers(0, 4)):
            names = [name for name in names if self.model.find(name)[1].open] or names
        name = data.draw(st.sampled_from(names))
        return AwardId(name), self.model.find(name)[1]

    @precondition(lambda self: self.model.names())
    @rule(data=st.data(), fault=faults)
    def validate(self, data: st.DataObject, fault: bool | None) -> None:
        award, prize = self._a_prize(data)
        fits = prize.status == "pending" and not prize.doubted
        if self._does(ValidateAward(award, ANN), None if fits else Rejection.WRONG_STATUS, fault):
            prize.status = "validated"

    @precondition(lambda self: self.model.names())
    @rule(data=st.data(), fault=faults)
    def approve(self, data: st.DataObject, fault: bool | None) -> None:
        award, prize = self._a_prize(data)
        fits = prize.status == "validated" and prize.approvals < prize.needs
        by = Signature(f"Approver {prize.approvals}", "Finance")
        if self._does(ApprovePayment(award, by), None if fits else Rejection.WRONG_STATUS, fault):
            prize.approvals += 1

    @precondition(lambda self: self.model.names())
    @rule(data=st.data(), manual=st.booleans(), fault=faults)
    def pay(self, data: st.DataObject, manual: bool, fault: bool | None) -> None:
        award, prize = self._a_prize(data)
        expected = None
        if prize.status != "validated" or prize.doubted:
            expected = Rejection.WRONG_STATUS
        elif prize.approvals < prize.needs:
            expected = Rejection.NEEDS_APPROVAL
        self.papers += 1
        document = f"slip-{self.papers}" if manual else None
        if self._does(PayAward(award, CARA, document), expected, fault):
            self.model.pay(award, document)

    @precondition(lambda self: self.model.names())
    @rule(data=st.data(), fault=faults)
    def doubt(self, data: st.DataObject, fault: bool | None) -> None:
        award, prize = self._a_prize(data)
        fits = prize.open and not prize.doubted
        expected = None if fits else Rejection.WRONG_STATUS
        if self._does(ProposeVoid(award, ANN, "the light was off"), expected, fault):
            prize.doubted = True

    @precondition(lambda self: self.model.names())
    @rule(data=st.data(), fault=faults)
    def trust(self, data: st.DataObject, fault: bool | None) -> None:
        award, prize = self._a_prize(data)
        fits = prize.open and prize.doubted
        if self._does(WithdrawVoid(award, BEN), None if fits else Rejection.WRONG_STATUS, fault):
            prize.doubted = False

    @precondition(lambda self: self.model.names())
    @rule(data=st.data(), fault=faults)
    def void(self, data: st.DataObject, fault: bool | None) -> None:
        award, prize = self._a_prize(data)
        expected = None
        if not prize.open or not prize.doubted:
            expected = Rejection.WRONG_STATUS
        elif self.model.too_late(award):
            expected = Rejection.VOID_TOO_LATE
        if self._does(ApproveVoid(award, BEN), expected, fault):
            self.model.void(award)

    @precondition(lambda self: self.model.names())
    @rule(data=st.data(), paid=st.booleans(), manual=st.booleans())
    def see_through(self, data: st.DataObject, paid: bool, manual: bool) -> None:
        """All the signatures that an award needs, so that payments are not rare."""
        award, prize = self._a_prize(data)
        if not prize.open or prize.doubted:
            return
        if prize.status == "pending":
            self._does(ValidateAward(award, ANN), None)
            prize.status = "validated"
        while prize.approvals < prize.needs:
            by = Signature(f"Approver {prize.approvals}", "Finance")
            self._does(ApprovePayment(award, by), None)
            prize.approvals += 1
        if not paid:
            return
        self.papers += 1
        document = f"slip-{self.papers}" if manual else None
        self._does(PayAward(award, CARA, document), None)
        self.model.pay(award, document)

    @precondition(lambda self: self.model.names())
    @rule(data=st.data(), fault=faults)
    def doubt_and_void(self, data: st.DataObject, fault: bool | None) -> None:
        """Both in one go, so that voids are not rare."""
        award, prize = self._a_prize(data)
        if prize.open and not prize.doubted:
            self._does(ProposeVoid(award, ANN, "the light was off"), None)
            prize.doubted = True
            expected = Rejection.VOID_TOO_LATE if self.model.too_late(award) else None
            if self._does(ApproveVoid(award, BEN), expected, fault):
                self.model.void(award)

    @rule(
        part=st.sampled_from(["primary", "reset", "overflow"]),
        microcents=st.integers(-5 * 10**9, 10**10).filter(bool),
        fault=faults,
    )
    def correct(self, part: str, microcents: int, fault: bool | None) -> None:
        leg = CorrectionLeg(MeterId("progressive"), part, microcents)  # type: ignore[arg-type]
        answer = self.runner.run(
            self.desk.worker.perform(ProposeCorrection(FRED, "misread", (leg,)))
        )
        before = self.model.meter
        cents = Fraction(microcents, 10**6)
        if isinstance(answer, Refusal):
            assert answer.code in (Rejection.METER_TOO_LOW, Rejection.METER_TOO_HIGH)
            assert not self.model.correct(part, cents)
            return
        assert isinstance(answer, ActReceipt)
        assert isinstance(answer.event, CorrectionProposed)
        assert self.model.correct(part, cents)
        if not self._does(ApproveCorrection(answer.event.correction, GWEN), None, fault):
            self.model.meter = before
            self.model.corrected -= cents

    # --- what happens to the service ---------------------------------------------------------

    @rule()
    def stop_and_start(self) -> None:
        self.runner.run(self.desk.worker.stop())
        self.runner.run(self._start())

    @rule()
    def crash_and_start(self) -> None:
        before = self.desk.state()
        self.runner.run(kill(self.desk))
        self.runner.run(self._start())
        assert self.desk.state() == before

    @rule()
    def replay(self) -> None:
        folded = LinkState(link=self.rules.id)
        for stored in self.runner.run(journal_of(self.store)):
            folded = evolve(folded, decode_record(stored).event)
        assert folded == self.desk.state()

    # --- what must always be true ------------------------------------------------------------

    @invariant()
    def books_agree_with_the_notebook(self) -> None:
        if not hasattr(self, "desk"):
            return
        state = self.desk.state()
        check_deeply(state)
        moved = {account: amount for account, amount in state.balances.items() if amount}
        assert moved == {
            account: cents * 10**6 for account, cents in self.model.books().items() if cents
        }
        assert sum(self.model.books().values()) == 0

    @invariant()
    def every_award_stands_as_in_the_notebook(self) -> None:
        """Also those of other tables and rounds: nobody's prize changes by another's round."""
        if not hasattr(self, "desk"):
            return
        state = self.desk.state()
        for name in self.model.names():
            _, prize = self.model.find(name)
            award = state.award(AwardId(name))
            assert award is not None
            assert (award.status, award.made.amount_cents, award.made.due_cents) == (
                prize.status,
                prize.amount,
                prize.due,
            )
            assert (award.document, len(award.approved_by), award.made.approvers) == (
                prize.document,
                prize.approvals,
                prize.needs,
            )
            assert (award.void_proposed_by is not None) is prize.doubted
        assert state.documents == self.model.documents

    @invariant()
    def sign_shows_the_whole_cents(self) -> None:
        if not hasattr(self, "desk"):
            return
        [shown] = self.desk.worker.view.meters
        assert shown.cents == self.model.meter.shown // 1


AwardMachine.TestCase.settings = settings(stateful_step_count=40)
TestAwardsAgainstTheNotebook = AwardMachine.TestCase
TestAwardsAgainstTheNotebook.pytestmark = [pytest.mark.slow]
