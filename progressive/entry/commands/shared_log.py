"""What commands about the log that nodes share have in common: opening it, and its errors."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, TypeVar

import click

from progressive.adapters.data_directory import DirectoryLock
from progressive.adapters.redis.log import RedisLog
from progressive.adapters.redis.place import BadPlaceError, redis_place
from progressive.adapters.redis.server import RedisServer
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.journal.ports import StoreConflictError
from progressive.application.journal.record import JournalBrokenError
from progressive.application.link.ports import LedElsewhereError
from progressive.application.shared.comparing import compared
from progressive.application.shared.copying import LinkCopy
from progressive.application.shared.ports import CopiesDifferError
from progressive.domain.ids import LinkId, is_id
from progressive.runtime.plain_errors import CannotRunError, FindingError

T = TypeVar("T")

HERE: Final = "a command that moves records"
"""Who has the lease meanwhile, for whoever asks."""
_FINDINGS: Final = (CopiesDifferError, JournalBrokenError)


def link_named(_: click.Context, __: click.Parameter, value: str) -> LinkId:
    """The value of `--link`."""
    if not is_id(value):
        raise click.BadParameter(f"{value!r} cannot name a link")
    return LinkId(value)


def opened_log(url: str) -> RedisLog:
    """The log at a Redis URL; nothing is connected yet."""
    try:
        return RedisLog(RedisServer(redis_place(url)), url=HERE)
    except BadPlaceError as error:
        raise CannotRunError(str(error)) from None


@asynccontextmanager
async def both(data: Path, url: str) -> AsyncIterator[tuple[SqliteStore, RedisLog]]:
    """A data directory that no service works on, and a log."""
    log = opened_log(url)
    lock = DirectoryLock(data)
    store = SqliteStore(data)
    try:
        yield store, log
    finally:
        await log.close()
        await store.close()
        lock.release()


async def copied(url: str, folder: Path) -> list[LinkId]:
    """Every link of a log as a data directory: all records must still be there. Which links."""
    log, store = opened_log(url), SqliteStore(folder)
    try:
        links = list(await log.links())
        for link in links:
            await LinkCopy(log, store, link).copy_until(await log.end(link))
        return links
    finally:
        await log.close()
        await store.close()


async def held_against(url: str, data: Path) -> list[str]:
    """Each link of a log beside a data directory, which a service may be writing: what is said."""
    log, journal = opened_log(url), SqliteJournalReader(data, unchanged=True)
    try:
        said = []
        for link in await log.links():
            found = await compared(log, journal, link)
            said.append(
                f"{link}: records {found.first_seq:,} to "
                f"{min(found.log_seq, found.disk_seq):,} are the same in the log, which ends at "
                f"{found.log_seq:,}"
            )
        return said
    finally:
        await log.close()


def done(work: Coroutine[None, None, T]) -> T:
    """What it returns; what is wrong otherwise is one line with its exit code."""
    try:
        return asyncio.run(work)
    except LedElsewhereError as error:
        raise CannotRunError(f"{error}: stop the nodes first") from None
    except StoreConflictError as error:
        raise CannotRunError(str(error)) from None
    except _FINDINGS as error:
        raise FindingError(str(error)) from None
