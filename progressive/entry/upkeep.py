"""What runs beside the tables as long as the service does: the clock is watched, what was committed
is remembered, the past is moved into segments, sealed and verified, purges are finished, what
happens without a record is written down.

Nobody waits for any of it; what goes wrong is an alarm of the pit.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from progressive.adapters.clock import SystemClock
from progressive.adapters.happenings import FileHappenings
from progressive.adapters.kept_findings import FileFindings
from progressive.adapters.verify_process import VerifyProcess, resting_command
from progressive.application.floor.happenings import Happenings
from progressive.application.floor.happenings_writing import HappeningsWriting
from progressive.application.floor.watch import GuardSight
from progressive.application.link.clock_watch import ClockWatch
from progressive.application.link.memory import Memory
from progressive.application.link.ports import Store
from progressive.application.link.purge import Purges
from progressive.application.link.remembering import Remembering
from progressive.application.link.verifying import Verifying
from progressive.application.link.worker import LinkWorker
from progressive.application.shared.store import SharedStore
from progressive.domain.ids import LinkId
from progressive.domain.rulebook.retention import Retention
from progressive.entry.archives import Archives, PastSettings
from progressive.entry.http.verify_series import verify_series
from progressive.entry.seals import Seals
from progressive.runtime.series import Series, counter


class Upkeep:
    """The work in the background for the links of a floor."""

    def __init__(
        self,
        workers: Mapping[LinkId, LinkWorker],
        *,
        store: Store,
        memory: Memory,
        purges: Purges,
        happenings: Happenings,
        retention: Retention,
        clock: SystemClock,
        data: Path,
        past: PastSettings,
        seals: Seals,
        keeps_nothing: bool,
    ) -> None:
        """`keeps_nothing`: a store that ends with the process has no past to look after."""
        self._workers = workers
        self._store = store
        self._clock = clock
        self._seals = seals
        self._purges = purges
        self._finishing: list[asyncio.Task[None]] = []
        self._remembering = Remembering(list(workers.values()), store=store, memory=memory)
        verifier = VerifyProcess(data, command=resting_command(past.verify_rest))
        self._verifying = Verifying(
            workers,
            verifier=None if keeps_nothing else verifier,
            clock=clock,
            kept=None if keeps_nothing else FileFindings(data),
        )
        self.clock_watch = ClockWatch(
            list(workers.values()), wall=clock.wall, now=clock.now, monotonic=clock.monotonic
        )
        self._archives: Archives | None = None
        self._happenings: HappeningsWriting | None = None
        if not keeps_nothing:
            self._happenings = HappeningsWriting(
                happenings, FileHappenings(data), clock=clock, days=retention.happenings_days
            )
            self._archives = Archives(
                workers,
                store=store,
                data=data,
                clock=clock,
                settings=past,
                damaged=self._verifying.damaged,
            )

    async def recall(self) -> None:
        """Before any link is recovered: one whose past was found damaged stays closed.

        Raises BadSealKeyError, SealerUnavailableError.
        """
        await self._seals.begin(self._store, alone=not isinstance(self._store, SharedStore))
        if self._happenings is not None:
            await self._happenings.start()
        await self._verifying.recall()

    def start(self) -> None:
        """Once every link has been recovered."""
        self._remembering.start()
        self._verifying.start()
        self.clock_watch.start()
        self._seals.start(self._workers, journal=self._store, clock=self._clock)
        if self._archives is not None:
            self._archives.start()
        # What a purge left undone when the process before was killed.
        self._finishing = [
            asyncio.create_task(self._purges.finish(worker)) for worker in self._workers.values()
        ]

    async def stop(self) -> None:
        """While the links can still write."""
        await self._verifying.stop()
        await self.clock_watch.stop()
        if self._archives is not None:
            await self._archives.stop()
        await asyncio.gather(*self._finishing)

    async def remember_the_end(self) -> None:
        """Once the links have written their last: it is sealed, and remembered."""
        await self._seals.stop()
        await self._remembering.stop()
        if self._happenings is not None:
            await self._happenings.stop()

    def sight(self) -> GuardSight:
        """What the pit should know."""
        return GuardSight(
            clock_behind=self.clock_watch.behind,
            clock_set=self.clock_watch.set_forward,
            not_remembered=self._remembering.problem,
            not_archived=None if self._archives is None else self._archives.problem,
            not_verified=self._verifying.problem,
            not_sealed=self._seals.problem,
            not_witnessed=self._seals.witness_problem,
        )

    def series(self) -> list[Series]:
        """Read when somebody asks."""
        archives = [] if self._archives is None else self._archives.series()
        seals = self._seals.series(self._clock)
        return [*archives, *verify_series(self._verifying), *seals, self._lost_happenings()]

    def _lost_happenings(self) -> Series:
        return counter(
            "progressive_happenings_lost",
            "Lines of the log of happenings that were not written",
            lambda: [((), 0 if self._happenings is None else self._happenings.lost)],
        )
