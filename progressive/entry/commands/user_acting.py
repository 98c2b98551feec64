"""In whose name `progressive user` works: at the machine, or in an administrator's session.

Nothing here knows what is changed.
"""

import asyncio
import contextlib
import getpass
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import click

from progressive.adapters.clock import SystemClock
from progressive.adapters.data_directory import refuse_unusable
from progressive.adapters.passwords import Argon2Passwords
from progressive.adapters.sqlite.people import SqlitePeople
from progressive.adapters.sqlite.people_file import FILE_NAME
from progressive.application.people.accounts import BadPersonError, LastAdminError, People
from progressive.application.people.sessions import LogInRefusal, Session, Sessions
from progressive.domain.people.names import name_key
from progressive.domain.people.roles import Act, Person, unfit
from progressive.domain.signatures import Signature
from progressive.entry.commands.password_input import read_password, read_passwords
from progressive.runtime.plain_errors import CannotRunError
from progressive.runtime.streams import print_line

T = TypeVar("T")


def passwords_for(as_name: str | None, *, new: bool) -> tuple[str, str]:
    """The password of whoever acts, and the new one."""
    if as_name is not None:
        return read_passwords(as_name, new=new)
    return "", read_password(new=True) if new else ""


def do_and_say(
    data: Path,
    as_name: str | None,
    own: str,
    work: Callable[[People, Person | None], Awaitable[object]],
    done: str,
    confirms: str | None = None,
) -> None:
    """Do it, say it, and say where the account of `confirms` needs a colleague's word now."""
    with_people(data, work, as_name, own)
    print_line(done)
    if confirms is not None:
        say_if_unconfirmed(data, confirms)


def say_if_unconfirmed(data: Path, name: str) -> None:
    """On standard error: what the account needs now."""
    waiting = with_people(data, lambda people, _: people.unconfirmed())
    if any(name_key(each.person.name) == name_key(name) for each in waiting):
        click.echo(
            f"{name} signs for nothing until an administrator confirms the account, on the pit "
            "console or with: progressive user confirm",
            err=True,
        )


def with_people(
    data: Path,
    work: Callable[[People, Person | None], Awaitable[T]],
    as_name: str | None = None,
    own_password: str = "",
    about: tuple[Act, Signature | None] = (Act.MANAGE_USERS, None),
) -> T:
    """Work on the accounts, at the machine or in the session of `as_name`, for one change."""
    refuse_unusable(data)

    async def do() -> T:
        store, passwords, clock = SqlitePeople(data), Argon2Passwords(), SystemClock()
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


def must_be_there(data: Path) -> None:
    """Raise where there is no account to change."""
    if not (data / FILE_NAME).exists():
        raise click.BadParameter(f"nobody has been added in {data}", param_hint="--data")


def this_place() -> str:
    """For the act log: the command line has no session, but somebody's account."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):
        account = str(os.getuid())
    return f"command line, {account}"
