"""COLD. Has the journals sealed by another process: every minute while records come, at once behind
records that must not wait (`SEALED_AT_ONCE`), and a last time when the service stops. Keeps what
people should know of it.

Nothing here may hold up a wager. What is sealed is durable before: the process is told up to which
record. A finding of its, or of a witness, stops the link; anything else is tried again, and is an
alarm if it lasts.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Literal, Protocol

from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.journal.ports import JournalReader, StoreError
from progressive.application.journal.record import JournalBrokenError
from progressive.application.seals.judging import log_of
from progressive.application.seals.link_log import Target
from progressive.application.seals.witnessing import Standing
from progressive.domain.finance_events import DayClosed
from progressive.domain.guard_events import JournalPlace, SegmentsPurged
from progressive.domain.ids import LinkId
from progressive.domain.person_events import LinkRetired

log = logging.getLogger(__name__)

SEAL_SECONDS: Final = 60.0
STOP_SECONDS: Final = 5.0
"""How long a stop waits for the last seals: what is not sealed then is sealed after the next
start."""
ASK_SECONDS: Final = 2.0
"""How long a start waits for witnesses."""
TRIES_BEFORE_ALARM: Final = 3
SILENT_SECONDS: Final = 300.0
"""A witness that has not agreed for so long is an alarm."""

SEALED_AT_ONCE: Final = (LinkRetired, SegmentsPurged, DayClosed)
"""Types of acts behind which a journal is sealed without waiting for the minute: they end something
for good, and whoever signed them may leave with the seal. A new type only has to be added here."""

Asked = Literal["seal", "ask"]


class SealerUnavailableError(Exception):
    """The process that seals could not do what was asked."""


class WitnessNews(Struct, frozen=True):
    """What a witness has said of a link, or that it said nothing."""

    link: LinkId
    witness: str
    standing: Standing
    size: int = 0
    """What it has cosigned."""
    why: str = ""
    log: str = ""
    """Which log of the link it was asked about."""


class SealAnswer(Struct, frozen=True):
    """What became of a question."""

    size: int = 0
    """Records that are sealed."""
    hashed: int = 0
    done: bool = True
    """Whether all that was asked for is sealed; otherwise it goes on when it is asked again."""
    finding: str = ""
    """Why the journal is not the one that was sealed."""
    problem: str = ""
    """Why it could not be sealed now."""
    witnesses: tuple[WitnessNews, ...] = ()


class SealerPort(Protocol):
    """The process that seals. Raises SealerUnavailableError."""

    async def ask(self, do: Asked, target: Target, *, hurry: bool = False) -> SealAnswer:
        """Hash and seal up to the target, or ask the witnesses about what is sealed."""
        ...


class SealedLink(Struct, frozen=True, kw_only=True):
    """What sealing has to know of a link."""

    link: LinkId
    place: Callable[[], JournalPlace | None]
    """The newest durable record; None while there is a doubt about the journal."""
    sealed: Callable[[int], None]
    """So many records are sealed."""
    stop: Callable[[str], None]
    """The journal is not the one that was sealed: it must not go on."""


class WitnessStatus(Struct):
    """How one witness stands to one link."""

    agreed_monotonic: float
    """When it agreed last; the start of the process before."""
    size: int = 0
    failures: int = 0
    why: str = ""
    """Why it does not agree, or says nothing; empty while it agrees."""
    disagrees: bool = False
    refuses: bool = False


class LinkSealing(Struct):
    """How sealing stands with one link."""

    sealed_monotonic: float
    """When it was sealed last; the start of the process before the first."""
    size: int = 0
    hashed: int = 0
    failures: int = 0
    failures_in_a_row: int = 0
    finding: str = ""
    problem: str = ""
    head: str = ""
    """Hash of the last record that is sealed."""
    witnesses: dict[str, WitnessStatus] = {}


class Sealing:
    """The links of one store."""

    def __init__(
        self,
        links: Sequence[SealedLink],
        *,
        sealer: SealerPort,
        journal: JournalReader,
        clock: Clock,
        witnesses: Sequence[str] = (),
        period_seconds: float = SEAL_SECONDS,
    ) -> None:
        """`witnesses`: their names."""
        self._links = {each.link: each for each in links}
        self._sealer = sealer
        self._journal = journal
        self._clock = clock
        self._period_seconds = period_seconds
        self._stirred = asyncio.Event()
        self._turns = {each.link: asyncio.Lock() for each in links}
        """One question for each link at a time: of two under way the one about fewer records could
        be asked last, and would look like a tail that was cut off."""
        self._task: asyncio.Task[None] | None = None
        now = clock.monotonic()
        self.links: dict[LinkId, LinkSealing] = {
            each.link: LinkSealing(
                sealed_monotonic=now, witnesses={name: WitnessStatus(now) for name in witnesses}
            )
            for each in links
        }

    # --- what people should know -----------------------------------------------------------------

    @property
    def problem(self) -> str | None:
        """Why journals are not sealed; None while they are, or it is tried again soon."""
        found = [
            f"{link}: {of.finding or of.problem}"
            for link, of in self.links.items()
            if of.finding or of.failures_in_a_row >= TRIES_BEFORE_ALARM
        ]
        return "; ".join(found) or None

    @property
    def witness_problem(self) -> str | None:
        """Which witnesses disagree, or have been silent for long."""
        now = self._clock.monotonic()
        found = [
            f"{link}: {each.why or f'witness {name} has not answered'}"
            for link, of in self.links.items()
            for name, each in of.witnesses.items()
            if each.disagrees or each.refuses or now - each.agreed_monotonic > SILENT_SECONDS
        ]
        return "; ".join(found) or None

    # --- life ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to seal. The links have been taken over by then."""
        self._task = asyncio.create_task(self._run(), name="sealing")

    async def stop(self) -> None:
        """Seal the last records, within a limit. The links have written their last."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await asyncio.gather(*[self.seal_now(link, hurry=True) for link in self._links])
        except TimeoutError:
            log.warning("last records not sealed in time: the next start does it")

    def stir(self) -> None:
        """Something was recorded that does not wait for the minute."""
        self._stirred.set()

    async def seal_now(self, link: LinkId, *, hurry: bool = False) -> int:
        """Seal what is durable now; how many records are sealed then.

        For whoever has to hand out the seal. It waits for all that is not sealed yet: at the first
        seal of a long journal, long. Where sealing fails it returns what was sealed before.
        """
        while not await self._seal(link, hurry=hurry):
            pass
        return self.links[link].size

    async def look(self) -> None:
        """Every link that has something new, a part of each at a time."""
        waiting = list(self._links)
        while waiting:
            waiting = [link for link in waiting if not await self._seal(link)]

    def hear(self, news: WitnessNews) -> None:
        """A witness has answered, or has not."""
        of = self.links.get(news.link)
        if of is None or news.witness not in of.witnesses:
            return
        status = of.witnesses[news.witness]
        status.why, status.disagrees = news.why, news.standing == "disagrees"
        status.refuses = news.standing == "refuses"
        if news.standing == "agrees":
            status.size, status.agreed_monotonic = news.size, self._clock.monotonic()
            return
        status.failures += 1
        if status.disagrees:
            log.error("witness disagrees", extra={"link": news.link, "reason": news.why})
            self._links[news.link].stop(
                f"{news.why}. Put the right data back and start again, or start again and accept "
                "the loss"
            )

    # --- one link --------------------------------------------------------------------------------

    async def _seal(self, link: LinkId, *, hurry: bool = False) -> bool:
        """A part of what is to be done; whether that was all."""
        async with self._turns[link]:
            return await self._seal_part(link, hurry=hurry)

    async def _seal_part(self, link: LinkId, *, hurry: bool) -> bool:
        of, place = self.links[link], self._links[link].place()
        if place is None or place.head == of.head:
            return True
        try:
            name = await log_of(self._journal, link)
            target = Target(link, name, place.seq, place.head)
            answer = await self._sealer.ask("seal", target, hurry=hurry)
        except (StoreError, JournalBrokenError, SealerUnavailableError) as error:
            self._failed(link, of, str(error))
            return True
        return self._answered(link, of, target, answer)

    def _answered(self, link: LinkId, of: LinkSealing, target: Target, answer: SealAnswer) -> bool:
        of.hashed, of.finding = answer.hashed, ""
        for news in answer.witnesses:
            self.hear(news)
        if answer.finding:
            of.finding = answer.finding
            log.error("not as it was sealed", extra={"link": link, "reason": answer.finding})
            self._links[link].stop(answer.finding)
            return True
        if answer.problem:
            self._failed(link, of, answer.problem)
            return True
        of.failures_in_a_row, of.problem = 0, ""
        if not answer.done:
            return False
        of.head, of.size = target.head, answer.size
        of.sealed_monotonic = self._clock.monotonic()
        self._links[link].sealed(answer.size)
        return True

    def _failed(self, link: LinkId, of: LinkSealing, why: str) -> None:
        of.failures += 1
        of.failures_in_a_row += 1
        of.problem = f"not sealed: {why}"
        log.error("sealing failed", extra={"link": link, "reason": why})

    async def _run(self) -> None:
        while True:
            self._stirred.clear()
            try:
                await self.look()
            except Exception:
                # A bug in what only watches must not end the watching.
                log.exception("sealing failed")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._period_seconds):
                    await self._stirred.wait()


async def ask_witnesses(
    sealer: SealerPort, journal: JournalReader, links: Sequence[LinkId]
) -> Mapping[LinkId, Sequence[WitnessNews]]:
    """What the witnesses say of what is sealed, before a link opens; nothing of a silent one."""

    async def of(link: LinkId) -> Sequence[WitnessNews]:
        end = await journal.journal_end(link)
        name = await log_of(journal, link)
        answer = await sealer.ask("ask", Target(link, name, end.seq, end.head), hurry=True)
        return answer.witnesses

    said = await asyncio.gather(*[_or_nothing(of(each)) for each in links])
    return dict(zip(links, said, strict=True))


async def _or_nothing(asked: Awaitable[Sequence[WitnessNews]]) -> Sequence[WitnessNews]:
    """What cannot be asked now is said by the link itself, or by the next seal."""
    try:
        return await asked
    except (StoreError, JournalBrokenError, SealerUnavailableError) as error:
        log.error("witnesses not asked", extra={"reason": str(error)})
        return ()
