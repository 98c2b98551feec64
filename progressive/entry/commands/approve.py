"""`progressive approve`: one of the two people who approve another floor file."""

import asyncio
import sys
from typing import Any, Final

import aiohttp
import click

from progressive.entry.commands.password_input import read_password

TIMEOUT_SECONDS: Final = 60.0
_NOT_DONE: Final = 1


class CannotApproveError(Exception):
    """The service cannot be reached, or does not take it: exit 2."""


@click.command("approve")
@click.argument("link")
@click.option("--server", required=True, metavar="URL", help="The running service, http://…")
@click.option("--user", required=True, metavar="NAME", help="Who approves: finance or admin.")
@click.option("--yes", is_flag=True, help="Do not ask again, also on a terminal.")
def command(link: str, server: str, user: str, yes: bool) -> None:
    """Approve the floor file's terms for LINK, where they are not those of its journal.

    It takes two people of two departments, each in a run of their own; the password is read from
    standard input. What differs is shown first. Rounds that are open are settled by the terms they
    were locked under. Exit 0 once the link is live, 1 while a second person is still needed.
    """
    try:
        asyncio.run(_approve(link, server.rstrip("/"), user, sure=yes or not sys.stdin.isatty()))
    except CannotApproveError as error:
        raise click.UsageError(str(error)) from None


async def _approve(link: str, server: str, user: str, *, sure: bool) -> None:
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        reason = await _reason(session, server, link)
        click.echo(f"{link}: {reason}", err=True)
        if not sure:
            click.confirm("Is this what was agreed?", abort=True, err=True)
        password = read_password(new=False)
        body = {"user": user, "password": password}
        token = (await _asked(session, "POST", f"{server}/v1/sessions", body))["token"]
        session.headers["Authorization"] = f"Bearer {token}"
        try:
            answer = await _asked(session, "POST", f"{server}/v1/links/{link}/terms/approve", {})
        finally:
            await _asked(session, "DELETE", f"{server}/v1/sessions", None)
    if answer["state"] == "live":
        click.echo(f"{link}: approved by two people: live")
        return
    click.echo(f"{link}: {answer['reason']}")
    sys.exit(_NOT_DONE)


async def _reason(session: aiohttp.ClientSession, server: str, link: str) -> str:
    """What keeps the link from working; raises where there is nothing to approve."""
    known = (await _asked(session, "GET", f"{server}/v1/links", None))["links"]
    for each in known:
        if each["id"] == link:
            if each["state"] == "live":
                raise CannotApproveError(f"{link} is live: there is nothing to approve")
            return str(each["reason"])
    ids = ", ".join(str(each["id"]) for each in known)
    raise CannotApproveError(f"{server} has no link {link!r}: {ids}")


async def _asked(
    session: aiohttp.ClientSession, method: str, url: str, body: dict[str, str] | None
) -> Any:  # noqa: ANN401 - the service's JSON
    try:
        async with session.request(method, url, json=body) as response:
            answer = await response.json() if response.content_length else {}
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        raise CannotApproveError(f"{url}: {str(error) or 'no answer'}") from None
    if response.status >= 400:
        fault = answer.get("error", {}) if isinstance(answer, dict) else {}
        raise CannotApproveError(str(fault.get("message", f"{url}: status {response.status}")))
    return answer
