"""`progressive approve`: one of the two people who approve another floor file."""

import asyncio
import json
import ssl
import sys
from pathlib import Path
from typing import Any, Final

import aiohttp
import click
import msgspec

from progressive.entry.commands.password_input import read_password
from progressive.runtime.client_tls import trusting, unreachable_in_words
from progressive.runtime.options import SERVER, ca_option
from progressive.runtime.plain_errors import FINDING, CannotRunError, FindingError
from progressive.runtime.streams import is_terminal_input

TIMEOUT_SECONDS: Final = 60.0


class _Link(msgspec.Struct):
    id: str
    state: str
    reason: str | None


class _Links(msgspec.Struct):
    links: list[_Link]


class Signing(msgspec.Struct, frozen=True):
    """What two people sign for."""

    path: str
    """Behind the link's own address."""
    done: str


APPROVE_TERMS: Final = Signing("terms/approve", "approved")


@click.command("approve")
@click.argument("link")
@click.option("--server", required=True, type=SERVER, help="The running service, http://…")
@click.option(
    "--user", required=True, metavar="NAME", help="Who approves: compliance or supervisor."
)
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stands in the journal.")
@click.option("--yes", is_flag=True, help="Do not ask again, also on a terminal.")
@ca_option
def command(link: str, server: str, user: str, reason: str, yes: bool, ca: Path | None) -> None:
    """Approve the floor file's terms for LINK, where they are not those of its journal.

    It takes two people of two departments, each in a run of their own; the password is read from
    standard input. What differs is shown first. Rounds that are open are settled by the terms they
    were locked under. Exit 0 once the link is live, 1 while a second person is still needed.
    """
    sure = yes or not is_terminal_input()
    asyncio.run(
        sign_for_link(link, server, user, reason, what=APPROVE_TERMS, sure=sure, tls=trusting(ca))
    )


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
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)
    connector = aiohttp.TCPConnector(ssl=tls)
    async with aiohttp.ClientSession(timeout=timeout, connector=connector) as session:
        differs = await _why_stopped(session, server, link)
        click.echo(f"{link}: {differs}", err=True)
        if not sure and not click.confirm("Is this what was agreed?", err=True):
            raise FindingError(f"{link}: not {what.done}")
        password = read_password(new=False)
        body = {"user": user, "password": password}
        token = (await asked(session, "POST", f"{server}/v1/sessions", body))["token"]
        session.headers["Authorization"] = f"Bearer {token}"
        try:
            signed = f"{server}/v1/links/{link}/{what.path}"
            answer = await asked(session, "POST", signed, {"reason": reason})
        finally:
            await asked(session, "DELETE", f"{server}/v1/sessions", None)
    if answer["state"] == "live":
        click.echo(f"{link}: {what.done} by two people: live")
        return
    click.echo(f"{link}: {answer['reason']}")
    sys.exit(FINDING)


async def _why_stopped(session: aiohttp.ClientSession, server: str, link: str) -> str:
    """Why the link is out of service; raises CannotRunError where there is nothing to approve."""
    answer = await asked(session, "GET", f"{server}/v1/links", None)
    try:
        known = msgspec.convert(answer, _Links).links
    except msgspec.ValidationError:
        raise CannotRunError(f"{server}: not a progressive service") from None
    for each in known:
        if each.id == link:
            if each.state == "live":
                raise CannotRunError(f"{link} is live: there is nothing to approve")
            return str(each.reason)
    ids = ", ".join(each.id for each in known)
    raise CannotRunError(f"{server} has no link {link!r} (it has: {ids})")


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
