"""The log of changes of people on a Redis server: one stream for all nodes.

Where an entry may stand is decided by `people_log.lua`, on the server. Old entries are removed as
new ones come: a copy that is further behind takes a newer people file first.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from progressive.adapters.redis import functions
from progressive.adapters.redis.server import RedisServer
from progressive.application.journal.ports import StoreConflictError
from progressive.application.people.shared_log import LogEntry, PeopleDifferError

ENTRIES_KEPT: Final = 100_000
"""At least so many: some weeks of a busy floor, and about 60 MB."""


class RedisPeopleLog:
    """Implements `application.people.shared_log.PeopleLog`."""

    def __init__(self, server: RedisServer, *, entries_kept: int = ENTRIES_KEPT) -> None:
        self._server = server
        self._entries_kept = entries_kept
        self._checked = False
        # One hash tag: a cluster stores all of people on one node.
        self._key = f"{server.place.prefix}:{{people}}:log"

    async def append(self, entry: LogEntry) -> None:
        """One call. The server's settings are looked at before the first."""
        if not self._checked:
            await self._server.check()
            self._checked = True
        answer = await self._server.write(
            functions.PEOPLE_APPEND,
            (self._key,),
            *(entry.number - 1, entry.prev, entry.number, entry.place.head),
            *(entry.acts, entry.body, self._entries_kept),
        )
        if answer[0] != b"ok":
            raise StoreConflictError(f"the shared log of people is not at {entry.number - 1:,}")

    async def read(self, number: int, *, limit: int) -> Sequence[LogEntry]:
        """From the stream."""
        rows = await self._server.ask("XRANGE", self._key, f"{number}-0", "+", "COUNT", limit)
        return [_entry(entry_id, fields) for entry_id, fields in rows]

    async def close(self) -> None:
        """Close the server's connections."""
        await self._server.close()


def _entry(entry_id: bytes, named: Mapping[bytes, bytes]) -> LogEntry:
    where = entry_id.decode("utf-8", "replace")
    try:
        entry = LogEntry(
            number=int(entry_id.partition(b"-")[0]),
            prev=named[b"prev"].decode(),
            acts=named[b"acts"].decode(),
            body=named[b"body"],
        )
        head = named[b"head"].decode()
    except (KeyError, ValueError):
        raise PeopleDifferError(
            f"entry {where} of the shared log of people cannot be read"
        ) from None
    if entry.place.head != head:
        raise PeopleDifferError(
            f"entry {where} of the shared log of people is damaged: its hash is another one"
        )
    return entry
