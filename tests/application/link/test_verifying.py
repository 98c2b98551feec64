"""What is found in the past stops the link it is about; what could not be found out stops none."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from progressive.adapters.kept_findings import FileFindings
from progressive.adapters.memory.committed import ProcessMemory
from progressive.adapters.memory.journal import MemoryStore
from progressive.application.link.guard import LinkGuard
from progressive.application.link.verifying import (
    AGAIN_SECONDS,
    REOPENS,
    VERIFY_SECONDS,
    CannotVerifyError,
    PastFindings,
    Verifying,
)
from progressive.domain.ids import LinkId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.state.link_state import Receipt
from tests.support.awards import CARA, FRED
from tests.support.builders import LINK, WAIT_SECONDS, Desk, a_desk, a_link, a_lock, a_settle
from tests.support.fake_clock import FakeClock
from tests.support.faulty_store import FaultyStore

SIDE = LinkId("side")
DAMAGED = PastFindings(links={LINK: "segments/main/000003 is damaged"})


class Told:
    """A verifier that finds what it is told to."""

    def __init__(
        self,
        hashes: PastFindings | CannotVerifyError = PastFindings(),  # noqa: B008 - frozen
        audit: PastFindings | CannotVerifyError = PastFindings(),  # noqa: B008 - frozen
    ) -> None:
        self._hashes = hashes
        self._audit = audit
        self.asked: list[str] = []

    async def hashes(self) -> PastFindings:
        self.asked.append("hashes")
        return self._given(self._hashes)

    async def audit(self) -> PastFindings:
        self.asked.append("audit")
        return self._given(self._audit)

    def _given(self, what: PastFindings | CannotVerifyError) -> PastFindings:
        if isinstance(what, CannotVerifyError):
            raise what
        return what


def watching(*desks: Desk) -> Verifying:
    workers = {desk.worker.rules.id: desk.worker for desk in desks}
    return Verifying(workers, verifier=None, clock=FakeClock())


async def test_past_without_a_finding_leaves_the_link_alone() -> None:
    async with a_desk(MemoryStore()) as desk:
        verifying, told = watching(desk), Told()
        assert await verifying.look(told)
        assert told.asked == ["hashes", "audit"]
        assert isinstance((await desk.ask(a_lock(1))).answer, Receipt)
        assert verifying.last is not None
        assert (verifying.last.findings, verifying.problem) == (0, None)


@pytest.mark.parametrize("told", [Told(hashes=DAMAGED), Told(audit=DAMAGED)])
async def test_finding_about_a_link_stops_this_link_only(told: Told) -> None:
    async with a_desk(MemoryStore()) as desk, a_desk(MemoryStore(), a_link(id=SIDE)) as side:
        await desk.ask(a_lock(1))
        verifying = watching(desk, side)
        await verifying.look(told)
        refused = (await desk.ask(a_settle(2))).answer
        assert isinstance(refused, Refusal)
        assert refused.code is Rejection.LINK_INOPERABLE
        assert refused.message == "the journal's past is damaged: segments/main/000003 is damaged"
        # What was answered is still known: the same message gets the same answer.
        assert isinstance((await desk.ask(a_lock(1))).answer, Receipt)
        assert isinstance((await side.ask(a_lock(1))).answer, Receipt)
        assert verifying.last is not None
        assert verifying.last.findings == 1


async def test_bytes_are_read_again_while_an_audit_takes_days() -> None:
    """What is damaged meanwhile stops the link then, and not at the end of the audit."""

    class Long(Told):
        ended = asyncio.Event()

        async def hashes(self) -> PastFindings:
            await super().hashes()
            again = self.asked.count("hashes") == 3
            if again:
                self.ended.set()
            return DAMAGED if again else PastFindings()

        async def audit(self) -> PastFindings:
            await super().audit()
            await self.ended.wait()
            return PastFindings()

    async with a_desk(MemoryStore()) as desk:
        workers, told = {LINK: desk.worker}, Long()
        verifying = Verifying(workers, verifier=None, clock=FakeClock(), hash_seconds=0)
        assert await verifying.look(told)
        assert told.asked == ["hashes", "audit", "hashes", "hashes"]
        assert isinstance((await desk.ask(a_lock(1))).answer, Refusal)


async def test_audit_ends_with_a_look_that_is_broken_off() -> None:
    class Broken(Told):
        ended = False

        async def hashes(self) -> PastFindings:
            await super().hashes()
            if len(self.asked) > 1:
                raise CannotVerifyError("killed")
            return PastFindings()

        async def audit(self) -> PastFindings:
            await super().audit()
            try:
                return await asyncio.Future()
            finally:
                self.ended = True

    async with a_desk(MemoryStore()) as desk:
        workers, told = {LINK: desk.worker}, Broken()
        verifying = Verifying(workers, verifier=None, clock=FakeClock(), hash_seconds=0)
        assert not await verifying.look(told)
        assert told.ended


async def test_finding_about_the_file_stops_every_link_of_it() -> None:
    async with a_desk(MemoryStore()) as desk, a_desk(MemoryStore(), a_link(id=SIDE)) as side:
        await watching(desk, side).look(Told(audit=PastFindings(file="a page is torn")))
        for each in (desk, side):
            refused = (await each.ask(a_lock(1))).answer
            assert isinstance(refused, Refusal)
            assert refused.message == "the journal's past is damaged: a page is torn"


async def test_process_that_fails_is_an_alarm_and_stops_nothing() -> None:
    async with a_desk(MemoryStore()) as desk:
        verifying = watching(desk)
        assert not await verifying.look(Told(audit=CannotVerifyError("killed")))
        assert verifying.problem == "the past of the journal could not be verified: killed"
        assert verifying.last is None
        assert isinstance((await desk.ask(a_lock(1))).answer, Receipt)
        assert verifying.pause_seconds(finished=False) == AGAIN_SECONDS
        assert await verifying.look(Told())
        assert verifying.problem is None
        assert verifying.pause_seconds(finished=True) == VERIFY_SECONDS


@pytest.mark.parametrize(
    ("findings", "says"),
    [
        (PastFindings(others=("the act log: record 4 was changed",)), "the act log: record 4"),
        (PastFindings(links={LinkId("gone"): "cut"}), "the journal of gone, which is not in the"),
    ],
)
async def test_what_concerns_no_link_of_the_floor_is_an_alarm(
    findings: PastFindings, says: str
) -> None:
    async with a_desk(MemoryStore()) as desk:
        verifying = watching(desk)
        await verifying.look(Told(audit=findings))
        assert (verifying.problem or "").startswith(says)
        # Once somebody has mended it, the alarm does not stay for the rest of the day.
        assert verifying.pause_seconds(finished=True) == AGAIN_SECONDS
        assert isinstance((await desk.ask(a_lock(1))).answer, Receipt)


async def test_link_whose_disk_fails_does_not_come_back_over_a_finding() -> None:
    """It looks every second whether its store works again: by then its past is known to be bad."""
    store = FaultyStore(MemoryStore())
    clock = FakeClock()
    async with a_desk(store, clock=clock) as desk:
        await desk.ask(a_lock(1))
        store.fail_every_append()
        assert isinstance((await desk.ask(a_settle(2))).answer, Refusal)
        await watching(desk).look(Told(hashes=DAMAGED))
        store.heal()
        opens = store.opens
        clock.advance(10)
        refused = (await desk.ask(a_settle(2))).answer
        assert isinstance(refused, Refusal)
        assert "past is damaged" in refused.message
        assert store.opens == opens


async def test_running_commit_ends_before_the_link_stops() -> None:
    store = FaultyStore(MemoryStore())
    async with a_desk(store) as desk:
        store.gate = asyncio.Event()
        answers = desk.send(a_lock(1))
        await store.waiting.wait()
        await watching(desk).look(Told(hashes=DAMAGED))
        store.gate.set()
        assert isinstance((await answers.wait_for(1))[0].answer, Receipt)
        assert isinstance((await desk.ask(a_settle(2))).answer, Refusal)


# --- over restarts -------------------------------------------------------------------------------


def restarted(desk: Desk, data: Path) -> Verifying:
    return Verifying({LINK: desk.worker}, verifier=None, clock=FakeClock(), kept=FileFindings(data))


async def test_link_with_a_finding_is_closed_from_the_next_start_on(tmp_path: Path) -> None:
    store = MemoryStore()
    async with a_desk(store) as desk:
        await restarted(desk, tmp_path).look(Told(hashes=DAMAGED))
    async with a_desk(store, started=False) as desk:
        verifying = restarted(desk, tmp_path)
        await verifying.recall()
        await desk.worker.start()
        refused = (await desk.ask(a_lock(1))).answer
        assert isinstance(refused, Refusal)
        assert refused.message.startswith(
            "the journal's past is damaged: segments/main/000003 is damaged (found at "
        )
        assert REOPENS in refused.message
        # Nothing was found out: that is no reason to open it.
        await verifying.look(Told(audit=CannotVerifyError("killed")))
        assert desk.worker.view.state == "inoperable"
        # Still there: the reason is what was found now.
        await verifying.look(Told(audit=DAMAGED))
        assert desk.worker.view.reason == (
            "the journal's past is damaged: segments/main/000003 is damaged"
        )
        # Stopped by this process: somebody looks at it and starts again.
        await verifying.look(Told())
        assert desk.worker.view.state == "inoperable"


async def test_damage_that_other_work_met_is_a_finding_too(tmp_path: Path) -> None:
    store = MemoryStore()
    async with a_desk(store) as desk:
        await restarted(desk, tmp_path).damaged(LINK, "record 6 is another one")
        refused = (await desk.ask(a_lock(1))).answer
        assert isinstance(refused, Refusal)
        assert refused.message == "the journal's past is damaged: record 6 is another one"
    async with a_desk(store, started=False) as desk:
        await restarted(desk, tmp_path).recall()
        await desk.worker.start()
        assert "record 6 is another one (found at " in (desk.worker.view.reason or "")


async def test_link_opens_when_its_past_is_whole_again(tmp_path: Path) -> None:
    store = MemoryStore()
    async with a_desk(store) as desk:
        await restarted(desk, tmp_path).look(Told(hashes=DAMAGED))
    (tmp_path / "findings" / f"{LINK}.json").write_text("torn")
    async with a_desk(store, started=False) as desk:
        verifying = restarted(desk, tmp_path)
        await verifying.recall()
        await desk.worker.start()
        assert "findings/main.json" in (desk.worker.view.reason or "")
        await verifying.look(Told())
        async with asyncio.timeout(60):
            while desk.worker.view.state != "live":
                await asyncio.sleep(0)
        assert isinstance((await desk.ask(a_lock(1))).answer, Receipt)
        assert list((tmp_path / "findings").iterdir()) == []


# --- records that are gone ----------------------------------------------------------------------

MISSING = PastFindings(links={LINK: "record 1: missing: the journal ends at 0"})


@asynccontextmanager
async def a_lossy_desk() -> AsyncIterator[Desk]:
    """A link whose journal is gone, and which stands still because of it."""
    memory = ProcessMemory()
    async with a_desk(
        MemoryStore(), guard=LinkGuard(LINK, memory, floor_links=frozenset({LINK}))
    ) as desk:
        await desk.ask(a_lock(1))
        mark = desk.worker.mark
        assert mark is not None
        await memory.remember(mark)
    async with a_desk(
        MemoryStore(), guard=LinkGuard(LINK, memory, floor_links=frozenset({LINK}))
    ) as desk:
        assert "is gone" in (desk.worker.view.reason or "")
        yield desk


async def accept_loss(desk: Desk) -> None:
    for each in (CARA, FRED):
        assert await desk.worker.accept_loss(each, "the disk burnt") is None


async def test_loss_can_still_be_accepted_after_it_was_found() -> None:
    """People take hours; the first look at the past comes seconds after the start."""
    async with a_lossy_desk() as desk:
        await watching(desk).look(Told(audit=MISSING))
        await accept_loss(desk)
        assert isinstance((await desk.ask(a_lock(1))).answer, Receipt)


async def test_loss_can_be_accepted_after_other_work_met_damage(tmp_path: Path) -> None:
    async with a_lossy_desk() as desk:
        await restarted(desk, tmp_path).damaged(LINK, "record 6 is another one")
        assert not (tmp_path / "findings").exists()
        await accept_loss(desk)
        assert isinstance((await desk.ask(a_lock(1))).answer, Receipt)


async def test_loss_that_is_accepted_while_the_past_is_read_does_not_stop_the_link() -> None:
    async with a_lossy_desk() as desk:

        class AcceptedMeanwhile(Told):
            async def audit(self) -> PastFindings:
                await accept_loss(desk)
                return MISSING

        await watching(desk).look(AcceptedMeanwhile())
        assert isinstance((await desk.ask(a_lock(1))).answer, Receipt)


async def test_past_is_read_again_as_soon_as_a_loss_is_accepted() -> None:
    """Damage beside the loss would not be found before the next day."""
    async with a_lossy_desk() as desk:
        looked = asyncio.Event()

        class Looking(Told):
            async def audit(self) -> PastFindings:
                looked.set()
                return MISSING if desk.worker.lacks_records else DAMAGED

        verifying = Verifying(
            {LINK: desk.worker}, verifier=Looking(), clock=FakeClock(), first_seconds=0
        )
        verifying.start()
        async with asyncio.timeout(WAIT_SECONDS):
            await looked.wait()
            await accept_loss(desk)
            stopped = await desk.published.wait_for_state("inoperable")
        assert "is damaged" in (stopped.reason or "")
        await verifying.stop()
