"""`python -m display.led`: drives one Alpha or BetaBrite sign, until it is told to stop."""

import asyncio
import logging
import math
import signal
import sys
import time
from functools import partial
from pathlib import Path
from typing import Final, get_args

import click

from display.led import line, options, planner
from display.led.alpha import Address, Mode
from display.led.composer import Look
from display.led.driver import LedDriver
from display.led.feed import Feed, FeedClient
from display.led.reading import Reading
from display.led.wins import WIN_SECONDS, WinQueue
from display.led.words import Language

STOP_SECONDS: Final = line.CONNECT_SECONDS + line.STALL_SECONDS
"""A sign that does not listen any more does not keep its driver from stopping."""


@click.command("display.led")
@click.option(
    "--upstream",
    required=True,
    callback=options.url,
    metavar="URL",
    help="The service or a relay.",
)
@click.option("--link", required=True, callback=options.name, help="Whose meters are shown.")
@click.option(
    "--sign",
    callback=options.name,
    help="The sign's id in the floor file: the service then keeps what it shows.",
)
@click.option(
    "--key-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The sign's key, where one was issued.",
)
@click.option("--serial", "device", metavar="DEVICE", help="The sign is on this serial line.")
@click.option(
    "--tcp",
    callback=options.endpoint,
    metavar="HOST:PORT",
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
    help="The sign's memory is laid out anew this often, which blanks it; 0: never.",
)
def main(
    *,
    upstream: str,
    link: str,
    sign: str | None,
    key_file: Path | None,
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
) -> None:
    """Show the meters of a link on an Alpha or BetaBrite LED sign.

    SIGHUP writes everything anew, as after the sign was exchanged.
    """
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s"
    )
    reading = Reading(link)
    driver = LedDriver(
        Look(meters, template, mode, language, currency),
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
    client = FeedClient(
        Feed(upstream, link, sign, key_file.read_text("ascii").strip() if key_file else None),
        reading,
        clock=time.monotonic,
        on_news=driver.wake,
        showing=driver.showing,
    )
    asyncio.run(_until_stopped(driver, client, _opener(device, tcp, int(baud), framing)))


def _opener(
    device: str | None, tcp: tuple[str, int] | None, baud: int, framing: line.Framing
) -> line.OpenLine:
    if device is not None and tcp is None:
        return partial(line.serial_line, device, baud, framing)
    if tcp is not None and device is None:
        return partial(line.tcp_line, *tcp)
    raise click.UsageError("one of --serial and --tcp is needed")


async def _until_stopped(driver: LedDriver, client: FeedClient, open_line: line.OpenLine) -> None:
    """Both at once, until a signal says stop; the sign is then told that nobody looks after it."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    loop.add_signal_handler(signal.SIGHUP, driver.rewrite)
    driving = asyncio.create_task(driver.run(open_line))
    listening = asyncio.create_task(client.run())
    waiting = asyncio.create_task(stopped.wait())
    # Neither ends by itself: should one break, the process must not go on without it.
    await asyncio.wait((driving, listening, waiting), return_when=asyncio.FIRST_COMPLETED)
    driver.stop()
    await asyncio.wait((driving,), timeout=STOP_SECONDS)
    tasks = (driving, listening, waiting)
    for task in tasks:
        task.cancel()
    for ended in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(ended, Exception):
            raise ended


if __name__ == "__main__":
    main()
