"""COLD. Moves what is older out of the journal file: looks for segments that are due, has them
written by another process, adopts them, and then removes their records from the file, a little at
a time.

What lay in the file and in a segment already when the process started is compared before it is
removed: somebody may have changed it while nothing ran. What does not fit stays where it is.

Nothing here may hold up a wager. A crash at any moment loses nothing: a record is in the file until
its segment has been proved and adopted. What goes wrong is logged, counted, tried again after a
growing pause, and an alarm if it lasts.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Final, Protocol

from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.journal.cut import Cut, CutLimits, OpenPart, next_cut
from progressive.application.journal.finding import finding
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.ports import (
    JournalReader,
    StoreCorruptError,
    StoreError,
    StoreUnavailableError,
)
from progressive.application.journal.reading import reading
from progressive.application.journal.record import JournalBrokenError
from progressive.application.journal.segments import Segment
from progressive.domain.ids import LinkId
from progressive.domain.time_text import later, not_before

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 30.0
"""How often it looks whether a day is over. A checkpoint has it look at once."""
PAUSE_SECONDS: Final = 30.0
PAUSE_SECONDS_MAX: Final = 3_600.0
"""Pauses after a failure: this long, then twice as long each time, an hour at the most."""
TRIES_BEFORE_ALARM: Final = 3
OPEN_RECORDS_ALARM: Final = 500_000
"""More open records than this, and nothing under way: a start would take seconds."""


class TrimPace(Struct, frozen=True):
    """How fast records that a segment holds are removed from the journal file, and compared before.

    Appends wait for each transaction in the writer's thread, so it is a short one, and the pause
    after it many times as long: fewer than one append in a hundred comes while batches are removed.
    Comparing takes another thread, and Python's lock.
    """

    batches: int = 32
    """That one transaction removes: a tenth of a millisecond's work."""
    rest: int = 99
    """The pause: so many times what the work before it took, within these bounds."""
    pause_seconds: float = 0.1
    pause_seconds_max: float = 1.0


class Archiver(Protocol):
    """Writes a segment beside the service."""

    async def archive(self, cut: Cut, *, last_seq_max: int) -> Segment:
        """Write and prove it; its cut is another one, up to `last_seq_max`, where finished files of
        its number are there already. Cancelled, it ends at once. Raises StoreError."""
        ...


class SegmentStore(JournalReader, Protocol):
    """The part of a store that archiving needs."""

    async def adopt_segment(self, segment: Segment, *, epoch: int) -> None:
        """From now on the segment's records are read from its files."""
        ...

    def compare_moved(self, link: LinkId) -> AsyncIterator[int]:
        """Hold what `trim` would remove against the segments, a piece at a time. Raises
        JournalBrokenError or StoreCorruptError at the first record that does not fit."""
        ...

    async def trim(self, link: LinkId, *, batches_max: int) -> bool:
        """Remove a few batches that segments hold; whether some are left."""
        ...


class ArchivedLink(Struct, frozen=True, kw_only=True):
    """What archiving has to know of a link."""

    link: LinkId
    days: GamingDays
    epoch: Callable[[], int | None]
    """Under which it is written now; None while it may not be archived."""
    end_day_soon: Callable[[], None]
    """Its gaming day is over: it saves a snapshot, where something follows the last one."""
    damaged: Callable[[str], Awaitable[None]]
    """Damage was found in its past: it stops for good, also over restarts."""


class LinkArchive(Struct):
    """How archiving stands with one link."""

    archived_monotonic: float
    """When a segment was adopted last; the start of the process before the first."""
    segments: int = 0
    segment_bytes: int = 0
    open_records: int = 0
    failures: int = 0
    """Since the start."""
    failures_in_a_row: int = 0
    retry_at: float = 0.0
    problem: str | None = None
    """Why the journal is not archived; None while all is well, or tried again soon."""
    compared: bool = False
    """Whether what segments held already when the process started was compared with them. What is
    archived later was proved from the very records that are then removed."""
    damaged: bool = False
    """Whether some of it is not what the segments hold: nothing more is done about the link."""
    trimmed: bool = False
    """Whether nothing that a segment holds lies in the journal file any more."""


