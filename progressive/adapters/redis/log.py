"""Links' logs on a Redis server: a stream each, and who may append to it.

An entry is a batch; its id is the number of its last record, so that the entries behind a record
are found by the server. What may be appended is decided by `link_log.lua`, on the server.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from progressive.adapters.redis import functions
from progressive.adapters.redis.server import RedisServer
from progressive.application.journal.ports import StoreConflictError, StoreCorruptError
from progressive.application.journal.record import GENESIS
from progressive.application.link.ports import LedElsewhereError
from progressive.application.shared.ports import LEASE_SECONDS, LogEnd, LogEntry
from progressive.domain.ids import LinkId, is_id

LEASE_MILLISECONDS: Final = round(LEASE_SECONDS * 1_000)
READ_ENTRIES: Final = 256
"""Read at a time."""


class RedisLog:
    """Implements `SharedLog`."""

    def __init__(self, server: RedisServer, *, url: str) -> None:
        """`url`: of this node."""
        self._server = server
        self.url: Final = url

    async def check(self) -> str:
        """Ask the server for its settings."""
        return await self._server.check()

    async def links(self) -> Sequence[LinkId]:
        """Every link with a head, found by going over the keys."""
        before, _, after = self._head(LinkId("*")).partition("*")
        found: set[LinkId] = set()
        cursor = 0
        while True:
            cursor, keys = await self._server.ask("SCAN", cursor, "MATCH", f"{before}*{after}")
            cursor = int(cursor)
            for key in keys:
                name = key.decode("utf-8", "replace").removeprefix(before).removesuffix(after)
                if is_id(name):
                    found.add(LinkId(name))
            if not cursor:
                return sorted(found)

    async def end(self, link: LinkId) -> LogEnd:
        """Look at the head."""
        row = await self._server.ask("HMGET", self._head(link), "epoch", "holder", "seq", "head")
        return _end(link, [b"0" if row[0] is None else row[0], *row[1:]])

    async def open(self, link: LinkId, *, holder: str, above_epoch: int) -> LogEnd:
        """Only on a server whose settings keep what it acknowledges."""
        await self._server.check()
        answer = await self._server.write(
            functions.OPEN,
            (self._head(link), self._lease(link)),
            *(holder, self.url, above_epoch, LEASE_MILLISECONDS),
        )
        if answer[0] == b"led":
            raise LedElsewhereError(link, answer[1].decode("utf-8", "replace"))
        return _end(link, answer[1:])

    async def begin(self, link: LinkId, end: LogEnd) -> None:
        """Set the head."""
        answer = await self._server.write(
            functions.BEGIN, (self._head(link),), end.epoch, end.seq, end.head
        )
        if answer[0] != b"ok":
            raise StoreConflictError(f"{link} has a log here: {self._server.place.shown}")

    async def append(self, link: LinkId, *, before: LogEnd, entry: LogEntry) -> None:
        """HOT. One call."""
        answer = await self._server.write(
            functions.APPEND,
            (self._head(link), self._journal(link)),
            *(before.epoch, before.holder, before.seq, before.head),
            *(entry.last_seq, entry.head, b"\n".join(entry.records) + b"\n"),
        )
        if answer[0] != b"ok":
            now = _end(link, answer[1:])
            raise StoreConflictError(
                f"{link} is at epoch {now.epoch}, record {now.seq}; "
                f"not at {before.epoch}, {before.seq}"
            )

    async def renew(self, link: LinkId, *, epoch: int, holder: str) -> bool:
        """Set the lease once more, where it is this node's."""
        answer = await self._server.write(
            functions.RENEW,
            (self._head(link), self._lease(link)),
            *(epoch, holder, self.url, LEASE_MILLISECONDS),
        )
        return bool(answer[0] == b"ok")

    async def release(self, link: LinkId, *, holder: str) -> None:
        """Remove the lease, where it is this node's."""
        await self._server.write(
            functions.RELEASE, (self._head(link), self._lease(link)), holder, self.url
        )

    async def leader(self, link: LinkId) -> str | None:
        """Look at the lease."""
        return await self._server.get(self._lease(link))

    async def read(self, link: LinkId, *, after_seq: int) -> AsyncIterator[LogEntry]:
        """Some hundred entries at a time."""
        last_seq = after_seq
        while rows := await self._server.ask(
            "XRANGE", self._journal(link), f"({last_seq}-0", "+", "COUNT", READ_ENTRIES
        ):
            for entry_id, fields in rows:
                entry = _entry(link, entry_id, fields)
                last_seq = entry.last_seq
                yield entry

    async def report_copy(self, link: LinkId, *, seq: int) -> None:
        """A field for this node."""
        await self._server.write(functions.REPORT, (self._copies(link),), self.url, seq)

    async def copies(self, link: LinkId) -> Mapping[str, int]:
        """By node."""
        told = await self._server.fields(self._copies(link))
        return {node: int(seq) for node, seq in told.items()}

    async def trim(self, link: LinkId, *, epoch: int, holder: str, until_seq: int) -> None:
        """By the ids of the entries."""
        answer = await self._server.write(
            functions.TRIM, (self._head(link), self._journal(link)), epoch, holder, until_seq
        )
        if answer[0] != b"ok":
            raise StoreConflictError(f"{link} is another node's: nothing was trimmed")

    async def close(self) -> None:
        """Close the server's connections."""
        await self._server.close()

    # One hash tag for all keys of a link: a cluster stores them on one node.
    def _key(self, link: LinkId, what: str) -> str:
        return f"{self._server.place.prefix}:{{{link}}}:{what}"

    def _head(self, link: LinkId) -> str:
        return self._key(link, "head")

    def _journal(self, link: LinkId) -> str:
        return self._key(link, "journal")

    def _copies(self, link: LinkId) -> str:
        return self._key(link, "copies")

    def _lease(self, link: LinkId) -> str:
        return self._key(link, "lease")


def _end(link: LinkId, row: Sequence[Any]) -> LogEnd:
    epoch, holder, seq, head = (b"" if each is None else bytes(each) for each in row)
    if epoch == b"0":
        return LogEnd(0, "", 0, GENESIS)
    try:
        return LogEnd(int(epoch), holder.decode(), int(seq), head.decode())
    except ValueError:
        raise StoreCorruptError(f"the head of {link}'s log cannot be read: {row!r}") from None


def _entry(link: LinkId, entry_id: bytes, named: Mapping[bytes, bytes]) -> LogEntry:
    try:
        records = named[b"records"]
        if not records.endswith(b"\n"):
            raise ValueError(records[-20:])
        return LogEntry(
            epoch=int(named[b"epoch"]),
            prev=named[b"prev"].decode(),
            last_seq=int(entry_id.partition(b"-")[0]),
            head=named[b"head"].decode(),
            records=tuple(records[:-1].split(b"\n")),
        )
    except (KeyError, ValueError):
        where = entry_id.decode("utf-8", "replace")
        raise StoreCorruptError(f"entry {where} of {link}'s log cannot be read") from None
