"""`progressive retire`: one of the two people who end a link, its money parked."""

import asyncio
import ssl
from pathlib import Path
from typing import Any

import click

from progressive.entry.commands.signing import (
    ListedLink,
    connected,
    listed_link,
    sign,
    signing_options,
)
from progressive.runtime.client_tls import trusting
from progressive.runtime.plain_errors import FindingError
from progressive.runtime.streams import is_terminal_input


@click.command("retire")
@signing_options("Who proposes or agrees: compliance, supervisor.")
@click.option("--withdraw", is_flag=True, help="The link stays: take the proposal back.")
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
    async with connected(tls) as session:
        known = await listed_link(session, server, link)
        if not step and known.retires_at is not None:
            step = "/approve"
        click.echo(_in_words(known, step), err=True)
        if not sure and not click.confirm("Is this what was agreed?", err=True):
            raise FindingError(f"{link}: nothing done")
        answer = await sign(session, server, user, path=f"{link}/retirement{step}", reason=reason)
    click.echo(_done(link, answer))


def _in_words(link: ListedLink, step: str) -> str:
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
