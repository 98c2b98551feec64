"""`progressive retire`: one of the two people who end a link, its money parked."""

import asyncio
import ssl
from pathlib import Path
from typing import Any

import aiohttp
import click
import msgspec

from progressive.entry.commands.approve import TIMEOUT_SECONDS, asked
from progressive.entry.commands.password_input import read_password
from progressive.runtime.client_tls import trusting
from progressive.runtime.options import SERVER, ca_option
from progressive.runtime.plain_errors import CannotRunError, FindingError
from progressive.runtime.streams import is_terminal_input


class _Link(msgspec.Struct):
    id: str
    reason: str | None = None
    retires_at: str | None = None


class _Links(msgspec.Struct):
    links: list[_Link]


@click.command("retire")
@click.argument("link")
@click.option("--server", required=True, type=SERVER, help="The running service, http://…")
@click.option(
    "--user", required=True, metavar="NAME", help="Who proposes or agrees: compliance, supervisor."
)
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stands in the journal.")
@click.option("--withdraw", is_flag=True, help="The link stays: take the proposal back.")
@click.option("--yes", is_flag=True, help="Do not ask again, also on a terminal.")
@ca_option
def command(
    link: str, server: str, user: str, reason: str, withdraw: bool, yes: bool, ca: Path | None
) -> None:
    """End LINK: the first run proposes it, a second person's run after the notice does it.

    It takes two people of two departments; the password is read from standard input. The notice
    period is the jurisdiction's. No round and no award may be open then; what lies on the meters
    is parked, and the link may leave the floor file.
    """
    sure = yes or not is_terminal_input()
    step = "/withdraw" if withdraw else ""
    asyncio.run(_retire(link, server, user, reason, step, sure=sure, tls=trusting(ca)))


async def _retire(
    link: str,
    server: str,
    user: str,
    reason: str,
    step: str,
    *,
    sure: bool,
    tls: ssl.SSLContext | bool,
) -> None:
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)
    connector = aiohttp.TCPConnector(ssl=tls)
    async with aiohttp.ClientSession(timeout=timeout, connector=connector) as session:
        known = await _link(session, server, link)
        if not step and known.retires_at is not None:
            step = "/approve"
        click.echo(_in_words(known, step), err=True)
        if not sure and not click.confirm("Is this what was agreed?", err=True):
            raise FindingError(f"{link}: nothing done")
        body = {"user": user, "password": read_password(new=False)}
        token = (await asked(session, "POST", f"{server}/v1/sessions", body))["token"]
        session.headers["Authorization"] = f"Bearer {token}"
        try:
            where = f"{server}/v1/links/{link}/retirement{step}"
            answer = await asked(session, "POST", where, {"reason": reason})
        finally:
            await asked(session, "DELETE", f"{server}/v1/sessions", None)
    click.echo(_done(link, answer))


def _in_words(link: _Link, step: str) -> str:
    match step:
        case "/approve":
            return f"{link.id}: its end was proposed, for {link.retires_at} at the earliest"
        case "/withdraw":
            return f"{link.id}: this takes the proposal to end it back"
        case _:
            return f"{link.id}: this proposes its end; a second person does it after the notice"


def _done(link: str, answer: dict[str, Any]) -> str:
    if "parked_cents" in answer:
        return f"{link}: retired; {answer['parked_cents']} cents are parked"
    if "not_before" in answer:
        return f"{link}: posted until {answer['not_before']}; then a second person runs this again"
    return f"{link}: the link stays"


async def _link(session: aiohttp.ClientSession, server: str, link: str) -> _Link:
    answer = await asked(session, "GET", f"{server}/v1/links", None)
    try:
        known = msgspec.convert(answer, _Links).links
    except msgspec.ValidationError:
        raise CannotRunError(f"{server}: not a progressive service") from None
    for each in known:
        if each.id == link:
            return each
    raise CannotRunError(f"{server} has no link {link!r}")
