"""What reports of finance cost: over one long day, over a year, and for the tables beside them.

A report is computed by one process on one core, so what counts is its processor time: a neighbour
on the machine makes the clock slower and changes it least. It is a whole command, from the start of
Python to the last byte.

The year has as many days, tables and hours as a real one, and so as many figures: the size of a
day's book depends on them, not on the rounds behind them. Of rounds it has some in every hour at
every table, where a real one has sixty.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from rich.console import Console

from progressive.adapters.day_books import FOLDER
from progressive.runtime.event_loop import run
from tests.bench.goals import Goal, show_goals
from tests.bench.grids import show_grid
from tests.bench.journal_acks import (
    ARCHIVER,
    P99_RATIO,
    RATE,
    SEALER,
    TURNS_A_TURN,
    VERIFIER,
    Turns,
    Work,
    children,
    take_turns,
)
from tests.bench.journal_acks import COLUMNS as ACK_COLUMNS
from tests.bench.journal_data import Aged, Started, make_aged, serving
from tests.bench.processes import SERVER_CORE
from tests.bench.steady_load import steady_load
from tests.support.long_journal import UNTIL, LongJournal, make_long_journal

DAY_ROUNDS, QUICK_DAY_ROUNDS = 300_000, 30_000
DAY_TABLES: Final = 200
YEAR_DAYS, QUICK_YEAR_DAYS = 365, 30
YEAR_TABLES: Final = 50
YEAR_RECORDS_A_DAY: Final = 6_000
"""Two and a half rounds an hour at each of fifty tables; more than a book needs to be stored."""
DAY_SECONDS: Final = 2.0
YEAR_SECONDS: Final = 10.0
LAST_DAY: Final = (UNTIL - timedelta(days=1)).date()
"""The gaming day that ends with a made journal."""
NEW_YORK: Final = ZoneInfo("America/New_York")


class Took(Struct, frozen=True):
    """What a command took, in seconds."""

    clock: float
    cpu: float


def bench_finance(console: Console, *, turns: int, quick: bool, records: int) -> None:
    """All three; `records`: of the journal under the tables that wait."""
    bench_reports(console, turns=turns, quick=quick)
    with tempfile.TemporaryDirectory() as folder:
        measured = run(_acks(Path(folder) / "link", records, turns * TURNS_A_TURN))
    _show_acks(console, measured)


def bench_reports(console: Console, *, turns: int, quick: bool) -> None:
    """A day and a year."""
    rounds = QUICK_DAY_ROUNDS if quick else DAY_ROUNDS
    days = QUICK_YEAR_DAYS if quick else YEAR_DAYS
    rows, goals = [], []
    with tempfile.TemporaryDirectory() as folder:
        made = make_long_journal(
            Path(folder) / "day", records=2 * rounds, tables=DAY_TABLES, days=1
        )
        day = ("--day", LAST_DAY.isoformat())
        for kind in ("reconciliation", "wagers"):
            first, stored = _first_and_stored(made, (kind, *day), turns)
            what = f"{kind}, a day of {made.rounds:,} rounds"
            rows += [_row(f"{what}: first time", first), _row(f"{what}: stored book", stored)]
            goals += [
                Goal(f"{what}, {name}", took.cpu, DAY_SECONDS, True, " s")
                for name, took in (("first time", first), ("stored book", stored))
            ]
    with tempfile.TemporaryDirectory() as folder:
        made = make_long_journal(
            Path(folder) / "year",
            records=days * YEAR_RECORDS_A_DAY,
            tables=YEAR_TABLES,
            days=days,
        )
        begins = LAST_DAY - timedelta(days=days - 2)
        year = ("--from", begins.isoformat(), "--to", _last_day(made).isoformat())
        _report(made, ("reconciliation", *year))
        for kind in ("reconciliation", "wagers", "awards"):
            stored = _best(turns, lambda kind=kind: _report(made, (kind, *year)))
            what = f"{kind}, {days} days at {YEAR_TABLES} tables, stored books"
            rows.append(_row(what, stored))
            goals.append(Goal(what, stored.cpu, YEAR_SECONDS, True, " s"))
    show_grid(console, "reports of finance, as CSV", ("", "seconds", "of them cpu"), rows)
    # Of fewer rounds and days, the figures say nothing about the goals.
    show_goals(console, [] if quick else goals)


def _last_day(made: LongJournal) -> date:
    """The gaming day of the last record: chance ends a journal a little before its time."""
    return (datetime.fromisoformat(made.last_at).astimezone(NEW_YORK) - timedelta(hours=6)).date()


def _first_and_stored(
    made: LongJournal, question: tuple[str, ...], turns: int
) -> tuple[Took, Took]:
    def first() -> Took:
        shutil.rmtree(made.data / FOLDER, ignore_errors=True)
        return _report(made, question)

    return _best(turns, first), _best(turns, lambda: _report(made, question))


def _best(turns: int, measured: Callable[[], Took]) -> Took:
    """The cheapest: a neighbour can only make it dearer."""
    return min((measured() for _ in range(turns)), key=lambda took: took.cpu)


def _report(made: LongJournal, question: tuple[str, ...]) -> Took:
    before, began = os.times(), datetime.now(UTC)
    subprocess.run(_command(made.data, *question), check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    cpu = after.children_user - before.children_user
    cpu += after.children_system - before.children_system
    return Took((datetime.now(UTC) - began).total_seconds(), cpu)


def _command(data: Path, *question: str) -> list[str]:
    return [
        *(sys.executable, "-m", "progressive", "report", *question),
        *("--data", str(data), "--format", "csv"),
    ]


def _row(what: str, took: Took) -> list[str]:
    return [what, f"{took.clock:.2f}", f"{took.cpu:.2f}"]


# --- beside the tables --------------------------------------------------------------------------


async def _acks(out: Path, records: int, turns: int) -> Turns:
    aged = await make_aged(out, records)
    with serving(aged.made, kill=True) as service:
        async with steady_load(service.port, aged.keys, rate=RATE) as load:
            with reporting(aged, service) as work:
                return await take_turns(load, work, turns=turns)


@contextmanager
def reporting(aged: Aged, service: Started) -> Iterator[Work]:
    """Reports again and again, each folding a whole day again, on the service's own core."""

    def others() -> list[int]:
        named = (VERIFIER, ARCHIVER, SEALER)
        return [pid for each in named for pid in children(service.pid, each)]

    reports = _Reports(aged.made)
    try:
        yield Work(reports.pids, others=others)
    finally:
        reports.end()


