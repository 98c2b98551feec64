"""`progressive user`: who may log in, as what, and for which department."""

import asyncio
import getpass
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import click
import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from progressive.adapters.clock import SystemClock
from progressive.adapters.passwords import Argon2Passwords
from progressive.adapters.sqlite.people import SqlitePeople
from progressive.adapters.sqlite.people_file import FILE_NAME
from progressive.application.people.accounts import BadPersonError, LastAdminError, People
from progressive.application.people.ports import KnownPerson
from progressive.domain.people.roles import Person, Role
from progressive.entry.commands.password_input import read_password
from progressive.runtime.plain_errors import CannotRunError
from progressive.runtime.streams import print_line

T = TypeVar("T")

_data = click.option(
    "--data",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The service's data directory.",
)

_role = click.Choice([role.value for role in Role])
_force = click.option(
    "--force", is_flag=True, help="Also where NAME is the last admin who may log in."
)


@click.group("user")
def command() -> None:
    """Manage user accounts: who may log in, and as what.

    A running service sees every change at once; each is recorded in the act log.
    """


@command.command("add")
@click.argument("name")
@click.option("--role", required=True, type=_role)
@click.option("--department", required=True, help="Two-person acts need two departments.")
@_data
def add(name: str, role: str, department: str, data: Path) -> None:
    """Let NAME log in. The password is read from standard input, or asked for on a terminal."""
    person = Person(name, Role(role), department)
    password = read_password(new=True)
    _with_people(data, lambda people: people.add(person, password, where=_where()))
    print_line(f"{name}: added as {role}, {department}")


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array, for machines.")
@_data
def list_people(as_json: bool, data: Path) -> None:
    """Everybody who has an account, and whether they may log in."""
    _must_be_there(data)
    known = _with_people(data, lambda people: people.everybody())
    if as_json:
        click.echo(msgspec.json.encode([_row(each) for each in known]))
    else:
        Console(soft_wrap=True, highlight=False).print(_table(known))


@command.command("role")
@click.argument("name")
@click.option("--role", type=_role, help="The new role; as it is, if not given.")
@click.option("--department", help="The new department; as it is, if not given.")
@_force
@_data
def change_role(
    name: str, role: str | None, department: str | None, force: bool, data: Path
) -> None:
    """Give NAME another role, another department, or both; ends their sessions.

    Names in the journal and in the act log stay as they were recorded.
    """
    if role is None and department is None:
        raise click.UsageError("give --role ROLE, --department DEPT, or both")
    _must_be_there(data)
    person = _with_people(
        data,
        lambda people: people.change_role(
            name,
            None if role is None else Role(role),
            department,
            even_the_last_admin=force,
            where=_where(),
        ),
    )
    print_line(f"{person.name}: now {person.role}, {person.department}; all sessions ended")


@command.command("remove")
@click.argument("name")
@_force
@_data
def remove(name: str, force: bool, data: Path) -> None:
    """Remove NAME's account, and end their sessions. The name may be added again.

    Names in the journal and in the act log stay as they were recorded.
    """
    _must_be_there(data)
    _with_people(
        data, lambda people: people.remove(name, even_the_last_admin=force, where=_where())
    )
    print_line(f"{name}: removed; all sessions ended")


@command.command("disable")
@click.argument("name")
@_data
def disable(name: str, data: Path) -> None:
    """Do not let NAME log in any more, and end all their sessions."""
    _must_be_there(data)
    _with_people(data, lambda people: people.disable(name, where=_where()))
    print_line(f"{name}: disabled; all sessions ended")


@command.command("enable")
@click.argument("name")
@_data
def enable(name: str, data: Path) -> None:
    """Let NAME log in again, with the password they had."""
    _must_be_there(data)
    _with_people(data, lambda people: people.enable(name, where=_where()))
    print_line(f"{name}: enabled")


@command.command("password")
@click.argument("name")
@_data
def password(name: str, data: Path) -> None:
    """Give NAME another password, from standard input; unlocks, and ends their sessions."""
    _must_be_there(data)
    new = read_password(new=True)
    _with_people(data, lambda people: people.set_password(name, new, where=_where()))
    print_line(f"{name}: password set; unlocked; all sessions ended")


def _with_people(data: Path, work: Callable[[People], Awaitable[T]]) -> T:
    async def do() -> T:
        store, passwords = SqlitePeople(data), Argon2Passwords()
        try:
            return await work(People(store, passwords, SystemClock()))
        finally:
            await store.close()
            passwords.close()

    try:
        return asyncio.run(do())
    except LastAdminError as error:
        raise CannotRunError(f"{error} (--force does it all the same)") from None
    except BadPersonError as error:
        raise CannotRunError(str(error)) from None


def _must_be_there(data: Path) -> None:
    if not (data / FILE_NAME).exists():
        raise click.BadParameter(f"nobody has been added in {data}", param_hint="--data")


def _where() -> str:
    """For the act log: the command line has no session, but somebody's account."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):
        account = str(os.getuid())
    return f"command line, {account}"


# --- what is printed ----------------------------------------------------------------------------


def _row(known: KnownPerson) -> dict[str, object]:
    return {
        "name": known.person.name,
        "role": known.person.role,
        "department": known.person.department,
        "disabled": known.person.disabled,
        "bad_tries": known.bad_tries,
        "locked_until": known.locked_until,
    }


def _table(known: Sequence[KnownPerson]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("name", "role", "department", "state"):
        table.add_column(title, overflow="fold")
    for each in known:
        person = each.person
        row = (person.name, person.role.value, person.department, _state(each))
        table.add_row(*map(Text, row))
    return table


def _state(known: KnownPerson) -> str:
    if known.person.disabled:
        return "disabled"
    if known.locked_until is not None and known.locked_until > SystemClock().now():
        return f"locked until {known.locked_until}"
    return "active"
