"""A past that was damaged: the link does not open, or stops as soon as the damage is found."""

import asyncio
import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.domain.ids import LinkId
from progressive.entry import stores
from progressive.entry.archives import PastSettings
from progressive.entry.bootstrap import running
from progressive.entry.commands.past_verifier import audit, hashes
from tests.support.segmented import SegmentedJournal
from tests.support.service import (
    ServiceProcess,
    TableClient,
    issue_key,
    lock,
    settle,
    shipped_rules,
)

pytestmark = pytest.mark.slow

MAIN = LinkId("main")
SEGMENTS = 3
SAFETY_SECONDS = 300
WITHOUT_RESTS = PastSettings(verify_rest=0)
"""For a process that rests a hundred times as long as it works: never a measure of speed."""


async def play(url: str, data: Path, table: str = "BJ-01") -> None:
    async with TableClient.connect(url, table, issue_key(data, table)) as client:
        seq = client.welcome["next_seq"]
        assert (await client.ask(lock(seq, f"r{seq}", (1, 2))))["type"] == "locked"
        assert (await client.ask(settle(seq + 1, f"r{seq}")))["type"] == "settled"


async def main_link(url: str) -> dict[str, Any]:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/v1/links") as response:
        links = (await response.json())["links"]
    found: dict[str, Any] = next(each for each in links if each["id"] == MAIN)
    return found


async def made(data: Path) -> None:
    """Every stop saves a state: so many segments, and a day that is open."""
    for _ in range(SEGMENTS + 1):
        with ServiceProcess(data) as service:
            await play(service.url, data)
            assert service.terminate() == 0
    journal = SegmentedJournal(data, MAIN)
    newest = max(seq for (seq,) in journal.execute("SELECT seq FROM snapshot WHERE link = 'main'"))
    await journal.archive(until=lambda seq: seq < newest)
    assert len(journal.segments()) == SEGMENTS


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("past") / "data"
    asyncio.run(made(data))
    return data


@pytest.fixture
def journal(shelf: Path, tmp_path: Path) -> SegmentedJournal:
    return SegmentedJournal(shelf, MAIN).copy_to(tmp_path / "data")


def flip(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)


