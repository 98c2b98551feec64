"""Archiving beside a working link: days become segments, nothing waits, faults are tried again."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.segments.job import Job
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.archiving import (
    OPEN_RECORDS_ALARM,
    PAUSE_SECONDS,
    PAUSE_SECONDS_MAX,
    TRIES_BEFORE_ALARM,
    ArchivedLink,
    Archiving,
)
from progressive.application.journal.cut import Cut, CutLimits
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.ports import StoreError, StoreUnavailableError
from progressive.application.journal.record import ChainCheck
from progressive.application.journal.segments import Segment
from progressive.application.link.owned_link import gaming_days
from progressive.application.link.purge import Proposal, Purges
from progressive.domain.ids import LinkId
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.house_terms import HouseTerms
from progressive.domain.rulebook.retention import Retention
from progressive.domain.rulebook.rules import LinkRules
from progressive.entry import archiver
from tests.support.awards import CARA
from tests.support.builders import LINK, WAIT_SECONDS, Desk, a_link, a_lock, a_settle, kill
from tests.support.fake_clock import FakeClock
from tests.support.faulty_store import FaultyStore

DAY_SECONDS = 86_400.0


def a_floor() -> LinkRules:
    rules = a_link()
    house = HouseTerms(time_zone="America/New_York", gaming_day_starts="06:00")
    return structs.replace(rules, terms=structs.replace(rules.terms, house=house))


class InThisProcess:
    """`Archiver`: the real writer, without a process of its own; it can be made to fail."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self.cuts: list[Cut] = []
        self.fails: StoreError | None = None

    async def archive(self, cut: Cut, *, last_seq_max: int) -> Segment:
        self.cuts.append(cut)
        if self.fails is not None:
            raise self.fails
        return await asyncio.to_thread(archiver.archive, Job(str(self._data), cut, last_seq_max))


class Pit:
    """A link that works, its store, and the archiving beside it."""

    def __init__(self, data: Path, limits: CutLimits = CutLimits()) -> None:  # noqa: B008 - frozen
        self.data = data
        self.clock = FakeClock()
        self.store = SqliteStore(data)
        self.rules = a_floor()
        self.archiver = InThisProcess(data)
        self.limits = limits
        self.seq = 0
        self.damages: list[str] = []

    async def damaged(self, why: str) -> None:
        self.damages.append(why)
        self.desk.worker.stop_for_good_soon(why)

    async def start(self) -> None:
        self.desk = Desk(self.rules, self.store, self.clock)
        await self.desk.worker.start()
        worker = self.desk.worker
        self.archiving = Archiving(
            [
                ArchivedLink(
                    link=LINK,
                    days=gaming_days(self.rules),
                    epoch=lambda: None if worker.archivable is None else worker.archivable.epoch,
                    end_day_soon=worker.end_day_soon,
                    damaged=self.damaged,
                )
            ],
            store=self.store,
            archiver=self.archiver,
            clock=self.clock,
            limits=self.limits,
        )
        worker.on_checkpoint = self.archiving.stir

    async def play(self, messages: int, *, seconds: float = 1.0) -> None:
        for _ in range(messages):
            self.seq += 1
            self.clock.advance(seconds)
            await self.desk.ask(a_lock(self.seq) if self.seq % 2 else a_settle(self.seq))

    async def segments(self) -> list[Segment]:
        return list(await self.store.segments(LINK))

    async def lines(self) -> list[bytes]:
        return [stored async for chunk in self.store.read(LINK) for stored in chunk]

    async def is_whole(self) -> None:
        """Every record once, in order, and every segment of one gaming day."""
        chain = ChainCheck()
        lines = await self.lines()
        for line in lines:
            chain.feed(line)
        end = await self.store.journal_end(LINK)
        assert (chain.seq, chain.head) == (end.seq, end.head)
        days = gaming_days(self.rules)
        files = SegmentFiles(self.data)
        for segment in await self.segments():
            files.check_hash(segment)
            stored = lines[segment.first_seq - 1 : segment.last_seq]
            assert {days.day_of(msgspec.json.decode(line)["at"]) for line in stored} == {
                segment.day
            }

    def live_batches(self) -> int:

        with closing(sqlite3.connect(self.data / "journal.sqlite3")) as db:
            count: int = db.execute("SELECT count(*) FROM batch").fetchone()[0]
            return count


