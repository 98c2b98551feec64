"""`progressive key`: a new key for a table, a sign or a relay, shown once."""

from collections.abc import Callable
from pathlib import Path

import click

from progressive.adapters.data_directory import refuse_unusable
from progressive.adapters.keys.signs import RelayKeys, SignKeys
from progressive.adapters.keys.tables import TableKeys
from progressive.common.nearest import nearest, no_such
from progressive.domain.ids import TableId, is_id
from progressive.entry.commands.floor_names import Kind, floor_names
from progressive.runtime.plain_errors import CannotRunError, FindingError
from progressive.runtime.streams import OutputError


@click.command("key")
@click.argument("table", required=False)
@click.option("--sign", metavar="SIGN", help="A key for a sign: from then on it needs it.")
@click.option("--relay", metavar="NAME", help="A key for a relay, which speaks for many signs.")
@click.option(
    "--remove", is_flag=True, help="Remove the sign's or relay's key instead of issuing one."
)
@click.option(
    "--data",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The service's data directory.",
)
@click.option(
    "--floor",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The floor file, to check the name; the floor of a running service, if none is given.",
)
def command(
    table: str | None,
    sign: str | None,
    relay: str | None,
    remove: bool,
    data: Path,
    floor: Path | None,
) -> None:
    """Issue a key for TABLE and print it once; it replaces the table's former key.

    With --sign or --relay the key is a sign's or a relay's. Only a hash is stored. A running
    service accepts the new key at the next connection, and ends those of a sign whose key was
    replaced.

    A table or sign that is not on the floor is refused, where the floor is known.
    """
    refuse_unusable(data)
    match (table, sign, relay):
        case (str(), None, None):
            if remove:
                raise click.UsageError("--remove is for a sign or a relay: a table needs a key")
            name = TableId(_checked(table, "TABLE"))
            checked = _is_on_floor("table", name, data, floor)
            _issue("table", name, lambda: TableKeys(data).issue(name), checked=checked)
        case (None, str(), None):
            _checked(sign, "--sign")
            if remove:
                _remove("sign", SignKeys(data), sign)
                return
            checked = _is_on_floor("sign", sign, data, floor)
            _issue("sign", sign, lambda: SignKeys(data).issue(sign), checked=checked)
        case (None, None, str()):
            _checked(relay, "--relay")
            if remove:
                _remove("relay", RelayKeys(data), relay)
                return
            # The floor file does not name relays: there is nothing to check.
            _issue("relay", relay, lambda: RelayKeys(data).issue(relay), checked=True)
        case _:
            raise click.UsageError("name one of TABLE, --sign SIGN or --relay NAME")


def _issue(kind: str, name: str, issue: Callable[[], str], *, checked: bool) -> None:
    """Standard output gets the key and nothing else, so that a script can take it from there."""
    key = issue()
    try:
        click.echo(key)
    except OutputError as error:
        raise CannotRunError(
            f"{error}; the new key of {kind} {name} is stored but was not shown: issue it again"
        ) from None
    note = "" if checked else " (not looked up: no floor is known here; --floor FILE checks it)"
    click.echo(f"key issued for {kind} {name}{note}", err=True)


def _remove(kind: str, keys: SignKeys | RelayKeys, name: str) -> None:
    if not keys.remove(name):
        near = nearest(name, keys.versions())
        hint = f"; nearest with a key: {', '.join(near)}" if near else ""
        raise FindingError(f"{kind} {name} has no key{hint}")
    click.echo(f"key of {kind} {name} removed")


def _is_on_floor(kind: Kind, name: str, data: Path, floor: Path | None) -> bool:
    """False where no floor is known; raises CannotRunError where the floor has no such name."""
    known = floor_names(data, floor)
    if known is None:
        return False
    if name not in known.of(kind):
        what = f"{kind} {name} on this floor ({known.source})"
        raise CannotRunError(no_such(what, name, known.of(kind)))
    return True


def _checked(name: str, hint: str) -> str:
    if not is_id(name):
        what = {"TABLE": "table", "--sign": "sign", "--relay": "relay"}[hint]
        raise click.BadParameter(f"{name!r} cannot be a {what}'s id", param_hint=hint)
    return name