@contextlib.contextmanager
def nothing_is_hashed_at_a_start() -> Iterator[None]:
    """As if the segments were older than the newest 128 MiB."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(stores.STORES, "sqlite", lambda data: SqliteStore(data, hashed_bytes=0))
        yield


async def test_damage_in_an_old_segment_stops_the_running_link(journal: SegmentedJournal) -> None:
    flip(journal.file(1))
    rules = shipped_rules()
    with nothing_is_hashed_at_a_start():
        async with running(
            rules, data=journal.data, host="127.0.0.1", port=0, past=WITHOUT_RESTS
        ) as service:
            assert (await main_link(service.url))["state"] == "live"
            await play(service.url, journal.data)
            async with asyncio.timeout(SAFETY_SECONDS):
                while (seen := await main_link(service.url))["state"] == "live":
                    await asyncio.sleep(0.05)
            assert re.match(
                r"the journal's past is damaged: segments/main/000001-\S+\.jsonl\.gz is damaged: "
                r"its hash .*\(records 1 to \d+\)",
                seen["reason"],
            )
            key = issue_key(journal.data, "BJ-02")
            async with TableClient.connect(service.url, "BJ-02", key) as client:
                seq = client.welcome["next_seq"]
                assert (await client.ask(lock(seq, f"r{seq}")))["code"] == "LINK_INOPERABLE"


async def test_good_past_is_verified_and_the_link_goes_on(journal: SegmentedJournal) -> None:
    with ServiceProcess(journal.data) as service:
        async with aiohttp.ClientSession(service.url) as session, asyncio.timeout(SAFETY_SECONDS):
            while True:
                async with session.get("/metrics") as response:
                    text = await response.text()
                at = re.search(r"^progressive_verified_timestamp_seconds (\S+)$", text, re.M)
                assert at is not None
                if float(at[1]):
                    break
                await asyncio.sleep(0.1)
        assert "progressive_verify_findings 0.0" in text
        assert (await main_link(service.url))["state"] == "live"
        await play(service.url, journal.data)
        assert service.terminate() == 0


def swap(journal: SegmentedJournal) -> None:
    aside = journal.folder / "aside"
    journal.file(1).rename(aside)
    journal.file(2).rename(journal.file(1))
    aside.rename(journal.file(2))


Damage = Callable[[SegmentedJournal], object]
DAMAGES: list[tuple[str, Damage, str]] = [
    ("newest changed", lambda j: flip(j.file(3)), "main/000003-.*jsonl.gz is damaged: its hash"),
    ("deleted", lambda j: j.file(2).unlink(), "main/000002-.*jsonl.gz is missing"),
    ("swapped", swap, "main/00000[12]-.*jsonl.gz is damaged"),
    ("truncated", lambda j: os.truncate(j.file(2), 9), "main/000002-.*gz is damaged: it has 9 byt"),
    (
        "of another link",
        lambda j: shutil.copy(j.data / "segments" / "side" / j.file(2).name, j.file(2)),
        "main/000002-.*jsonl.gz is damaged",
    ),
    (
        "index edited",
        lambda j: flip(j.file(2, ".index.json")),
        "main/000002-.*index.json is damaged: its hash",
    ),
    ("row edited", lambda j: j.edit_row(2, prev="f" * 64), "segment 2 .* does not follow record"),
    (
        "row deleted",
        lambda j: j.execute("DELETE FROM segment WHERE number = 2"),
        "segment 2 .*is missing",
    ),
]


@pytest.mark.parametrize(
    ("damage", "says"), [row[1:] for row in DAMAGES], ids=[row[0] for row in DAMAGES]
)
async def test_damaged_segment_keeps_the_link_from_opening(
    journal: SegmentedJournal, damage: Damage, says: str
) -> None:
    if damage is DAMAGES[4][1]:
        other = journal.data / "segments" / "side"
        other.mkdir()
        # What another link's segment would be: readable, of the right form, and not this one.
        shutil.copy(journal.file(1), other / journal.file(2).name)
    damage(journal)
    with ServiceProcess(journal.data) as service:
        seen = await main_link(service.url)
        assert seen["state"] == "inoperable"
        assert re.search(says, seen["reason"]), seen["reason"]
        key = issue_key(journal.data, "BJ-02")
        async with TableClient.connect(service.url, "BJ-02", key) as client:
            assert client.welcome["state"] == "inoperable"
            answer = await client.ask(lock(client.welcome["next_seq"], "r1"))
        assert answer["code"] == "LINK_INOPERABLE"
        assert service.terminate() == 0


# --- the process itself -------------------------------------------------------------------------


async def test_hashes_of_a_good_past_find_nothing(journal: SegmentedJournal) -> None:
    assert len(await hashes(journal.data)) == 0
    assert len(await audit(journal.data)) == 0


async def test_hashes_name_the_first_damaged_file_of_a_link(journal: SegmentedJournal) -> None:
    flip(journal.file(1, ".state.json.gz"))
    found = await hashes(journal.data)
    assert list(found.links) == [MAIN]
    assert "000001-" in found.links[MAIN]
    assert ".state.json.gz is damaged" in found.links[MAIN]


async def test_damaged_act_log_stops_no_link(journal: SegmentedJournal) -> None:
    (journal.data / "people.sqlite3").write_bytes(b"not a database" * 400)
    found = await audit(journal.data)
    assert (found.links, found.file) == ({}, None)
    assert len(found.others) == 1
    assert "people.sqlite3" in found.others[0]


async def test_link_whose_journal_is_gone_stops_no_other(journal: SegmentedJournal) -> None:
    mark = (journal.data / "committed" / "main.json").read_text("utf-8")
    forged = mark.replace('"main"', '"gone"')
    (journal.data / "committed" / "gone.json").write_text(forged, "utf-8")
    found = await audit(journal.data)
    assert (list(found.links), found.file) == (["gone"], None)


async def test_torn_file_is_about_all_of_its_links(journal: SegmentedJournal) -> None:
    path = journal.data / "journal.sqlite3"
    body = bytearray(path.read_bytes())
    body[4096 : 4096 + 64] = b"\xff" * 64
    path.write_bytes(body)
    assert (await audit(journal.data)).file is not None