@asynccontextmanager
async def a_pit(data: Path, limits: CutLimits = CutLimits()) -> AsyncIterator[Pit]:  # noqa: B008 - frozen
    pit = Pit(data, limits)
    await pit.start()
    try:
        yield pit
    finally:
        async with asyncio.timeout(WAIT_SECONDS):
            await pit.desk.worker.stop()
        await pit.store.close()


# --- days ---------------------------------------------------------------------------------------


async def test_a_day_that_goes_on_stays_open(tmp_path: Path) -> None:
    async with a_pit(tmp_path) as pit:
        await pit.play(20)
        await pit.archiving.look()
        assert pit.archiver.cuts == []
        assert pit.archiving.archives[LINK].open_records == 21


async def test_every_day_becomes_a_segment_of_its_own(tmp_path: Path) -> None:
    async with a_pit(tmp_path) as pit:
        for _ in range(4):
            await pit.play(20)
            pit.clock.advance(DAY_SECONDS)
        await pit.play(2)
        await pit.archiving.look()
        segments = await pit.segments()
        assert [segment.day for segment in segments] == [
            *("2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04")
        ]
        assert all(segment.state is not None for segment in segments)
        assert [segment.last_seq for segment in segments] == [21, 42, 63, 84]
        await pit.is_whole()
        # What lies in a segment has left the journal file: a checkpoint and two messages are open.
        assert pit.live_batches() == 3
        assert pit.archiving.archives[LINK].open_records == 3
        archive = pit.archiving.archives[LINK]
        assert archive.segments == 4
        assert archive.segment_bytes == sum(segment.records.bytes for segment in segments)


async def test_an_idle_link_is_archived_when_its_day_is_over(tmp_path: Path) -> None:
    async with a_pit(tmp_path) as pit:
        await pit.play(20)
        pit.clock.advance(DAY_SECONDS)
        pit.archiving.start()
        async with asyncio.timeout(WAIT_SECONDS):
            # Its look asks for a checkpoint, and the checkpoint has it look again.
            while not await pit.segments():
                await asyncio.sleep(0)
        await pit.archiving.stop()
        assert [segment.last_seq for segment in await pit.segments()] == [21]
        # Days without a record make no segments.
        for _ in range(3):
            pit.clock.advance(DAY_SECONDS)
            await pit.archiving.look()
        assert len(await pit.segments()) == 1
        await pit.is_whole()


@pytest.mark.slow
async def test_a_large_day_is_cut_at_a_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("progressive.application.link.appender.CHECKPOINT_EVERY", 10)
    async with a_pit(tmp_path, CutLimits(records=20, records_max=24)) as pit:
        await pit.play(100)
        await pit.archiving.look()
        segments = await pit.segments()
        assert len(segments) >= 4
        assert {segment.day for segment in segments} == {"2026-01-01"}
        assert all(segment.state is not None for segment in segments)
        assert all(segment.last_seq - segment.first_seq < 24 for segment in segments)
        await pit.is_whole()


async def test_a_start_after_archiving_goes_on(tmp_path: Path) -> None:
    async with a_pit(tmp_path) as pit:
        await pit.play(20)
        pit.clock.advance(DAY_SECONDS)
        await pit.play(5)
        await pit.archiving.look()
        state = pit.desk.state()
        await kill(pit.desk)
        await pit.start()
        assert pit.desk.worker.view.state == "live", pit.desk.worker.view.reason
        assert pit.desk.state().balances == state.balances
        pit.clock.advance(DAY_SECONDS)
        await pit.play(5)
        await pit.archiving.look()
        assert len(await pit.segments()) == 2
        await pit.is_whole()


async def test_play_goes_on_while_a_segment_is_written(tmp_path: Path) -> None:
    async with a_pit(tmp_path) as pit:
        for _ in range(3):
            await pit.play(40)
            pit.clock.advance(DAY_SECONDS)
        await pit.play(2)
        looking = asyncio.create_task(pit.archiving.look())
        while not looking.done():
            await pit.play(1, seconds=0.0)
        await looking
        assert len(await pit.segments()) == 3
        await pit.is_whole()


# --- faults -------------------------------------------------------------------------------------


