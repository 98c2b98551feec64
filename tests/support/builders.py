"""Links, messages and workers for tests: everything has a sensible default, a test names the rest.

The default link is the demo floor's: Blazing 7's, paytable 3, $5, with Mega, Major and Minor.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

from msgspec import Struct, structs

from progressive.adapters.config.games import shipped_games
from progressive.application.clock import Clock
from progressive.application.link.batch import Answer
from progressive.application.link.guard import LinkGuard
from progressive.application.link.ports import Store
from progressive.application.link.worker import LinkWorker
from progressive.application.shared.store import SharedStore
from progressive.domain.commands import (
    DealerCards,
    RegisterWagers,
    SeatCards,
    SettleRound,
    TableCommand,
    Tender,
    VoidRound,
    Wager,
)
from progressive.domain.decide.decide import Repeat, decide, open_link
from progressive.domain.events import TableEvent
from progressive.domain.ids import BetId, LinkId, MeterId, RoundId, TableId
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.house_terms import HouseTerms
from progressive.domain.rulebook.rules import BetRules, LinkRules, LinkTerms, MeterRules, TableRules
from progressive.domain.state.evolve import apply
from progressive.domain.state.link_state import LinkState
from progressive.domain.time_text import Moment
from progressive.domain.views import LinkView, WinView
from tests.support.fake_clock import FakeClock

_LINES = {
    (game.id, paytable.id): paytable.lines
    for game in shipped_games().values()
    for paytable in game.bets[0].paytables
}
LINK = LinkId("main")
NOW = Moment("2026-03-01T12:00:00.000000Z", "2026-03-01")
BET = BetId("blazing7")
BJ1, BJ2, BJ3 = TableId("BJ-01"), TableId("BJ-02"), TableId("BJ-03")

WAIT_SECONDS = 10.0
"""Far more than anything here takes: a test that waits this long has failed."""

# --- rules ------------------------------------------------------------------------------------

MEGA = MeterRules(
    id=MeterId("mega"),
    name="Mega",
    rate_ppm=120_000,
    reset_rate_ppm=10_000,
    initial_cents=10_000_000,
    reset_cents=2_500_000,
)
MAJOR = MeterRules(
    id=MeterId("major"),
    name="Major",
    rate_ppm=60_000,
    reset_rate_ppm=5_000,
    initial_cents=1_500_000,
    reset_cents=500_000,
)
MINOR = MeterRules(
    id=MeterId("minor"),
    name="Minor",
    rate_ppm=40_000,
    reset_rate_ppm=5_000,
    initial_cents=300_000,
    reset_cents=250_000,
)


def a_meter(meter: str = "mega", **changes: object) -> MeterRules:
    """A plain meter: 10 percent to it, nothing to its reset meter."""
    return structs.replace(
        MeterRules(id=MeterId(meter), name=meter.title(), rate_ppm=100_000), **changes
    )


def a_bet(**changes: object) -> BetRules:
    """Blazing 7's at $5."""
    return structs.replace(
        BetRules(
            id=BET,
            game="nj-blazing-7s",
            reader="blazing_sevens",
            paytable="3",
            dealing_option=1,
            wager_cents=500,
            lines=_LINES["nj-blazing-7s", "3"],
            meters=(MEGA, MAJOR, MINOR),
        ),
        **changes,
    )


def a_buster(**changes: object) -> BetRules:
    """A fixed-pay bet beside it: a range, capped by the base wager, no meters."""
    return structs.replace(
        BetRules(
            id=BetId("buster"),
            game="nj-buster",
            reader="buster",
            paytable="A",
            lines=_LINES["nj-buster", "A"],
            min_cents=100,
            max_cents=10_000,
            capped_by_base_wager=True,
        ),
        **changes,
    )


