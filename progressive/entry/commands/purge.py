"""`progressive purge`: one of the two people who have the oldest records of a journal removed."""

import asyncio
import ssl
from pathlib import Path
from typing import Any

import click

from progressive.entry.commands.day_option import DAY
from progressive.entry.commands.signing import (
    asked,
    connected,
    listed_link,
    logged_in,
    signing_options,
)
from progressive.runtime.client_tls import trusting
from progressive.runtime.plain_errors import FindingError
from progressive.runtime.streams import is_terminal_input


@click.command("purge")
@signing_options("Who proposes or agrees: finance, compliance.")
@click.option("--until", "day", required=True, type=DAY, help="The last gaming day to go.")
def command(
    link: str, server: str, user: str, reason: str, day: str, yes: bool, ca: Path | None
) -> None:
    """Remove the oldest records of LINK for ever: the first run proposes it, a second person's run
    does it.

    It takes two people of two departments; the password is read from standard input. Only whole
    closed segments go, from the oldest on, once the retention of the floor file is over: which, is
    said before anything is done. Make an export or a backup first.
    """
    sure = yes or not is_terminal_input()
    asyncio.run(_purge(link, server, user, reason, day, sure=sure, tls=trusting(ca)))


async def _purge(
    link: str,
    server: str,
    user: str,
    reason: str,
    day: str,
    *,
    sure: bool,
    tls: ssl.SSLContext | bool,
) -> None:
    async with connected(tls) as session:
        await listed_link(session, server, link)
        address = f"{server}/v1/links/{link}/purge"
        async with logged_in(session, server, user):
            # Only the service knows which segments these are: fewer than the day says, maybe.
            found = await asked(session, "GET", f"{address}?until_day={day}", None)
            click.echo(_about(link, found), err=True)
            if not sure and not click.confirm("Is this what was agreed?", err=True):
                raise FindingError(f"{link}: nothing done")
            answer = await asked(session, "POST", address, {"reason": reason, "until_day": day})
    click.echo(_told(link, answer))


def _about(link: str, found: dict[str, Any]) -> str:
    """What is about to be signed for."""
    number = found["segments"]
    what = f"{_range(found)}: {number} closed segment{'' if number == 1 else 's'}, for ever"
    if found["proposed_by"] is None:
        return f"{link}: this proposes to remove {what}"
    return f"{link}: {found['proposed_by']} proposed it; this removes {what}"


def _range(answer: dict[str, Any]) -> str:
    return (
        f"records {answer['first_seq']} to {answer['last_seq']}, "
        f"{answer['first_day']} to {answer['last_day']}"
    )


def _told(link: str, answer: dict[str, Any]) -> str:
    what = _range(answer)
    if "journal_seq" not in answer:
        return (
            f"{link}: proposed to purge {what}; a second person of another department runs this "
            f"again before {answer['lapses_at']}"
        )
    rest = "" if answer["removed"] else "; the files go with the next start"
    return f"{link}: purged {what}, as record {answer['journal_seq']} says{rest}"
