"""`progressive simulate`: many tables against a running service, every answer checked."""

import asyncio
import signal
import ssl
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import click
import msgspec
from click.core import ParameterSource
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

from progressive.adapters import service_note
from progressive.adapters.keys.tables import TableKeys
from progressive.domain.ids import TableId
from progressive.runtime.client_tls import trusting
from progressive.runtime.event_loop import run
from progressive.runtime.options import SERVER, ca_option
from progressive.runtime.plain_errors import CannotRunError, in_words
from progressive.simulator.player import NotAdmittedError, Orders
from progressive.simulator.public_floor import PublicFloor, UnreadableFloorError, read_floor
from progressive.simulator.run import Result, Simulation

HOLDER: Final = "simulator"
"""Whose the issued keys are: only those may be replaced without being asked to."""
TABLES_FREE_SECONDS: Final = 3.0
"""A run that has just ended may still hold its tables for a moment."""
LOOK_SECONDS: Final = 0.1


class CannotSimulateError(Exception):
    """Bad input, or nothing to simulate against: exit 2."""


@click.command("simulate")
@click.option(
    "--server",
    "servers",
    required=True,
    multiple=True,
    type=SERVER,
    help="The running service, http://…; several times: the nodes of one floor.",
)
@click.option("--tables", required=True, type=click.IntRange(min=1), help="How many tables play.")
@click.option("--rounds", required=True, type=click.IntRange(min=1), help="Rounds at each table.")
@click.option("--seed", required=True, type=int, help="The same seed plays the same rounds.")
@click.option(
    "--pace",
    default=0.0,
    show_default=True,
    type=click.FloatRange(min=0, max=3600),
    metavar="SECONDS",
    help="Mean time of a round; 0: as fast as the answers come.",
)
@click.option(
    "--data",
    envvar="PROGRESSIVE_DATA",
    show_envvar=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The service's data directory, to issue the tables' keys in.",
)
@click.option(
    "--keys",
    "keys_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A JSON object of tables and their keys, for a service on another machine.",
)
@click.option(
    "--replace-keys", is_flag=True, help="Replace keys of real tables too: it locks those out."
)
@click.option(
    "--demo-shoe",
    is_flag=True,
    help="Deal from a shoe with many sevens and few other cards, so that meters are won soon.",
)
@click.option(
    "--people-act",
    is_flag=True,
    help="People may void awards and correct meters meanwhile: a meter that jumps after a record "
    "of theirs is counted, and is not a mismatch.",
)
@ca_option
def command(
    servers: tuple[str, ...],
    tables: int,
    rounds: int,
    seed: int,
    pace: float,
    data: Path | None,
    keys_file: Path | None,
    replace_keys: bool,
    demo_shoe: bool,
    people_act: bool,
    ca: Path | None,
) -> None:
    """Drive a running service as many tables over real sockets, and check every answer.

    Every answer is held against our own bookkeeping, to the microcent: which seats win which line,
    in which order, what each takes from its meter, and that every meter won is on the signs at
    once. Messages are also repeated, spoiled and cut off; a service that is restarted meanwhile is
    waited for and caught up with, and so is a standby that takes over. Ends with one line of
    totals. Exits with 1 where anything did not match.

    Keys: issued in --data, read from --keys, or, for a service of the same user on this machine,
    issued where that service keeps its data: the first --server, where there are several. Tables
    have the same keys at all of them.
    """
    from_environment = (
        click.get_current_context().get_parameter_source("data") is ParameterSource.ENVIRONMENT
    )
    # A folder that the environment names for every command is no contradiction to --keys.
    if data is not None and keys_file is not None and not from_environment:
        raise click.UsageError("either --data or --keys: one place for the keys")
    tls = trusting(ca)
    known = None if keys_file is None else _keys_in(keys_file)
    orders = Orders(rounds=rounds, pace_seconds=pace, demo_shoe=demo_shoe, people_act=people_act)
    if demo_shoe:
        click.echo("demo shoe: many sevens among few other cards; no odds are like that", err=True)
    try:
        result = run(
            _simulate(
                servers,
                count=tables,
                known=known,
                issue=lambda chosen: issue_keys(
                    _data_of(servers[0], data), chosen, replace_real=replace_keys
                ),
                tls=tls,
                orders=orders,
                seed=seed,
            )
        )
    except (CannotSimulateError, UnreadableFloorError, NotAdmittedError) as error:
        raise CannotRunError(str(error)) from None
    for mismatch in result.first_mismatches:
        click.echo(f"mismatch: {mismatch.line()}")
    click.echo(result.line())
    if result.totals.mismatches:
        raise SystemExit(1)


