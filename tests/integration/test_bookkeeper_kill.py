"""The bookkeeper beside a real service: killed, it comes back; the service killed, it ends."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import aiohttp
import pytest

from tests.support.service import ANSWER_SECONDS, ServiceProcess
from tests.support.staff import PAT, working

pytestmark = pytest.mark.slow

BOOKKEEPER = b"progressive.entry.bookkeeper"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceProcess]:
    with ServiceProcess(tmp_path / "data") as running:
        yield running


def bookkeepers(pid: int) -> list[int]:
    """Those that a service has started."""
    found = []
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with contextlib.suppress(OSError):
                if BOOKKEEPER in Path(f"/proc/{child}/cmdline").read_bytes():
                    found.append(int(child))
    return found


def ended(pid: int) -> bool:
    """Gone, or waiting for somebody to take note of it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(ANSWER_SECONDS):
        while not condition():
            await asyncio.sleep(0.02)


async def restarts(service: ServiceProcess) -> float:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{service.url}/metrics") as answer,
    ):
        lines = (await answer.text()).splitlines()
    (line,) = [each for each in lines if each.startswith("progressive_bookkeeper_restarts_total ")]
    return float(line.split()[1])


async def started(service: ServiceProcess) -> int:
    """With the first question, where that comes before the first look."""
    async with working(service.url, service.data) as staff:
        assert (await staff.ask(PAT, "GET", "/v1/days"))[0] == 200
    (child,) = bookkeepers(service.pid)
    return child


async def test_it_ends_with_a_service_that_is_killed(service: ServiceProcess) -> None:
    child = await started(service)
    service.kill()
    await until(lambda: ended(child))


async def test_it_ends_with_a_service_that_is_stopped(service: ServiceProcess) -> None:
    child = await started(service)
    assert service.terminate() == 0
    assert ended(child)


async def test_killed_it_is_replaced_and_nothing_else_notices(service: ServiceProcess) -> None:
    async with working(service.url, service.data) as staff:
        status, days = await staff.ask(PAT, "GET", "/v1/days")
        assert status == 200
        (child,) = bookkeepers(service.pid)
        os.kill(child, signal.SIGKILL)
        await until(lambda: ended(child))
        path = f"/v1/reports/reconciliation?day={days['today']}"
        async with asyncio.timeout(ANSWER_SECONDS):
            # Its end may be noticed only when the next question is written.
            while (await staff.ask(PAT, "GET", path))[0] != 200:
                pass
        assert await restarts(service) == 1
        (another,) = bookkeepers(service.pid)
        assert another != child
