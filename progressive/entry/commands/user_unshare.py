"""`progressive user unshare`: people that nodes shared become one data directory's own again."""

import asyncio
from pathlib import Path

import click

from progressive.adapters.clock import SystemClock
from progressive.adapters.data_directory import DirectoryLock
from progressive.adapters.sqlite.people_copy import SqlitePeopleCopy, is_shared_file
from progressive.application.people.act_log import UNSHARE, Deed, Outcome
from progressive.entry.commands.user_acting import this_place
from progressive.runtime.plain_errors import CannotRunError
from progressive.runtime.streams import print_line


@click.command("unshare")
@click.option(
    "--data",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The data directory; its service must be stopped.",
)
def unshare(data: Path) -> None:
    """Make the people of DATA its own, as they are on its disk now.

    For a log that is lost for good, and for a floor that goes back to one machine. The act log says
    so. With a new log the people of this directory are shared again; move people.sqlite3 away on
    the other nodes first.
    """
    lock = DirectoryLock(data)
    try:
        if not is_shared_file(data):
            raise CannotRunError(f"the people of {data} are not shared")
        asyncio.run(_leave(data))
    finally:
        lock.release()
    print_line(f"the people of {data} are its own now")


async def _leave(data: Path) -> None:
    people = SqlitePeopleCopy(data)
    try:
        await people.leave(Deed(SystemClock().now(), None, this_place(), UNSHARE, Outcome.DONE))
    finally:
        await people.close()
