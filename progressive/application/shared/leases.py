"""COLD. The leases of the links that this node leads are renewed; a lost one is noticed at once.
Once a minute the server's settings are looked at, and what enough disks hold leaves the log.

A lease only says whom to ask and when to stop waiting. What keeps a node that lost it from writing
is the fence of every append; here such a node learns of it though nobody wagers.
"""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from typing import Final

from progressive.application.journal.ports import StoreError, StoreUnavailableError
from progressive.application.link.worker import LinkWorker
from progressive.application.shared.ports import CopiesDifferError, UnsafeLogError
from progressive.application.shared.store import SharedStore
from progressive.domain.ids import LinkId

log = logging.getLogger(__name__)

RENEW_SECONDS: Final = 1.0
"""A third of a lease: two renewals may be lost."""
CHECKED_EVERY: Final = 60
"""Renewals between two looks at the server's settings and at the copies: a minute."""


class Leases:
    """Of one node."""

    def __init__(self, store: SharedStore, workers: Mapping[LinkId, LinkWorker]) -> None:
        self._store = store
        self._workers = workers
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to renew."""
        self._task = asyncio.create_task(self._run(), name="leases")

    async def stop(self) -> None:
        """Renew no more."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def release(self) -> None:
        """Nothing is appended here any more: another node may lead at once."""
        await self._store.release()

    async def renew(self) -> None:
        """One round over the links that this node leads."""
        for link in self._store.led:
            try:
                leader = await self._store.renew(link)
            except StoreUnavailableError as error:
                # An append finds out what it means; without one nothing is lost.
                log.warning("lease not renewed", extra={"link": link, "reason": str(error)})
                continue
            except CopiesDifferError as error:
                self._workers[link].doubt_soon(str(error))
                continue
            if leader is not None:
                self._workers[link].stand_by_soon(leader)

    async def check(self) -> None:
        """Whether the server still keeps what it acknowledges: its settings can be changed."""
        try:
            await self._store.check_log()
        except UnsafeLogError as error:
            for link in self._store.led:
                self._workers[link].doubt_soon(str(error))
        except StoreUnavailableError as error:
            log.warning("the log's server was not checked", extra={"reason": str(error)})

    async def report_copies(self) -> None:
        """Of all links: also those that another node leads."""
        for link in self._workers:
            try:
                await self._store.report_copy(link)
            except StoreError as error:
                log.warning("copy not reported", extra={"link": link, "reason": str(error)})

    async def loss_case(self) -> str:
        """What a failure of the log's server could lose, in words. Raises StoreUnavailableError."""
        return await self._store.check_log()

    async def _run(self) -> None:
        renewals = 0
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            await self.renew()
            renewals += 1
            if renewals % CHECKED_EVERY == 0:
                await self.check()
                await self.report_copies()
