"""One simulated table: plays rounds over its socket and has every answer checked.

It behaves as a table controller must: one message at a time, kept until it is answered, sent again
over a new connection when the old one is lost. With `mischief` it also repeats, spoils and cuts.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from random import Random
from typing import Final

from msgspec import Struct

from progressive.client.answers import ServerMessage, UnreadableAnswerError
from progressive.client.connection import ConnectionLostError, StayAwayError, TableConnection
from progressive.client.line import TableLine
from progressive.client.timing import GaveUpError
from progressive.domain.commands import TableCommand, VoidRound
from progressive.simulator.bookkeeping import Mismatch
from progressive.simulator.desk import LinkDesk
from progressive.simulator.patience import patience
from progressive.simulator.plan import Spoiled, TablePlan, fence
from progressive.simulator.standing import Standing, WrongAnswerError
from progressive.wire.codec import encode
from progressive.wire.table_messages import Welcome

# Of messages, with `mischief`:
REPEATED_ONE_IN: Final = 80
SPOILED_ONE_IN: Final = 40
CUT_ONE_IN: Final = 250

LOCKED_SHARE: Final = 0.6
"""Of a round's time, how much lies between lock-out and settlement."""


class NotAdmittedError(Exception):
    """The table never got in: nothing has been played."""


class Orders(Struct, frozen=True):
    """How the tables are to play."""

    rounds: int | None
    """None: until told to stop."""
    pace_seconds: float = 0.0
    """Mean time of a round; 0: as fast as the answers come."""
    mischief: bool = True
    demo_shoe: bool = False
    """Many sevens among few other cards: jackpots to look at, not odds."""
    people_act: bool = False
    """Whether people may void awards or correct meters meanwhile."""


class Player:
    """A table at its socket."""

    def __init__(
        self,
        connection: TableConnection,
        desk: LinkDesk,
        *,
        nodes: Sequence[str],
        table: str,
        seats: int,
        random: Random,
        orders: Orders,
        stop: asyncio.Event,
    ) -> None:
        self.table: Final = table
        # Of its own, so that a table plays the same whatever becomes of its connections.
        chance = Random(f"{table}'s waits")  # noqa: S311 (no secrets)
        self._line = TableLine(
            connection,
            nodes,
            patience=patience(stop, chance),
            on_welcome=self._be_welcomed,
        )
        self._desk = desk
        self._totals = desk.findings.totals
        self._random = random
        self._plan = TablePlan(random, seats=seats, demo_shoe=orders.demo_shoe)
        self._orders = orders
        self._stop = stop
        self._at = Standing(table, desk.book.terms)
        self._cut_next = False

    async def play(self) -> None:
        """All rounds; what goes wrong ends this table's play and is a mismatch."""
        try:
            await self._play()
        except WrongAnswerError as wrong:
            self._give_up(wrong.seq, wrong.expected, wrong.came)
        except UnreadableAnswerError as unreadable:
            self._give_up(self._at.next_seq, "a message of the protocol", str(unreadable))
        except (GaveUpError, StayAwayError) as gone:
            if self._at.terms is None:
                raise NotAdmittedError(f"{self.table}: {gone}") from None
            self._give_up(self._at.next_seq, "an answer", f"none: {gone}")
        finally:
            await self._line.drop()

    def _give_up(self, seq: int | None, expected: str, came: str) -> None:
        self._desk.findings.add(Mismatch(self.table, seq, expected, came))
        self._desk.lost(self.table)

    async def _play(self) -> None:
        await self._line.connect()
        if (closing := self._at.closing()) is not None:
            # A run that was cut short left its round open.
            await self._tell(closing)
        await self._pause(self._random.random())
        rounds = 0
        while rounds != self._orders.rounds and not self._stop.is_set():
            await self._desk.wait_room()
            await self._round()
            rounds += 1
        if self._at.next_seq > 1:
            await self._be_refused(fence(self._at.next_seq - 1))
        await self._line.close()

    async def _round(self) -> None:
        if (terms := self._at.terms) is None:
            raise AssertionError("a round comes after a welcome")
        share = self._random.uniform(0.5, 1.5)
        limits = terms.base_min_cents, terms.base_max_cents
        lock = self._plan.lock(self._at.next_seq, terms.bets, limits)
        if self._tempted(SPOILED_ONE_IN):
            last = self._at.last
            await self._be_refused(self._plan.spoiled_lock(lock, terms.bets, last and last[0]))
        await self._tell(lock)
        self._totals.wagers += len(lock.wagers)
        self._totals.wagered_cents += sum([wager.amount_cents for wager in lock.wagers])
        await self._pause(share * LOCKED_SHARE)
        dealt = self._plan.deal(lock, terms)
        if (early := self._plan.early(self._at.next_seq, lock, dealt, terms)) is not None:
            await self._tell(early)
        if self._tempted(SPOILED_ONE_IN):
            seq = self._at.next_seq
            await self._be_refused(self._plan.spoiled_end(seq, lock, terms, self._at.early))
        end = self._plan.end(self._at.next_seq, lock, dealt, terms, early=early is not None)
        await self._tell(end)
        self._totals.rounds += 1
        self._totals.voided += isinstance(end, VoidRound)
        await self._pause(share * (1 - LOCKED_SHARE))

    def _tempted(self, one_in: int) -> bool:
        return self._orders.mischief and self._random.random() * one_in < 1

    async def _pause(self, share: float) -> None:
        """A part of a round's time, cut short when the play is to stop."""
        seconds = share * self._orders.pace_seconds
        if seconds > 0 and not self._stop.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._stop.wait()

    # --- one message ---------------------------------------------------------------------------

    async def _tell(self, command: TableCommand) -> None:
        """A message that must be accepted, its answer, and sometimes both once more."""
        self._at.begins(command)
        self._desk.book.sent(self.table)
        if self._tempted(CUT_ONE_IN):
            # Half of the cuts come before the message, half while it is under way.
            self._cut_next = self._random.randrange(2) == 0
            if not self._cut_next:
                await self._line.drop()
        payload = encode(command)
        answer = await self._ask(payload)
        self._totals.repeats += getattr(answer, "repeat", False)
        accepted = self._at.accepted(answer)
        self._desk.answered(accepted.entry, accepted.won)
        self._totals.awards += len(accepted.awards)
        self._totals.awarded_cents += sum([award.due_cents for award in accepted.awards])
        self._totals.meters_won += len(accepted.won)
        if self._tempted(REPEATED_ONE_IN):
            self._at.repeated(await self._ask(payload))
            self._totals.repeats += 1

    async def _be_refused(self, spoiled: Spoiled) -> None:
        """A message that must be refused, and just so."""
        self._at.refused(spoiled, await self._ask(spoiled.payload))
        self._totals.refusals += 1

    async def _ask(self, payload: bytes) -> ServerMessage:
        """Send until there is an answer, over as many connections as that takes."""
        if self._cut_next:
            self._cut_next = False
            await self._line.connect()
            self._at.sends()
            with contextlib.suppress(ConnectionLostError):
                await self._line.send(payload)
            await self._line.drop()
        answer = await self._line.ask(payload, on_send=self._at.sends)
        self._totals.messages += 1
        return answer

    def _be_welcomed(self, welcome: Welcome) -> None:
        first = self._at.terms is None
        self._at.welcomed(welcome)
        self._totals.reconnects += not first
