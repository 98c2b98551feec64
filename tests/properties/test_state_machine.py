"""The worker against a small model of plain arithmetic: locks, settlements, voids, resends, faults
and restarts, in any order."""

import asyncio
from typing import Any
from unittest.mock import patch

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.link import standing as link_standing
from progressive.domain.commands import RegisterWagers, SettleRound, TableCommand, VoidRound, Wager
from progressive.domain.ids import BetId, RoundId, TableId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.state.link_state import Receipt
from progressive.domain.views import LinkView
from tests.properties.strategies import TABLES
from tests.support.builders import Answered, Desk, a_bet, a_link, a_meter, kill
from tests.support.fake_clock import FakeClock
from tests.support.faulty_store import FaultyStore

# What the model knows of the rules, written down a second time.
WAGER_CENTS = 500
METERS = {
    "mega": {"rate": 123_457, "reset": 10_000, "initial": 10_000, "limit": 0},
    "minor": {"rate": 40_001, "reset": 0, "initial": 2_000, "limit": 2_100},
}
RULES = a_link(
    bets=(
        a_bet(
            meters=tuple(
                a_meter(
                    name,
                    rate_ppm=m["rate"],
                    reset_rate_ppm=m["reset"],
                    initial_cents=m["initial"],
                    limit_cents=m["limit"],
                )
                for name, m in METERS.items()
            )
        ),
    ),
    tables=tuple(a_link().tables[0].__class__(id=t, link="main", seats=7) for t in TABLES),
)

tables = st.sampled_from(TABLES)


class Model:
    """A floor in a notebook."""

    def __init__(self) -> None:
        self.shown = {name: m["initial"] * 10**6 for name, m in METERS.items()}
        self.hidden = dict.fromkeys(METERS, 0)
        self.overflow = dict.fromkeys(METERS, 0)
        self.wagered = 0
        self.refunded = 0
        self.said: dict[str, list[tuple[TableCommand, Any]]] = {table: [] for table in TABLES}
        self.open: dict[str, tuple[str, int, dict[str, tuple[int, int]]]] = {}

    def lock(self, table: str, round_name: str, cents: int) -> None:
        parts = {}
        for name, m in METERS.items():
            amount = cents * m["rate"]
            fits = amount
            if m["limit"]:
                fits = min(amount, max(0, m["limit"] * 10**6 - self.shown[name]))
            self.shown[name] += fits
            self.overflow[name] += amount - fits
            self.hidden[name] += cents * m["reset"]
            parts[name] = (fits, amount - fits)
        self.wagered += cents
        self.open[table] = (round_name, cents, parts)

    def void(self, table: str) -> None:
        _, cents, parts = self.open.pop(table)
        for name, (fits, over) in parts.items():
            self.shown[name] -= fits
            self.overflow[name] -= over
            self.hidden[name] -= cents * METERS[name]["reset"]
        self.refunded += cents

    def hold(self) -> int:
        on_meters = sum(self.shown.values()) + sum(self.overflow.values())
        on_meters += sum(self.hidden.values()) - sum(m["initial"] for m in METERS.values()) * 10**6
        return (self.wagered - self.refunded) * 10**6 - on_meters


class LinkMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        # How often an inoperable link looks at the clock, which is a fake one.
        self.quick = patch.object(link_standing, "RETRY_SECONDS", 0.0005)
        self.quick.start()
        self.runner = asyncio.Runner()
        self.store = FaultyStore(MemoryStore())
        self.clock = FakeClock()
        self.model = Model()
        self.desk: Desk
        self.last_view: LinkView | None = None

    @initialize()
    def begin(self) -> None:
        self.runner.run(self._start())

    def teardown(self) -> None:
        self.runner.run(self.desk.worker.stop())
        self.runner.close()
        self.quick.stop()

    async def _start(self) -> None:
        self.desk = Desk(RULES, self.store, self.clock)
        await self.desk.worker.start()

    def _ask(self, table: TableId, command: TableCommand) -> Answered:
        return self.runner.run(self.desk.ask(command, table=table))

    def _accepted(self, table: TableId, command: TableCommand) -> None:
        """A table sends until it is answered, whatever becomes of the store meanwhile."""
        for _ in range(5):
            given = self._ask(table, command)
            if isinstance(given.answer, Receipt):
                break
            assert given.answer is None or given.answer.code is Rejection.LINK_INOPERABLE, given
            self._come_back()
        assert isinstance(given.answer, Receipt), given
        self.model.said[table].append((command, given.answer))
        self._come_back()

    def _come_back(self) -> None:
        """An inoperable link looks again after a while, and finds its store mended."""
        self.clock.advance(60)
        self.runner.run(self.desk.published.wait_for_state("live"))

    def _next(self, table: TableId) -> int:
        return len(self.model.said[table]) + 1

    # --- what tables do ----------------------------------------------------------------------

    @rule(table=tables, seats=st.sets(st.integers(1, 7)), coupons=st.booleans())
    def lock(self, table: TableId, seats: set[int], coupons: bool) -> None:
        seq = self._next(table)
        placed = tuple(
            Wager(seat, BetId("blazing7"), WAGER_CENTS, 1_000, "coupon" if coupons else "chip")
            for seat in sorted(seats)
        )
        chips = 0 if coupons else len(placed)
        command = RegisterWagers(seq, RoundId(f"r{seq}"), placed, chips)
        if table in self.model.open:
            given = self._ask(table, command)
            assert isinstance(given.answer, Refusal)
            assert given.answer.code is Rejection.ROUND_OPEN
            return
        self._accepted(table, command)
        self.model.lock(table, f"r{seq}", WAGER_CENTS * len(placed))

    @precondition(lambda self: self.model.open)
    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        table = TableId(data.draw(st.sampled_from(sorted(self.model.open))))
        name = RoundId(self.model.open[table][0])
        self._accepted(table, SettleRound(self._next(table), name, complete=False))
        del self.model.open[table]

    @precondition(lambda self: self.model.open)
    @rule(data=st.data())
    def void(self, data: st.DataObject) -> None:
        table = TableId(data.draw(st.sampled_from(sorted(self.model.open))))
        name = RoundId(self.model.open[table][0])
        self._accepted(table, VoidRound(self._next(table), name, "misdeal"))
        self.model.void(table)

    @precondition(lambda self: any(self.model.said.values()))
    @rule(data=st.data())
    def resend(self, data: st.DataObject) -> None:
        spoke = sorted(table for table, said in self.model.said.items() if said)
        table = TableId(data.draw(st.sampled_from(spoke)))
        command, answer = data.draw(st.sampled_from(self.model.said[table]))
        given = self._ask(table, command)
        assert given.repeat
        assert given.answer == answer

    @precondition(lambda self: any(self.model.said.values()))
    @rule(data=st.data())
    def reuse_a_number(self, data: st.DataObject) -> None:
        spoke = sorted(table for table, said in self.model.said.items() if said)
        table = TableId(data.draw(st.sampled_from(spoke)))
        seq = data.draw(st.integers(1, len(self.model.said[table])))
        given = self._ask(table, VoidRound(seq, RoundId("reused"), "another body"))
        assert isinstance(given.answer, Refusal)
        assert given.answer.code is Rejection.SEQ_REUSED

    @rule(table=tables, ahead=st.integers(1, 5))
    def leave_a_gap(self, table: TableId, ahead: int) -> None:
        given = self._ask(table, VoidRound(self._next(table) + ahead, RoundId("gap"), "gap"))
        assert isinstance(given.answer, Refusal)
        assert given.answer.code is Rejection.SEQ_GAP
        assert given.answer.expected == self._next(table)

    @rule(table=tables)
    def miscount_the_chips(self, table: TableId) -> None:
        if table in self.model.open:
            return
        seq = self._next(table)
        given = self._ask(table, RegisterWagers(seq, RoundId(f"r{seq}"), (), 1))
        assert isinstance(given.answer, Refusal)
        assert given.answer.code is Rejection.CHIP_COUNT_MISMATCH

    # --- what happens to the service ---------------------------------------------------------

    @rule(kept=st.booleans())
    def next_append_fails(self, kept: bool) -> None:
        self.store.heal()
        self.store.fail_append(1, kept=kept)

    @rule()
    def stop_and_start(self) -> None:
        self.store.heal()
        self.runner.run(self.desk.worker.stop())
        self.runner.run(self._start())

    @rule()
    def crash_and_start(self) -> None:
        self.store.heal()
        self.runner.run(kill(self.desk))
        self.runner.run(self._start())

    @rule(seconds=st.integers(0, 100))
    def time_passes(self, seconds: int) -> None:
        self.clock.advance(seconds)

    # --- what must always be true ------------------------------------------------------------

    @invariant()
    def books_agree_with_the_notebook(self) -> None:
        if not hasattr(self, "desk"):
            return
        state, model = self.desk.state(), self.model
        books = state.balances
        for name in METERS:
            assert books["primary", name] == model.shown[name]  # type: ignore[index]
            assert books["reset", name] == model.hidden[name]  # type: ignore[index]
            assert books["overflow", name] == model.overflow[name]  # type: ignore[index]
        assert books["wagers", "chip"] + books["wagers", "coupon"] == -model.wagered * 10**6
        assert books["refunds", "chip"] + books["refunds", "coupon"] == model.refunded * 10**6
        assert books["hold", ""] == model.hold()
        assert sum(books.values()) == 0

    @invariant()
    def signs_show_the_durable_amounts(self) -> None:
        if not hasattr(self, "desk"):
            return
        view = self.desk.worker.view
        assert view.state == "live"
        shown = {meter.id: meter.cents for meter in view.meters}
        assert shown == {name: amount // 10**6 for name, amount in self.model.shown.items()}
        if self.last_view is not None:
            assert (view.epoch, view.seq) >= (self.last_view.epoch, self.last_view.seq)
        self.last_view = view

    @invariant()
    def tables_stand_where_the_notebook_says(self) -> None:
        if not hasattr(self, "desk"):
            return
        for table in TABLES:
            at_table = self.desk.worker.table_state(table)
            assert at_table.last_seq == len(self.model.said[table])
            opened = self.model.open.get(table)
            assert (at_table.round.round if at_table.round else None) == (
                opened[0] if opened else None
            )


LinkMachine.TestCase.settings = settings(stateful_step_count=40)
TestLinkAgainstItsModel = LinkMachine.TestCase
