"""Tells the service what can be read on the sign: when that has changed, and to show presence."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from display.feed_client import FeedClient
from progressive.wire.codec import encode
from progressive.wire.feed_messages import Showing

REPORT_SECONDS: Final = 1.1
"""A little over the second that is agreed, so that two reports do not arrive within one."""
PRESENCE_SECONDS: Final = 5.0


async def report_for_ever(
    feeds: Sequence[FeedClient], showing: Callable[[], Showing | None]
) -> None:
    """To the first upstream that listens; nothing while what the sign shows is not certain."""
    last: tuple[FeedClient, Showing] | None = None
    last_at = 0.0
    clock = asyncio.get_running_loop().time
    while True:
        await asyncio.sleep(REPORT_SECONDS)
        feed = next((each for each in feeds if each.up), None)
        shown = showing()
        if feed is None or shown is None:
            last = None
        elif last != (feed, shown) or clock() - last_at >= PRESENCE_SECONDS:
            last, last_at = (feed, shown), clock()
            await feed.send(encode(shown))
