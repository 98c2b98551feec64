"""One thread and one connection for the people file: the loop never waits for the disk.

A connection that failed is given up and opened again: what it knew of the file cannot be trusted.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from progressive.adapters.sqlite.file import transaction
from progressive.adapters.sqlite.people_file import FILE, open_people_file
from progressive.adapters.sqlite.people_state import place_of
from progressive.application.journal.ports import StoreError
from progressive.application.people.shared_log import PeopleSharedError

log = logging.getLogger(__name__)

T = TypeVar("T")


class PeopleThread:
    """Work on the people file, one piece after the other. It is opened when it is first needed."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="people")
        self._connection: sqlite3.Connection | None = None

    async def close(self) -> None:
        """Close the file, end the thread."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown()

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def whole(db: sqlite3.Connection) -> T:
            with transaction(db):
                return work(db)

        return await self._read(whole)

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._do, work)

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            if self._connection is None:
                self._connection = open_people_file(self._directory)
                self._refuse_shared(self._connection)
            return work(self._connection)
        except StoreError:
            self._disconnect()
            raise
        except (sqlite3.Error, OSError, ValueError) as error:
            # The connection's idea of the file can no longer be trusted: start from the disk.
            self._disconnect()
            raise FILE.translated(error) from error

    def _refuse_shared(self, db: sqlite3.Connection) -> None:
        """What is written here alone, other nodes would never see."""
        if place_of(db) is not None:
            raise PeopleSharedError(
                f"{FILE.called} is shared with other nodes: name the log as the service does, "
                "with --store redis://…"
            )

    def _disconnect(self) -> None:
        if self._connection is not None:
            try:
                self._connection.close()
            except sqlite3.Error:
                log.exception("closing the people file failed")
            self._connection = None
