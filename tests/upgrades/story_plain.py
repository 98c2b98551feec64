"""A plain floor: three meters, rounds, coupons, misdeals, nobody won; stopped cleanly."""

from pathlib import Path

from tests.upgrades.clients import Table, a_wager, sevens
from tests.upgrades.program import Program
from tests.upgrades.recording import Recording
from tests.upgrades.stored import DATA, FLOOR

NAME = "plain"


async def make(program: Program, folder: Path) -> Recording:
    """Two lives of the service, so that the second began from a snapshot."""
    data, recording = folder / DATA, Recording()
    for table in ("BJ-01", "BJ-02"):
        recording.keys[table] = program.output("key", table, "--data", data)
    for first_round in (1, 5):
        with program.serve(folder / FLOOR, data) as service:
            for table in ("BJ-01", "BJ-02"):
                async with Table.connect(service.url, table, recording.keys[table]) as client:
                    await _rounds(client, first_round)
                    recording.messages += client.sent
            assert service.stop() == 0
    return recording


async def _rounds(table: Table, first: int) -> None:
    """Four rounds: won by nobody, void, bet on by nobody, and with every card on the table."""
    names = [f"{table.table}-r{number}" for number in range(first, first + 4)]
    await table.lock(names[0], *sevens(1, 2, 4))
    await table.send("settle", names[0], dealer={"cards": []}, seats=[], complete=False)
    await table.lock(names[1], a_wager(1), a_wager(3, tender="coupon", base_cents=1000))
    await table.send("void", names[1], reason="card exposed")
    await table.lock(names[2])
    await table.send("settle", names[2], dealer={"cards": ["Ks", "9h"]}, seats=[])
    await table.lock(names[3], *sevens(2, 5))
    split = {"seat": 2, "cards": ["8c", "8d", "Ah", "Kd"], "hands": [["8c", "Ah"], ["8d", "Kd"]]}
    seats = [split, {"seat": 5, "cards": ["Ts", "6h", "5c"]}]
    await table.send("settle", names[3], dealer={"cards": ["Ts", "9h"]}, seats=seats)
