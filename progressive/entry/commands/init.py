"""`progressive init`: a first floor file, commented, that `check` accepts and `serve` starts with.

On a terminal it asks for what the options do not say; anywhere else it asks nothing.
"""

import os
import shlex
import sys
from pathlib import Path
from typing import Final, TypeVar

import click
from msgspec import structs

from progressive.adapters.config.files import path_text
from progressive.adapters.config.floor import ConfigError
from progressive.adapters.config.new_floor import (
    STARTS,
    TABLES_MAX,
    Wanted,
    checked,
    floor_text,
    table_ids,
)
from progressive.adapters.config.tables import SEATS_MAX
from progressive.entry.commands.next_steps import key_command, user_command
from progressive.runtime.plain_errors import CannotRunError
from progressive.runtime.streams import is_terminal_input

JURISDICTION: Final = "us-nj"
TABLES: Final = 6
SEATS: Final = 7
DATA: Final = "var/floor"
"""Where the next steps put the data; the guides do the same."""
STDOUT: Final = Path("-")

T = TypeVar("T")


class _Field(click.ParamType[str]):
    """A text that the floor file accepts under a key; the file's own check decides."""

    def __init__(self, key: str) -> None:
        self.name = key

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The text, or a usage error."""
        start = STARTS[JURISDICTION]
        example = Wanted(JURISDICTION, start.name, start.time_zone, TABLES, SEATS)
        trial = structs.replace(example, **{self.name: value})
        try:
            checked(floor_text(trial), Path("floor.toml"))
        except ConfigError as error:
            self.fail(error.problems[0].message, param, ctx)
        return str(value)


_JURISDICTION: Final = click.Choice(list(STARTS))
_NAME: Final = _Field("name")
_TIME_ZONE: Final = _Field("time_zone")
_TABLES: Final = click.IntRange(1, TABLES_MAX)
_SEATS: Final = click.IntRange(1, SEATS_MAX)


@click.command("init")
@click.argument(
    "file",
    default=Path("floor.toml"),
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
)
@click.option(
    "--jurisdiction",
    type=_JURISDICTION,
    help="Whose rule texts hold (default us-nj, New Jersey); the currency follows from it.",
)
@click.option("--name", type=_NAME, metavar="NAME", help="Shown on signs, pages and reports.")
@click.option("--time-zone", type=_TIME_ZONE, metavar="ZONE", help="Like America/New_York.")
@click.option("--tables", type=_TABLES, help=f"Gaming tables (default {TABLES}).")
@click.option("--seats", type=_SEATS, help=f"Betting positions at each table (default {SEATS}).")
@click.option("-y", "--yes", is_flag=True, help="Ask nothing: defaults for what is not given.")
@click.option("--force", is_flag=True, help="Overwrite FILE where it exists.")
def command(
    file: Path,
    jurisdiction: str | None,
    name: str | None,
    time_zone: str | None,
    tables: int | None,
    seats: int | None,
    yes: bool,
    force: bool,
) -> None:
    """Write a commented floor file to FILE (floor.toml unless given; - for standard output).

    Asks a few questions on a terminal, each with a default; options answer them beforehand, and
    without a terminal nothing is asked. The file is one that `progressive check` accepts and
    `progressive serve` starts with; its amounts are examples. Prints what to do next.
    """
    if file != STDOUT:
        _must_be_free(file, force=force)
    asking = not yes and is_terminal_input() and sys.stderr.isatty()

    def answer(given: T | None, question: str, default: T, kind: click.ParamType[T]) -> T:
        if given is not None or not asking:
            return default if given is None else given
        said: T = click.prompt(question, default=default, type=kind, err=True)
        return said

    where = answer(jurisdiction, "Jurisdiction", JURISDICTION, _JURISDICTION)
    start = STARTS[where]
    # A jurisdiction whose only game no floor may bank is refused before anything else is asked.
    _must_be_lawful(floor_text(Wanted(where, start.name, start.time_zone, TABLES, SEATS)), file)
    wanted = Wanted(
        jurisdiction=where,
        name=answer(name, "Name of the floor", start.name, _NAME),
        time_zone=answer(time_zone, "Time zone", start.time_zone, _TIME_ZONE),
        tables=answer(tables, "Gaming tables", TABLES, _TABLES),
        seats=answer(seats, "Seats at each table", SEATS, _SEATS),
    )
    text = floor_text(wanted)
    _must_be_lawful(text, file)
    if file == STDOUT:
        click.echo(text, nl=False)
        return
    _write(file, text, force=force)
    click.echo(next_steps(file, wanted))


def _must_be_lawful(text: str, file: Path) -> None:
    """The file's own check; a rule file beside FILE replaces the shipped one, and may ask more."""
    try:
        checked(text, file)
    except ConfigError as error:
        for problem in error.problems:
            click.echo(problem.line(), err=True)
        raise SystemExit(2) from None


def _must_be_free(file: Path, *, force: bool) -> None:
    """Before anything is asked: nobody answers five questions for nothing."""
    if os.path.lexists(file) and not force:
        raise CannotRunError(
            f"{path_text(file)} exists (use --force to overwrite it, or name another FILE)"
        )
    if not file.parent.is_dir():
        raise CannotRunError(f"there is no folder {path_text(file.parent)}")


def next_steps(file: Path, wanted: Wanted) -> str:
    """What was written, and the commands that come next, ready to be pasted."""
    floor = shlex.quote(path_text(file))
    program = click.get_current_context().find_root().command_path
    table = table_ids(wanted.tables)[0]
    count = f"{wanted.tables} table{'' if wanted.tables == 1 else 's'}"
    return f"""\
wrote {path_text(file)}: {STARTS[wanted.jurisdiction].title}, {count}; its amounts are examples
next:
  {program} check {floor}
  {program} serve --floor {floor} --data {DATA}
and, while it runs, in another terminal:
  {key_command(program, table, DATA)}
  {user_command(program, DATA)}"""


def _write(file: Path, text: str, *, force: bool) -> None:
    """Whole or not at all, and without `force` never over a file that somebody made meanwhile."""
    new = file.with_name(f".{file.name}.{os.getpid()}.part") if force else file
    try:
        with open(new, "x", encoding="utf-8") as out:
            try:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            except OSError:
                new.unlink(missing_ok=True)
                raise
        if force:
            new.replace(file)
    except OSError as error:
        raise CannotRunError(
            f"{path_text(file)} cannot be written: {error.strerror or error}"
        ) from None
