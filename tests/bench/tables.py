"""A thousand tables: what durability, winners, seals and single commits cost."""

import tempfile
from pathlib import Path

from rich.console import Console

from progressive.adapters.keys.tables import TableKeys
from progressive.domain.ids import TableId
from progressive.runtime.event_loop import run
from tests.bench.frames import (
    FIXED_EVERY,
    METER_EVERY,
    WAGERS_A_ROUND,
    table_frames,
    winning_frames,
)
from tests.bench.goals import Goal, show_goals
from tests.bench.grids import show_grid
from tests.bench.measured import Measured, fastest
from tests.bench.processes import python_server
from tests.bench.servers import TABLES
from tests.bench.table_load import drive_tables

LOCKS_TO_ECHO = 0.6
WINNERS_TO_NONE = 0.9
SEALED_TO_NOT = 0.95
SEALED_P99_TO_NOT = 1.1
ONE_COMMIT = "one-commit-a-message"
SERVERS = ("echo", "service", "winners", "sealed", ONE_COMMIT)
COLUMNS = (
    "server",
    "messages/s",
    "locks/s",
    "p50 ms",
    "p99 ms",
    "cpu us",
    "kernel us",
    "errors",
    "ratio",
)


def bench_tables(console: Console, *, turns: int, rounds: int) -> None:
    measured: dict[str, list[Measured]] = {name: [] for name in SERVERS}
    for _ in range(turns):
        for name, done in measured.items():
            done.append(measure(name, rounds if name != ONE_COMMIT else max(1, rounds // 10)))
    _show(console, {name: fastest(done) for name, done in measured.items()})


def measure(name: str, rounds: int, *, store: str = "sqlite") -> Measured:
    """One turn of a server of this name."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data" if name == "sealed" else Path(folder)
        data.mkdir(exist_ok=True)
        keys = TableKeys(data)
        tables = [f"T{number}" for number in range(TABLES)]
        issued = (
            [""] * TABLES if name == "echo" else [keys.issue(TableId(table)) for table in tables]
        )
        paths = [f"/v1/tables/{table}/socket" for table in tables]
        plain = table_frames(rounds)
        frames = [plain] * TABLES
        if name == "winners":
            frames = [winning_frames(plain, table) for table in range(TABLES)]
        with python_server("servers", name, Path(folder), store) as server:
            return run(drive_tables(server, paths, issued, frames))


def _show(console: Console, tables: dict[str, Measured]) -> None:
    echo, service, winners, sealed, single = (tables[name] for name in SERVERS)
    to_echo, to_none = service.rate / echo.rate, winners.rate / service.rate
    to_not_sealed = sealed.rate / service.rate
    slower = service.rate / single.rate
    show_grid(
        console,
        f"{TABLES:,} tables, {WAGERS_A_ROUND} wagers a lock, one core for the server",
        COLUMNS,
        [
            row("bare aiohttp echo of the same frames", echo, "1.00"),
            row("service, durable", service, f"{to_echo:.2f} of echo"),
            row("service, winners now and then", winners, f"{to_none:.2f} of none"),
            row("service, sealed every second", sealed, f"{to_not_sealed:.2f} of not sealed"),
            row("service, one commit a message", single, f"{slower:.1f}x slower"),
        ],
    )
    often = f"1 round in {FIXED_EVERY}; 1 in {METER_EVERY:,} of a meter"
    show_goals(
        console,
        [
            Goal("durable locks / echo", to_echo, LOCKS_TO_ECHO),
            Goal(f"with winners ({often}) / without", to_none, WINNERS_TO_NONE),
            Goal("messages a second, sealed / not sealed", to_not_sealed, SEALED_TO_NOT),
            Goal(
                "p99 of answers, sealed / not sealed",
                sealed.p99_ms / service.p99_ms,
                SEALED_P99_TO_NOT,
                at_most=True,
            ),
        ],
    )


def row(label: str, measured: Measured, ratio: str) -> list[str]:
    return [
        label,
        f"{measured.rate:,.0f}",
        f"{measured.rate / 2:,.0f}",
        f"{measured.p50_ms:.1f}",
        f"{measured.p99_ms:.1f}",
        f"{measured.cpu_us:.1f}",
        f"{measured.kernel_us:.1f}",
        str(measured.errors),
        ratio,
    ]
