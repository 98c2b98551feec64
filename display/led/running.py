"""Feeds, driver and reports of one LED sign, running together until told to stop."""

import asyncio
from typing import Final, NamedTuple

from display.client import Client
from display.feed_client import FeedClient
from display.led.driver import LedDriver
from display.led.line import CONNECT_SECONDS, STALL_SECONDS, OpenLine
from display.led.names_check import check_names
from display.led.reading import Reading
from display.led.reports import report_for_ever
from display.settings import Settings

STOP_SECONDS: Final = CONNECT_SECONDS + STALL_SECONDS
"""A sign that does not listen any more does not keep its driver from stopping."""


class Feeds(NamedTuple):
    """Where the amounts come from, and which sign they are for."""

    settings: Settings
    link: str
    sign: str | None
    """None: nothing is reported to the service."""
    reading: Reading
    meters: tuple[str, ...] = ()
    """Those that must exist; empty: all of the link are shown."""


async def drive(feeds: Feeds, driver: LedDriver, open_line: OpenLine, stop: asyncio.Event) -> None:
    """Until `stop`; the sign then says that its amounts are not live.

    Raises UnknownNameError where the link or a meter does not exist.
    """
    client = Client(feeds.settings)
    who = {} if feeds.sign is None else {"sign": feeds.sign}
    readers = [
        FeedClient(client, upstream, feeds.link, feeds.reading, who=who)
        for upstream in feeds.settings.upstreams
    ]
    driving = asyncio.create_task(driver.run(open_line))
    tasks = [driving, asyncio.create_task(stop.wait())]
    tasks += [asyncio.create_task(reader.run()) for reader in readers]
    tasks.append(asyncio.create_task(_refuse_unknown(client, feeds)))
    if feeds.sign is not None:
        tasks.append(asyncio.create_task(report_for_ever(readers, driver.showing)))
    try:
        # None ends by itself: should one break, the others must not go on without it.
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        driver.stop()
        await asyncio.wait((driving,), timeout=STOP_SECONDS)
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        await client.close()
    for error in ended:
        if isinstance(error, Exception):
            raise error


async def _refuse_unknown(client: Client, feeds: Feeds) -> None:
    """Ends only where a name does not exist."""
    await check_names(client, feeds.settings.upstreams, feeds.link, feeds.meters)
    await asyncio.Event().wait()
