"""`progressive demo`: a whole floor in one process, to look at: service, signs, simulated pit."""

import asyncio
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from progressive.adapters import service_note
from progressive.adapters.config.floor import ConfigError, load_floor, shipped_config
from progressive.adapters.seals.process import BadSealKeyError
from progressive.domain.money import money_text
from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.bootstrap import running
from progressive.entry.commands.demo_banner import addresses, log_ins
from progressive.entry.commands.demo_dealers import free_table, sign_on_dealers
from progressive.entry.commands.demo_people import renewed_people
from progressive.entry.commands.demo_staff import DemoStaff, a_staff
from progressive.entry.commands.simulate import CannotSimulateError, issue_keys, require_live
from progressive.entry.seals import SealSettings
from progressive.runtime import json_log
from progressive.runtime.event_loop import run
from progressive.runtime.options import LISTEN
from progressive.runtime.plain_errors import CannotRunError
from progressive.simulator.bookkeeping import Mismatch
from progressive.simulator.feed import FeedReader
from progressive.simulator.player import NotAdmittedError, Orders
from progressive.simulator.public_floor import PublicFloor, UnreadableFloorError, read_floor
from progressive.simulator.run import Result, Simulation
from progressive.wire.feed_messages import Win

ROUND_SECONDS: Final = 4.0
"""Mean time of a table's round: from 2 to 6 seconds, so a pit moves its sign all the time."""
PLAIN_LINE_SECONDS: Final = 2.0
LIVE_LINE_SECONDS: Final = 0.1
LOG_LEVEL: Final = "warning"
DEMO_SEAL: Final = "the journal is sealed, for show, with a key that lies beside it"
DEMO_SHOE: Final = "demo shoe: many sevens, few other cards: meters are won often, at no real odds"


@click.command("demo")
@click.option(
    "--listen",
    default="127.0.0.1:8080",
    show_default=True,
    type=LISTEN,
    help="Port 0 picks a free one.",
)
@click.option(
    "--data",
    default=Path("var/demo"),
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the journal is stored; the next demo carries on from it.",
)
@click.option(
    "--floor",
    type=click.Path(path_type=Path),
    help="The floor file; the one that comes with the program, if none is given.",
)
@click.option(
    "--pace",
    default=ROUND_SECONDS,
    show_default=True,
    type=click.FloatRange(min=0.1, max=3600),
    metavar="SECONDS",
    help="Mean time of a table's round.",
)
def command(listen: tuple[str, int], data: Path, floor: Path | None, pace: float) -> None:
    """Run a whole demo floor: the service, its signs and a simulated pit, until Ctrl-C.

    Every table of the floor but one plays a round every few seconds over a real socket, and every
    answer is checked. The last table is free: deal there yourself on its dealer panel. It is play
    money, and the cards come from a demo shoe with many sevens, so that a meter is won every minute
    or so; a scripted supervisor and a cashier validate and pay most of the awards.
    """
    host, port = listen
    try:
        rules = load_floor(floor or shipped_config() / "floor.toml").rules
    except ConfigError as error:
        for problem in error.problems:
            click.echo(problem.line(), err=True)
        raise SystemExit(2) from None
    json_log.configure(LOG_LEVEL)
    try:
        mismatches = run(_demo(rules, data=data, host=host, port=port, pace_seconds=pace))
    except (
        BadSealKeyError,
        CannotSimulateError,
        NotAdmittedError,
        UnreadableFloorError,
    ) as error:
        raise CannotRunError(str(error)) from None
    if mismatches:
        raise SystemExit(1)


