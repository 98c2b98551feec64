"""What tables were refused, in the act log: an unlit seat, another round, cards that win nothing.

Nobody waits for it: a table has its answer at once, and the log gets its line soon after.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from progressive.application.clock import Clock
from progressive.application.journal.ports import StoreError
from progressive.application.people.act_log import TABLE_MESSAGE, Deed, Outcome
from progressive.application.people.ports import ActLog
from progressive.application.people.rate_limits import RateLimit
from progressive.domain.ids import TableId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.signatures import Signature

log = logging.getLogger(__name__)

A_MINUTE: Final = 30
"""Lines of one table: each is a commit, and the log is kept for ever."""
WAITING_MAX: Final = 1_000

# Numbering and faults are no claim of anybody's: a table that lost its network sends again.
_NO_CLAIM: Final = frozenset(
    (
        Rejection.LINK_INOPERABLE,
        Rejection.NOT_LEADER,
        Rejection.TRY_AGAIN,
        Rejection.SEQ_GAP,
        Rejection.SEQ_REUSED,
    )
)


class RefusedClaims:
    """Writes them down, one after another."""

    def __init__(
        self, store: ActLog, clock: Clock, *, on_refused: Callable[[TableId, Rejection], None]
    ) -> None:
        """`on_refused`: told of every refusal, also of those that are not written down here."""
        self._store = store
        self._clock = clock
        self._on_refused = on_refused
        self._limit = RateLimit(clock, per_minute=A_MINUTE)
        self._waiting: asyncio.Queue[Deed | None] = asyncio.Queue(WAITING_MAX)
        self._task: asyncio.Task[None] | None = None
        self.unwritten = 0
        """Refusals beyond the limits: counted, not written."""

    def start(self) -> None:
        """Begin to write."""
        self._task = asyncio.create_task(self._write_forever())

    async def stop(self) -> None:
        """Write what is left."""
        if self._task is not None:
            await self._waiting.put(None)
            await self._task

    def note(
        self, table: TableId, where: str, dealer: Signature | None, seq: int | None, why: Refusal
    ) -> None:
        """A table's message was refused. Never waits."""
        self._on_refused(table, why.code)
        if why.code in _NO_CLAIM:
            return
        self._note(table, where, dealer, seq, why)

    def note_ahead(
        self, table: TableId, where: str, dealer: Signature | None, seq: int | None, why: Refusal
    ) -> None:
        """A table's first message has a number that the journal cannot know of yet: it holds
        answers which this journal never gave. Never waits."""
        self._note(table, where, dealer, seq, why)

    def _note(
        self, table: TableId, where: str, dealer: Signature | None, seq: int | None, why: Refusal
    ) -> None:
        if not self._limit.take(table) or self._waiting.full():
            self.unwritten += 1
            return
        self._waiting.put_nowait(
            Deed(
                at=self._clock.now(),
                who=None if dealer is None else dealer.name,
                where=where,
                act=TABLE_MESSAGE,
                outcome=Outcome.REFUSED,
                details={
                    "table": table,
                    "seq": seq or 0,
                    "code": why.code.value,
                    "message": why.message[:200],
                },
            )
        )

    async def _write_forever(self) -> None:
        while (deed := await self._waiting.get()) is not None:
            try:
                await self._store.record(deed)
            except StoreError as error:
                log.error("the act log cannot be written", extra={"why": str(error)})
