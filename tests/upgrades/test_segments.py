"""A directory of the version before segments is taken over segment by segment, while tables play.

That version kept all records in one file, with one snapshot (schema 1). Nothing may be lost,
changed or entered twice on the way, and nobody at a table may notice it.
"""

import asyncio
import gzip
import hashlib
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path

import aiohttp
import pytest
from msgspec import Struct

from progressive.adapters.config.floor import load_floor
from progressive.adapters.segments.files import RECORDS, SegmentFiles
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.journal.archiving import TrimPace
from progressive.application.journal.cut import CutLimits
from progressive.application.journal.segments import Segment
from progressive.domain.ids import TableId
from progressive.entry.archives import PastSettings
from progressive.entry.bootstrap import Running, running
from tests.support.long_journal import LongJournal, make_long_journal
from tests.support.service import Message, TableClient, issue_key, lock, run_command, settle, void

pytestmark = pytest.mark.slow

OLD_RECORDS = 61_000
SEGMENTS = 6
SMALL = PastSettings(
    CutLimits(records=10_000, records_max=12_000),
    look_seconds=0.1,
    archive_rest=0,
    verify_rest=0,
    trim_pace=TrimPace(rest=9, pause_seconds=0.002, pause_seconds_max=0.05),
)
PLAYERS = ("BJ-001", "BJ-002", "BJ-003")
PACE_SECONDS = 0.05
"""Between two rounds of a table: the new records are to stay few beside the old ones."""
TAKEN_OVER_SECONDS = 240
"""A safety net for a hung test, never a measure of speed."""


class Old(Struct, frozen=True):
    """A directory of the version before, and what it held."""

    made: LongJournal
    records: int
    digest: str
    """Of all its records, as stored."""
    pages: int
    """Of its journal file."""


@pytest.fixture
def old(tmp_path: Path) -> Old:
    made = make_long_journal(
        tmp_path / "old",
        records=OLD_RECORDS,
        tables=40,
        days=2.5,
        terms_every=24_000,
        schema=1,
    )
    digest, records = hashlib.sha256(), 0
    with closing(sqlite3.connect(made.data / FILE_NAME)) as db:
        for (body,) in db.execute("SELECT body FROM batch ORDER BY first_seq"):
            digest.update(body)
            records += body.count(b"\n")
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
    return Old(made, records, digest.hexdigest(), _pages_used(made.data))


async def test_taken_over_segment_by_segment_while_tables_play(old: Old) -> None:
    made = old.made
    async with _served(old) as service:
        stop = asyncio.Event()
        players = [asyncio.create_task(_play(service, made, name, stop)) for name in PLAYERS]
        seen = await _until_taken_over(service, made)
        stop.set()
        answers = [answer for player in players for answer in await player]
    # Segment by segment, each time with the same answer about the past.
    assert seen["segments"] >= set(range(1, SEGMENTS + 1))
    assert len(seen["meters"]) == 1
    await _check_journal(old, answers)
    verified = run_command("verify", "--data", made.data)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    # How many new records there are depends on how long it took: a page holds more than four.
    assert _pages_used(made.data) < (old.pages + len(answers)) // 4
    async with _served(old) as service:
        await _goes_on(service, made)


@asynccontextmanager
async def _served(old: Old) -> AsyncIterator[Running]:
    rules = load_floor(old.made.floor).rules
    async with running(rules, data=old.made.data, host="127.0.0.1", port=0, past=SMALL) as service:
        yield service


async def _play(
    service: Running, made: LongJournal, name: str, stop: asyncio.Event
) -> list[Message]:
    """Round after round; every answer is one of a live link."""
    answers: list[Message] = []
    async with TableClient.connect(service.url, name, issue_key(made.data, name)) as table:
        assert table.welcome["state"] == "live"
        seq = table.welcome["next_seq"]
        if table.welcome["round"] is not None:
            answers.append(await table.ask(void(seq, table.welcome["round"]["round"])))
            seq += 1
        while not stop.is_set():
            answers.append(await table.ask(lock(seq, f"new-{seq}", range(1, 8))))
            answers.append(await table.ask(settle(seq + 1, f"new-{seq}")))
            seq += 2
            await asyncio.sleep(PACE_SECONDS)
    assert {answer["type"] for answer in answers} <= {"locked", "settled", "voided"}
    return answers


