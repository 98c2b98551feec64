"""Wires archiving: which links, by which process, and its series."""

import functools
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from msgspec import Struct

from progressive.adapters import verify_process
from progressive.adapters.segments import process
from progressive.application.clock import Clock
from progressive.application.journal.archiving import (
    LOOK_SECONDS,
    ArchivedLink,
    Archiving,
    TrimPace,
)
from progressive.application.journal.cut import CutLimits
from progressive.application.link.owned_link import gaming_days
from progressive.application.link.ports import Store
from progressive.application.link.worker import LinkWorker
from progressive.common.idle_command import idle_command
from progressive.domain.ids import LinkId
from progressive.runtime.series import Series, counter, gauge


class PastSettings(Struct, frozen=True):
    """How the past is archived and verified; what only tests have otherwise."""

    limits: CutLimits = CutLimits()
    look_seconds: float = LOOK_SECONDS
    archive_rest: int = process.REST
    verify_rest: int = verify_process.REST
    trim_pace: TrimPace = TrimPace()


class Archives:
    """The closed segments of a floor's journals, as long as the service runs."""

    def __init__(
        self,
        workers: Mapping[LinkId, LinkWorker],
        *,
        store: Store,
        data: Path,
        clock: Clock,
        settings: PastSettings,
        damaged: Callable[[LinkId, str], Awaitable[None]],
    ) -> None:
        """`damaged`: called with what is found to be wrong with a link's past."""
        self._clock = clock
        self._archiving = Archiving(
            [_archived(worker, damaged) for worker in workers.values()],
            store=store,
            archiver=process.ProcessArchiver(
                data, command=idle_command(process.MODULE, rest=settings.archive_rest)
            ),
            clock=clock,
            limits=settings.limits,
            trim_pace=settings.trim_pace,
            look_seconds=settings.look_seconds,
        )
        for worker in workers.values():
            worker.on_checkpoint = self._archiving.stir

    @property
    def problem(self) -> str | None:
        """What the pit should know; None while all is well."""
        return self._archiving.problem

    def start(self) -> None:
        """Begin to look."""
        self._archiving.start()

    async def stop(self) -> None:
        """End what is under way."""
        await self._archiving.stop()

    def series(self) -> list[Series]:
        """Read when somebody asks."""
        archives = self._archiving.archives
        return [
            gauge(
                "progressive_segments",
                "Closed segments of the journal",
                lambda: [((link,), of.segments) for link, of in archives.items()],
                "link",
            ),
            gauge(
                "progressive_segment_bytes",
                "What the records in closed segments take on the disk, at the last look",
                lambda: [((link,), of.segment_bytes) for link, of in archives.items()],
                "link",
            ),
            gauge(
                "progressive_open_records",
                "Records in the journal file that no segment holds, at the last look",
                lambda: [((link,), of.open_records) for link, of in archives.items()],
                "link",
            ),
            gauge(
                "progressive_archived_seconds_ago",
                "Since a segment was closed last, or the start of the process",
                lambda: [
                    ((link,), self._clock.monotonic() - of.archived_monotonic)
                    for link, of in archives.items()
                ],
                "link",
            ),
            counter(
                "progressive_archiving_failures",
                "Attempts to close a segment that failed",
                lambda: [((link,), of.failures) for link, of in archives.items()],
                "link",
            ),
        ]


def _archived(
    worker: LinkWorker, damaged: Callable[[LinkId, str], Awaitable[None]]
) -> ArchivedLink:
    def epoch() -> int | None:
        link = worker.archivable
        return None if link is None else link.epoch

    return ArchivedLink(
        link=worker.rules.id,
        days=gaming_days(worker.rules),
        epoch=epoch,
        end_day_soon=worker.end_day_soon,
        damaged=functools.partial(damaged, worker.rules.id),
    )
