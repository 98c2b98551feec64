"""A service killed in the middle of its work: WALs beside journal and sign log, a hot rollback
journal beside the people file, an open round, an award that nobody has seen.

Whether a kill hits a write of the people file is a matter of luck, so the last life is lived again
from a copy until one does.
"""

import asyncio
import contextlib
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp

from tests.upgrades.cast import hire
from tests.upgrades.clients import Feed, People, Table, sevens
from tests.upgrades.program import Program, Service
from tests.upgrades.recording import PASSWORD, Recording, text_of
from tests.upgrades.stored import DATA, FLOOR

NAME = "killed"
STAFF = ("Ann", "Bob", "Joe")
KILLS_MAX = 200
_HOT = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""What a rollback journal begins with once it can be rolled back."""


async def make(program: Program, folder: Path) -> Recording:
    """A life that was stopped, then one that was killed."""
    data, begun = folder / DATA, Recording()
    begun.keys["BJ-01"] = program.output("key", "BJ-01", "--data", data)
    hire(program, data, *STAFF)
    with program.serve(folder / FLOOR, data) as service:
        async with People.at(service.url, begun.tokens, begun.requests) as people:
            for name in STAFF:
                await people.log_in(name, PASSWORD)
        await _play(service, begun, "stopped")
        async with Feed.connect(service.url, "main", sign="entrance") as sign:
            await _report(service, sign, begun)
        assert service.stop() == 0
    stopped = folder / "stopped"
    data.rename(stopped)
    for _ in range(KILLS_MAX):
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(stopped, data)
        recording = Recording()
        recording.keys, recording.tokens = begun.keys, begun.tokens
        recording.messages, recording.readings = begun.messages[:], begun.readings[:]
        with program.serve(folder / FLOOR, data) as service:
            await _play(service, recording, "killed")
            async with Feed.connect(service.url, "main", sign="entrance") as sign:
                await _report(service, sign, recording)
                await _kill_while_people_are_written(service, data)
        if _half_written(data):
            shutil.rmtree(stopped)
            return recording
    raise AssertionError(f"{KILLS_MAX} kills, and none hit a write of the people file")


async def _play(service: Service, recording: Recording, life: str) -> None:
    """A tenth of the meter, won; where the service is to be killed, a round left open."""
    async with Table.connect(service.url, "BJ-01", recording.keys["BJ-01"]) as table:
        await table.lock(f"{life}-1", *sevens(1, 4))
        await table.settle(f"{life}-1", "6c", {4: ["7s", "7s", "7s"]})
        if life == "killed":
            await table.lock("killed-open", *sevens(2, 3))
        recording.messages += table.sent


async def _report(service: Service, sign: Feed, recording: Recording) -> None:
    """A sign reports; wait until that is in the file."""
    async with People.at(service.url, recording.tokens) as people:
        await sign.show()
        await asyncio.sleep(0.2)
        at = text_of(datetime.now(UTC))
        path = f"/v1/signs/entrance/log?at={at}"
        while (await people.ask("Joe", "GET", path))[0] != 200:
            await asyncio.sleep(0.1)
        recording.readings.append({"sign": "entrance", "at": at})


async def _kill_while_people_are_written(service: Service, data: Path) -> None:
    """Strangers knock, each refusal is recorded; the kill comes while one is."""
    journal = data / "people.sqlite3-journal"
    async with aiohttp.ClientSession(service.url) as session:

        async def knock() -> None:
            with contextlib.suppress(aiohttp.ClientError):
                while True:
                    async with session.get("/v1/acts") as response:
                        await response.read()

        knocking = [asyncio.create_task(knock()) for _ in range(4)]
        await asyncio.sleep(0.02)
        while journal.stat().st_size == 0:
            await asyncio.sleep(0)
        service.kill()
        await asyncio.gather(*knocking)


def _half_written(data: Path) -> bool:
    """Whether the people file is in a state that only its rollback journal can mend."""
    journal = data / "people.sqlite3-journal"
    if journal.read_bytes()[:8] != _HOT:
        return False
    with TemporaryDirectory() as scratch:
        counts = []
        for name, files in (("alone", 1), ("mended", 2)):
            folder = Path(scratch) / name
            folder.mkdir()
            for file in ("people.sqlite3", "people.sqlite3-journal")[:files]:
                shutil.copyfile(data / file, folder / file)
            with contextlib.closing(sqlite3.connect(folder / "people.sqlite3")) as db:
                counts.append(db.execute("SELECT count(*) FROM act").fetchone())
    return counts[0] != counts[1]
