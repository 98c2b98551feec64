"""In whose name `progressive user` works: at the machine, or in an administrator's session.

Nothing here knows what is changed.
"""

import asyncio
import contextlib
import getpass
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import click

from progressive.adapters.clock import SystemClock
from progressive.adapters.data_directory import refuse_unusable
from progressive.adapters.passwords import Argon2Passwords
from progressive.adapters.sqlite.people_file import FILE_NAME
from progressive.application.people.accounts import BadPersonError, LastAdminError, People
from progressive.application.people.sessions import LogInRefusal, Session, Sessions
from progressive.domain.people.names import name_key
from progressive.domain.people.roles import Act, Person, unfit
from progressive.domain.signatures import Signature
from progressive.entry.commands.password_input import read_password, read_passwords
from progressive.entry.commands.people_place import PeoplePlace
from progressive.entry.node_stores import open_people
from progressive.runtime.plain_errors import CannotRunError
from progressive.runtime.streams import print_line

T = TypeVar("T")


def passwords_for(as_name: str | None, *, new: bool) -> tuple[str, str]:
    """The password of whoever acts, and the new one."""
    if as_name is not None:
        return read_passwords(as_name, new=new)
    return "", read_password(new=True) if new else ""


def do_and_say(
    place: PeoplePlace,
    as_name: str | None,
    own: str,
    work: Callable[[People, Person | None], Awaitable[object]],
    done: str,
    confirms: str | None = None,
) -> None:
    """Do it, say it, and say where the account of `confirms` needs a colleague's word now."""
    with_people(place, work, as_name, own)
    print_line(done)
    if confirms is not None:
        say_if_unconfirmed(place, confirms)


def say_if_unconfirmed(place: PeoplePlace, name: str) -> None:
    """On standard error: what the account needs now."""
    waiting = with_people(place, lambda people, _: people.unconfirmed())
    if any(name_key(each.person.name) == name_key(name) for each in waiting):
        click.echo(
            f"{name} signs for nothing until an administrator confirms the account, on the pit "
            "console or with: progressive user confirm",
            err=True,
        )


def with_people(
    place: PeoplePlace,
    work: Callable[[People, Person | None], Awaitable[T]],
    as_name: str | None = None,
    own_password: str = "",
    about: tuple[Act, Signature | None] = (Act.MANAGE_USERS, None),
) -> T:
    """Work on the accounts, at the machine or in the session of `as_name`, for one change."""
    refuse_unusable(place.data)

    async def do() -> T:
        store = open_people(place.store, place.data)
        passwords, clock = Argon2Passwords(), SystemClock()
        try:
            people = People(store, passwords, clock)
            if as_name is None:
                return await work(people, None)
            sessions = Sessions(store, passwords, clock)
            async with a_session_of(sessions, as_name, own_password, where=this_place()) as by:
                if (why := unfit(by, about[0], first=about[1])) is not None:
                    raise BadPersonError(f"{as_name} may not do this: {why}")
                return await work(people, by)
        finally:
            await store.close()
            passwords.close()

    try:
        return asyncio.run(do())
    except LastAdminError as error:
        raise CannotRunError(f"{error} (--force does it all the same)") from None
    except BadPersonError as error:
        raise CannotRunError(str(error)) from None


@contextlib.asynccontextmanager
async def a_session_of(
    sessions: Sessions, name: str, password: str, *, where: str
) -> AsyncIterator[Person]:
    """Whose password it is, logged in for as long as the block lasts; raises BadPersonError."""
    opened = await sessions.log_in(name, password, where=where)
    if isinstance(opened, LogInRefusal):
        raise BadPersonError(f"{name} cannot log in: wrong name or password, locked or disabled")
    try:
        yield opened.person
    finally:
        found = await sessions.find(opened.token)
        # Whoever changed their own account has ended it already.
        if isinstance(found, Session):
            await sessions.log_out(found, where=where)


def must_be_there(place: PeoplePlace) -> None:
    """Raise where there is no account to change."""
    if not place.shared and not (place.data / FILE_NAME).exists():
        raise click.BadParameter(f"nobody has been added in {place.data}", param_hint="--data")


def this_place() -> str:
    """For the act log: the command line has no session, but somebody's account."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):
        account = str(os.getuid())
    return f"command line, {account}"
