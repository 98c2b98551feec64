"""The engines that `--store` may name. A further one is added here, and nowhere else by name."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from progressive.adapters.committed import FileMemory
from progressive.adapters.memory.committed import ProcessMemory
from progressive.adapters.memory.journal import MemoryStore
from progressive.adapters.redis.place import SCHEMES, BadPlaceError, redis_place
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.link.memory import Memory
from progressive.application.link.ports import Store
from progressive.application.shared.store import SharedStore

STORES: Final[dict[str, Callable[[Path], Store]]] = {
    "sqlite": SqliteStore,
    "memory": lambda data: MemoryStore(),
}
"""What opens each: `sqlite` stores a file in the data directory, `memory` nothing at all."""


MEMORIES: Final[dict[str, Callable[[Path], Memory]]] = {
    "sqlite": FileMemory,
    "memory": lambda data: ProcessMemory(),
}
"""Where what a store has committed is remembered outside it."""


KEEPS_NOTHING: Final = frozenset({"memory"})
"""Stores that end with the process: every page and sign says so."""
NOTHING_IS_KEPT: Final = "TEST - NOTHING IS KEPT"


def unknown_store(name: str) -> str | None:
    """Why a store cannot be opened under this name, or None."""
    if is_shared(name):
        try:
            redis_place(name)
        except BadPlaceError as error:
            return str(error)
        return None
    known = ", ".join(STORES)
    return None if name in STORES else f"unknown store {name!r} (use {known} or redis://HOST:PORT)"


def is_shared(name: str) -> bool:
    """Whether it is a log that several nodes share."""
    return name.partition("://")[0] in SCHEMES and "://" in name


def kind_of(name: str) -> str:
    """What to call the engine, without an address."""
    return "redis" if is_shared(name) else name


def open_store(name: str, data: Path, *, url: str) -> Store:
    """The store of this name. `url`: by which other nodes and tables find this one."""
    if is_shared(name):
        # Here: its client library takes as long to load as all the rest of a start.
        from progressive.adapters.redis.log import RedisLog
        from progressive.adapters.redis.server import RedisServer

        place = redis_place(name)
        # The whole journal is on the node's own disk; the log decides who may append to it.
        log = RedisLog(RedisServer(place), url=url)
        return SharedStore(log, STORES["sqlite"](data), copies=place.copies)
    return STORES[name](data)


def open_memory(name: str, data: Path) -> Memory:
    """What remembers, outside the store, what it has committed on this node's disk."""
    return MEMORIES["sqlite" if is_shared(name) else name](data)
