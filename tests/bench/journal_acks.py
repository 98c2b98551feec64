"""What a table waits for its answer while the service archives, verifies, seals or is backed up.

Many short turns with and without the other work take each other's place in one run of one service:
its processes are stopped and let go on by signals. So both see the same file, the same caches and
the same neighbours on the machine. The p99 of a single turn says little, a neighbour can double it:
the median over all turns of a kind counts. Only the removal of archived records is no process of
its own: turns without it come after it.
"""

import asyncio
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

from msgspec import Struct
from rich.console import Console

from progressive.adapters.seals.key_file import new_signer, write_key
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.runtime.event_loop import run
from tests.bench.goals import Goal, show_goals
from tests.bench.grids import show_grid
from tests.bench.journal_data import Aged, Started, make_aged, serving
from tests.bench.measured import percentile_ms
from tests.bench.processes import SERVER_CORE
from tests.bench.steady_load import SteadyLoad, steady_load
from tests.support.archived import archive

RATE = 2_000.0
"""Messages a second: 200 tables at 25 times the pace of a busy night, a tenth to a third of what
one core can do."""
TURN_SECONDS = 1.0
TURNS_A_TURN = 5
"""So many of them for each turn that is asked for."""
REMOVED_RECORDS = 100_000
"""As many as a segment has: they are removed within two minutes."""
BEGIN_SECONDS = 40.0
"""Until the service has looked whether there is work."""
P99_RATIO = 1.10
QUIET_SECONDS = 60.0
LOOK_SECONDS = 0.02
COLUMNS = ("beside", "turns", "p50 ms", "p99 ms", "without: p50", "p99", "p50 ratio", "p99 ratio")


class Turns(Struct, frozen=True):
    """Answers of many turns, in seconds: with the other work and without, turn by turn."""

    beside: list[list[float]]
    alone: list[list[float]]

    def ratio(self, percent: int) -> float:
        return self.median(self.beside, percent) / self.median(self.alone, percent)

    def median(self, of: list[list[float]], percent: int) -> float:
        return statistics.median(percentile_ms(took, percent) for took in of)


class Work:
    """Processes beside the service that can be stopped and let go on."""

    def __init__(
        self,
        pids: Callable[[], list[int]],
        *,
        others: Callable[[], list[int]],
        quiet: Callable[[], bool] = lambda: True,
    ) -> None:
        """`others` are held all the time. `quiet`: whether the service itself has nothing left
        to do for this work."""
        self._pids = pids
        self._others = others
        self._quiet = quiet

    async def is_on(self, *, within_seconds: float = 2.0) -> bool:
        """Whether there is work, now or soon."""
        for _ in range(int(within_seconds / LOOK_SECONDS)):
            if self._pids():
                return True
            await asyncio.sleep(LOOK_SECONDS)
        return False

    def go_on(self) -> None:
        _send(self._others(), signal.SIGSTOP)
        _send(self._pids(), signal.SIGCONT)

    def let_go(self) -> None:
        """All of them: a stopped process would not end with the service."""
        _send([*self._others(), *self._pids()], signal.SIGCONT)

    async def pause(self) -> None:
        """Stopped, and nothing that it left behind is under way in the service."""
        async with asyncio.timeout(QUIET_SECONDS):
            self._stop_all()
            while not self._quiet():
                await asyncio.sleep(LOOK_SECONDS)
                # The service may have started the next one.
                self._stop_all()

    def _stop_all(self) -> None:
        _send([*self._others(), *self._pids()], signal.SIGSTOP)


def _send(pids: list[int], what: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, what)


async def take_turns(load: SteadyLoad, work: Work, *, turns: int) -> Turns:
    """As many turns as asked for, fewer where the work is done before."""
    done = Turns([], [])
    await load.during(2 * TURN_SECONDS)
    try:
        if not await work.is_on(within_seconds=BEGIN_SECONDS):
            return done
        for _ in range(turns):
            await work.pause()
            alone = await load.during(TURN_SECONDS)
            if not await work.is_on():
                break
            work.go_on()
            beside = await load.during(TURN_SECONDS)
            done.alone.append(alone)
            done.beside.append(beside)
    finally:
        work.let_go()
    assert not load.refused, f"{load.refused} messages were refused"
    return done


async def take_turns_during_removal(load: SteadyLoad, data: Path, others: Work) -> Turns:
    """As many turns as the removal takes, and as many after it."""
    beside, alone = [], []
    try:
        await others.pause()
        await load.during(2 * TURN_SECONDS)
        while True:
            await others.pause()
            took = await load.during(TURN_SECONDS)
            if nothing_to_trim(data):
                break
            beside.append(took)
        for _ in beside:
            await others.pause()
            alone.append(await load.during(TURN_SECONDS))
    finally:
        others.let_go()
    assert not load.refused, f"{load.refused} messages were refused"
    return Turns(beside, alone)


# --- kinds of work ------------------------------------------------------------------------------


def children(pid: int, doing: str) -> list[int]:
    """The processes that a process started whose command line holds some words."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            try:
                line = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ")
            except OSError:
                continue
            if doing in line.decode():
                found.append(int(child))
    return found


def nothing_to_trim(data: Path) -> bool:
    """Whether the journal file holds nothing that a segment holds too."""
    uri = f"{(data / FILE_NAME).as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as db:
        query = "SELECT (SELECT min(first_seq) FROM batch), (SELECT max(last_seq) FROM segment)"
        first_open, last_closed = db.execute(query).fetchone()
        return first_open is None or last_closed is None or first_open > last_closed


ARCHIVER, VERIFIER = "progressive.entry.archiver", "progressive.entry.commands.past_verifier"
SEALER = "progressive.entry.sealer"


@contextmanager
def archiving(aged: Aged, service: Started) -> Iterator[Work]:
    """The service's own child."""
    yield Work(
        lambda: children(service.pid, ARCHIVER),
        others=lambda: children(service.pid, VERIFIER),
        quiet=lambda: nothing_to_trim(aged.made.data),
    )


