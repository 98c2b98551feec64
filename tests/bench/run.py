"""`make bench`: speed as ratios measured in one run, because figures do not travel.

The servers get one core, the load the other. Variants take turns, and the best of several turns
counts: a neighbour on the machine can only make a turn slower, never faster.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from progressive.adapters.table_keys import TableKeys
from progressive.domain.ids import TableId
from progressive.entry.event_loop import run
from tests.bench.frames import (
    FIXED_EVERY,
    METER_EVERY,
    WAGERS_A_ROUND,
    table_frames,
    winning_frames,
)
from tests.bench.load import Measured, Server, drive_signs, drive_tables
from tests.bench.servers import SERVER_CORE, TABLES

LOCKS_TO_ECHO = 0.6
WINNERS_TO_NONE = 0.9
FAN_OUT_TO_SEND_STR = 1.4
PACE_MS = 100
PACED_BROADCASTS = 20
"""Flat out says what a core carries; at the hub's own pace, how late a sign is."""


@contextmanager
def server(name: str, folder: Path) -> Iterator[Server]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.servers", name, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield Server(port=int(process.stdout.readline()), pid=process.pid)
    finally:
        process.kill()
        process.wait()


def measure_tables(name: str, rounds: int) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        keys = TableKeys(Path(folder))
        tables = [f"T{number}" for number in range(TABLES)]
        issued = (
            [""] * TABLES if name == "echo" else [keys.issue(TableId(table)) for table in tables]
        )
        paths = [f"/v1/tables/{table}/socket" for table in tables]
        plain = table_frames(rounds)
        frames = [plain] * TABLES
        if name == "winners":
            frames = [winning_frames(plain, table) for table in range(TABLES)]
        with server(name, Path(folder)) as tested:
            return run(drive_tables(tested, paths, issued, frames))


def measure_signs(name: str, broadcasts: int, *, pause_ms: int = 0) -> Measured:
    with tempfile.TemporaryDirectory() as folder, server(name, Path(folder)) as tested:
        return run(drive_signs(tested, TABLES, broadcasts, pause_ms=pause_ms))


def best(runs: list[Measured]) -> Measured:
    return max(runs, key=lambda measured: measured.rate)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=40, help="rounds per table and turn")
    options.add_argument("--broadcasts", type=int, default=300)
    options.add_argument("--turns", type=int, default=5)
    given = options.parse_args()
    os.sched_setaffinity(0, set(range(os.cpu_count() or 1)) - {SERVER_CORE} or {0})
    names = ("echo", "service", "winners", "one-commit-a-message")
    tables: dict[str, list[Measured]] = {name: [] for name in names}
    signs: dict[str, list[Measured]] = {"send-str": [], "hub": []}
    paced: dict[str, list[Measured]] = {"send-str": [], "hub": []}
    for _ in range(given.turns):
        for name, runs in tables.items():
            rounds = given.rounds if name != "one-commit-a-message" else max(1, given.rounds // 10)
            runs.append(measure_tables(name, rounds))
        for name, runs in signs.items():
            runs.append(measure_signs(name, given.broadcasts))
            paced[name].append(measure_signs(name, PACED_BROADCASTS, pause_ms=PACE_MS))
    show(
        {name: best(runs) for name, runs in tables.items()},
        {name: best(runs) for name, runs in signs.items()},
        {name: min(runs, key=lambda each: each.p99_ms) for name, runs in paced.items()},
    )


def show(
    tables: dict[str, Measured], signs: dict[str, Measured], paced: dict[str, Measured]
) -> None:
    console = Console(width=120)
    echo, service, single = tables["echo"], tables["service"], tables["one-commit-a-message"]
    winners = tables["winners"]
    grid = Table(
        title=f"{TABLES:,} tables, {WAGERS_A_ROUND} wagers a lock, one core for the server"
    )
    for column in (
        "server",
        "messages/s",
        "locks/s",
        "p50 ms",
        "p99 ms",
        "cpu us",
        "kernel us",
        "errors",
        "ratio",
    ):
        grid.add_column(column, justify="left" if column == "server" else "right")
    for label, measured, ratio in (
        ("bare aiohttp echo of the same frames", echo, "1.00"),
        ("service, durable", service, f"{service.rate / echo.rate:.2f} of echo"),
        (
            "service, winners now and then",
            winners,
            f"{winners.rate / service.rate:.2f} of none",
        ),
        ("service, one commit a message", single, f"{service.rate / single.rate:.1f}x slower"),
    ):
        grid.add_row(
            label,
            f"{measured.rate:,.0f}",
            f"{measured.rate / 2:,.0f}",
            f"{measured.p50_ms:.1f}",
            f"{measured.p99_ms:.1f}",
            f"{measured.cpu_us:.1f}",
            f"{measured.kernel_us:.1f}",
            str(measured.errors),
            ratio,
        )
    console.print(grid)
    fan = Table(title=f"{TABLES:,} signs, one update to all of them")
    for column in ("server", "messages/s", "p50 ms", "p99 ms", "cpu us", "kernel us", "ratio"):
        fan.add_column(column, justify="left" if column == "server" else "right")
    plain, hub = signs["send-str"], signs["hub"]
    for label, measured, ratio in (
        ("aiohttp send_str loop", plain, "1.00"),
        ("hub, one frame for all", hub, f"{hub.rate / plain.rate:.2f}"),
        ("send_str loop, ten a second", paced["send-str"], ""),
        ("hub, ten a second", paced["hub"], ""),
    ):
        fan.add_row(
            label,
            f"{measured.rate:,.0f}",
            f"{measured.p50_ms:.1f}",
            f"{measured.p99_ms:.1f}",
            f"{measured.cpu_us:.1f}",
            f"{measured.kernel_us:.1f}",
            ratio,
        )
    console.print(fan)
    for what, ratio, goal in (
        ("durable locks / echo", service.rate / echo.rate, LOCKS_TO_ECHO),
        (
            f"with winners (1 round in {FIXED_EVERY}; 1 in {METER_EVERY:,} of a meter) / without",
            winners.rate / service.rate,
            WINNERS_TO_NONE,
        ),
        ("fan-out / send_str", hub.rate / plain.rate, FAN_OUT_TO_SEND_STR),
    ):
        verdict = "reached" if ratio >= goal else "MISSED"
        console.print(f"{what}: {ratio:.2f} (goal {goal}: {verdict})")


if __name__ == "__main__":
    main()
