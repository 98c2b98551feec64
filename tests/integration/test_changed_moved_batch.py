"""The service was killed before it had removed what a segment holds, and somebody changed some of
that while it was down: the link stops, and nothing is removed."""

import asyncio
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.domain.ids import LinkId
from tests.support.service import (
    ServiceProcess,
    TableClient,
    issue_key,
    lock,
    run_command,
    settle,
)
from tests.support.small_segments import MODULE

pytestmark = pytest.mark.slow

MAIN = LinkId("main")
SAFETY_SECONDS = 120
"""For processes that work beside others: never a measure of speed."""
TRIMMED = 32
"""What one transaction removes."""


class Batches:
    """What lies in the journal file."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE_NAME

    def ask(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self._path, timeout=SAFETY_SECONDS)) as db, db:
            return db.execute(sql, values).fetchall()

    @property
    def seam(self) -> int:
        found: int = self.ask("SELECT coalesce(max(last_seq), 0) FROM segment")[0][0]
        return found

    def moved(self) -> list[tuple[int, bytes]]:
        """Those that a segment holds."""
        query = "SELECT first_seq, body FROM batch WHERE last_seq <= ? ORDER BY first_seq"
        return self.ask(query, self.seam)

    def replace(self, first_seq: int, body: bytes) -> None:
        self.ask("UPDATE batch SET body = ? WHERE first_seq = ?", body, first_seq)


async def standing(url: str) -> tuple[str, str]:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/v1/links") as response:
        links = (await response.json())["links"]
    (found,) = [each for each in links if each["id"] == MAIN]
    return found["state"], found.get("reason") or ""


async def wait_until(url: str, state: str) -> str:
    async with asyncio.timeout(SAFETY_SECONDS):
        while (seen := await standing(url))[0] != state:
            await asyncio.sleep(0.05)
    return seen[1]


async def play_until_archived(service: ServiceProcess, batches: Batches) -> None:
    key = issue_key(service.data, "BJ-01")
    async with (
        TableClient.connect(service.url, "BJ-01", key) as table,
        asyncio.timeout(SAFETY_SECONDS),
    ):
        seq: int = table.welcome["next_seq"]
        while not batches.seam or len(batches.moved()) > batches.seam - TRIMMED:
            assert (await table.ask(lock(seq, f"r{seq}")))["type"] == "locked"
            assert (await table.ask(settle(seq + 1, f"r{seq}")))["type"] == "settled"
            seq += 2


async def test_batch_that_was_changed_while_the_service_was_down_stops_the_link(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    batches = Batches(data)
    service = ServiceProcess(data, module=MODULE, NO_TRIMMING="1")
    await play_until_archived(service, batches)
    service.kill()

    left = batches.moved()
    assert len(left) >= 3
    seq, good = left[len(left) // 2]
    batches.replace(seq, re.sub(rb'"table":"BJ-01"', b'"table":"BJ-02"', good, count=1))
    changed = batches.moved()
    assert changed != left
    named = f"record {seq} is another one in the journal file than in segment 1 "

    with ServiceProcess(data, module=MODULE) as service:
        reason = await wait_until(service.url, "inoperable")
        # Later the process that verifies the past says the same in its own words.
        assert reason.startswith(f"the journal's past is damaged: record {seq}")
        assert named in service.log()
        key = issue_key(data, "BJ-02")
        async with TableClient.connect(service.url, "BJ-02", key) as table:
            answer = await table.ask(lock(table.welcome["next_seq"], "r1"))
        assert answer["code"] == "LINK_INOPERABLE"
        assert service.terminate() == 0
    assert batches.moved() == changed
    verified = run_command("verify", "--data", data)
    assert verified.returncode == 1
    assert re.search(
        rf"^link main, record {seq}\b.*: is another one in the journal file", verified.stdout, re.M
    ), verified.stdout

    # Kept over the restart, and over what the background finds.
    kept = json.loads((data / "findings" / "main.json").read_text())
    assert f"record {seq}" in kept["reason"]
    with ServiceProcess(data, module=MODULE) as service:
        state, reason = await standing(service.url)
        assert (state, f"record {seq}" in reason) == ("inoperable", True)
        assert service.terminate() == 0
    assert batches.moved() == changed

    # Somebody puts it right: the link opens once the past is verified, and it is removed then.
    batches.replace(seq, good)
    with ServiceProcess(data, module=MODULE) as service:
        await wait_until(service.url, "live")
        async with asyncio.timeout(SAFETY_SECONDS):
            while batches.moved():
                await asyncio.sleep(0.05)
        assert service.terminate() == 0
    assert run_command("verify", "--data", data).returncode == 0
