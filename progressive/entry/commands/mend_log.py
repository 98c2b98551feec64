"""`progressive mend-log`: records that a shared log lost are given back by a node that has them."""

from pathlib import Path

import click

from progressive.application.shared.moving import give_missing
from progressive.domain.ids import LinkId
from progressive.entry.commands.shared_log import both, done, link_named
from progressive.runtime.plain_errors import CannotRunError


@click.command("mend-log")
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The data directory of the node that has them; its service is stopped.",
)
@click.option("--store", required=True, metavar="URL", help="The log: redis://HOST:PORT/DB.")
@click.option("--link", required=True, callback=link_named, help="The link.")
def command(data: Path, store: str, link: LinkId) -> None:
    """Give a shared log the records that it lost and this node's disk has.

    After a failover to a server that lacked the newest records, the nodes refuse the link. This
    appends them where they follow the log's last record, and reads them back. Where the log was
    gone on with meanwhile nothing is done (exit 1): then two records of one number exist, and
    people must find out which of them counts.
    """
    records = done(_mended(data, store, link))
    said = f"{records:,} records given back" if records else "the log lacks nothing"
    click.echo(f"{link}: {said}")


async def _mended(data: Path, url: str, link: LinkId) -> int:
    async with both(data, url) as (store, log):
        if not (await log.end(link)).epoch:
            raise CannotRunError(f"the log has no link {link}: progressive migrate begins one")
        return await give_missing(log, store, link)
