"""The reference of the log that nodes share: what the port means, in the fewest lines.

The nodes are of one process. Leases end when they are told to: there is no time here.
"""

from collections.abc import AsyncIterator, Mapping, Sequence

from msgspec import Struct

from progressive.application.journal.ports import StoreConflictError
from progressive.application.journal.record import GENESIS
from progressive.application.link.ports import LedElsewhereError
from progressive.application.shared.ports import LogEnd, LogEntry
from progressive.domain.ids import LinkId


class _Log(Struct):
    end: LogEnd = LogEnd(0, "", 0, GENESIS)
    leader: str | None = None
    entries: list[LogEntry] = []
    copies: dict[str, int] = {}


class MemoryServer:
    """What the nodes share."""

    def __init__(self) -> None:
        self.logs: dict[LinkId, _Log] = {}

    def end_lease(self, link: LinkId) -> None:
        """As if its leader had said nothing for too long."""
        self.logs[link].leader = None


class MemoryLog:
    """Implements `SharedLog`, as one node sees it."""

    def __init__(self, server: MemoryServer, *, url: str) -> None:
        self._logs = server.logs
        self.url = url

    async def check(self) -> str:
        """Nothing outlives the process."""
        return "all of it"

    async def links(self) -> Sequence[LinkId]:
        """Those that were opened."""
        return sorted(self._logs)

    async def end(self, link: LinkId) -> LogEnd:
        """Where it ends."""
        return self._logs.get(link, _Log()).end

    async def open(self, link: LinkId, *, holder: str, above_epoch: int) -> LogEnd:
        """A new epoch, and the lease."""
        log = self._logs.setdefault(link, _Log())
        if log.leader not in (None, self.url):
            raise LedElsewhereError(link, str(log.leader))
        log.leader = self.url
        log.end = LogEnd(max(log.end.epoch, above_epoch) + 1, holder, log.end.seq, log.end.head)
        return log.end

    async def begin(self, link: LinkId, end: LogEnd) -> None:
        """Only where there is none."""
        if link in self._logs:
            raise StoreConflictError(f"{link} has a log here")
        self._logs[link] = _Log(end=LogEnd(end.epoch, "", end.seq, end.head))

    async def append(self, link: LinkId, *, before: LogEnd, entry: LogEntry) -> None:
        """Where the end is the expected one, to the letter."""
        log = self._logs.get(link, _Log())
        if log.end != before:
            raise StoreConflictError(f"{link} is at {log.end.epoch}, {log.end.seq}")
        log.entries.append(entry)
        log.end = LogEnd(before.epoch, before.holder, entry.last_seq, entry.head)

    async def renew(self, link: LinkId, *, epoch: int, holder: str) -> bool:
        """Whether it is still this node's."""
        log = self._logs[link]
        if (log.end.epoch, log.end.holder) != (epoch, holder) or log.leader not in (None, self.url):
            return False
        log.leader = self.url
        return True

    async def release(self, link: LinkId, *, holder: str) -> None:
        """Let go."""
        log = self._logs[link]
        if log.end.holder == holder and log.leader == self.url:
            log.leader = None

    async def leader(self, link: LinkId) -> str | None:
        """Who has the lease."""
        return self._logs.get(link, _Log()).leader

    async def read(self, link: LinkId, *, after_seq: int) -> AsyncIterator[LogEntry]:
        """The entries that end behind a record."""
        for entry in list(self._logs.get(link, _Log()).entries):
            if entry.last_seq > after_seq:
                yield entry

    async def report_copy(self, link: LinkId, *, seq: int) -> None:
        """Take note."""
        self._logs.setdefault(link, _Log()).copies[self.url] = seq

    async def copies(self, link: LinkId) -> Mapping[str, int]:
        """As they were reported."""
        return dict(self._logs.get(link, _Log()).copies)

    async def trim(self, link: LinkId, *, epoch: int, holder: str, until_seq: int) -> None:
        """Drop entries."""
        log = self._logs[link]
        if (log.end.epoch, log.end.holder) != (epoch, holder):
            raise StoreConflictError(f"{link} is another node's")
        log.entries = [entry for entry in log.entries if entry.last_seq > until_seq]

    async def close(self) -> None:
        """Nothing to let go of."""