def a_link(**changes: object) -> LinkRules:
    """A link of three tables. `changes` may name fields of the link, its terms, house or bet."""
    of_bet = {
        key: changes.pop(key)
        for key in BetRules.__struct_fields__
        if key in changes and key != "id"
    }
    of_house = {
        key: changes.pop(key)
        for key in HouseTerms.__struct_fields__
        if key in changes and key not in LinkRules.__struct_fields__
    }
    if of_house:
        changes["house"] = structs.replace(HouseTerms(name="Main pit"), **of_house)
    of_terms = {key: changes.pop(key) for key in LinkTerms.__struct_fields__ if key in changes}
    terms = LinkTerms(
        decks=6, dealer_procedure="card_reader", soft17="hit", bets=(a_bet(**of_bet),)
    )
    link = LinkId(str(changes.get("id", LINK)))
    rules = LinkRules(
        id=link,
        name="Main pit",
        terms=structs.replace(terms, **of_terms),
        tables=tuple(TableRules(id=table, link=link, seats=7) for table in (BJ1, BJ2, BJ3)),
    )
    return structs.replace(rules, **changes)


# --- messages ---------------------------------------------------------------------------------


def a_wager(seat: int = 1, **changes: object) -> Wager:
    """A $5 chip on Blazing 7's beside a $25 base wager."""
    return structs.replace(Wager(seat=seat, bet=BET, amount_cents=500, base_cents=2_500), **changes)


def wagers(*seats: int, tender: Tender = "chip", **changes: object) -> tuple[Wager, ...]:
    """The same wager at each of these seats."""
    return tuple(a_wager(seat, tender=tender, **changes) for seat in seats)


def a_lock(
    seq: int = 1,
    *,
    round: str | None = None,  # noqa: A002 - the protocol's word
    wagers: Iterable[Wager] | None = None,
    chips_counted: int | None = None,
) -> RegisterWagers:
    """A lock-out; one wager at seat 1 and the right count of chips unless told otherwise."""
    placed = (a_wager(),) if wagers is None else tuple(wagers)
    chips = sum(wager.tender == "chip" and wager.bet == BET for wager in placed)
    return RegisterWagers(
        seq=seq,
        round=RoundId(f"r{seq}" if round is None else round),
        wagers=placed,
        chips_counted=chips if chips_counted is None else chips_counted,
    )


def a_settle(
    seq: int = 2,
    *,
    round: str | None = None,  # noqa: A002 - the protocol's word
    seats: dict[int, str] | tuple[SeatCards, ...] | None = None,
    dealer: str = "",
    complete: bool | None = None,
    early: bool = False,
) -> SettleRound:
    """A settlement; by default a dealer's "nobody won". `seats` maps a seat to its cards.

    With cards it is a complete round, unless told otherwise.
    """
    given = {} if seats is None else seats
    return SettleRound(
        seq=seq,
        round=RoundId(f"r{seq - 1}" if round is None else round),
        dealer=DealerCards(cards=tuple(dealer.split())),
        seats=given
        if isinstance(given, tuple)
        else tuple(SeatCards(seat=seat, cards=tuple(text.split())) for seat, text in given.items()),
        complete=bool(given) if complete is None else complete,
        early=early,
    )


def a_void(
    seq: int = 2,
    *,
    round: str | None = None,  # noqa: A002 - the protocol's word
    reason: str = "misdeal",
) -> VoidRound:
    """A misdeal of the round locked just before."""
    return VoidRound(
        seq=seq, round=RoundId(f"r{seq - 1}" if round is None else round), reason=reason
    )


# --- states -----------------------------------------------------------------------------------


def opened_link(rules: LinkRules) -> LinkState:
    """A link after its first record."""
    state = LinkState(link=rules.id)
    apply(state, open_link(rules))
    return state


def accept(
    state: LinkState, rules: LinkRules, command: TableCommand, *, table: TableId = BJ1
) -> TableEvent:
    """Move the state by a message that must be accepted; returns what happened."""
    event = decide(state, rules, table, command, NOW)
    assert not isinstance(event, Refusal | Repeat), event
    apply(state, event)
    return event


def after(rules: LinkRules, *commands: TableCommand, table: TableId = BJ1) -> LinkState:
    """A new link on which these messages of one table were accepted."""
    state = opened_link(rules)
    for command in commands:
        accept(state, rules, command, table=table)
    return state


# --- workers ----------------------------------------------------------------------------------


class Answered(Struct, frozen=True):
    """One call of a reply."""

    seq: int
    answer: Answer
    repeat: bool


