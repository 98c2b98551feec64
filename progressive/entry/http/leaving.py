"""Work for a request that ends when whoever asked has left."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from aiohttp import web

LOOK_SECONDS: Final = 0.1

T = TypeVar("T")


async def while_connected(request: web.Request, work: Coroutine[Any, Any, T]) -> T:
    """What the work gives; ConnectionResetError, and the work is cancelled, if nobody waits."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=LOOK_SECONDS))[0]:
            if request.transport is None:
                raise ConnectionResetError("left before the answer")
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
