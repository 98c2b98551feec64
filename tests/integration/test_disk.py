"""The disk fails under a running service: nothing is answered that was not kept."""

import asyncio
import resource
from pathlib import Path

import aiohttp
import pytest

from tests.support.floor_load import LoadTable, check_books, until_answered
from tests.support.service import ServiceProcess, TableClient, issue_key, lock, run_command, settle


def limit_file_size(pid: int, limit_bytes: int) -> None:
    """From here on the kernel fails every write of that process beyond this size."""
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit_bytes, resource.RLIM_INFINITY))


async def link_state(url: str) -> tuple[str, str | None]:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/v1/links") as response:
        (link,) = (await response.json())["links"]
        return link["state"], link["reason"]


async def until_state(url: str, state: str) -> str | None:
    async with asyncio.timeout(30):
        while True:
            now, reason = await link_state(url)
            if now == state:
                return reason
            await asyncio.sleep(0.02)


@pytest.mark.slow
async def test_a_full_disk_stops_the_link_and_a_freed_one_brings_it_back(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        key = issue_key(data, "BJ-01")
        async with TableClient.connect(service.url, "BJ-01", key) as table:
            first = await table.ask(lock(1, "r1", (1, 2, 3)))
            assert first["type"] == "locked"
            limit_file_size(service.pid, 1)
            # No answer that says it was kept: an error, or the socket closed to come back later.
            await table.ws.send_json(settle(2, "r1"))
            frame = await table.ws.receive(timeout=30)
            while frame.type is aiohttp.WSMsgType.TEXT and '"state"' in frame.data[:20]:
                frame = await table.ws.receive(timeout=30)
            assert frame.type is aiohttp.WSMsgType.CLOSE or '"LINK_INOPERABLE"' in frame.data
        reason = await until_state(service.url, "inoperable")
        assert reason is not None
        assert "journal" in reason
        async with TableClient.connect(service.url, "BJ-01", key) as table:
            assert table.welcome["state"] == "inoperable"
            assert table.welcome["round"]["round"] == "r1"
            # The last amounts are still told, with the state beside them; never an invented one.
            assert table.welcome["meters"] == first["meters"]
            # What is known to be kept is answered again; what may be kept gets no word at all.
            assert await table.ask(lock(1, "r1", (1, 2, 3))) == {**first, "repeat": True}
            await table.ws.send_json(settle(2, "r1"))
            assert await table.receive_close() == 1013
        async with TableClient.connect(service.url, "BJ-02", issue_key(data, "BJ-02")) as table:
            refused = await table.ask(lock(1, "r1"))
            assert refused["code"] == "LINK_INOPERABLE"
            assert refused["message"] == reason
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{service.url}/readyz") as response:
                assert response.status == 503
            async with session.get(f"{service.url}/healthz") as response:
                assert response.status == 200
        limit_file_size(service.pid, resource.RLIM_INFINITY)
        await until_state(service.url, "live")
        async with TableClient.connect(service.url, "BJ-01", key) as table:
            assert table.welcome["round"]["round"] == "r1"
            next_seq = table.welcome["next_seq"]
            assert next_seq == 2
            assert (await table.ask(settle(2, "r1")))["type"] == "settled"
        assert service.terminate() == 0
    assert run_command("verify", "--data", data).returncode == 0


@pytest.mark.slow
async def test_writes_that_fail_under_load_are_never_answered(tmp_path: Path) -> None:
    """Again and again the file may grow a little and no further, in the middle of play."""
    data = tmp_path / "data"
    tables = [LoadTable(data, f"BJ-{number:02}", 11) for number in range(1, 13)]
    with ServiceProcess(data) as service:
        for turn in range(6):
            stop = asyncio.Event()
            playing = [asyncio.create_task(table.play(service.url, stop)) for table in tables]
            await until_answered(tables, playing)
            size = max(path.stat().st_size for path in data.glob("journal.sqlite3*"))
            limit_file_size(service.pid, size + 3000 * turn)
            await until_state(service.url, "inoperable")
            await asyncio.gather(*playing)
            limit_file_size(service.pid, resource.RLIM_INFINITY)
            await until_state(service.url, "live")
        stop = asyncio.Event()
        playing = [asyncio.create_task(table.play(service.url, stop)) for table in tables]
        await until_answered(tables, playing)
        stop.set()
        await asyncio.gather(*playing)
        assert service.terminate() == 0
    assert {error["code"] for table in tables for error in table.errors} <= {
        "LINK_INOPERABLE",
        "TRY_AGAIN",
    }
    check_books(tables, data)
    verified = run_command("verify", "--data", data)
    assert verified.returncode == 0, verified.stdout
