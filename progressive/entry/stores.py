"""The engines that `--store` may name. A further one is added here, and nowhere else by name."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from progressive.adapters.committed import FileMemory
from progressive.adapters.memory.committed import ProcessMemory
from progressive.adapters.memory.journal import MemoryStore
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.link.memory import Memory
from progressive.application.link.ports import Store

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
    return None if name in STORES else f"unknown store {name!r} (use {' or '.join(STORES)})"
