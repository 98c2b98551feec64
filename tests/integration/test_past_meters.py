"""`meters?at=` is open to all: limited, ended when its client leaves, never in the loop's way."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from progressive.adapters.clock import SystemClock
from progressive.adapters.memory.journal import MemoryStore
from progressive.adapters.segments.files import RECORDS, SegmentFiles
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.journal.history import meters_after
from progressive.application.journal.ports import StorePurgedError
from progressive.application.journal.segments import Block, Segment
from progressive.domain.ids import LinkId
from progressive.domain.state.link_state import Receipt
from progressive.entry.bootstrap import Running, running
from progressive.entry.http import past
from tests.support.builders import LINK, a_desk, a_lock, a_settle, journal_of
from tests.support.cut_journal import close_segments, cut_journal
from tests.support.people import BOB, a_people_desk
from tests.support.service import ANSWER_SECONDS, shipped_rules

AT = "?at=2999-01-01T00:00:00Z"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    rules = shipped_rules()
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
        real = SqliteJournalReader.last_record_until

        async def last_record_until(
            reader: SqliteJournalReader, link: LinkId, at: str, *, last_seq: int
        ) -> bytes | None:
            self.waiting.release()
            try:
                await self.go_on.wait()
            except asyncio.CancelledError:
                self.cancelled.release()
                raise
            return await real(reader, link, at, last_seq=last_seq)

        monkeypatch.setattr(SqliteJournalReader, "last_record_until", last_record_until)


async def test_questions_of_one_address_are_limited(
    service: Running, session: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []
    for _ in range(past.PAST_A_MINUTE + 2):
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
        asking = [asyncio.create_task(ask()) for _ in range(past.PAST_AT_ONCE)]
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
        strangers = [asyncio.create_task(ask()) for _ in range(past.PAST_AT_ONCE)]
        for _ in strangers:
            await disk.waiting.acquire()
        assert await ask() == 429
        staff = asyncio.create_task(ask(**shown))
        await disk.waiting.acquire()
        disk.go_on.set()
        assert {await task for task in (*strangers, staff)} == {200}
    while await ask() == 200:
        pass
    assert {await ask(**shown) for _ in range(2 * past.PAST_A_MINUTE)} == {200}
    assert await ask(Authorization="Bearer pss_nobodys") == 401


async def asked(session: aiohttp.ClientSession, service: Running, query: str) -> tuple[int, Any]:
    async with session.get(f"{service.url}/v1/links/main/meters{query}") as answer:
        return answer.status, await answer.json()


async def test_meters_after_a_record(service: Running, session: aiohttp.ClientSession) -> None:
    _, now = await asked(session, service, "")
    status, by_time = await asked(session, service, AT)
    assert (status, by_time["seq"]) == (200, now["seq"])
    assert await asked(session, service, f"?seq={now['seq']}") == (200, by_time)
    status, first = await asked(session, service, "?seq=1")
    assert (status, first["seq"], len(first["meters"])) == (200, 1, len(now["meters"]))


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("?seq=0", 404, "NO_RECORD"),
        ("?seq=999999999999999999", 404, "NO_RECORD"),
        ("?seq=", 400, "BAD_SEQ"),
        ("?seq=-1", 400, "BAD_SEQ"),
        ("?seq=1.0", 400, "BAD_SEQ"),
        ("?seq=%D9%A1", 400, "BAD_SEQ"),
        ("?seq=" + 5_000 * "9", 400, "BAD_SEQ"),
        ("?seq=1&at=2999-01-01T00:00:00Z", 400, "BAD_SEQ"),
        ("?at=yesterday", 400, "BAD_TIME"),
        ("?at=2020-01-01T00:00:00Z", 404, "NO_RECORD"),
    ],
)
async def test_questions_without_an_answer(
    service: Running, session: aiohttp.ClientSession, query: str, status: int, code: str
) -> None:
    answered, body = await asked(session, service, query)
    assert (answered, body["error"]["code"]) == (status, code)


# --- closed segments ------------------------------------------------------------------------------


class StuckFiles(SegmentFiles):
    """A disk that does not answer, until the test lets it."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.go_on = threading.Event()
        self.stuck = threading.Semaphore(0)

    def block(self, segment: Segment, block: Block) -> list[bytes]:
        self.stuck.release()
        assert self.go_on.wait(ANSWER_SECONDS)
        return super().block(segment, block)


async def test_five_slow_questions_delay_no_table(tmp_path: Path) -> None:
    """Their threads hang; the loop turns and the table gets its answers; whoever leaves is free."""
    memory = MemoryStore()
    async with a_desk(memory) as desk:
        for seq in range(1, 21):
            await desk.ask(a_settle(seq) if seq % 2 == 0 else a_lock(seq))
    records = await journal_of(memory)
    store, _ = await cut_journal(tmp_path, LINK, records, [15])
    files = StuckFiles(tmp_path)
    async with a_desk(store) as desk, asyncio.timeout(ANSWER_SECONDS):
        store._files = files
        last_seq = desk.worker.view.seq
        asking = [
            asyncio.create_task(meters_after(store, LINK, seq=seq, last_seq=last_seq))
            for seq in range(1, 6)
        ]
        await asyncio.to_thread(files.stuck.acquire)
        for seq in range(21, 41):
            given = await desk.ask(a_settle(seq) if seq % 2 == 0 else a_lock(seq))
            assert isinstance(given.answer, Receipt)
        assert not any(task.done() for task in asking)
        for task in asking[1:]:
            task.cancel()
        # Cancelling does not wait for the disk.
        await asyncio.wait(asking[1:])
        assert not files.go_on.is_set()
        files.go_on.set()
        then = await asking[0]
        assert then is not None
        assert then.seq == 1
    await store.close()


async def test_damage_met_by_a_question_stops_the_link(
    tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    rules = shipped_rules()
    async with running(rules, data=tmp_path, host="127.0.0.1", port=0):
        pass
    files = SegmentFiles(tmp_path)
    store, main = SqliteStore(tmp_path), LinkId("main")
    await journal_of(store, main)
    opened = await store.open_link(main)
    await close_segments(store, files, main, [1], epoch=opened.epoch)
    [segment] = await store.segments(main)
    await store.close()
    async with running(rules, data=tmp_path, host="127.0.0.1", port=0) as service:
        status, body = await asked(session, service, "?seq=1")
        assert (status, body["seq"]) == (200, 1)
        files.path(segment, RECORDS).write_bytes(bytes(segment.records.bytes))
        status, body = await asked(session, service, "?seq=1")
        assert (status, body["error"]["code"]) == (503, "LINK_INOPERABLE")
        assert segment.name in body["error"]["message"]
        async with asyncio.timeout(ANSWER_SECONDS):
            while True:
                async with session.get(f"{service.url}/readyz") as answer:
                    ready = await answer.json()
                if ready["links"]["main"]["state"] == "inoperable":
                    break
        assert segment.name in ready["links"]["main"]["reason"]


async def test_purged_records_are_gone_and_no_damage(
    service: Running, session: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def purged(reader: SqliteJournalReader, link: LinkId, seq: int) -> bytes | None:
        raise StorePurgedError("main: records 1 to 9 were purged", last_seq=9)

    monkeypatch.setattr(SqliteJournalReader, "record", purged)
    status, body = await asked(session, service, "?seq=1")
    assert (status, body["error"]["code"]) == (410, "PURGED")
    async with session.get(f"{service.url}/readyz") as answer:
        assert answer.status == 200
