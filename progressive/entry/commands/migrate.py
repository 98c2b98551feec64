"""`progressive migrate`: a link between a data directory and a log that several nodes share."""

from pathlib import Path
from typing import Final

import click

from progressive.application.link.ports import LedElsewhereError
from progressive.application.shared.comparing import check_equal
from progressive.application.shared.copying import LinkCopy
from progressive.application.shared.moving import begin_log
from progressive.domain.ids import LinkId
from progressive.entry.commands.shared_log import both, done, link_named
from progressive.runtime.plain_errors import CannotRunError

_SQLITE: Final = "sqlite:"


@click.command("migrate")
@click.option(
    "--from", "source", required=True, metavar="PLACE", help="sqlite:DIR or redis://HOST:PORT/DB."
)
@click.option("--to", "target", required=True, metavar="PLACE", help="The other one of the two.")
@click.option("--link", required=True, callback=link_named, help="The link that is moved.")
def command(source: str, target: str, link: LinkId) -> None:
    """Move a link between a data directory and a log that several nodes share.

    To Redis: the data directory becomes the first node's copy, and the log begins behind its closed
    segments; other nodes are given a backup of it first. From Redis: the directory, a node's own or
    an empty one, is brought to the log's end. Both are then read and must be equal, byte for byte.
    The service must be stopped. Exit 1 where they differ; nothing is removed on either side.
    """
    if source.startswith(_SQLITE) and not target.startswith(_SQLITE):
        records = done(_to_log(_directory(source), target, link))
    elif target.startswith(_SQLITE) and not source.startswith(_SQLITE):
        records = done(_from_log(source, _directory(target), link))
    else:
        raise click.UsageError("one of --from and --to is sqlite:DIR, the other redis://HOST:PORT")
    click.echo(f"{link}: {records:,} records, the same on both sides")


def _directory(place: str) -> Path:
    path = Path(place.removeprefix(_SQLITE))
    if not path.is_dir():
        raise CannotRunError(f"{path} is not a directory")
    return path


async def _to_log(data: Path, url: str, link: LinkId) -> int:
    async with both(data, url) as (store, log):
        if link not in await store.links():
            raise CannotRunError(f"{data} has no journal of {link}")
        epoch = (await store.open_link(link)).epoch
        await begin_log(log, store, link, epoch=epoch)
        return await check_equal(log, store, link)


async def _from_log(url: str, data: Path, link: LinkId) -> int:
    async with both(data, url) as (store, log):
        if (leader := await log.leader(link)) is not None:
            raise LedElsewhereError(link, leader)
        end = await log.end(link)
        if not end.epoch:
            raise CannotRunError(f"the log has no link {link}")
        await LinkCopy(log, store, link).copy_until(end)
        return await check_equal(log, store, link)
