"""Two real nodes on one Redis, for tests of what a floor sees of a failover."""

import asyncio
import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import aiohttp
from click.testing import CliRunner

from progressive.adapters.keys.tables import TableKeys
from progressive.adapters.redis.place import RedisPlace
from progressive.domain.ids import TableId
from progressive.entry.cli import main
from tests.support.service import ServiceProcess

WAIT_SECONDS = 60
"""A safety net for a hung test, never a measure of speed."""


class TwoNodes:
    """A data directory each, the same keys of tables, and addresses that stay."""

    def __init__(self, folder: Path, place: RedisPlace, tables: int) -> None:
        self._store = f"{place.url}?prefix={place.prefix}&replicas={place.replicas}"
        self.data = [folder / "one", folder / "two"]
        keys = TableKeys(self.data[0])
        names = [f"BJ-{number:02}" for number in range(1, tables + 1)]
        self.keys = {name: keys.issue(TableId(name)) for name in names}
        self.keys_file = folder / "keys.json"
        self.keys_file.write_text(json.dumps(self.keys))
        shutil.copytree(self.data[0], self.data[1])
        self._ports = [0, 0]

    def start(self, number: int) -> ServiceProcess:
        """A node, at the address that it had before."""
        node = ServiceProcess(self.data[number], "--store", self._store, port=self._ports[number])
        self._ports[number] = node.port
        return node

    def verified(self) -> list[int]:
        """Exit codes of `progressive verify` over both."""
        return [
            CliRunner().invoke(main, ["verify", "--data", str(data)]).exit_code
            for data in self.data
        ]


async def link_at(url: str) -> dict[str, Any]:
    """The main link as a node shows it."""
    async with aiohttp.ClientSession() as session, session.get(f"{url}/v1/links") as response:
        links = (await response.json())["links"]
    found: dict[str, Any] = next(each for each in links if each["id"] == "main")
    return found


async def until_record(url: str, seq: int) -> dict[str, Any]:
    """Once a node's link has come to a record."""
    async with asyncio.timeout(WAIT_SECONDS):
        while (link := await link_at(url))["seq"] < seq:
            await asyncio.sleep(0.02)
    return link


async def until_leading(url: str) -> None:
    async with asyncio.timeout(WAIT_SECONDS), aiohttp.ClientSession() as session:
        while True:
            async with session.get(f"{url}/readyz") as response:
                if response.status == 200:
                    return
            await asyncio.sleep(0.02)


def hang(node: ServiceProcess) -> None:
    os.kill(node.pid, signal.SIGSTOP)


def go_on(node: ServiceProcess) -> None:
    os.kill(node.pid, signal.SIGCONT)