class _Reports:
    def __init__(self, made: LongJournal) -> None:
        day = (_last_day(made) - timedelta(days=1)).isoformat()
        self._commands = cycle(
            _command(made.data, kind, "--day", day, "--fresh")
            for kind in ("reconciliation", "wagers", "hold")
        )
        self._running: subprocess.Popen[bytes] | None = None

    def pids(self) -> list[int]:
        """That of the running one; where it has ended, the next one is started."""
        if self._running is None or self._running.poll() is not None:
            assert self._running is None or self._running.returncode == 0, "the report failed"
            self._running = subprocess.Popen(
                next(self._commands), stdout=subprocess.DEVNULL, preexec_fn=_behind_the_service
            )
        return [self._running.pid]

    def end(self) -> None:
        if self._running is not None:
            self._running.kill()
            self._running.wait()
            self._running = None


def _behind_the_service() -> None:
    os.sched_setaffinity(0, {SERVER_CORE})
    os.nice(19)


def _show_acks(console: Console, turns: Turns) -> None:
    rows = [
        [
            "reports",
            str(len(turns.beside)),
            *(f"{turns.median(turns.beside, percent):.2f}" for percent in (50, 99)),
            *(f"{turns.median(turns.alone, percent):.2f}" for percent in (50, 99)),
            *(f"{turns.ratio(percent):.2f}" for percent in (50, 99)),
        ]
    ]
    show_grid(console, f"200 tables, {RATE:,.0f} messages a second", ACK_COLUMNS, rows)
    goal = Goal("p99 while reports are made / without", turns.ratio(99), P99_RATIO, at_most=True)
    show_goals(console, [goal])