async def test_a_failure_is_tried_again_after_growing_pauses_and_becomes_an_alarm(
    tmp_path: Path,
) -> None:
    async with a_pit(tmp_path) as pit:
        await pit.play(20)
        pit.clock.advance(DAY_SECONDS)
        await pit.play(2)
        pit.archiver.fails = StoreUnavailableError("no room")
        archive = pit.archiving.archives[LINK]
        pauses = []
        for tries in range(1, 12):
            await pit.archiving.look()
            assert archive.failures == len(pit.archiver.cuts) == tries
            pause = archive.retry_at - pit.clock.monotonic()
            pauses.append(pause)
            assert (pit.archiving.problem is not None) == (tries >= TRIES_BEFORE_ALARM)
            # Not before its time.
            pit.clock.advance(pause - 1.0)
            await pit.archiving.look()
            assert archive.failures == tries
            pit.clock.advance(1.0)
        assert pauses[:3] == [PAUSE_SECONDS, 2 * PAUSE_SECONDS, 4 * PAUSE_SECONDS]
        assert pauses[-1] == PAUSE_SECONDS_MAX
        assert pit.archiving.problem == f"{LINK}: not archived: no room"
        pit.archiver.fails = None
        await pit.archiving.look()
        assert pit.archiving.problem is None
        assert len(await pit.segments()) == 1
        await pit.is_whole()


async def test_a_foreign_file_in_the_way_is_named_and_left_alone(tmp_path: Path) -> None:
    async with a_pit(tmp_path) as pit:
        await pit.play(20)
        pit.clock.advance(DAY_SECONDS)
        await pit.play(2)
        folder = SegmentFiles(tmp_path).of_link(LINK)
        folder.mkdir(parents=True)
        foreign = folder / "000001-2026-01-01.jsonl.gz"
        foreign.write_bytes(b"not ours")
        for _ in range(TRIES_BEFORE_ALARM):
            await pit.archiving.look()
            pit.clock.advance(PAUSE_SECONDS_MAX)
        problem = pit.archiving.problem
        assert problem is not None
        assert foreign.name in problem
        assert foreign.read_bytes() == b"not ours"
        assert await pit.segments() == []
        foreign.rename(tmp_path / "moved")
        await pit.archiving.look()
        assert pit.archiving.problem is None
        await pit.is_whole()


async def test_segments_of_a_future_that_was_lost_are_neither_adopted_nor_overwritten(
    tmp_path: Path,
) -> None:
    """An older copy of the journal file was put back beside the files of segments closed since."""
    data, older = tmp_path / "data", tmp_path / "older"
    data.mkdir()
    async with a_pit(data) as pit:
        await pit.play(20)
        pit.clock.advance(DAY_SECONDS)
        await pit.play(2)
        await pit.archiving.look()
        with closing(sqlite3.connect(data / "journal.sqlite3")) as db:
            db.execute("VACUUM INTO ?", (str(older),))
        await pit.play(40)
        pit.clock.advance(DAY_SECONDS)
        await pit.play(2)
        await pit.archiving.look()
        assert len(await pit.segments()) == 2
    for path in data.glob("journal.sqlite3*"):
        path.unlink()
    older.rename(data / "journal.sqlite3")
    folder = SegmentFiles(data).of_link(LINK)
    lost = {path: path.read_bytes() for path in folder.iterdir() if path.name[:6] == "000002"}
    assert len(lost) == 3
    async with a_pit(data) as pit:
        pit.clock.advance(DAY_SECONDS + 100)
        pit.seq = 22
        for messages in (10, 60):
            # First shorter than the lost segment, then longer.
            await pit.play(messages)
            pit.clock.advance(DAY_SECONDS)
            await pit.play(2)
            for _ in range(TRIES_BEFORE_ALARM):
                await pit.archiving.look()
                pit.clock.advance(PAUSE_SECONDS_MAX)
            problem = pit.archiving.problem
            assert problem is not None
            assert "segments/main/000002-" in problem
            assert "belongs to no segment of the journal" in problem
            assert len(await pit.segments()) == 1
            assert {path: path.read_bytes() for path in lost} == lost
            await pit.is_whole()
        for path in lost:
            path.rename(tmp_path / path.name)
        await pit.archiving.look()
        assert pit.archiving.problem is None
        assert len(await pit.segments()) == 3
        await pit.is_whole()


