"""`python -m display.led`: drives one Alpha or BetaBrite sign, until it is told to stop."""

import asyncio
import math
import signal
import time
from functools import partial
from pathlib import Path
from typing import get_args

import click

from display.led import line, options, planner
from display.led.alpha import Address, Mode
from display.led.composer import Look
from display.led.driver import LedDriver
from display.led.names_check import UnknownNameError
from display.led.reading import Reading
from display.led.running import Feeds, drive
from display.led.wins import WIN_SECONDS, WinQueue
from display.led.words import Language
from display.settings import BadSettingError, settings
from progressive.common.addresses import BadAddressError
from progressive.runtime import json_log
from progressive.runtime.command_line import EXIT_CODES, PlainCommand
from progressive.runtime.options import CONNECT, ca_option, log_level_option
from progressive.runtime.plain_errors import CannotRunError


@click.command("display.led", cls=PlainCommand, epilog=EXIT_CODES)
@click.option(
    "--upstream",
    "upstreams",
    required=True,
    multiple=True,
    metavar="URL",
    help="The service or a relay. May be repeated; the first one is preferred.",
)
@click.option("--link", required=True, callback=options.name, help="Whose meters are shown.")
@click.option(
    "--sign",
    callback=options.name,
    help="The sign's id in the floor file: the service then stores what it shows.",
)
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    help="Holds the sign's key, where one was issued.",
)
@ca_option
@click.option("--serial", "device", metavar="DEVICE", help="The sign is on this serial line.")
@click.option(
    "--tcp",
    type=CONNECT,
    help="The sign, or its serial server, is on this TCP port.",
)
@click.option(
    "--baud",
    default="9600",
    show_default=True,
    type=click.Choice([str(baud) for baud in line.BAUDS]),
    help="The speed of the sign's serial line, also behind a serial server.",
)
@click.option(
    "--framing",
    default="7E1",
    show_default=True,
    type=click.Choice(get_args(line.Framing)),
    help="Data bits, parity and stop bits of the serial line.",
)
@click.option(
    "--type-code",
    default="Z",
    show_default=True,
    callback=options.type_code,
    help="Which type of sign is meant.",
)
@click.option(
    "--address",
    default="00",
    show_default=True,
    callback=options.address,
    help="Which sign of those on the line is meant.",
)
@click.option(
    "--meters",
    default="",
    callback=options.names,
    metavar="ID,ID…",
    help="Only these meters, in this order.",
)
@click.option(
    "--template",
    default=Look().template,
    show_default=True,
    callback=options.template,
    help="How a meter is written.",
)
@click.option(
    "--mode",
    default="hold",
    show_default=True,
    type=click.Choice(["hold", "rotate", "compressed"]),
    help="Meters page by page, or running through.",
)
@click.option(
    "--language",
    default="en",
    show_default=True,
    type=click.Choice(get_args(Language)),
    help="These signs draw no Chinese: zh speaks English.",
)
@click.option(
    "--currency", default="USD", show_default=True, callback=options.currency, metavar="CODE"
)
@click.option(
    "--win-seconds",
    default=WIN_SECONDS,
    show_default=True,
    type=click.FloatRange(min=5),
    help="How long a win has the sign.",
)
@click.option(
    "--refresh-seconds",
    default=planner.REFRESH_SECONDS,
    show_default=True,
    type=click.FloatRange(min=10),
    help="Everything is written again this often.",
)
@click.option(
    "--rebuild-minutes",
    default=planner.REBUILD_SECONDS / 60,
    show_default=True,
    type=click.FloatRange(min=0),
    help="The sign's memory is laid out again this often, which blanks it; 0: never.",
)
@click.option(
    "--no-expiry",
    is_flag=True,
    help="The sign has no clock: amounts stay on it when the driver dies.",
)
@log_level_option
def command(
    *,
    upstreams: tuple[str, ...],
    link: str,
    sign: str | None,
    key_file: Path | None,
    ca: Path | None,
    device: str | None,
    tcp: tuple[str, int] | None,
    baud: str,
    framing: line.Framing,
    type_code: str,
    address: str,
    meters: tuple[str, ...],
    template: str,
    mode: Mode,
    language: Language,
    currency: str,
    win_seconds: float,
    refresh_seconds: float,
    rebuild_minutes: float,
    no_expiry: bool,
    log_level: str,
) -> None:
    """Show the meters of a link on an Alpha or BetaBrite LED sign.

    Stops with 2 where an upstream answers and has no such link or meter; an upstream that cannot
    be reached is waited for. SIGHUP writes everything again, as after the sign was exchanged.
    """
    try:
        checked = settings(upstreams=upstreams, name=sign, key_file=key_file, ca=ca)
    except (BadAddressError, BadSettingError) as error:
        raise CannotRunError(str(error)) from None
    open_line = _opener(device, tcp, int(baud), framing)
    json_log.configure(log_level)
    reading = Reading(link, checked.upstreams, clock=time.monotonic)
    driver = LedDriver(
        Look(meters, template, mode, language, currency, expires=not no_expiry),
        Address(type_code, address),
        reading,
        pace=line.Pace(int(baud)),
        planner=planner.Planner(
            mode,
            refresh_seconds=refresh_seconds,
            rebuild_seconds=rebuild_minutes * 60 or math.inf,
        ),
        wins=WinQueue(win_seconds),
        clock=time.monotonic,
    )
    try:
        asyncio.run(_drive(Feeds(checked, link, sign, reading, meters), driver, open_line))
    except UnknownNameError as error:
        raise CannotRunError(str(error)) from None


def _opener(
    device: str | None, tcp: tuple[str, int] | None, baud: int, framing: line.Framing
) -> line.OpenLine:
    if device is not None and tcp is None:
        return partial(line.serial_line, device, baud, framing)
    if tcp is not None and device is None:
        return partial(line.tcp_line, *tcp)
    raise click.UsageError("one of --serial and --tcp is needed")


async def _drive(feeds: Feeds, driver: LedDriver, open_line: line.OpenLine) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    loop.add_signal_handler(signal.SIGHUP, driver.rewrite)
    await drive(feeds, driver, open_line, stop)


if __name__ == "__main__":
    command()