class Archiving:
    """The links of one store, one segment at a time."""

    def __init__(
        self,
        links: Sequence[ArchivedLink],
        *,
        store: SegmentStore,
        archiver: Archiver,
        clock: Clock,
        limits: CutLimits = CutLimits(),  # noqa: B008 - frozen
        trim_pace: TrimPace = TrimPace(),  # noqa: B008 - frozen
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._links = links
        self._store = store
        self._archiver = archiver
        self._clock = clock
        self._limits = limits
        self._trim_pace = trim_pace
        self._look_seconds = look_seconds
        self._stirred = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.archives: dict[LinkId, LinkArchive] = {
            link.link: LinkArchive(archived_monotonic=clock.monotonic()) for link in links
        }

    @property
    def problem(self) -> str | None:
        """What the pit should know; None while all is well."""
        found = [
            f"{link}: {archive.problem}"
            for link, archive in self.archives.items()
            if archive.problem is not None
        ]
        return "; ".join(found) or None

    def start(self) -> None:
        """Begin to look. The links have been taken over by then."""
        self._task = asyncio.create_task(self._run(), name="archiving")

    def stir(self) -> None:
        """A snapshot was made: there may be something to do."""
        self._stirred.set()

    async def stop(self) -> None:
        """End what is under way; what was not adopted is done again after the next start."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def look(self) -> None:
        """One look at every link: all segments that are due, one after the other."""
        for link in self._links:
            archive = self.archives[link.link]
            if archive.damaged or self._clock.monotonic() < archive.retry_at:
                continue
            try:
                await self._look_at(link, archive)
            except (StoreError, JournalBrokenError) as error:
                self._failed(link.link, archive, error)
            except Exception as error:
                # A bug: counted and said like any failure, and the other links are looked at.
                log.exception("unexpected error while archiving", extra={"link": link.link})
                self._failed(link.link, archive, error)
            else:
                archive.failures_in_a_row, archive.problem = 0, None
                if archive.open_records > OPEN_RECORDS_ALARM:
                    archive.problem = (
                        f"{archive.open_records:,} records lie in the journal file, and none of "
                        "them can be archived"
                    )

    # --- one link ----------------------------------------------------------------------------

    async def _look_at(self, link: ArchivedLink, archive: LinkArchive) -> None:
        while link.epoch() is not None:
            if not archive.compared:
                await self._compare_moved(link, archive)
                if archive.damaged:
                    return
            if not archive.trimmed:
                await self._trim(link.link)
                archive.trimmed = True
            segments = await self._store.segments(link.link)
            part, day = await self._open_part(link, segments)
            archive.segments, archive.open_records = len(segments), part.records
            archive.segment_bytes = sum(segment.bytes for segment in segments)
            last_seq = next_cut(part, self._limits)
            if last_seq is None:
                return
            cut = Cut(
                link=link.link,
                day=day,
                last_seq=last_seq,
                previous=segments[-1] if segments else None,
            )
            await self._archive(link, cut, part.snapshots[-1])
            archive.archived_monotonic = self._clock.monotonic()
            archive.trimmed = False
            archive.segments += 1
            archive.open_records = part.last_seq - last_seq

    async def _open_part(
        self, link: ArchivedLink, segments: Sequence[Segment]
    ) -> tuple[OpenPart, str]:
        """The open part, and the gaming day of its first record."""
        name, first_seq = link.link, segments[-1].last_seq + 1 if segments else 1
        end = await self._store.journal_end(name)
        first = await self._store.record(name, first_seq)
        last = await self._store.record(name, end.seq)
        if first is None or last is None:
            return OpenPart(
                first_seq=first_seq, last_seq=end.seq, snapshots=(), day_last_seq=None
            ), ""
        day = link.days.day_of(finding(first).at)
        ends = link.days.ends(day)
        day_last = None
        last_at = finding(last).at
        now = not_before(self._clock.now(), last_at)
        if now >= link.days.ends(link.days.day_of(last_at)):
            link.end_day_soon()
        if now >= ends:
            day_last = await self._last_before(name, ends, last_seq=end.seq)
        snapshots = await self._store.snapshots(name)
        return (
            OpenPart(
                first_seq=first_seq,
                last_seq=end.seq,
                snapshots=[seq for seq in snapshots if seq >= first_seq],
                day_last_seq=None if day_last is None else max(first_seq, day_last),
            ),
            day,
        )

    async def _last_before(self, link: LinkId, at: str, *, last_seq: int) -> int | None:
        until = later(at, seconds=0, microseconds=-1)
        found = await self._store.last_record_until(link, until, last_seq=last_seq)
        return None if found is None else finding(found).seq

    async def _archive(self, link: ArchivedLink, cut: Cut, newest_snapshot: int) -> None:
        began = self._clock.monotonic()
        segment = await self._archiver.archive(cut, last_seq_max=newest_snapshot)
        # Asked for now: the link may have been taken over again while the segment was written.
        epoch = link.epoch()
        if epoch is None:
            raise StoreUnavailableError("the link went out of service")
        await self._store.adopt_segment(segment, epoch=epoch)
        log.info(
            "segment archived",
            extra={
                "link": segment.link,
                "segment": segment.name,
                "first_seq": segment.first_seq,
                "last_seq": segment.last_seq,
                "bytes": segment.records.bytes,
                "seconds": round(self._clock.monotonic() - began, 3),
            },
        )

    async def _compare_moved(self, link: ArchivedLink, archive: LinkArchive) -> None:
        began = self._clock.monotonic()
        try:
            async with reading(self._store.compare_moved(link.link)) as pieces:
                async for _ in pieces:
                    await self._rest(began)
                    began = self._clock.monotonic()
        except (JournalBrokenError, StoreCorruptError) as error:
            archive.damaged = True
            log.error("not trimmed", extra={"link": link.link, "reason": str(error)})
            await link.damaged(str(error))
        else:
            archive.compared = True

    async def _trim(self, link: LinkId) -> None:
        while True:
            began = self._clock.monotonic()
            if not await self._store.trim(link, batches_max=self._trim_pace.batches):
                return
            await self._rest(began)

    async def _rest(self, began: float) -> None:
        """The pause after a piece of work that began at some time."""
        pace = self._trim_pace
        rest = pace.rest * (self._clock.monotonic() - began)
        await asyncio.sleep(max(pace.pause_seconds, min(rest, pace.pause_seconds_max)))

    def _failed(self, link: LinkId, archive: LinkArchive, error: Exception) -> None:
        archive.failures += 1
        archive.failures_in_a_row += 1
        pause = min(PAUSE_SECONDS * 2 ** (archive.failures_in_a_row - 1), PAUSE_SECONDS_MAX)
        archive.retry_at = self._clock.monotonic() + pause
        if archive.failures_in_a_row >= TRIES_BEFORE_ALARM:
            archive.problem = f"not archived: {error}"
        log.error("archiving failed", extra={"link": link, "reason": str(error), "again_in": pause})

    # --- life --------------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            self._stirred.clear()
            try:
                await self.look()
            except Exception:
                # A bug in what only tidies up must not end it for good.
                log.exception("archiving failed")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._look_seconds):
                    await self._stirred.wait()
