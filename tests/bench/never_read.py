"""Two hundred signs that never read, among a thousand: what they cost the others, and in memory."""

from collections.abc import Callable
from contextlib import ExitStack
from urllib.request import urlopen

from msgspec import Struct
from rich.console import Console

from progressive.live.hub import SKIP_BYTES
from tests.bench.goals import Goal, show_goals
from tests.bench.grids import SIGN_COLUMNS, show_grid, sign_row
from tests.bench.measured import Measured, cheapest, fastest
from tests.bench.processes import Server
from tests.bench.sign_frames import Broadcast
from tests.bench.sign_load import drive_signs, open_signs, open_signs_that_never_read
from tests.bench.sign_peers import HUB

STUCK = 200
READERS = 800
FILL = Broadcast(1_000, pause_ms=1)
"""More than a socket's buffers and the hub's patience hold."""
BESIDE_AIM = 0.95
FULL_BYTES = 6 * SKIP_BYTES
"""For a sign that never reads: its unsent updates, each with the event loop's notes on it."""
FLAT_BYTES = 1024 * 1024
"""Less than this is no growth: the allocator breathes."""


class Turn(Struct, frozen=True):
    """One server's life: its signs connect, those that never read fill up, then it is measured."""

    flat_out: Measured
    paced: Measured
    filled_bytes: int
    """What the memory grew by until all that never read were full."""
    grown_bytes: int
    """And from then on."""
    behind: int


def bench_never_read(console: Console, *, turns: int, broadcasts: int, paced: int) -> None:
    alone: list[Turn] = []
    among: list[Turn] = []
    for _ in range(turns):
        alone.append(_turn(0, broadcasts, paced))
        among.append(_turn(STUCK, broadcasts, paced))
    _show(console, alone, among)


def _turn(stuck: int, broadcasts: int, paced: int) -> Turn:
    with ExitStack() as stack:
        started = stack.enter_context(HUB.start())
        server = started.server
        stack.enter_context(open_signs_that_never_read(server, stuck))
        signs = stack.enter_context(open_signs(server, READERS))

        def drive(wanted: Broadcast) -> Measured:
            return drive_signs(server, signs, wanted.count, lambda: started.send(wanted))

        empty = server.resident_bytes()
        drive(FILL)
        full = server.resident_bytes()
        return Turn(
            flat_out=drive(Broadcast(broadcasts)),
            paced=drive(Broadcast(paced, pause_ms=100)),
            filled_bytes=full - empty,
            grown_bytes=server.resident_bytes() - full,
            behind=_behind(server),
        )


def _behind(server: Server) -> int:
    """How many signs the hub has skipped."""
    with urlopen(f"http://127.0.0.1:{server.port}/behind") as answer:
        return int(answer.read())


def _show(console: Console, alone: list[Turn], among: list[Turn]) -> None:
    flat = [fastest([turn.flat_out for turn in turns]) for turns in (alone, among)]
    paced = [cheapest([turn.paced for turn in turns]) for turns in (alone, among)]
    beside = f"{STUCK} never read"
    show_grid(
        console,
        f"the hub, {READERS} signs that read",
        SIGN_COLUMNS,
        [
            sign_row("flat out, alone", flat[0]),
            sign_row(f"flat out, {beside}", flat[1]),
            sign_row("ten a second, alone", paced[0]),
            sign_row(f"ten a second, {beside}", paced[1]),
        ],
    )
    filled = max(turn.filled_bytes for turn in among) / STUCK
    show_goals(
        console,
        [
            Goal("signs that are full and skipped", min(turn.behind for turn in among), STUCK),
            _beside("rate", *_figures(alone, among, lambda turn: turn.flat_out.rate)),
            _beside("thrift, flat out", *_figures(alone, among, lambda t: 1 / t.flat_out.cpu_us)),
            _beside("thrift, ten a second", *_figures(alone, among, lambda t: 1 / t.paced.cpu_us)),
            _beside("promptness at p99", *_figures(alone, among, lambda t: 1 / t.paced.p99_ms)),
            Goal("memory of one that is full", filled / 1024, FULL_BYTES / 1024, True, " KiB"),
            Goal(
                "memory that all take from then on",
                max(turn.grown_bytes for turn in among) / 1024,
                FLAT_BYTES / 1024,
                at_most=True,
                unit=" KiB",
            ),
        ],
    )


def _figures(
    alone: list[Turn], among: list[Turn], figure: Callable[[Turn], float]
) -> tuple[list[float], list[float]]:
    return [figure(turn) for turn in alone], [figure(turn) for turn in among]


def _beside(what: str, alone: list[float], among: list[float]) -> Goal:
    """More is better: messages a second, or messages for a second of processor time."""
    noise = min(alone) / max(alone)
    return Goal(
        f"the others' {what}, beside them / alone", max(among) / max(alone), BESIDE_AIM, noise=noise
    )
