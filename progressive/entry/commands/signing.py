"""What commands share by which one of two people signs for a link, with a reason.

The service is asked over HTTP, in a session that lasts for one act; the password is read from
standard input. Whether the person may do it is the service's to say.
"""

import contextlib
import json
import ssl
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import aiohttp
import click
import msgspec

from progressive.entry.commands.password_input import read_password
from progressive.runtime.client_tls import unreachable_in_words
from progressive.runtime.options import SERVER, ca_option
from progressive.runtime.plain_errors import FINDING, CannotRunError, FindingError

TIMEOUT_SECONDS: Final = 60.0

Command = Callable[..., None]


class Signing(msgspec.Struct, frozen=True):
    """What two people sign for."""

    path: str
    """Behind the link's own address."""
    done: str


class ListedLink(msgspec.Struct):
    """What `/v1/links` says of a link."""

    id: str
    state: str
    reason: str | None
    retires_at: str | None = None


class _Links(msgspec.Struct):
    links: list[ListedLink]


def signing_options(who: str) -> Callable[[Command], Command]:
    """The link, the service, who signs (`who` may) and why."""
    options = (
        click.argument("link"),
        click.option("--server", required=True, type=SERVER, help="The running service, http://…"),
        click.option("--user", required=True, metavar="NAME", help=who),
        click.option(
            "--reason", required=True, metavar="TEXT", help="Why; it stands in the journal."
        ),
        click.option("--yes", is_flag=True, help="Do not ask again, also on a terminal."),
        ca_option,
    )

    def with_options(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


async def sign_for_link(
    link: str,
    server: str,
    user: str,
    reason: str,
    *,
    what: Signing,
    sure: bool,
    tls: ssl.SSLContext | bool,
) -> None:
    """One of the two people who let a link go on that stands still."""
    async with connected(tls) as session:
        stopped = await listed_link(session, server, link)
        if stopped.state == "live":
            raise CannotRunError(f"{link} is live: there is nothing to approve")
        click.echo(f"{link}: {stopped.reason}", err=True)
        if not sure and not click.confirm("Is this what was agreed?", err=True):
            raise FindingError(f"{link}: not {what.done}")
        answer = await sign(session, server, user, path=f"{link}/{what.path}", reason=reason)
    if answer["state"] == "live":
        click.echo(f"{link}: {what.done} by two people: live")
        return
    click.echo(f"{link}: {answer['reason']}")
    sys.exit(FINDING)


@contextlib.asynccontextmanager
async def connected(tls: ssl.SSLContext | bool) -> AsyncIterator[aiohttp.ClientSession]:
    """A client that nobody has logged in with yet."""
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)
    connector = aiohttp.TCPConnector(ssl=tls)
    async with aiohttp.ClientSession(timeout=timeout, connector=connector) as session:
        yield session


async def listed_link(session: aiohttp.ClientSession, server: str, link: str) -> ListedLink:
    """The link as the service lists it; raises CannotRunError where it has none of that id."""
    answer = await asked(session, "GET", f"{server}/v1/links", None)
    try:
        known = msgspec.convert(answer, _Links).links
    except msgspec.ValidationError:
        raise CannotRunError(f"{server}: not a progressive service") from None
    for each in known:
        if each.id == link:
            return each
    ids = ", ".join(each.id for each in known)
    raise CannotRunError(f"{server} has no link {link!r} (it has: {ids})")


async def sign(
    session: aiohttp.ClientSession, server: str, user: str, *, path: str, **said: str
) -> Any:  # noqa: ANN401 - the service's JSON
    """Ask for the password, log in, sign at `path` below `/v1/links/`, log out.

    `said`: the reason, and what else the service wants to know.
    """
    async with logged_in(session, server, user):
        return await asked(session, "POST", f"{server}/v1/links/{path}", said)


@contextlib.asynccontextmanager
async def logged_in(session: aiohttp.ClientSession, server: str, user: str) -> AsyncIterator[None]:
    """Ask for the password, log in; log out at the end, whatever it was."""
    body = {"user": user, "password": read_password(new=False)}
    token = (await asked(session, "POST", f"{server}/v1/sessions", body))["token"]
    session.headers["Authorization"] = f"Bearer {token}"
    try:
        yield
    finally:
        await asked(session, "DELETE", f"{server}/v1/sessions", None)


async def asked(
    session: aiohttp.ClientSession, method: str, url: str, body: dict[str, str] | None
) -> Any:  # noqa: ANN401 - the service's JSON
    """The answer to a request; raises in plain words where there is none, or it was refused."""
    try:
        async with session.request(method, url, json=body) as response:
            answer = await response.json() if response.content_length else {}
    except (aiohttp.ContentTypeError, json.JSONDecodeError):
        raise CannotRunError(f"{url}: not the answer of a progressive service") from None
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        where = url.partition("/v1/")[0]
        why = unreachable_in_words(error)
        raise CannotRunError(f"{where} cannot be reached: {why}") from None
    if response.status >= 400:
        fault = answer.get("error", {}) if isinstance(answer, dict) else {}
        raise CannotRunError(str(fault.get("message", f"{url}: status {response.status}")))
    return answer
