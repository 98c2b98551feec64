"""When journals are sealed, and in which order the process that seals is asked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.ports import JournalEnd
from progressive.application.journal.record import hash_record
from progressive.application.seals.link_log import SealFindingError, Target
from progressive.application.seals.sealing import (
    SILENT_SECONDS,
    TRIES_BEFORE_ALARM,
    Asked,
    SealAnswer,
    SealedLink,
    SealerUnavailableError,
    Sealing,
    WitnessNews,
)
from progressive.application.seals.witnessing import Standing
from progressive.domain.guard_events import JournalPlace
from progressive.domain.ids import LinkId
from tests.support.fake_clock import FakeClock
from tests.support.sealed import MAIN, ListedJournal
from tests.support.sealed import SealedLink as SealedFolder

ANSWER_SECONDS = 30
"""A safety net for a hung test, never a measure of speed."""
NEVER = 1e9
"""Seconds until the next look that nobody asked for."""


class SealerHere:
    """The log itself, in this process; what it has to say of a target is what it always says."""

    def __init__(self, folder: SealedFolder) -> None:
        self._log = folder.opened()
        self.asked: list[int] = []
        self.gone = False

    async def ask(self, do: Asked, target: Target, *, hurry: bool = False) -> SealAnswer:
        del do, hurry
        if self.gone:
            raise SealerUnavailableError("the process that seals ended (exit code 1)")
        self.asked.append(target.seq)
        try:
            done = self._log.advance(target, records_max=10**9)
        except SealFindingError as error:
            return SealAnswer(done=False, finding=str(error))
        return SealAnswer(self._log.size, self._log.hashed, done)


class SlowOnce(MemoryStore):
    """A disk that does not answer one question, until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()

    async def journal_end(self, link: LinkId) -> JournalEnd:
        del link
        if not self.asked.is_set():
            self.asked.set()
            await self.go_on.wait()
        return JournalEnd(0, "")


class Desk:
    """One link, whose journal grows when a test says so."""

    def __init__(self, tmp_path: Path, journal: MemoryStore) -> None:
        self.records = ListedJournal(12)
        self.sealer = SealerHere(SealedFolder(tmp_path / "data", self.records))
        self.stopped: list[str] = []
        self.clock = FakeClock()
        self.sealed: asyncio.Queue[int] = asyncio.Queue()
        self.sealing = Sealing(
            [
                SealedLink(
                    link=MAIN,
                    place=self.place,
                    sealed=self.sealed.put_nowait,
                    stop=self.stopped.append,
                )
            ],
            sealer=self.sealer,
            journal=journal,
            clock=self.clock,
            witnesses=["regulator"],
            period_seconds=NEVER,
        )

    def place(self) -> JournalPlace:
        last = self.records.records[-1]
        return JournalPlace(1, len(self.records.records), hash_record(last), "")


@asynccontextmanager
async def sealing(desk: Desk) -> AsyncIterator[Sealing]:
    async with asyncio.timeout(ANSWER_SECONDS):
        desk.sealing.start()
        try:
            yield desk.sealing
        finally:
            await desk.sealing.stop()


async def test_what_must_not_wait_is_sealed_without_the_minute(tmp_path: Path) -> None:
    desk = Desk(tmp_path, MemoryStore())
    async with sealing(desk) as running:
        assert await desk.sealed.get() == 12
        desk.records.add("link_retired")
        running.stir()
        assert await desk.sealed.get() == 13
        assert running.links[MAIN].size == 13


async def test_what_is_said_while_it_seals_is_not_forgotten(tmp_path: Path) -> None:
    journal = SlowOnce()
    desk = Desk(tmp_path, journal)
    async with sealing(desk) as running:
        await journal.asked.wait()
        desk.records.add("link_retired")
        running.stir()
        journal.go_on.set()
        assert [await desk.sealed.get(), await desk.sealed.get()] == [12, 13]


async def test_a_journal_that_grew_between_two_questions_is_no_cut_tail(tmp_path: Path) -> None:
    """Both are under way: the older one must not come to the process behind the newer one."""
    journal = SlowOnce()
    desk = Desk(tmp_path, journal)
    async with asyncio.timeout(ANSWER_SECONDS):
        first = asyncio.create_task(desk.sealing.seal_now(MAIN))
        await journal.asked.wait()
        desk.records.add()
        second = asyncio.create_task(desk.sealing.seal_now(MAIN))
        # Far more turns than it takes: nothing here waits for a disk or another process.
        for _ in range(100):
            await asyncio.sleep(0)
        journal.go_on.set()
        sealed = await asyncio.gather(first, second)
    assert desk.stopped == []
    assert sealed == [12, 13]
    assert desk.sealer.asked == sorted(desk.sealer.asked)
    assert desk.sealing.problem is None


# --- alarms ------------------------------------------------------------------------------------


async def test_sealing_that_fails_again_and_again_is_an_alarm_until_it_works(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path, MemoryStore())
    desk.sealer.gone = True
    for _ in range(TRIES_BEFORE_ALARM - 1):
        assert await desk.sealing.seal_now(MAIN) == 0
        assert desk.sealing.problem is None
    await desk.sealing.look()
    assert desk.sealing.problem == ("main: not sealed: the process that seals ended (exit code 1)")
    desk.sealer.gone = False
    assert await desk.sealing.seal_now(MAIN) == 12
    assert desk.sealing.problem is None
    assert desk.stopped == []


async def test_a_journal_that_is_not_the_sealed_one_stops_its_link(tmp_path: Path) -> None:
    desk = Desk(tmp_path, MemoryStore())
    assert await desk.sealing.seal_now(MAIN) == 12
    del desk.records.records[9:]
    await desk.sealing.look()
    [reason] = desk.stopped
    assert "12 records are sealed, the journal ends at 9" in reason
    assert desk.sealing.problem is not None


def news(standing: Standing, why: str = "") -> WitnessNews:
    return WitnessNews(MAIN, "regulator", standing, 12, why)


async def test_a_silent_witness_is_an_alarm_after_a_while(tmp_path: Path) -> None:
    desk = Desk(tmp_path, MemoryStore())
    desk.sealing.hear(news("agrees"))
    desk.clock.advance(SILENT_SECONDS)
    assert desk.sealing.witness_problem is None
    desk.sealing.hear(news("silent", "witness regulator cannot be reached"))
    desk.clock.advance(1)
    assert desk.sealing.witness_problem == "main: witness regulator cannot be reached"
    desk.sealing.hear(news("agrees"))
    assert desk.sealing.witness_problem is None
    assert desk.stopped == []


async def test_a_witness_that_follows_another_key_is_an_alarm_at_once(tmp_path: Path) -> None:
    """It cannot tell a key that was changed from a journal written again: people have to look."""
    desk = Desk(tmp_path, MemoryStore())
    desk.sealing.hear(news("refuses", "witness regulator follows this log under another key"))
    assert desk.sealing.witness_problem == (
        "main: witness regulator follows this log under another key"
    )
    assert desk.stopped == []
    desk.sealing.hear(news("agrees"))
    assert desk.sealing.witness_problem is None


async def test_a_witness_that_disagrees_is_an_alarm_at_once_and_stops_the_link(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path, MemoryStore())
    desk.sealing.hear(news("disagrees", "witness regulator refuses the journal"))
    assert desk.sealing.witness_problem == "main: witness regulator refuses the journal"
    [reason] = desk.stopped
    assert reason.startswith("witness regulator refuses the journal. Put the right data back")
