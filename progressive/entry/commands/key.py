"""`progressive key`: a new key for a table, a sign or a relay, shown once."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from progressive.adapters.data_directory import refuse_unusable
from progressive.adapters.sqlite.people_copy import is_shared_file
from progressive.application.keys.ports import KeyStore
from progressive.common.nearest import nearest, no_such
from progressive.domain.ids import is_id
from progressive.entry.commands.floor_names import Kind, floor_names
from progressive.entry.commands.people_place import ALONE, store_option
from progressive.entry.node_stores import NodeKeys
from progressive.runtime.plain_errors import CannotRunError, FindingError
from progressive.runtime.streams import OutputError

T = TypeVar("T")

_TABLE: Final = "table"
_SIGN: Final = "sign"
_RELAY: Final = "relay"


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
@store_option
def command(
    table: str | None,
    sign: str | None,
    relay: str | None,
    remove: bool,
    data: Path,
    floor: Path | None,
    store: str,
) -> None:
    """Issue a key for TABLE and print it once; it replaces the table's former key.

    With --sign or --relay the key is a sign's or a relay's. Only a hash is stored. A running
    service accepts the new key at the next connection, and ends those of a sign whose key was
    replaced.

    A table or sign that is not on the floor is refused, where the floor is known.
    """
    refuse_unusable(data)
    if store == ALONE and is_shared_file(data):
        raise CannotRunError(
            f"the nodes share what is in {data}: name the log as the service does, with "
            "--store redis://…"
        )
    match (table, sign, relay):
        case (str(), None, None):
            if remove:
                raise click.UsageError("--remove is for a sign or a relay: a table needs a key")
            kind, name = _TABLE, _checked(table, "TABLE")
            checked = _is_on_floor("table", name, data, floor)
        case (None, str(), None):
            kind, name = _SIGN, _checked(sign, "--sign")
            checked = remove or _is_on_floor("sign", name, data, floor)
        case (None, None, str()):
            # The floor file does not name relays: there is nothing to check.
            kind, name, checked = _RELAY, _checked(relay, "--relay"), True
        case _:
            raise click.UsageError("name one of TABLE, --sign SIGN or --relay NAME")
    if remove:
        _remove(kind, name, data, store)
        return
    _issue(kind, name, data, store, checked=checked)


def _issue(kind: str, name: str, data: Path, store: str, *, checked: bool) -> None:
    """Standard output gets the key and nothing else, so that a script can take it from there."""
    key = _with_keys(kind, data, store, lambda keys: keys.issue(name))
    try:
        click.echo(key)
    except OutputError as error:
        raise CannotRunError(
            f"{error}; the new key of {kind} {name} is stored but was not shown: issue it again"
        ) from None
    note = "" if checked else " (not looked up: no floor is known here; --floor FILE checks it)"
    click.echo(f"key issued for {kind} {name}{note}", err=True)


def _remove(kind: str, name: str, data: Path, store: str) -> None:
    if not _with_keys(kind, data, store, lambda keys: keys.remove(name)):
        near = nearest(name, _with_keys(kind, data, store, lambda keys: keys.versions()))
        hint = f"; nearest with a key: {', '.join(near)}" if near else ""
        raise FindingError(f"{kind} {name} has no key{hint}")
    click.echo(f"key of {kind} {name} removed")


def _with_keys(
    kind: str, data: Path, store: str, work: Callable[[KeyStore], Coroutine[Any, Any, T]]
) -> T:
    """Work on the keys of one kind of holder."""

    async def do() -> T:
        keys = NodeKeys(store, data)
        try:
            return await work({_TABLE: keys.tables, _SIGN: keys.signs, _RELAY: keys.relays}[kind])
        finally:
            await keys.close()

    return asyncio.run(do())


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