async def test_a_bug_about_one_link_is_an_alarm_and_the_others_are_looked_at(
    tmp_path: Path,
) -> None:
    async with a_pit(tmp_path) as pit:
        await pit.play(20)
        pit.clock.advance(DAY_SECONDS)
        await pit.play(2)
        (link,) = pit.archiving._links
        broken = LinkId("broken")

        def epoch() -> int:
            raise KeyError("a bug")

        archiving = Archiving(
            [structs.replace(link, link=broken, epoch=epoch), link],
            store=pit.store,
            archiver=pit.archiver,
            clock=pit.clock,
        )
        for tries in range(1, TRIES_BEFORE_ALARM + 1):
            await archiving.look()
            assert archiving.archives[broken].failures == tries
            pit.clock.advance(PAUSE_SECONDS_MAX)
        assert len(await pit.segments()) == 1
        assert archiving.problem == "broken: not archived: 'a bug'"


async def test_a_day_that_goes_back_is_not_purged_over_the_one_before_it(tmp_path: Path) -> None:
    """The floor file's day was made to begin later: a segment is of a day before the one before."""
    async with a_pit(tmp_path) as pit:
        (link,) = pit.archiving._links
        for days in (
            GamingDays.of("Pacific/Kiritimati", "00:00"),
            GamingDays.of("Pacific/Honolulu", "23:00"),
            link.days,
        ):
            await pit.play(20)
            pit.clock.advance(DAY_SECONDS)
            await pit.play(2)
            pit.archiving._links = [structs.replace(link, days=days)]
            await pit.archiving.look()
        assert [each.day for each in await pit.segments()] == [
            "2026-01-02",
            "2026-01-01",
            "2026-01-03",
        ]
        purges = Purges(pit.store, retention=Retention(journal_days=0), clock=pit.clock)
        refused = await purges.ask(pit.desk.worker, CARA, "too old", "2026-01-01")
        assert isinstance(refused, Refusal)
        assert "the oldest one left is of 2026-01-02" in refused.message
        proposed = await purges.ask(pit.desk.worker, CARA, "too old", "2026-01-02")
        assert isinstance(proposed, Proposal)
        assert [each.number for each in proposed.segments] == [1, 2]


@pytest.mark.slow
async def test_a_crash_before_adoption_and_one_while_trimming(tmp_path: Path) -> None:
    async with a_pit(tmp_path) as pit:
        await pit.play(200)
        pit.clock.advance(DAY_SECONDS)
        await pit.play(2)
        # Written and proved; the service was killed before it adopted it.
        cut = Cut(link=LINK, day="2026-01-01", last_seq=201)
        done = await pit.archiver.archive(cut, last_seq_max=201)
        assert await pit.segments() == []
        # A later start, which adopts it and is killed while it trims.
        opened = pit.desk.worker.archivable
        assert opened is not None
        await pit.store.adopt_segment(done, epoch=opened.epoch)
        assert await pit.store.trim(LINK, batches_max=5)
        await pit.is_whole()
        await pit.archiving.look()
        assert await pit.segments() == [done]
        assert pit.live_batches() == 3
        await pit.is_whole()


async def left_behind(pit: Pit, *, removed: int = 5) -> None:
    """A day's segment is adopted, some of its batches removed, and the service killed."""
    await pit.play(20)
    pit.clock.advance(DAY_SECONDS)
    await pit.play(2)
    done = await pit.archiver.archive(
        Cut(link=LINK, day="2026-01-01", last_seq=21), last_seq_max=21
    )
    opened = pit.desk.worker.archivable
    assert opened is not None
    await pit.store.adopt_segment(done, epoch=opened.epoch)
    await pit.store.trim(LINK, batches_max=removed)
    await kill(pit.desk)


async def test_what_a_crash_left_in_both_places_is_compared_and_removed(tmp_path: Path) -> None:
    async with a_pit(tmp_path) as pit:
        await left_behind(pit)
        assert pit.live_batches() == 19
        await pit.start()
        await pit.archiving.look()
        assert (pit.damages, pit.live_batches()) == ([], 3)
        assert pit.archiving.archives[LINK].compared
        await pit.is_whole()


