"""A people file as this node's copy of what several nodes share.

A change is made by the same code as where the file is one node's alone (`SqlitePeople`), within a
transaction that holds the file's new place in the log too. The thread waits for the log before it
commits: no other process of this node writes the file meanwhile.
"""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from progressive.adapters.sqlite.file import DRIVER_ERRORS
from progressive.adapters.sqlite.people import SqlitePeople
from progressive.adapters.sqlite.people_file import FILE_NAME
from progressive.adapters.sqlite.people_rows import any_overdue, append
from progressive.adapters.sqlite.people_state import (
    beginning,
    is_empty,
    last_act_hash,
    place_of,
    set_place,
    take_over,
)
from progressive.application.journal.ports import StoreConflictError
from progressive.application.people.act_log import Deed
from progressive.application.people.operations import (
    Operation,
    decode_operation,
    encode_operation,
)
from progressive.application.people.shared_log import (
    BEFORE_ALL,
    Append,
    LogEntry,
    LogPlace,
    PeopleDifferError,
    beginning_of,
)

T = TypeVar("T")

APPEND_SECONDS: Final = 15.0
"""The log answers or fails before: only a loop that has ended leaves an append without either."""


class SqlitePeopleCopy(SqlitePeople):
    """Implements `application.people.shared_log.PeopleCopy`."""

    async def place(self) -> LogPlace | None:
        """As the file says, whichever process wrote it."""
        return await self._read(place_of)

    async def is_empty(self) -> bool:
        """No account and no act."""
        return await self._read(is_empty)

    async def begin(self, append_to_log: Append) -> None:
        """With all that the file holds."""
        loop = asyncio.get_running_loop()

        def begin(db: sqlite3.Connection) -> None:
            if place_of(db) is not None:
                # Another process of this node has begun it.
                return
            body = msgspec.msgpack.encode(beginning(db))
            entry = LogEntry(1, BEFORE_ALL.head, last_act_hash(db), body)
            set_place(db, entry.place)
            _wait(append_to_log(entry), loop)

        await self._write(begin)

    async def join(self, first: LogEntry) -> None:
        """With the state of entry 1."""

        def join(db: sqlite3.Connection) -> None:
            if place_of(db) is not None:
                return
            if first.number != 1:
                raise PeopleDifferError(
                    f"the shared log of people begins with entry {first.number:,}: restore "
                    "people.sqlite3 of another node here first"
                )
            take_over(db, first, beginning_of(first))

        await self._write(join)

    async def apply(self, entries: Sequence[LogEntry]) -> None:
        """In one commit."""

        def apply(db: sqlite3.Connection) -> None:
            place = place_of(db)
            if place is None:
                raise PeopleDifferError("people.sqlite3 on this node follows no log any more")
            for entry in entries:
                # Another process of this node may have been quicker.
                if entry.number > place.number:
                    _apply(db, place, entry)
                    place = entry.place
            set_place(db, place)

        await self._write(apply)

    async def propose(self, operation: Operation[T], append_to_log: Append) -> T:
        """What was done stands only if the log takes it."""
        loop = asyncio.get_running_loop()

        def propose(db: sqlite3.Connection) -> T:
            place = place_of(db)
            if place is None:
                raise StoreConflictError("no log has begun here")
            acts = last_act_hash(db)
            done = _at_once(operation.on(_Within(db)))
            body = encode_operation(operation)
            entry = LogEntry(place.number + 1, place.head, acts, body)
            set_place(db, entry.place)
            _wait(append_to_log(entry), loop)
            return done

        return await self._write(propose)

    async def leave(self, deed: Deed) -> None:
        """Follow the log no more: the file is this node's alone."""

        def leave(db: sqlite3.Connection) -> None:
            set_place(db, None)
            append(db, deed)

        await self._write(leave)

    async def any_overdue(self, *, opened_before: str, used_before: str) -> bool:
        """For a look without a commit."""
        return await self._read(lambda db: any_overdue(db, opened_before, used_before))

    def _refuse_shared(self, db: sqlite3.Connection) -> None:
        """This is what follows the log."""


def is_shared_file(directory: Path) -> bool:
    """Whether the people of a data directory are shared, by its file; nothing is written.

    False also for a file that cannot be read: whoever needs it says what is wrong with it.
    """
    path = directory / FILE_NAME
    if not path.exists():
        return False
    with contextlib.suppress(*DRIVER_ERRORS):
        uri = f"{path.resolve().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as db:
            return place_of(db) is not None
    return False


class _Within(SqlitePeople):
    """The changes of people, made in a transaction that is open already, at once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return work(self._db)

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return work(self._db)


def _apply(db: sqlite3.Connection, place: LogPlace, entry: LogEntry) -> None:
    if (entry.number, entry.prev) != (place.number + 1, place.head):
        raise PeopleDifferError(
            f"entry {entry.number:,} of the shared log of people does not follow entry "
            f"{place.number:,}, which people.sqlite3 on this node holds"
        )
    if entry.acts != last_act_hash(db):
        raise PeopleDifferError(
            f"the act log in people.sqlite3 on this node is another one than before entry "
            f"{entry.number:,} of the shared log: move the file away, or restore one of another "
            "node"
        )
    try:
        _at_once(decode_operation(entry.body).on(_Within(db)))
    except (msgspec.DecodeError, sqlite3.IntegrityError) as error:
        raise PeopleDifferError(
            f"entry {entry.number:,} of the shared log of people cannot be applied here: {error}"
        ) from None


def _at_once(call: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing."""
    try:
        call.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    call.close()
    raise AssertionError("a change of people waits for something")


def _wait(append: Coroutine[Any, Any, None], loop: asyncio.AbstractEventLoop) -> None:
    """In the file's thread, for what the loop does."""
    asyncio.run_coroutine_threadsafe(append, loop).result(timeout=APPEND_SECONDS)
