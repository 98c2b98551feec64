"""A thousand tables on a log that nodes share: what Redis costs beside the embedded store, and how
much of Redis the service gets.

The yardstick is `redis-benchmark` with 50 clients, one call each at a time, of a function that does
what the append does: a stream entry and a hash, on the same server with `appendfsync always`.
"""

import csv
import io
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from rich.console import Console

from tests.bench.goals import Goal, show_goals
from tests.bench.grids import show_grid
from tests.bench.measured import Measured, fastest
from tests.bench.tables import COLUMNS, measure, row
from tests.support.redis_server import RedisProcess

CALLS: Final = 20_000
CLIENTS: Final = 50
RECORD_BYTES: Final = 904
"""A round of seven wagers."""
LOCKS_TO_CALLS: Final = 1.0
EQUAL: Final = """#!lua name=bench
redis.register_function('bench_append', function(keys, args)
  redis.call('HMGET', keys[1], 'epoch', 'holder', 'seq', 'head')
  redis.call('XADD', keys[2], '*', 'epoch', '1', 'prev', args[1], 'head', args[1],
    'records', args[2])
  redis.call('HSET', keys[1], 'seq', '1', 'head', args[1])
  return {'ok'}
end)
"""


def bench_shared_log(console: Console, *, turns: int, rounds: int) -> None:
    """Both stores and the yardstick in turn."""
    embedded: list[Measured] = []
    shared: list[Measured] = []
    calls: list[float] = []
    for _ in range(turns):
        embedded.append(measure("service", rounds))
        # On the disk, not in memory: a sync must cost what it costs.
        with tempfile.TemporaryDirectory(dir=".") as folder, RedisProcess(Path(folder)) as redis:
            shared.append(measure("service", rounds, store=redis.url()))
            calls.append(_calls_a_second(redis))
    _show(console, fastest(embedded), fastest(shared), max(calls))


def _calls_a_second(redis: RedisProcess) -> float:
    redis.command("FUNCTION", "LOAD", "REPLACE", EQUAL)
    done = subprocess.run(
        [
            *("redis-benchmark", "-p", str(redis.port), "-n", str(CALLS), "-c", str(CLIENTS)),
            *("-P", "1", "--csv", "FCALL", "bench_append", "2", "{bench}:head", "{bench}:journal"),
            *("0" * 64, "x" * RECORD_BYTES),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    return float(rows[-1]["rps"])


def _show(console: Console, embedded: Measured, shared: Measured, calls: float) -> None:
    locks = shared.rate / 2
    show_grid(
        console,
        "a shared log: one core for the service, Redis beside the load",
        COLUMNS,
        [
            row("service on SQLite", embedded, "1.00"),
            row("service on Redis, always", shared, f"{shared.rate / embedded.rate:.2f} of SQLite"),
            ["calls of redis-benchmark", "", f"{calls:,.0f}", *[""] * 6],
        ],
    )
    show_goals(
        console,
        [Goal("durable locks a second / calls of redis-benchmark", locks / calls, LOCKS_TO_CALLS)],
    )
