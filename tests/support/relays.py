"""Real relays for tests: inside the test or as a process, and signs that read from them."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from display.app import running
from display.relay import Relay
from display.settings import Settings
from tests.support.service import ANSWER_SECONDS, ROOT, ServiceProcess

Message = dict[str, Any]


class RelayProcess(ServiceProcess):
    """`python -m display` in a process of its own."""

    def __init__(
        self,
        log: Path,
        *upstreams: str,
        port: int = 0,
        name: str = "north",
        options: Sequence[str | Path] = (),
    ) -> None:
        self._log = log.open("ab")
        named = [word for upstream in upstreams for word in ("--upstream", upstream)]
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "display", *named),
                *("--listen", f"127.0.0.1:{port}", "--name", name),
                *map(str, options),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        assert line.startswith("ready "), self.log()
        self.url = line.removeprefix("ready ")


class RunningRelay:
    """A relay inside the test."""

    def __init__(self, url: str, relay: Relay) -> None:
        self.url = url
        self.relay = relay


@asynccontextmanager
async def a_relay(
    *upstreams: str, name: str = "north", key: str | None = None
) -> AsyncIterator[RunningRelay]:
    settings = Settings(upstreams=upstreams, name=name, key=key)
    async with running(settings, host="127.0.0.1", port=0) as (url, relay):
        yield RunningRelay(url, relay)


class Sign:
    """A reader of the feed that keeps all it was told and checks what must always hold."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        self.ws = ws
        self.heard: list[Message] = []
        self.texts: list[str] = []

    async def next(self) -> Message:
        text = await self.ws.receive_str(timeout=ANSWER_SECONDS)
        message: Message = json.loads(text)
        self.texts.append(text)
        self.heard.append(message)
        return message

    async def next_of(self, kind: str) -> Message:
        while (message := await self.next())["type"] != kind:
            pass
        return message

    async def until_seq(self, seq: int) -> Message:
        """The first amounts that are at least as new."""
        while True:
            message = await self.next()
            if message["type"] in ("snapshot", "update") and message["seq"] >= seq:
                return message

    async def until_epoch(self, epoch: int) -> Message:
        while True:
            message = await self.next()
            if message["type"] in ("snapshot", "update") and message["epoch"] >= epoch:
                return message

    @property
    def places(self) -> list[tuple[int, int]]:
        shown = [each for each in self.heard if each["type"] in ("snapshot", "update")]
        return [(each["epoch"], each["seq"]) for each in shown]

    @property
    def awards(self) -> list[str]:
        """Of wins told on their own, not in a snapshot."""
        return [each["award"] for each in self.heard if each["type"] == "win"]


@asynccontextmanager
async def a_sign(
    url: str, query: str = "?sign=entrance", headers: dict[str, str] | None = None
) -> AsyncIterator[Sign]:
    """Connected; a relay that has heard nothing yet is asked again."""
    async with aiohttp.ClientSession() as session:
        address = f"{url}/v1/links/main/feed{query}"
        async with asyncio.timeout(ANSWER_SECONDS):
            while True:
                try:
                    ws = await session.ws_connect(address, headers=headers)
                    break
                except aiohttp.WSServerHandshakeError as error:
                    if error.status != 404:
                        raise
                    await asyncio.sleep(0.02)
        async with ws:
            yield Sign(ws)


async def get(url: str, **options: Any) -> tuple[int, bytes, Any]:  # noqa: ANN401
    async with aiohttp.ClientSession() as session, session.get(url, **options) as response:
        return response.status, await response.read(), response.headers
