"""A proxy between tables and the service that changes what the service says."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import WSMsgType, web
from aiohttp.test_utils import TestServer

Message = dict[str, Any]
Lie = Callable[[str, Message], list[Message]]
"""A table (or a link, for its sign feed) and a message for it, to the messages it gets instead."""


def the_truth(_: str, message: Message) -> list[Message]:
    """No lie."""
    return [message]


@asynccontextmanager
async def a_lying_proxy(
    url: str, lie: Lie = the_truth, *, on_signs: Lie = the_truth
) -> AsyncIterator[str]:
    """The address of a proxy before the service at `url`."""
    async with aiohttp.ClientSession() as session:
        app = web.Application()
        app.add_routes(_routes(session, url, lie, on_signs))
        async with TestServer(app) as server:
            yield str(server.make_url("")).rstrip("/")


def _routes(
    session: aiohttp.ClientSession, url: str, lie: Lie, on_signs: Lie
) -> list[web.RouteDef]:
    async def table(request: web.Request) -> web.WebSocketResponse:
        name = request.match_info["table"]
        here = web.WebSocketResponse(protocols=("progressive.table.v1",))
        await here.prepare(request)
        async with session.ws_connect(
            f"{url}{request.path}",
            headers={"Authorization": request.headers["Authorization"]},
            protocols=("progressive.table.v1",),
        ) as there:
            await _between(here, there, lambda message: lie(name, message))
        return here

    async def feed(request: web.Request) -> web.WebSocketResponse:
        name = request.match_info["link"]
        here = web.WebSocketResponse()
        await here.prepare(request)
        async with session.ws_connect(f"{url}{request.path_qs}") as there:
            await _between(here, there, lambda message: on_signs(name, message))
        return here

    async def passed_on(request: web.Request) -> web.Response:
        async with session.get(f"{url}{request.path_qs}") as response:
            headers = {"Content-Type": response.headers["Content-Type"]}
            return web.Response(body=await response.read(), status=response.status, headers=headers)

    return [
        web.get("/v1/links", passed_on),
        web.get("/v1/signs", passed_on),
        web.get("/v1/links/{link}/posted", passed_on),
        web.get("/sign/{sign}", passed_on),
        web.get("/assets/{path:.+}", passed_on),
        web.get("/v1/tables/{table}/socket", table),
        web.get("/v1/links/{link}/feed", feed),
    ]


async def _between(
    here: web.WebSocketResponse,
    there: "aiohttp.ClientWebSocketResponse[bool]",
    lie: Callable[[Message], list[Message]],
) -> None:
    """Carry frames both ways until one side is gone."""

    async def upward() -> None:
        async for frame in here:
            await there.send_str(frame.data)
        await there.close()

    going_up = asyncio.create_task(upward())
    async for frame in there:
        if frame.type is WSMsgType.TEXT:
            for message in lie(json.loads(frame.data)):
                await here.send_str(json.dumps(message))
    await here.close(code=there.close_code or 1000)
    going_up.cancel()
    await asyncio.gather(going_up, return_exceptions=True)