async def _demo(rules: FloorRules, *, data: Path, host: str, port: int, pace_seconds: float) -> int:
    """Everything, until told to stop; how many answers were wrong."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    console = Console(soft_wrap=True, highlight=False)
    free = free_table(rules)
    # Beside the data directory, and not in it.
    seals = SealSettings(key=data.with_name(f"{data.name}-seal-key"), for_show=True)
    async with running(rules, data=data, host=host, port=port, seals=seals) as service:
        url = service.url
        opening = _opening_line(await _live_floor(url, rules, data))
        await sign_on_dealers(rules, service.floor.workers, free)
        simulation = await _pit(url, rules, free, data, console, pace_seconds)
        people = await renewed_people(service.floor.reception.people)
        with service_note.noted(service.url, data):
            click.echo(DEMO_SHOE, err=True)
            click.echo(f"{DEMO_SEAL}: {seals.key}", err=True)
            if service.everywhere is not None:
                click.echo(f"listening on {service.everywhere}", err=True)
            console.print(addresses(url, rules, free))
            console.print(log_ins(people, free))
            console.print(Text(opening, style="bold"))
            async with a_staff(url, people) as staff:
                result = await _play(simulation, _show(console, simulation, staff), stop)
        floor = await read_floor([url])
    # Said only now: the service has stopped and everything is on the disk.
    console.print(Text(f"stopped; the amounts are kept in {data}: {_amounts_of(floor)}"))
    return result.totals.mismatches


async def _live_floor(url: str, rules: FloorRules, data: Path) -> PublicFloor:
    """The floor as it opens. A folder of an older demo may hold other terms: says what to do."""
    floor = await read_floor([url])
    try:
        require_live(floor, _tables(rules))
        return floor
    except CannotSimulateError as error:
        raise CannotSimulateError(
            f"{error}; use another folder (--data DIR, or make run DATA=DIR), "
            f"or move {data} away to begin again"
        ) from None


def _tables(rules: FloorRules) -> list[str]:
    return [table.id for link in rules.links for table in link.tables]


async def _pit(
    url: str,
    rules: FloorRules,
    free: str | None,
    data: Path,
    console: Console,
    pace_seconds: float,
) -> Simulation:
    """Players for all tables but the free one."""
    tables = [table for table in _tables(rules) if table != free]
    floor = await read_floor([url])
    keys = await asyncio.to_thread(issue_keys, data, tables)
    return Simulation(
        [url],
        floor,
        keys=keys,
        # Without mischief: refusals and reconnects on a graph should mean something. And whoever
        # tries out the demo's people may void an award.
        orders=Orders(
            rounds=None,
            pace_seconds=pace_seconds,
            mischief=False,
            demo_shoe=True,
            people_act=True,
        ),
        seed=sum(link.seq for link in floor.links),
        on_mismatch=lambda mismatch: _print_loudly(console, mismatch),
    )


async def _play(
    simulation: Simulation, show: Coroutine[None, None, None], stop: asyncio.Event
) -> Result:
    """Play and show until told to stop, then let the tables finish their rounds."""
    showing = asyncio.create_task(show)
    playing = asyncio.create_task(simulation.run())
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({showing, playing, stopping}, return_when=asyncio.FIRST_COMPLETED)
        simulation.stop()
        result = await playing
        if showing.done():
            showing.result()
        return result
    finally:
        for task in (showing, playing, stopping):
            task.cancel()
        await asyncio.gather(showing, playing, stopping, return_exceptions=True)


# --- what is printed ----------------------------------------------------------------------------


async def _show(console: Console, simulation: Simulation, staff: DemoStaff) -> None:
    """The meters in one line: kept up to date on a terminal, now and then elsewhere."""
    for feed in simulation.feeds:
        await feed.has_read.wait()
    if not console.is_terminal:
        while True:
            console.print(_live_line(simulation, staff))
            await asyncio.sleep(PLAIN_LINE_SECONDS)
    with Live(console=console, auto_refresh=False) as live:
        # Logs go through standard error as it is now: Live prints it above its line.
        json_log.configure(LOG_LEVEL)
        try:
            while True:
                live.update(_live_line(simulation, staff), refresh=True)
                await asyncio.sleep(LIVE_LINE_SECONDS)
        finally:
            live.update(Text(""), refresh=True)
            live.stop()
            json_log.configure(LOG_LEVEL)


def _live_line(simulation: Simulation, staff: DemoStaff) -> Text:
    line = Text(no_wrap=True, overflow="ellipsis")
    for feed in simulation.feeds:
        if len(simulation.feeds) > 1:
            line.append(f"{feed.link}: ", style="dim")
        for name, cents in feed.amounts():
            line.append(f"{name} ", style="cyan")
            line.append(money_text(cents, simulation.currency), style="bold yellow")
            line.append("   ")
        if feed.state != "live":
            line.append(f"{feed.state}   ", style="bold red")
        if feed.last_win is not None:
            line.append(_last_win(feed, feed.last_win, simulation.currency), style="bold green")
    totals = simulation.totals
    line.append(f"{totals.rounds:,} rounds, {totals.awards:,} awards", style="dim")
    if staff.paid:
        line.append(f", {staff.paid:,} paid at the cage", style="dim")
    if totals.mismatches:
        line.append(f", {totals.mismatches:,} mismatches", style="bold red")
    if staff.trouble is not None:
        line.append(f", staff: {staff.trouble}", style="bold red")
    return line


def _last_win(feed: FeedReader, win: Win, currency: str) -> str:
    amount = money_text(win.amount_cents, currency)
    return f"last won: {feed.name(win.meter)} {amount} at {win.table} seat {win.seat}   "


def _opening_line(floor: PublicFloor) -> str:
    # The first record of a journal is its opening: what is beyond it was played before.
    carried_on = any(link.seq > 1 for link in floor.links)
    return f"{'carrying on' if carried_on else 'opening'} at {_amounts_of(floor)}"


def _amounts_of(floor: PublicFloor) -> str:
    return ", ".join(
        f"{meter.name} {money_text(meter.cents, floor.currency)}"
        for link in floor.links
        for meter in link.meters
    )


def _print_loudly(console: Console, mismatch: Mismatch) -> None:
    console.print(Text(f"MISMATCH {mismatch.line()}", style="bold white on red"))
