"""A lock-out beside a hundred strangers who flood: what it takes, against a quiet run."""

import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from progressive.adapters.keys.tables import TableKeys
from progressive.domain.ids import TableId
from tests.bench.flooder import KINDS
from tests.bench.frames import handshake, table_frames
from tests.bench.goals import Goal, show_goals
from tests.bench.grids import show_grid
from tests.bench.measured import percentile_ms
from tests.bench.processes import Server, beside_the_load, python_server

SOCKETS = 100
LOCK_P99_MS = 50.0
PACE_SECONDS = 0.005
QUIET = "quiet"
COLUMNS = ("beside", "lock-outs", "p50 ms", "p99 ms", "slowest ms", "p99 / quiet")


def bench_floods(console: Console, *, turns: int, rounds: int) -> None:
    best: dict[str, list[float]] = {}
    for _ in range(turns):
        for kind in (QUIET, *KINDS):
            took = _measure(kind, rounds)
            if kind not in best or percentile_ms(took, 99) < percentile_ms(best[kind], 99):
                best[kind] = took
    _show(console, best)


def _measure(kind: str, rounds: int) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        key = TableKeys(Path(folder)).issue(TableId("T0"))
        with python_server("servers", "service", Path(folder)) as server:
            if kind == QUIET:
                return _lock_outs(server, key, rounds)
            with _flooded(kind, server):
                return _lock_outs(server, key, rounds)


@contextmanager
def _flooded(kind: str, server: Server) -> Iterator[None]:
    command = [sys.executable, "-m", "tests.bench.flooder", kind, str(SOCKETS), str(server.port)]
    with beside_the_load(command) as running:
        assert running.stdout is not None
        assert running.stdout.readline(), "the flood did not begin"
        yield


def _lock_outs(server: Server, key: str, rounds: int) -> list[float]:
    """One table, a message after the answer to the one before; connects in the flood, too."""
    took: list[float] = []
    with socket.create_connection(("127.0.0.1", server.port)) as table:
        table.settimeout(60)
        table.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        table.sendall(handshake("/v1/tables/T0/socket", key))
        _until(table, b'{"type":"welcome"')
        for number, frame in enumerate(table_frames(rounds)):
            began = time.perf_counter()
            table.sendall(frame)
            _until(table, b'"type":"locked"' if number % 2 == 0 else b'"type":"settled"')
            took.append(time.perf_counter() - began)
            time.sleep(PACE_SECONDS)
    return took


def _until(table: socket.socket, wanted: bytes) -> None:
    heard = b""
    while wanted not in heard:
        more = table.recv(65536)
        assert more, heard[-200:]
        heard += more
        if b"\x89\x00" in more:
            table.sendall(b"\x8a\x80\0\0\0\0")


def _show(console: Console, best: dict[str, list[float]]) -> None:
    quiet_ms = percentile_ms(best[QUIET], 99)
    show_grid(
        console,
        f"one table's lock-outs beside {SOCKETS} strangers",
        COLUMNS,
        [
            [
                kind,
                str(len(took)),
                f"{percentile_ms(took, 50):.1f}",
                f"{percentile_ms(took, 99):.1f}",
                f"{max(took) * 1000:.1f}",
                f"{percentile_ms(took, 99) / quiet_ms:.1f}",
            ]
            for kind, took in best.items()
        ],
    )
    show_goals(
        console,
        [
            Goal(f"lock-out p99, {kind}", percentile_ms(took, 99), LOCK_P99_MS, True, " ms")
            for kind, took in best.items()
            if kind != QUIET
        ],
    )
