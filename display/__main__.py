"""`python -m display`: a relay of the sign feed, until it is told to stop."""

import asyncio
import signal
from pathlib import Path

import click

from display.app import running
from display.settings import BadSettingError, Settings, settings
from progressive.common.addresses import BadAddressError
from progressive.runtime import json_log
from progressive.runtime.command_line import EXIT_CODES, PlainCommand
from progressive.runtime.event_loop import run
from progressive.runtime.options import LISTEN, ca_option, log_level_option
from progressive.runtime.plain_errors import CannotRunError


@click.command("display", cls=PlainCommand, epilog=EXIT_CODES)
@click.option(
    "--upstream",
    "upstreams",
    required=True,
    multiple=True,
    metavar="URL",
    help="A service or another relay. May be repeated; the first one is preferred.",
)
@click.option(
    "--listen",
    default="127.0.0.1:8090",
    show_default=True,
    type=LISTEN,
    help="Port 0 picks a free one.",
)
@click.option("--name", metavar="NAME", help="This relay's name upstream; else the machine's.")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    help="Holds the relay's key, for signs that have keys.",
)
@ca_option
@log_level_option
def command(
    upstreams: tuple[str, ...],
    listen: tuple[str, int],
    name: str | None,
    key_file: Path | None,
    ca: Path | None,
    log_level: str,
) -> None:
    """Relay the sign feed of one or more services, and serve the sign pages.

    Prints `ready http://HOST:PORT` once it listens, whether an upstream is there yet or not.
    """
    host, port = listen
    try:
        checked = settings(upstreams=upstreams, name=name, key_file=key_file, ca=ca)
    except (BadAddressError, BadSettingError) as error:
        raise CannotRunError(str(error)) from None
    json_log.configure(log_level)
    run(_relay(checked, host=host, port=port))


async def _relay(checked: Settings, *, host: str, port: int) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    async with running(checked, host=host, port=port) as (url, _):
        click.echo(f"ready {url}")
        await stop.wait()


if __name__ == "__main__":
    command()
