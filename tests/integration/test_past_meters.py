"""`meters?at=` is open to all: limited, ended when its client leaves, never in the loop's way."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from progressive.adapters.clock import SystemClock
from progressive.adapters.config.floor import load_floor
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.domain.ids import LinkId
from progressive.entry.bootstrap import Running, running
from progressive.entry.http import public
from tests.support.people import BOB, a_people_desk
from tests.support.service import ANSWER_SECONDS, FLOOR

AT = "?at=2999-01-01T00:00:00Z"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    rules = load_floor(FLOOR).rules
    async with running(rules, data=tmp_path, host="127.0.0.1", port=0) as service:
        yield service


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


class SlowDisk:
    """Look-ups wait until the test lets them go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go_on = asyncio.Event()
        self.waiting = asyncio.Semaphore(0)
        self.cancelled = asyncio.Semaphore(0)
        real = SqliteJournalReader.record

        async def record(reader: SqliteJournalReader, link: LinkId, seq: int) -> bytes | None:
            self.waiting.release()
            try:
                await self.go_on.wait()
            except asyncio.CancelledError:
                self.cancelled.release()
                raise
            return await real(reader, link, seq)

        monkeypatch.setattr(SqliteJournalReader, "record", record)


async def test_questions_of_one_address_are_limited(
    service: Running, session: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []
    for _ in range(public.PAST_A_MINUTE + 2):
        async with session.get(f"{service.url}/v1/links/main/meters{AT}") as answer:
            answers.append((answer.status, answer.headers.get("Retry-After")))
            body = await answer.json()
    assert answers[0] == (200, None)
    assert answers[-1] == (429, "5")
    assert body["error"]["code"] == "TOO_MANY_QUESTIONS"
    # What is on display now costs nothing.
    async with session.get(f"{service.url}/v1/links/main/meters") as answer:
        assert answer.status == 200


async def test_only_few_are_under_way_and_whoever_leaves_ends_theirs(
    service: Running, session: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SlowDisk(monkeypatch)
    url = f"{service.url}/v1/links/main/meters{AT}"

    async def ask() -> int:
        async with session.get(url) as answer:
            json.loads(await answer.text())
            return answer.status

    async with asyncio.timeout(ANSWER_SECONDS):
        asking = [asyncio.create_task(ask()) for _ in range(public.PAST_AT_ONCE)]
        for _ in asking:
            await disk.waiting.acquire()
        assert await ask() == 429
        for task in asking[1:]:
            task.cancel()
        for _ in asking[1:]:
            await disk.cancelled.acquire()
        disk.go_on.set()
        assert await asking[0] == 200
        assert await ask() == 200


async def test_staff_have_an_allowance_that_strangers_do_not_use_up(
    service: Running,
    session: aiohttp.ClientSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A finance script behind the proxy that everybody comes by."""

    async def ask(**headers: str) -> int:
        url = f"{service.url}/v1/links/main/meters{AT}"
        async with session.get(url, headers=headers) as answer:
            await answer.read()
            return answer.status

    async with a_people_desk(tmp_path, SystemClock()) as desk:
        await desk.add(BOB)
        shown = {"Authorization": f"Bearer {(await desk.log_in(BOB)).token}"}
    disk = SlowDisk(monkeypatch)
    async with asyncio.timeout(ANSWER_SECONDS):
        strangers = [asyncio.create_task(ask()) for _ in range(public.PAST_AT_ONCE)]
        for _ in strangers:
            await disk.waiting.acquire()
        assert await ask() == 429
        staff = asyncio.create_task(ask(**shown))
        await disk.waiting.acquire()
        disk.go_on.set()
        assert {await task for task in (*strangers, staff)} == {200}
    while await ask() == 200:
        pass
    assert {await ask(**shown) for _ in range(2 * public.PAST_A_MINUTE)} == {200}
    assert await ask(Authorization="Bearer pss_nobodys") == 401
