"""`progressive key`: a new key for a table, a sign or a relay, shown once."""

from pathlib import Path

import click

from progressive.adapters.keys.signs import RelayKeys, SignKeys
from progressive.adapters.keys.tables import TableKeys
from progressive.domain.ids import TableId, is_id


@click.command("key")
@click.argument("table", required=False)
@click.option("--sign", metavar="SIGN", help="A key for a sign: from then on it needs it.")
@click.option("--relay", metavar="NAME", help="A key for a relay, which speaks for many signs.")
@click.option(
    "--remove", is_flag=True, help="Take the sign's or relay's key away instead of issuing one."
)
@click.option(
    "--data",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The service's data directory.",
)
def command(
    table: str | None, sign: str | None, relay: str | None, remove: bool, data: Path
) -> None:
    """Issue a key for TABLE and print it once; it replaces the table's former key.

    With --sign or --relay the key is a sign's or a relay's. Only a hash is kept. A running service
    accepts the new key at the next connection, and ends those of a sign whose key was replaced.
    """
    match (table, sign, relay):
        case (str(), None, None):
            if remove:
                raise click.UsageError("--remove is for a sign or a relay: a table needs a key")
            click.echo(TableKeys(data).issue(TableId(_checked(table, "TABLE"))))
        case (None, str(), None):
            _give(SignKeys(data), _checked(sign, "--sign"), remove=remove)
        case (None, None, str()):
            _give(RelayKeys(data), _checked(relay, "--relay"), remove=remove)
        case _:
            raise click.UsageError("name one of TABLE, --sign SIGN or --relay NAME")


def _give(keys: SignKeys | RelayKeys, name: str, *, remove: bool) -> None:
    if not remove:
        click.echo(keys.issue(name))
    elif not keys.remove(name):
        raise click.ClickException(f"{name} has no key")


def _checked(name: str, hint: str) -> str:
    if not is_id(name):
        what = {"TABLE": "table", "--sign": "sign", "--relay": "relay"}[hint]
        raise click.BadParameter(f"{name!r} cannot be a {what}'s id", param_hint=hint)
    return name
