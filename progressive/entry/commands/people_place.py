"""Which people a command works on: those of a data directory, or those that nodes share."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from msgspec import Struct

from progressive.entry.stores import is_shared, unknown_store

Command = TypeVar("Command", bound=Callable[..., Any])

ALONE: Final = "sqlite"


class PeoplePlace(Struct, frozen=True):
    """Where the people are."""

    data: Path
    store: str

    @property
    def shared(self) -> bool:
        """With other nodes."""
        return is_shared(self.store)


def shared_store(_: click.Context, __: click.Parameter, value: str | None) -> str:
    """The value of an option `--store` that only names a log that nodes share."""
    if value is None:
        return ALONE
    if not is_shared(value):
        raise click.BadParameter(f"{value!r} is not a Redis URL (redis://HOST:PORT/DB)")
    if (why := unknown_store(value)) is not None:
        raise click.BadParameter(why)
    return value


store_option = click.option(
    "--store",
    callback=shared_store,
    metavar="URL",
    help="redis://HOST:PORT/DB?replicas=N as the service has it, where nodes share one log.",
)


def people_options(command: Command) -> Command:
    """`--data` and `--store`, handed over as `place`."""

    @click.option(
        "--data",
        required=True,
        type=click.Path(file_okay=False, path_type=Path),
        help="The service's data directory.",
    )
    @store_option
    @functools.wraps(command)
    def with_place(*args: Any, data: Path, store: str, **named: Any) -> Any:  # noqa: ANN401
        return command(*args, place=PeoplePlace(data, store), **named)

    return with_place  # type: ignore[return-value]