async def _simulate(
    nodes: Sequence[str],
    *,
    count: int,
    known: Mapping[str, str] | None,
    issue: Callable[[Sequence[str]], dict[str, str]],
    orders: Orders,
    seed: int,
    tls: ssl.SSLContext | bool,
) -> Result:
    chosen = await _choose(nodes, count=count, known=known, tls=tls)
    if known is None:
        keys = await asyncio.to_thread(issue, chosen)
    else:
        keys = {table: known[table] for table in chosen}
    floor = await read_floor(nodes, tls=tls)
    require_live(floor, chosen)
    simulation = Simulation(nodes, floor, keys=keys, orders=orders, seed=seed, tls=tls)
    # A first Ctrl-C ends the run with its totals.
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, simulation.stop)
    bar = asyncio.create_task(_show_progress(simulation, count * (orders.rounds or 0)))
    try:
        return await simulation.run()
    finally:
        bar.cancel()
        await asyncio.gather(bar, return_exceptions=True)


async def _choose(
    nodes: Sequence[str], *, count: int, known: Mapping[str, str] | None, tls: ssl.SSLContext | bool
) -> list[str]:
    """The first tables of the floor that are free (and, with a file of keys, in it)."""
    give_up_at = asyncio.get_running_loop().time() + TABLES_FREE_SECONDS
    while True:
        floor = await read_floor(nodes, tls=tls)
        tables = [
            table
            for link in floor.links
            for table in link.tables
            if known is None or table.id in known
        ]
        if len(tables) < count:
            where = "the floor has" if known is None else "the file of keys knows"
            raise CannotSimulateError(f"{where} {len(tables)} tables, not {count}")
        chosen = [table.id for table in tables if not table.connected][:count]
        if len(chosen) == count:
            require_live(floor, chosen)
            return chosen
        if asyncio.get_running_loop().time() >= give_up_at:
            taken = ", ".join(table.id for table in tables if table.connected)
            raise CannotSimulateError(
                f"only {len(chosen)} of {len(tables)} tables are free; "
                f"others are connected at: {taken}"
            )
        await asyncio.sleep(LOOK_SECONDS)


def require_live(floor: PublicFloor, tables: Sequence[str]) -> None:
    """Raise CannotSimulateError where a table's link takes no wagers."""
    for link in floor.links:
        if link.state != "live" and any(table.id in tables for table in link.tables):
            raise CannotSimulateError(f"link {link.id} is out of service: {link.reason}")


async def _show_progress(simulation: Simulation, rounds: int) -> None:
    """A bar on standard error, where that is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("rounds", total=rounds)
        while True:
            totals = simulation.totals
            found = f"[red]{totals.mismatches} mismatches" if totals.mismatches else "rounds"
            progress.update(bar, completed=totals.rounds, description=found)
            await asyncio.sleep(LOOK_SECONDS)


# --- keys ---------------------------------------------------------------------------------------


def issue_keys(data: Path, tables: Sequence[str], *, replace_real: bool = False) -> dict[str, str]:
    """New keys for the tables; raises CannotSimulateError where a real table holds one."""
    keys = TableKeys(data)
    try:
        real = [table for table in tables if keys.holder(TableId(table)) not in (None, HOLDER)]
        if real and not replace_real:
            raise CannotSimulateError(
                f"real tables hold the keys of {', '.join(real)} in {data}: a new key would lock "
                "them out (--replace-keys does it all the same)"
            )
        return {table: keys.issue(TableId(table), holder=HOLDER) for table in tables}
    except OSError as error:
        raise CannotSimulateError(f"no keys can be issued in {data}: {in_words(error)}") from None


def _data_of(url: str, data: Path | None) -> Path:
    """Where to issue keys: as told, or where the service of that port has left a note."""
    found = data or service_note.find(url)
    if found is None:
        raise CannotSimulateError(
            f"no note of a service of yours at {url} on this machine: "
            "give --data DIR (its data directory) or --keys FILE"
        )
    return found


def _keys_in(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except OSError as error:
        raise click.BadParameter(in_words(error), param_hint="--keys") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise click.BadParameter(
            f"{path} is not a JSON object of tables and keys: {error}", param_hint="--keys"
        ) from None