@pytest.mark.parametrize("seq", [6, 12, 21])
async def test_where_it_was_changed_meanwhile_nothing_is_removed(tmp_path: Path, seq: int) -> None:
    async with a_pit(tmp_path) as pit:
        await left_behind(pit)
        with closing(sqlite3.connect(tmp_path / "journal.sqlite3")) as db, db:
            change = "replace(body, '\"prev\":', ' \"prev\":')"
            db.execute(
                f"UPDATE batch SET body = CAST({change} AS BLOB) WHERE first_seq = ?",
                (seq,),
            )
        await pit.start()
        assert pit.desk.worker.view.state == "live"
        await pit.archiving.look()
        assert len(pit.damages) == 1
        assert pit.damages[0].startswith(f"record {seq} is another one in the journal file than in")
        await pit.desk.published.wait_for_state("inoperable")
        for _ in range(3):
            # Not even where the link looks as good as any.
            pit.archiving._links = [structs.replace(pit.archiving._links[0], epoch=lambda: 2)]
            pit.clock.advance(DAY_SECONDS)
            await pit.archiving.look()
        assert pit.live_batches() == 19
        assert len(pit.damages) == 1
        assert pit.archiving.archives[LINK].failures == 0


async def test_what_this_process_archived_is_not_compared_again(tmp_path: Path) -> None:
    async with a_pit(tmp_path) as pit:
        await left_behind(pit)
        store = FaultyStore(pit.store)
        await pit.start()
        pit.archiving._store = store
        for segments in (1, 2, 3):
            await pit.archiving.look()
            assert len(await pit.segments()) == segments
            assert store.compared == 1
            await pit.play(10)
            pit.clock.advance(DAY_SECONDS)
            await pit.play(2)


async def test_file_that_cannot_be_read_is_no_damage_and_is_compared_later(tmp_path: Path) -> None:
    async with a_pit(tmp_path) as pit:
        await left_behind(pit)
        await pit.start()
        store = FaultyStore(pit.store)
        pit.archiving._store = store
        store.fail_reads()
        await pit.archiving.look()
        assert (pit.damages, pit.live_batches()) == ([], 19)
        assert pit.archiving.archives[LINK].failures == 1
        store.heal()
        pit.clock.advance(PAUSE_SECONDS)
        await pit.archiving.look()
        assert (pit.damages, pit.live_batches()) == ([], 3)


async def test_an_inoperable_link_is_left_alone(tmp_path: Path) -> None:
    async with a_pit(tmp_path) as pit:
        await pit.play(20)
        pit.clock.advance(DAY_SECONDS)
        await pit.play(2)
        pit.desk.worker.lose_soon("taken away")
        await pit.desk.published.wait_for_state("inoperable")
        await pit.archiving.look()
        assert pit.archiver.cuts == []


async def test_a_link_taken_over_meanwhile_is_adopted_under_its_new_epoch(tmp_path: Path) -> None:
    async with a_pit(tmp_path) as pit:
        await pit.play(20)
        pit.clock.advance(DAY_SECONDS)
        await pit.play(2)
        before = pit.desk.worker.archivable
        assert before is not None
        archive = pit.archiver.archive

        async def taken_over_meanwhile(cut: Cut, *, last_seq_max: int) -> Segment:
            segment = await archive(cut, last_seq_max=last_seq_max)
            await pit.desk.worker._faults.recover()
            return segment

        pit.archiver.archive = taken_over_meanwhile  # type: ignore[method-assign]
        await pit.archiving.look()
        assert pit.archiving.archives[LINK].failures == 0
        assert len(await pit.segments()) == 1
        after = pit.desk.worker.archivable
        assert after is not None
        assert after.epoch > before.epoch
        await pit.is_whole()


async def test_too_many_open_records_are_an_alarm_where_none_can_be_archived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("progressive.application.journal.archiving.OPEN_RECORDS_ALARM", 10)
    async with a_pit(tmp_path) as pit:
        await pit.play(20)
        await pit.archiving.look()
        problem = pit.archiving.problem
        assert problem is not None
        assert "21 records lie in the journal file" in problem
    assert OPEN_RECORDS_ALARM == 500_000


async def test_stopping_waits_for_no_segment(tmp_path: Path) -> None:
    async with a_pit(tmp_path) as pit:
        await pit.play(20)
        pit.clock.advance(DAY_SECONDS)
        await pit.play(2)
        begun = asyncio.Event()

        async def never(cut: Cut, *, last_seq_max: int) -> Segment:
            begun.set()
            await asyncio.Event().wait()
            raise AssertionError((cut, last_seq_max))

        pit.archiver.archive = never  # type: ignore[method-assign]
        pit.archiving.start()
        async with asyncio.timeout(WAIT_SECONDS):
            await begun.wait()
            await pit.archiving.stop()
        assert await pit.segments() == []
