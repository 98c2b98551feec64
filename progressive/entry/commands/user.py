"""`progressive user`: who may log in, as what, and for which department."""

from collections.abc import Sequence

import click
import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from progressive.adapters.clock import SystemClock
from progressive.application.people.accounts import BadPersonError, People
from progressive.application.people.listing import state_in_words, user_row
from progressive.application.people.ports import KnownPerson
from progressive.domain.people.roles import Act, Person, Role
from progressive.domain.signatures import Signature
from progressive.entry.commands.people_place import PeoplePlace, people_options
from progressive.entry.commands.user_acting import (
    do_and_say,
    must_be_there,
    passwords_for,
    say_if_unconfirmed,
    this_place,
    with_people,
)
from progressive.entry.commands.user_unshare import unshare
from progressive.runtime.streams import print_line

_role = click.Choice([role.value for role in Role])
_as = click.option(
    "--as",
    "as_name",
    metavar="ADMIN",
    help="Do it in ADMIN's name; their password comes first on standard input, on a line of its "
    "own. Without it, an administrator must confirm the account afterwards.",
)
_force = click.option(
    "--force", is_flag=True, help="Also where NAME is the last admin who may log in."
)


@click.group("user")
def command() -> None:
    """Manage user accounts: who may log in, and as what.

    A running service sees every change at once; each is recorded in the act log. The accounts made
    before an administrator has ever signed in are the first ones. Later, an account that is made or
    changed here without --as signs for nothing, and is an alarm on the pit, until an administrator
    confirms it. Where nodes share one log, --store names it, and every node sees the change.
    """


@command.command("add")
@click.argument("name")
@click.option("--role", required=True, type=_role)
@click.option("--department", required=True, help="Two-person acts need two departments.")
@_as
@people_options
def add(name: str, role: str, department: str, as_name: str | None, place: PeoplePlace) -> None:
    """Let NAME log in. The password is read from standard input, or asked for on a terminal."""
    person = Person(name, Role(role), department)
    own, password = passwords_for(as_name, new=True)
    do_and_say(
        place,
        as_name,
        own,
        lambda people, by: people.add(person, password, where=this_place(), by=by),
        f"{name}: added as {role}, {department}",
        name,
    )


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array, for machines.")
@people_options
def list_people(as_json: bool, place: PeoplePlace) -> None:
    """Everybody who has an account, and whether they may log in."""
    must_be_there(place)
    known = with_people(place, lambda people, _: people.everybody())
    now = SystemClock().now()
    if as_json:
        click.echo(msgspec.json.encode([user_row(each, now) for each in known]))
    else:
        Console(soft_wrap=True, highlight=False).print(_table(known, now))


@command.command("role")
@click.argument("name")
@click.option("--role", type=_role, help="The new role; as it is, if not given.")
@click.option("--department", help="The new department; as it is, if not given.")
@_force
@_as
@people_options
def change_role(
    name: str,
    role: str | None,
    department: str | None,
    force: bool,
    as_name: str | None,
    place: PeoplePlace,
) -> None:
    """Give NAME another role, another department, or both; ends their sessions.

    Names in the journal and in the act log stay as they were recorded.
    """
    if role is None and department is None:
        raise click.UsageError("give --role ROLE, --department DEPT, or both")
    must_be_there(place)
    own, _ = passwords_for(as_name, new=False)
    person = with_people(
        place,
        lambda people, by: people.change_role(
            name,
            None if role is None else Role(role),
            department,
            even_the_last_admin=force,
            where=this_place(),
            by=by,
        ),
        as_name,
        own,
    )
    print_line(f"{person.name}: now {person.role}, {person.department}; all sessions ended")
    say_if_unconfirmed(place, name)


@command.command("remove")
@click.argument("name")
@_force
@_as
@people_options
def remove(name: str, force: bool, as_name: str | None, place: PeoplePlace) -> None:
    """Remove NAME's account, and end their sessions. The name may be added again.

    Names in the journal and in the act log stay as they were recorded.
    """
    must_be_there(place)
    own, _ = passwords_for(as_name, new=False)
    do_and_say(
        place,
        as_name,
        own,
        lambda people, by: people.remove(
            name, even_the_last_admin=force, where=this_place(), by=by
        ),
        f"{name}: removed; all sessions ended",
    )


@command.command("disable")
@click.argument("name")
@_as
@people_options
def disable(name: str, as_name: str | None, place: PeoplePlace) -> None:
    """Do not let NAME log in any more, and end all their sessions."""
    must_be_there(place)
    own, _ = passwords_for(as_name, new=False)
    do_and_say(
        place,
        as_name,
        own,
        lambda people, by: people.disable(name, where=this_place(), by=by),
        f"{name}: disabled; all sessions ended",
    )


@command.command("enable")
@click.argument("name")
@_as
@people_options
def enable(name: str, as_name: str | None, place: PeoplePlace) -> None:
    """Let NAME log in again, with the password they had."""
    must_be_there(place)
    own, _ = passwords_for(as_name, new=False)
    do_and_say(
        place,
        as_name,
        own,
        lambda people, by: people.enable(name, where=this_place(), by=by),
        f"{name}: enabled",
        name,
    )


@command.command("password")
@click.argument("name")
@_as
@people_options
def password(name: str, as_name: str | None, place: PeoplePlace) -> None:
    """Give NAME another password, from standard input; unlocks, and ends their sessions."""
    must_be_there(place)
    own, new = passwords_for(as_name, new=True)
    do_and_say(
        place,
        as_name,
        own,
        lambda people, by: people.set_password(name, new, where=this_place(), by=by),
        f"{name}: password set; unlocked; all sessions ended",
        name,
    )


@command.command("unlock")
@click.argument("name")
@people_options
def unlock(name: str, place: PeoplePlace) -> None:
    """Forget NAME's bad log-ins. A supervisor or administrator does the same on the pit console."""
    must_be_there(place)
    do_and_say(
        place,
        None,
        "",
        lambda people, _: people.unlock(name, where=this_place()),
        f"{name}: unlocked",
    )


@command.command("confirm")
@click.argument("name")
@click.option("--as", "as_name", required=True, metavar="COLLEAGUE", help="Who confirms it.")
@people_options
def confirm(name: str, as_name: str, place: PeoplePlace) -> None:
    """Confirm what was done to NAME's account at the machine; COLLEAGUE's password is asked for.

    COLLEAGUE is an administrator or of compliance, and not NAME. Where none of them is left, two of
    supervisors and finance confirm an administrator.
    """
    must_be_there(place)
    own, _ = passwords_for(as_name, new=False)

    async def do(people: People, by: Person | None) -> Person:
        if by is None:
            raise BadPersonError("nobody confirms it")
        return await people.confirm(name, by, where=this_place())

    about, more = (Act.CONFIRM_USER, Signature(name, "")), ""
    person = with_people(place, do, as_name, own, about)
    if person.unconfirmed:
        more = "; another supervisor, or finance, must confirm it too"
    print_line(f"{person.name}: confirmed by {as_name}{more}")


command.add_command(unshare)

# --- what is printed ----------------------------------------------------------------------------


def _table(known: Sequence[KnownPerson], now: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("name", "role", "department", "state"):
        table.add_column(title, overflow="fold")
    for each in known:
        person = each.person
        row = (person.name, person.role.value, person.department, state_in_words(each, now))
        table.add_row(*map(Text, row))
    return table
