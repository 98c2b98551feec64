"""Acts that end something for good are sealed at once, by the real service."""

import asyncio
from pathlib import Path

import pytest

from progressive.adapters.config.files import shipped_config
from progressive.adapters.config.floor import load_floor
from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.seals.key_file import new_signer, write_key
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.seals.note import read_checkpoint, read_note
from progressive.domain.ids import LinkId
from progressive.entry.bootstrap import running
from progressive.entry.seals import SealSettings
from tests.integration.test_floor_changes import (
    CLEO,
    SUE,
    Service,
    a_floor,
    command,
    served,
    staffed,
)
from tests.support.ended_day import FRIDAY, ended_day
from tests.support.service import lock, void
from tests.support.staff import AMY, PAT

pytestmark = pytest.mark.slow

MAIN = LinkId("main")
NEVER = 1e6
"""Seconds between two seals that nobody asked for."""
ANSWER_SECONDS = 300
"""A safety net for a hung test, never a measure of speed."""


def sealed_size(data: Path) -> int:
    note = LinkSeals(data, MAIN).newest()
    return 0 if note is None else read_checkpoint(read_note(note).text).size


async def wait_sealed(data: Path, size: int) -> None:
    async with asyncio.timeout(ANSWER_SECONDS):
        while sealed_size(data) < size:
            await asyncio.sleep(0.02)


async def test_a_day_that_is_closed_is_sealed_with_its_close(tmp_path: Path) -> None:
    """Whoever closed it may take the seal home with the papers of the day."""
    data, key = tmp_path / "data", tmp_path / "seal-key"
    write_key(key, new_signer("house"))
    seals = SealSettings(key=key, period_seconds=NEVER, rest=0)
    async with ended_day(data, seals=seals) as floor:
        await floor.explain()
        assert (await floor.staff.post(PAT, f"/v1/days/main/{FRIDAY}/prepare"))[0] == 202
        status, closed = await floor.staff.post(AMY, f"/v1/days/main/{FRIDAY}/close")
        assert status == 200, closed
        await wait_sealed(data, closed["journal_seq"])


async def test_a_link_that_is_retired_is_sealed_with_its_last_record(tmp_path: Path) -> None:
    await staffed(tmp_path)
    rules = tmp_path / "jurisdictions"
    rules.mkdir()
    text = (shipped_config() / "jurisdictions" / "us-nj.toml").read_text("utf-8")
    (rules / "us-nj.toml").write_text(text.replace("notice_days = 30", "notice_days = 0"))
    async with served(tmp_path, a_floor("main", "high")) as service:
        await service.ask("main-1", lock(1, "r1", (1, 2)), void(2, "r1"))
    floor, data, key = tmp_path / "floor.toml", tmp_path / "data", tmp_path / "seal-key"
    floor.write_text(a_floor("high"))
    write_key(key, new_signer("house"))
    seals = SealSettings(key=key, period_seconds=NEVER, rest=0)
    async with running(
        load_floor(floor).rules, data=data, host="127.0.0.1", port=0, seals=seals
    ) as started:
        service = Service(started.url, data)
        await command(service, "retire", CLEO, "--reason", "it closes")
        assert "parked" in await command(service, "retire", SUE, "--reason", "agreed")
        end = await SqliteJournalReader(data, unchanged=True).journal_end(MAIN)
        await wait_sealed(data, end.seq)
        # Whoever has to hand out the seal may also wait for it.
        assert await started.floor.seals.seal_now(MAIN) == end.seq
