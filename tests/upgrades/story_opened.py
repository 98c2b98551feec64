"""A floor that was opened and stopped, before anybody wagered anything."""

from pathlib import Path

from tests.upgrades.clients import Table
from tests.upgrades.program import Program
from tests.upgrades.recording import Recording
from tests.upgrades.stored import DATA, FLOOR

NAME = "opened"


async def make(program: Program, folder: Path) -> Recording:
    """One round that nobody bet on."""
    data, recording = folder / DATA, Recording()
    recording.keys["BJ-01"] = program.output("key", "BJ-01", "--data", data)
    with program.serve(folder / FLOOR, data) as service:
        async with Table.connect(service.url, "BJ-01", recording.keys["BJ-01"]) as table:
            await table.lock("nobody-bets")
            await table.settle("nobody-bets", "6c", {})
            recording.messages += table.sent
        assert service.stop() == 0
    return recording