async def _until_taken_over(service: Running, made: LongJournal) -> dict[str, set[object]]:
    """All that was seen on the way: numbers of segments, and the meters of a day long past."""
    seen: dict[str, set[object]] = {"segments": set(), "meters": set()}
    past = f"{service.url}/v1/links/{made.link}/meters?at={made.awards[0][1]}"
    async with asyncio.timeout(TAKEN_OVER_SECONDS), aiohttp.ClientSession() as session:
        while not _is_taken_over(made.data):
            number = _segment_rows(made.data)
            if number not in seen["segments"]:
                seen["segments"].add(number)
                async with session.get(past) as answer:
                    assert answer.status == 200
                    seen["meters"].add(str((await answer.json())["meters"]))
            await asyncio.sleep(0.02)
    seen["segments"].add(_segment_rows(made.data))
    return seen


async def _check_journal(old: Old, answers: list[Message]) -> None:
    """The old records byte for byte, in files and through the reader; each new one once."""
    reader = SqliteJournalReader(old.made.data, unchanged=True)
    segments = await reader.segments(old.made.link)
    digest, numbers, seq = hashlib.sha256(), [], 0
    async for records in reader.read(old.made.link):
        for record in records:
            seq += 1
            if seq <= old.records:
                digest.update(record + b"\n")
            elif b'"table_seq"' in record:
                numbers.append(seq)
    assert digest.hexdigest() == old.digest
    assert sorted(answer["journal_seq"] for answer in answers) == numbers
    assert _inflated(old.made.data, segments) == await _stretch(reader, segments[-1])


def _inflated(data: Path, segments: Sequence[Segment]) -> str:
    """The digest of all closed records, as anybody can inflate them."""
    digest = hashlib.sha256()
    for segment in segments:
        digest.update(gzip.decompress(SegmentFiles(data).path(segment, RECORDS).read_bytes()))
    return digest.hexdigest()


async def _stretch(reader: SqliteJournalReader, last: Segment) -> str:
    digest = hashlib.sha256()
    async for records in reader.read(last.link, until_seq=last.last_seq):
        digest.update(b"".join(record + b"\n" for record in records))
    return digest.hexdigest()


async def _goes_on(service: Running, made: LongJournal) -> None:
    """After another start: the first message of a table is still recognised, the next one taken."""
    table, first = made.first_messages[0]
    async with TableClient.connect(service.url, table, issue_key(made.data, TableId(table))) as at:
        await at.ws.send_str(first.decode())
        repeated = await at.receive()
        assert (repeated["type"], repeated["repeat"]) == ("locked", True)
        seq = at.welcome["next_seq"]
        if at.welcome["round"] is not None:
            await at.ask(void(seq, at.welcome["round"]["round"]))
            seq += 1
        assert (await at.ask(lock(seq, "after-it")))["type"] == "locked"


# --- looks at the file, from outside ------------------------------------------------------------


def _segment_rows(data: Path) -> int:
    return int(_asked(data, "SELECT count(*) FROM segment"))


def _is_taken_over(data: Path) -> bool:
    """Whether all segments are there and nothing in them is left in the journal file."""
    left = "SELECT count(*) FROM batch WHERE last_seq <= (SELECT max(last_seq) FROM segment)"
    return _segment_rows(data) >= SEGMENTS and _asked(data, left) == 0


def _pages_used(data: Path) -> int:
    return int(_asked(data, "PRAGMA page_count")) - int(_asked(data, "PRAGMA freelist_count"))


def _asked(data: Path, query: str) -> int:
    uri = f"{(data / FILE_NAME).as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as db:
        answer: int = db.execute(query).fetchone()[0]
        return answer
