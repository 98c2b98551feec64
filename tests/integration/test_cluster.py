"""`make cluster`: a node is killed, the other one leads, it comes back; Ctrl-C leaves nothing."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

from tests.cluster.run import FOLDER
from tests.integration.test_standby import main_link
from tests.support.redis_server import free_port
from tests.support.service import ROOT

pytestmark = [pytest.mark.redis, pytest.mark.slow, pytest.mark.drill]

WAIT_SECONDS = 120
"""A safety net for a hung test, never a measure of speed."""


class Running:
    """The program, and what it has said."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.said = ""

    async def until(self, pattern: str) -> str:
        """The first group of a line that comes, or has come."""
        assert self.process.stdout is not None
        while (found := re.search(pattern, self.said, re.M)) is None:
            line = await asyncio.wait_for(self.process.stdout.readline(), WAIT_SECONDS)
            assert line, f"it ended: {self.said}"
            self.said += line.decode()
        return found[1]


async def until_node(url: str, duty: str) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while True:
            try:
                if (await main_link(url))["node"] == duty:
                    return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.05)


def runs(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


async def test_cluster_survives_a_killed_node_and_leaves_nothing_behind(tmp_path: Path) -> None:
    ports = [free_port() for _ in range(3)]
    one, two, _ = (f"http://127.0.0.1:{port}" for port in ports)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.cluster.run", "--ports", ",".join(map(str, ports))),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    cluster = Running(process)
    try:
        await cluster.until(r"^(ready) ")
        pids = [int(pid) for pid in re.findall(r"pid (\d+)", cluster.said)]
        assert len(pids) == 8
        assert all(map(runs, pids))
        names = {one: "one", two: "two"}
        leader = one if (await main_link(one))["node"] == "leads" else two
        standby = two if leader is one else one
        pid = int(await cluster.until(rf"node {names[leader]} +pid (\d+)"))
        os.kill(pid, signal.SIGKILL)
        await until_node(standby, "leads")
        again = await cluster.until(rf"node {names[leader]} runs again, pid (\d+)")
        await until_node(leader, "follows")
        process.send_signal(signal.SIGINT)
        rest, _ = await asyncio.wait_for(process.communicate(), WAIT_SECONDS)
        assert process.returncode == 0, cluster.said + rest.decode()
        assert rest.decode().count("exit code 0") == 2
        assert not any(map(runs, [*pids, int(again)]))
        assert not [name for name in os.listdir(tmp_path) if name.startswith(FOLDER)]
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
