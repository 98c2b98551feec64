"""Games of other states on links of their own; a jurisdiction file beside the floor file."""

from pathlib import Path

from tests.upgrades.clients import Table, a_wager
from tests.upgrades.program import Program
from tests.upgrades.recording import Recording
from tests.upgrades.stored import DATA, FLOOR

NAME = "other-games"
TABLES = ("M-01", "D-01", "S-01")


async def make(program: Program, folder: Path) -> Recording:
    """A round won and a round left open on every link."""
    data, recording = folder / DATA, Recording()
    for table in TABLES:
        recording.keys[table] = program.output("key", table, "--data", data)
    with program.serve(folder / FLOOR, data) as service:
        for name in TABLES:
            async with Table.connect(service.url, name, recording.keys[name]) as table:
                await (_meters(table) if name == "M-01" else _fixed(table))
                recording.messages += table.sent
        assert service.stop() == 0
    return recording


async def _meters(table: Table) -> None:
    """Above the limit, then the whole meter and a tenth of the next one; then above it again."""
    wagers = [a_wager(seat, amount_cents=100) for seat in (1, 2, 3)]
    await table.lock("won", *wagers)
    await table.settle("won", "6c", {1: ["7d", "7d", "7d"], 3: ["7d", "7h", "7d"]})
    await table.lock("open", *wagers)


async def _fixed(table: Table) -> None:
    """The dealer busts, whatever the game's name."""
    bets = [bet["id"] for bet in table.welcome["bets"]]
    wagers = [a_wager(seat, bet, 1000) for seat in (1, 2) for bet in bets]
    await table.lock("won", *wagers)
    cards = [{"seat": 1, "cards": ["Jh", "Js"]}, {"seat": 2, "cards": ["As", "Kd"]}]
    dealer = {"cards": ["6c", "4d", "5h", "Ks"]}
    await table.send("settle", "won", dealer=dealer, seats=cards)
    await table.lock("open", *wagers)