@contextmanager
def verifying(aged: Aged, service: Started) -> Iterator[Work]:
    """The service's own child that reads the whole past."""
    yield Work(
        lambda: children(service.pid, VERIFIER), others=lambda: children(service.pid, ARCHIVER)
    )


@contextmanager
def sealing(aged: Aged, service: Started) -> Iterator[Work]:
    """The service's own child, at its first seal: it has the whole past to hash."""
    yield Work(
        lambda: children(service.pid, SEALER),
        others=lambda: children(service.pid, VERIFIER) + children(service.pid, ARCHIVER),
    )


@contextmanager
def backing_up(aged: Aged, service: Started) -> Iterator[Work]:
    """`progressive backup` again and again, each into a folder of its own."""

    def others() -> list[int]:
        return children(service.pid, VERIFIER) + children(service.pid, ARCHIVER)

    with tempfile.TemporaryDirectory(dir=aged.made.data.parent) as folder:
        backups = _Backups(aged.made.data, Path(folder))
        try:
            yield Work(backups.pids, others=others)
        finally:
            backups.end()


class _Backups:
    def __init__(self, data: Path, folder: Path) -> None:
        self._data = data
        self._folder = folder
        self._number = 0
        self._running: subprocess.Popen[bytes] | None = None

    def pids(self) -> list[int]:
        """That of the running one; where it has ended, the next one is started."""
        if self._running is None or self._running.poll() is not None:
            assert self._running is None or self._running.returncode == 0, "the backup failed"
            self._number += 1
            self._running = subprocess.Popen(
                [
                    *(sys.executable, "-m", "progressive", "backup", "--data", str(self._data)),
                    *("--to", str(self._folder / str(self._number)), "--rest", "19"),
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # As its timer would start it.
                start_new_session=True,
                preexec_fn=lambda: os.sched_setaffinity(0, {SERVER_CORE}),
            )
        return [self._running.pid]

    def end(self) -> None:
        if self._running is not None:
            self._running.kill()
            self._running.wait()
            self._running = None


# --- the run ------------------------------------------------------------------------------------

Beside = Callable[[Aged, Started], AbstractContextManager[Work]]


def bench_acks(console: Console, *, turns: int, records: int) -> None:
    """One service for each kind of work, on a directory made for it."""
    kinds: dict[str, tuple[Beside, bool]] = {
        "archiving": (archiving, False),
        "verifying": (verifying, True),
        "sealing": (sealing, True),
        "progressive backup": (backing_up, True),
    }
    measured = {}
    for name, (beside, archived) in kinds.items():
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "link"
            measured[name] = run(
                _measure(out, records, beside, archived=archived, turns=turns * TURNS_A_TURN)
            )
    with tempfile.TemporaryDirectory() as folder:
        measured["removing what is archived"] = run(_measure_removal(Path(folder) / "link"))
    _show(console, measured)


async def _measure_removal(out: Path) -> Turns:
    """On a directory whose segments were closed before, and whose journal file holds all."""
    aged = await make_aged(out, REMOVED_RECORDS, archived=False)
    data = aged.made.data
    await asyncio.to_thread(archive, data, aged.made.link, trimmed=False)
    with serving(aged.made, kill=True) as service:
        async with steady_load(service.port, aged.keys, rate=RATE) as load:
            others = Work(
                lambda: children(service.pid, ARCHIVER),
                others=lambda: children(service.pid, VERIFIER),
            )
            return await take_turns_during_removal(load, data, others)


async def _measure(out: Path, records: int, beside: Beside, *, archived: bool, turns: int) -> Turns:
    aged = await make_aged(out, records, archived=archived)
    options: tuple[str, ...] = ()
    if beside is sealing:
        write_key(out.parent / "seal-key", new_signer("bench"))
        options = ("--seal-key", str(out.parent / "seal-key"))
    with serving(aged.made, *options, kill=True) as service:
        async with steady_load(service.port, aged.keys, rate=RATE) as load:
            with beside(aged, service) as work:
                return await take_turns(load, work, turns=turns)


def _show(console: Console, measured: dict[str, Turns]) -> None:
    rows, goals = [], []
    for name, turns in measured.items():
        if not turns.beside:
            rows.append([name, "0", "it was over before the first turn"])
            goals.append(Goal(f"p99 while {name} / without", None, P99_RATIO, at_most=True))
            continue
        with_it = [f"{turns.median(turns.beside, percent):.2f}" for percent in (50, 99)]
        without = [f"{turns.median(turns.alone, percent):.2f}" for percent in (50, 99)]
        ratios = [f"{turns.ratio(percent):.2f}" for percent in (50, 99)]
        rows.append([name, str(len(turns.beside)), *with_it, *without, *ratios])
        goals.append(Goal(f"p99 while {name} / without", turns.ratio(99), P99_RATIO, at_most=True))
    show_grid(console, f"200 tables, {RATE:,.0f} messages a second", COLUMNS, rows)
    show_goals(console, goals)