class Answers:
    """Collects the replies of any number of messages, in the order they came."""

    def __init__(self) -> None:
        self.all: list[Answered] = []
        self._more = asyncio.Event()

    def prepare(self, seq: int, answer: Answer, repeat: bool) -> Answered:
        return Answered(seq, answer, repeat)

    def deliver(self, ready: object) -> None:
        assert isinstance(ready, Answered)
        self.all.append(ready)
        self._more.set()

    async def wait_for(self, count: int) -> list[Answered]:
        async with asyncio.timeout(WAIT_SECONDS):
            while len(self.all) < count:
                self._more.clear()
                await self._more.wait()
        return self.all


class Publications:
    """`Publisher`: keeps every view and every win, and lets a test wait for a state."""

    def __init__(self) -> None:
        self.views: list[LinkView] = []
        self.wins: list[WinView] = []
        self._more = asyncio.Event()

    def publish(self, view: LinkView) -> None:
        self.views.append(view)
        self._more.set()

    def announce(self, link: LinkId, wins: Sequence[WinView]) -> None:
        self.wins.extend(wins)

    async def wait_for_state(self, state: str) -> LinkView:
        """The newest view, once it is in that state."""
        async with asyncio.timeout(WAIT_SECONDS):
            while not self.views or self.views[-1].state != state:
                self._more.clear()
                await self._more.wait()
        return self.views[-1]


class Tally:
    """`Telemetry`: counts."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.wagers = 0
        self.rounds = 0
        self.refusals: list[str] = []
        self.failures = 0

    def committed(
        self, link: LinkId, *, records: int, wagers: int, rounds: int, append_seconds: float
    ) -> None:
        self.batches.append(records)
        self.wagers += wagers
        self.rounds += rounds

    def refused(self, link: LinkId, code: str) -> None:
        self.refusals.append(code)

    def append_failed(self, link: LinkId) -> None:
        self.failures += 1


class Desk:
    """A link's worker with all its surroundings at hand."""

    def __init__(
        self,
        rules: LinkRules,
        store: Store,
        clock: Clock | None = None,
        guard: LinkGuard | None = None,
    ) -> None:
        self.published = Publications()
        self.tally = Tally()
        self.clock = FakeClock() if clock is None else clock
        self.worker = LinkWorker(
            rules,
            store=store,
            clock=self.clock,
            publisher=self.published,
            telemetry=self.tally,
            guard=guard,
            standby=store if isinstance(store, SharedStore) else None,
        )

    async def ask(self, command: TableCommand, *, table: TableId = BJ1) -> Answered:
        """Send a message and wait for its answer."""
        answers = Answers()
        self.worker.submit_nowait(table, command, answers)
        return (await answers.wait_for(1))[0]

    def send(self, *commands: TableCommand, table: TableId = BJ1) -> Answers:
        """Send messages without waiting; they gather into batches."""
        answers = Answers()
        for command in commands:
            self.worker.submit_nowait(table, command, answers)
        return answers

    def state(self) -> LinkState:
        """The durable state that the worker decides upon."""
        link = self.worker._standing.link
        assert link is not None, self.worker.view.reason
        return link.state


@asynccontextmanager
async def a_desk(
    store: Store,
    rules: LinkRules | None = None,
    *,
    clock: Clock | None = None,
    guard: LinkGuard | None = None,
    started: bool = True,
) -> AsyncIterator[Desk]:
    """A worker that runs until the block is left, then stops cleanly."""
    desk = Desk(a_link() if rules is None else rules, store, clock, guard)
    if started:
        await desk.worker.start()
    try:
        yield desk
    finally:
        async with asyncio.timeout(WAIT_SECONDS):
            await desk.worker.stop()


async def kill(desk: Desk) -> None:
    """End a worker as a crash would: nothing is answered, nothing is kept any more."""
    worker = desk.worker
    tasks = [task for task in (worker._task, *worker._old_answers._searches) if task is not None]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    # What a stop would still work on is gone with the process.
    worker._task = worker._standing.link = None


async def journal_of(store: Store, link: LinkId = LINK) -> list[bytes]:
    """Every record of a link, as stored."""
    return [record async for records in store.read(link) for record in records]
