"""Whose turn it is: questions of people one after the other, and a look at the books in between.

A bounded number waits; beyond it a question is refused. Whoever leaves is forgotten. Nothing is
computed here.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Final

import msgspec

from progressive.application.clock import Clock
from progressive.application.finance.desk.asked import (
    BUSY,
    FAILED,
    UNAVAILABLE,
    Answer,
    Asked,
    LinkSight,
    LookAsked,
)
from progressive.application.finance.desk.ports import (
    Bookkeeper,
    BookkeeperDiedError,
    BookkeeperError,
)

log = logging.getLogger(__name__)

QUESTIONS_MAX: Final = 16
"""Asked at one time, the one that is answered among them."""
FIRST_LOOK_TIMES: Final = 6
"""So many times longer after the start: tables and signs come back, nobody waits for the books."""
LOOK_SECONDS: Final = 5.0
"""Between two looks: the books of the open day are never further behind."""
RETRY_SECONDS: Final = 60.0
"""After looks that failed."""
FAILURES_IN_A_ROW: Final = 2

_sights: Final = msgspec.json.Decoder(tuple[LinkSight, ...])


class Desk:
    """Asks the bookkeeper for everybody."""

    def __init__(
        self,
        bookkeeper: Bookkeeper,
        *,
        clock: Clock,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._bookkeeper = bookkeeper
        self._clock = clock
        self._look_seconds = look_seconds
        self._turn = asyncio.Lock()
        self._asked = 0
        self._looking: asyncio.Task[Answer] | None = None
        self._task: asyncio.Task[None] | None = None
        self.sights: Mapping[str, LinkSight] = {}
        """How the days of every link stood at the last look."""
        self.looks = 0
        """Looks that were finished."""
        self.problem: str | None = None
        """Why the last look failed."""
        self._failures = 0

    @property
    def waiting(self) -> int:
        """Questions that are not answered yet."""
        return self._asked

    def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.create_task(self._look_for_ever(), name="looks of the bookkeeper")

    async def stop(self) -> None:
        """End what is under way."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self._bookkeeper.stop()

    async def ask(self, question: Asked) -> Answer:
        """The answer, when its turn has come. Cancelled, the question is dropped."""
        if self._asked >= QUESTIONS_MAX:
            return Answer(code=BUSY, message="too many questions of finance at once: try again")
        self._asked += 1
        try:
            self._stop_looking()
            async with self._turn:
                return await self._bookkeeper.ask(question)
        except BookkeeperDiedError as error:
            log.error("the bookkeeper ended over a question", extra={"why": str(error)})
            return Answer(code=FAILED, message="this could not be worked out: the log says why")
        except BookkeeperError as error:
            log.error("the bookkeeper does not answer", extra={"why": str(error)})
            return Answer(code=UNAVAILABLE, message="reports cannot be made now: try again")
        finally:
            self._asked -= 1

    # --- looks -----------------------------------------------------------------------------------

    async def _look_for_ever(self) -> None:
        await asyncio.sleep(FIRST_LOOK_TIMES * self._look_seconds)
        while True:
            if not self._asked:
                await self._look_in_turn()
            # One that died by chance is there again at once; one that dies over its work is not
            # started over and over.
            again = self._failures >= FAILURES_IN_A_ROW
            await asyncio.sleep(RETRY_SECONDS if again else self._look_seconds)

    async def _look_in_turn(self) -> None:
        try:
            async with self._turn:
                await self._look()
        except BookkeeperError as error:
            self._failures += 1
            self.problem = str(error)
            log.warning("no look at the books", extra={"why": str(error)})

    async def _look(self) -> None:
        """Broken off as soon as somebody asks something."""
        asking = self._bookkeeper.ask(LookAsked(now=self._clock.now()))
        self._looking = asyncio.ensure_future(asking)
        try:
            await asyncio.wait({self._looking})
        finally:
            looking, self._looking = self._looking, None
            if not looking.done():
                looking.cancel()
                await asyncio.wait({looking})
        if looking.cancelled():
            return
        answer = looking.result()
        if answer.code:
            raise BookkeeperError(answer.message)
        self.sights = {each.link: each for each in _sights.decode(answer.body)}
        self.looks += 1
        self._failures, self.problem = 0, None

    def _stop_looking(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
