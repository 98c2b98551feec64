"""`progressive key`: a new key for a table, shown once."""

from pathlib import Path

import click

from progressive.adapters.table_keys import TableKeys
from progressive.domain.ids import TableId, is_id


@click.command("key")
@click.argument("table")
@click.option(
    "--data",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The service's data directory.",
)
def command(table: str, data: Path) -> None:
    """Issue a key for TABLE and print it once; it replaces the table's former key.

    Only a hash is kept. A running service accepts the new key at the table's next connection.
    """
    if not is_id(table):
        raise click.BadParameter(f"{table!r} cannot be a table's id", param_hint="TABLE")
    click.echo(TableKeys(data).issue(TableId(table)))
