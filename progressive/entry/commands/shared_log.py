"""What commands about the log that nodes share have in common: opening it, and its errors."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import click

from progressive.adapters.data_directory import DirectoryLock
from progressive.adapters.redis.log import RedisLog
from progressive.adapters.redis.place import BadPlaceError, redis_place
from progressive.adapters.redis.server import RedisServer
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.ports import StoreConflictError
from progressive.application.journal.record import JournalBrokenError
from progressive.application.link.ports import LedElsewhereError
from progressive.application.shared.ports import CopiesDifferError
from progressive.domain.ids import LinkId, is_id
from progressive.runtime.plain_errors import CannotRunError, FindingError

HERE: Final = "a command that moves records"
"""Who has the lease meanwhile, for whoever asks."""
_FINDINGS: Final = (CopiesDifferError, JournalBrokenError)


def link_named(_: click.Context, __: click.Parameter, value: str) -> LinkId:
    """The value of `--link`."""
    if not is_id(value):
        raise click.BadParameter(f"{value!r} cannot name a link")
    return LinkId(value)


@asynccontextmanager
async def both(data: Path, url: str) -> AsyncIterator[tuple[SqliteStore, RedisLog]]:
    """A data directory that no service works on, and a log."""
    try:
        place = redis_place(url)
    except BadPlaceError as error:
        raise CannotRunError(str(error)) from None
    lock = DirectoryLock(data)
    store, log = SqliteStore(data), RedisLog(RedisServer(place), url=HERE)
    try:
        yield store, log
    finally:
        await log.close()
        await store.close()
        lock.release()


def moved(moving: Coroutine[None, None, int]) -> int:
    """How many records; what is wrong otherwise is one line with its exit code."""
    try:
        return asyncio.run(moving)
    except LedElsewhereError as error:
        raise CannotRunError(f"{error}: stop the nodes first") from None
    except StoreConflictError as error:
        raise CannotRunError(str(error)) from None
    except _FINDINGS as error:
        raise FindingError(str(error)) from None
