"""What the age of a journal costs: to start, to ask about the past, to lie on a disk."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import aiohttp
from msgspec import Struct
from rich.console import Console

from progressive.adapters.segments.files import FOLDER, SegmentFiles
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.domain.time_text import later
from progressive.runtime.event_loop import run
from tests.bench.goals import Goal, show_goals
from tests.bench.grids import show_grid
from tests.bench.journal_data import Aged, Started, bytes_in, chill, make_aged, serving
from tests.bench.journal_verified import PEAK_GROWTH, TO_PLAIN, Verified, verify_alone
from tests.support.service import ANSWER_SECONDS

AGES = (200_000, 1_000_000, 4_000_000)
QUICK_AGES = (50_000, 200_000, 400_000)
FLAT = 1.5
"""The oldest may take so many times what the youngest takes."""
ASKED_MS = 100.0
ROUND_BYTES = 200.0
ASKS = 9
"""Questions of each kind; each is another one, so that none is answered by the one before."""


class Age(Struct, kw_only=True):
    """What one directory took. Times in milliseconds."""

    records: int
    cold_start: float
    warm_start: float
    first_asked: float
    """The first question of all after a start: what has to be looked up once, it looks up."""
    asked: dict[str, list[float]]
    """All other questions, by kind."""
    round_bytes: float | None
    """At rest, with index and state; None: it is too young to have a segment."""
    live_mib: float
    verified: Verified


def bench_age(console: Console, *, turns: int, ages: Sequence[int]) -> None:
    """Directories of these ages, one after another in one temporary folder."""
    measured = []
    for records in ages:
        with tempfile.TemporaryDirectory() as folder:
            measured.append(run(_measure(Path(folder) / "link", records, turns)))
    _show(console, measured)


async def _measure(out: Path, records: int, turns: int) -> Age:
    aged = await make_aged(out, records)
    data = aged.made.data
    round_bytes = await _round_bytes(aged)
    live = (data / FILE_NAME).stat().st_size
    cold, warm = [], []
    for _ in range(turns):
        chill(data)
        for seconds in (cold, warm):
            with serving(aged.made) as service:
                seconds.append(service.seconds * 1000)
                await _is_live(service)
    chill(data)
    with serving(aged.made) as service:
        first_asked, asked = await _ask(service, aged)
    verified = await verify_alone(aged.made)
    return Age(
        records=aged.made.records,
        cold_start=min(cold),
        warm_start=min(warm),
        first_asked=first_asked,
        asked=asked,
        round_bytes=round_bytes,
        live_mib=live / 2**20,
        verified=verified,
    )


async def _round_bytes(aged: Aged) -> float | None:
    store = SqliteStore(aged.made.data)
    try:
        segments = await store.segments(aged.made.link)
    finally:
        await store.close()
    if not segments:
        return None
    files = SegmentFiles(aged.made.data)
    closed = sum(sum_.bytes for each in segments for _, sum_ in files.sums(each))
    assert closed == bytes_in(aged.made.data / FOLDER)
    rounds = aged.made.rounds * segments[-1].last_seq / aged.made.records
    return closed / rounds


async def _is_live(service: Started) -> None:
    """A ready line in front of a link that does not work would be worth nothing."""
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{service.port}/v1/links/main/meters") as answer,
    ):
        body = await answer.json()
        assert (answer.status, body["state"]) == (200, "live"), body


# --- questions about the past -------------------------------------------------------------------


async def _ask(service: Started, aged: Aged) -> tuple[float, dict[str, list[float]]]:
    """Milliseconds of the first question, and of each other one by kind; nothing is cached."""
    url = f"http://127.0.0.1:{service.port}"
    headers = {"Authorization": f"Bearer {aged.token}"}
    asked: dict[str, list[float]] = {}
    async with aiohttp.ClientSession(headers=headers) as session:
        path = f"/v1/links/{aged.made.link}/meters?at={later(aged.made.first_at, seconds=60)}"
        first_asked = await _get(session, url + path)
        for kind, paths in _questions(aged).items():
            asked[kind] = [await _get(session, url + path) for path in paths]
        asked["old answer"] = [
            await _repeat(session, url, table, aged.keys[table], message)
            for table, message in aged.made.first_messages[:ASKS]
        ]
    return first_asked, asked


def _questions(aged: Aged) -> dict[str, list[str]]:
    made = aged.made
    length = datetime.fromisoformat(made.last_at) - datetime.fromisoformat(made.first_at)
    questions = {
        name: [
            f"/v1/links/{made.link}/meters?at={at}" for at in _times(made.first_at, length, part)
        ]
        for name, part in (("at= first day", 0.02), ("at= middle", 0.5), ("at= end", 0.98))
    }
    first_day = later(made.first_at, seconds=86_400)
    awards = [award for award, at in made.awards if at < first_day][:ASKS]
    return questions | {"sheet": [f"/v1/awards/{award}/sheet" for award in awards]}


def _times(first_at: str, length: timedelta, part: float) -> Iterator[str]:
    for number in range(ASKS):
        seconds = (part + (number - ASKS / 2) / 1000) * length.total_seconds()
        yield later(first_at, seconds=int(seconds), microseconds=4711)


async def _get(session: aiohttp.ClientSession, url: str) -> float:
    began = time.perf_counter()
    async with session.get(url) as answer:
        body = await answer.read()
        assert answer.status == 200, (url, body[:500])
    return (time.perf_counter() - began) * 1000


async def _repeat(
    session: aiohttp.ClientSession, url: str, table: str, key: str, message: bytes
) -> float:
    """A table sends its very first message again."""
    async with session.ws_connect(
        f"{url}/v1/tables/{table}/socket", headers={"Authorization": f"Bearer {key}"}
    ) as socket:
        await socket.receive(timeout=ANSWER_SECONDS)
        began = time.perf_counter()
        await socket.send_str(message.decode())
        answer = await socket.receive_json(timeout=ANSWER_SECONDS)
        took = time.perf_counter() - began
        assert (answer["type"], answer["repeat"]) == ("locked", True), answer
        # Whoever connects again at once is told to wait.
        await asyncio.sleep(0)
    return took * 1000


# --- the table ----------------------------------------------------------------------------------


def _show(console: Console, ages: list[Age]) -> None:
    kinds = list(ages[0].asked)
    rows = [
        ["start, cold cache", *(f"{age.cold_start:,.0f} ms" for age in ages)],
        ["start, warm cache", *(f"{age.warm_start:,.0f} ms" for age in ages)],
        ["first question after a start", *(f"{age.first_asked:.1f} ms" for age in ages)],
        *(
            [
                f"{kind}: median (slowest)",
                *(
                    f"{statistics.median(age.asked[kind]):.1f} ({max(age.asked[kind]):.1f}) ms"
                    for age in ages
                ),
            ]
            for kind in kinds
        ),
        ["bytes a round at rest", *(_shown(age.round_bytes) for age in ages)],
        ["journal file", *(f"{age.live_mib:,.0f} MiB" for age in ages)],
        [
            "verifier, one core: a record (hashing and decoding alone)",
            *(f"{age.verified.record_us:.1f} ({age.verified.plain_us:.1f}) us" for age in ages),
        ],
        ["verifier: memory at most", *(f"{age.verified.peak_mib:.0f} MiB" for age in ages)],
    ]
    show_grid(
        console,
        "what the age of a journal costs",
        ("", *(f"{age.records:,} records" for age in ages)),
        rows,
    )
    young, old = ages[0], ages[-1]
    first = max(age.first_asked for age in ages)
    slowest = max(max(took) for age in ages for took in age.asked.values())
    sizes = [age.round_bytes for age in ages if age.round_bytes is not None]
    show_goals(
        console,
        [
            Goal("start, cold: oldest / youngest", old.cold_start / young.cold_start, FLAT, True),
            Goal("start, warm: oldest / youngest", old.warm_start / young.warm_start, FLAT, True),
            *(
                Goal(
                    f"{kind}, fastest: oldest / youngest",
                    min(old.asked[kind]) / min(young.asked[kind]),
                    FLAT,
                    True,
                )
                for kind in kinds
            ),
            Goal("first question after a start", first, ASKED_MS, True, " ms"),
            Goal("slowest question after it", slowest, ASKED_MS, True, " ms"),
            Goal("bytes a round at rest", max(sizes) if sizes else None, ROUND_BYTES, True),
            Goal("verifier / hashing and decoding alone", old.verified.to_plain, TO_PLAIN, True),
            Goal(
                "memory of the verifier: oldest / middle",
                old.verified.peak_mib / ages[1].verified.peak_mib,
                PEAK_GROWTH,
                True,
            ),
        ],
    )


def _shown(round_bytes: float | None) -> str:
    return "-" if round_bytes is None else f"{round_bytes:.0f}"
