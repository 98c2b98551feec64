"""`progressive approve`: one of the two people who approve another floor file."""

import asyncio
from pathlib import Path
from typing import Final

import click

from progressive.entry.commands.signing import Signing, sign_for_link, signing_options
from progressive.runtime.client_tls import trusting
from progressive.runtime.streams import is_terminal_input

APPROVE_TERMS: Final = Signing("terms/approve", "approved")


@click.command("approve")
@signing_options("Who approves: compliance or supervisor.")
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
