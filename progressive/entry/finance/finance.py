"""Wires finance: the process that answers, whose turn it is, the routes, what is said of it."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from progressive.adapters.bookkeeping import process
from progressive.adapters.bookkeeping.messages import Orders
from progressive.adapters.bookkeeping.process import ProcessBookkeeper
from progressive.application.clock import Clock
from progressive.application.finance.desk.asked import Answer, Asked, LinkSight
from progressive.application.finance.desk.desk import LOOK_SECONDS, Desk
from progressive.application.floor.watch import DaySight
from progressive.common.idle_command import nice_command
from progressive.domain.ids import LinkId
from progressive.domain.time_text import microseconds_between
from progressive.entry.http.errors import RefusedError
from progressive.runtime.series import Series, counter, gauge

_MICROSECONDS = 1_000_000


class FinanceSettings(Struct, frozen=True, kw_only=True):
    """How the books are kept; but for the accounts, what only tests have otherwise."""

    accounts: Path | None = None
    """A TOML file with a [gl] section."""
    mappings: Path | None = None
    """A folder of files with a [cage] section."""
    look_seconds: float = LOOK_SECONDS
    rest: int = process.REST
    memory_bytes: int = process.MEMORY_BYTES
    command: tuple[str, ...] = nice_command(process.MODULE)


class Finance:
    """The finance desk of a floor, as long as the service runs."""

    def __init__(
        self,
        links: Iterable[LinkId],
        *,
        data: Path,
        clock: Clock,
        settings: FinanceSettings,
        close_within_hours: int,
        keeps_nothing: bool,
    ) -> None:
        """`keeps_nothing`: a store that ends with the process has nothing to report from."""
        self._nothing_yet: dict[str, LinkSight] = {link: LinkSight(link=link) for link in links}
        self._close_within_seconds = close_within_hours * 3_600
        self._clock = clock
        self.bookkeeper: ProcessBookkeeper | None = None
        self.desk: Desk | None = None
        if keeps_nothing:
            return
        orders = Orders(
            data=str(data.resolve()),
            accounts=None if settings.accounts is None else str(settings.accounts.resolve()),
            mappings=None if settings.mappings is None else str(settings.mappings.resolve()),
            close_within_hours=close_within_hours,
            rest=settings.rest,
            memory_bytes=settings.memory_bytes,
        )
        self.bookkeeper = ProcessBookkeeper(orders, command=settings.command)
        self.desk = Desk(self.bookkeeper, clock=clock, look_seconds=settings.look_seconds)

    def start(self) -> None:
        """Once every link has been recovered."""
        if self.desk is not None:
            self.desk.start()

    async def stop(self) -> None:
        """End the process."""
        if self.desk is not None:
            await self.desk.stop()

    async def ask(self, question: Asked) -> Answer:
        """The answer; raises RefusedError where nothing is kept."""
        if self.desk is None:
            message = "reports need a store that keeps records: this one keeps nothing"
            raise RefusedError(503, "NOTHING_IS_KEPT", message)
        return await self.desk.ask(question)

    # --- what is said of it ----------------------------------------------------------------------

    @property
    def sights(self) -> Mapping[str, LinkSight]:
        """How the days of every link stood at the last look; nothing is wrong before the first."""
        return self._nothing_yet | dict({} if self.desk is None else self.desk.sights)

    def open_seconds(self, sight: LinkSight) -> float:
        """How long the oldest day that should be closed has been over."""
        if not sight.due_since:
            return 0.0
        return max(0, microseconds_between(sight.due_since, self._clock.now())) / _MICROSECONDS

    def days(self) -> list[DaySight]:
        """What the pit should know of every link's days."""
        return [
            DaySight(each.link, self._overdue(each), each.difference)
            for each in self.sights.values()
        ]

    def _overdue(self, sight: LinkSight) -> str:
        if not sight.due_since or self.open_seconds(sight) < self._close_within_seconds:
            return ""
        return f"gaming day {sight.due_day} is over since {sight.due_ended} and not closed"

    def series(self) -> list[Series]:
        """Read when somebody asks."""
        return [
            gauge(
                "progressive_day_open_seconds",
                "Since the oldest gaming day ended that should be closed; 0: there is none",
                lambda: [((k,), self.open_seconds(each)) for k, each in self.sights.items()],
                "link",
            ),
            gauge(
                "progressive_reconciliation_difference_microcents",
                "What does not add up in the gaming days that are not closed",
                lambda: [((k,), each.difference_microcents) for k, each in self.sights.items()],
                "link",
            ),
            gauge(
                "progressive_finance_questions",
                "Questions of finance that are not answered yet",
                lambda: [((), 0 if self.desk is None else self.desk.waiting)],
            ),
            counter(
                "progressive_bookkeeper_restarts",
                "Processes that answered questions of finance, ended, and were replaced",
                lambda: [((), 0 if self.bookkeeper is None else self.bookkeeper.restarts)],
            ),
        ]
