"""What a node stores beside the journal, by the name of its store: people, and keys.

On one machine both lie in the data directory. Where nodes share a log they share these too, on the
same server.
"""

from pathlib import Path

from progressive.adapters.clock import SystemClock
from progressive.adapters.keys.held import HeldKeys
from progressive.adapters.keys.signs import RelayKeys, SignKeys
from progressive.adapters.keys.store import FileKeyStore
from progressive.adapters.keys.tables import TableKeys
from progressive.adapters.redis.keys import SharedKeyStore
from progressive.adapters.redis.people_log import RedisPeopleLog
from progressive.adapters.redis.place import redis_place
from progressive.adapters.redis.server import RedisServer
from progressive.adapters.sqlite.people import SqlitePeople
from progressive.adapters.sqlite.people_copy import SqlitePeopleCopy
from progressive.application.keys.ports import KeyStore
from progressive.application.people.ports import PeopleStore
from progressive.application.people.shared import SharedPeople
from progressive.entry.stores import is_shared


def open_people(store: str, data: Path) -> PeopleStore:
    """The people of a data directory; of all nodes, where they share a log."""
    if not is_shared(store):
        return SqlitePeople(data)
    log = RedisPeopleLog(RedisServer(redis_place(store)))
    return SharedPeople(log, SqlitePeopleCopy(data), SystemClock())


class NodeKeys:
    """The keys of tables, signs and relays."""

    def __init__(self, store: str, data: Path) -> None:
        self._server = RedisServer(redis_place(store)) if is_shared(store) else None
        self.tables = self._store_of(TableKeys(data))
        self.signs = self._store_of(SignKeys(data))
        self.relays = self._store_of(RelayKeys(data))

    def _store_of(self, keys: HeldKeys) -> KeyStore:
        return FileKeyStore(keys) if self._server is None else SharedKeyStore(self._server, keys)

    async def close(self) -> None:
        """Close the connections of shared ones."""
        if self._server is not None:
            await self._server.close()
