"""Fan-out beside its peers: 1,000 signs flat out, a burst at once, 5,000 signs at a pace."""

from rich.console import Console

from tests.bench.goals import Goal, show_goals
from tests.bench.grids import SIGN_COLUMNS, show_grid, sign_row
from tests.bench.measured import Measured, cheapest, fastest
from tests.bench.sign_frames import Broadcast
from tests.bench.sign_load import drive_signs, open_signs
from tests.bench.sign_peers import HUB, NATS, NODE, PEERS, SEND_STR, WEBSOCKETS, Peer

SIGNS = 1_000
MANY_SIGNS = 5_000
PACE_MS = 100
BURST = 300
FLAT_OUT_GOALS = {SEND_STR.label: 1.4, NODE.label: 1.2, WEBSOCKETS.label: 1.7, NATS.label: 0.7}
LATE_P99_MS = 250
FILES_BESIDE_SIGNS = 200

Turns = dict[str, list[Measured]]
"""By the label of the server."""


def measure(peer: Peer, signs: int, wanted: Broadcast) -> Measured:
    with peer.start() as started, open_signs(started.server, signs, started.greeting) as opened:
        return drive_signs(started.server, opened, wanted.count, lambda: started.send(wanted))


def take_turns(peers: tuple[Peer, ...], turns: int, signs: int, wanted: Broadcast) -> Turns:
    """One after the other, again and again: a slow minute of the machine falls on all of them."""
    here = [peer for peer in peers if peer.is_here()]
    measured: Turns = {peer.label: [] for peer in here}
    for _ in range(turns):
        for peer in here:
            measured[peer.label].append(measure(peer, signs, wanted))
    return measured


def bench_flat_out(console: Console, *, turns: int, broadcasts: int) -> None:
    measured = take_turns(PEERS, turns, SIGNS, Broadcast(broadcasts))
    best = {label: fastest(done) for label, done in measured.items()}
    title = f"{SIGNS:,} signs flat out: the next update when the one before has been dealt with"
    _show(console, title, PEERS, best)
    show_goals(console, [_ratio(best, label, aim) for label, aim in FLAT_OUT_GOALS.items()])


def _ratio(best: dict[str, Measured], label: str, aim: float) -> Goal:
    if label not in best:
        return Goal(f"hub / {label}", None, aim)
    hub, peer = best[HUB.label], best[label]
    told = f"hub / {label} (by server CPU {peer.cpu_us / hub.cpu_us:.2f})"
    return Goal(told, hub.rate / peer.rate, aim)


def bench_burst(console: Console, *, turns: int) -> None:
    """NATS sends together what waits together; so does the hub with what it announces."""
    peers = (NATS, HUB)
    measured = take_turns(peers, turns, SIGNS, Broadcast(BURST, at_once=True))
    best = {label: fastest(done) for label, done in measured.items()}
    title = f"{SIGNS:,} signs, {BURST} messages at once, none skipped"
    _show(console, title, peers, best)
    show_goals(console, [_ratio(best, NATS.label, FLAT_OUT_GOALS[NATS.label])])


def bench_many(console: Console, *, turns: int, broadcasts: int, files: int) -> None:
    if files < MANY_SIGNS + FILES_BESIDE_SIGNS:
        console.print(f"{MANY_SIGNS:,} signs: not available here, {files:,} open files allowed")
        return
    measured = take_turns(PEERS, turns, MANY_SIGNS, Broadcast(broadcasts, PACE_MS))
    best = {label: cheapest(done) for label, done in measured.items()}
    title = f"{MANY_SIGNS:,} signs, {1000 // PACE_MS} updates a second"
    _show(console, title, PEERS, best)
    hub = best[HUB.label]
    late_ms = sorted(turn.p99_ms for turn in measured[HUB.label])
    told = f"hub, p99 behind (its slowest turn: {late_ms[-1]:.0f} ms)"
    goals = [Goal(told, late_ms[0], LATE_P99_MS, at_most=True, unit=" ms")]
    for label in (NATS.label, NODE.label):
        ratio = hub.cpu_us / best[label].cpu_us if label in best else None
        goals.append(Goal(f"CPU a message, hub / {label}", ratio, 1.0, at_most=True))
    show_goals(console, goals)


def _show(console: Console, title: str, peers: tuple[Peer, ...], best: dict[str, Measured]) -> None:
    rows = [sign_row(peer.label, best.get(peer.label)) for peer in peers]
    show_grid(console, title, SIGN_COLUMNS, rows)
