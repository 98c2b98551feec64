"""`progressive accept-loss`: one of the two people who let a link go on without lost records."""

import asyncio
from pathlib import Path
from typing import Final

import click

from progressive.entry.commands.signing import Signing, sign_for_link, signing_options
from progressive.runtime.client_tls import trusting
from progressive.runtime.streams import is_terminal_input

ACCEPT_LOSS: Final = Signing("loss/accept", "accepted")


@click.command("accept-loss")
@signing_options("Who accepts: finance or compliance.")
def command(link: str, server: str, user: str, reason: str, yes: bool, ca: Path | None) -> None:
    """Accept that records of LINK are gone, where its journal lacks what was committed.

    It takes two people of two departments, each in a run of their own; the password is read from
    standard input. What is missing is shown first. The link goes on with what is left, or begins
    again where nothing is; the journal says who accepted it, and why. Try to find the right journal
    file first: put back, it needs nobody. Exit 0 once the link is live, 1 while a second person is
    still needed.
    """
    sure = yes or not is_terminal_input()
    asyncio.run(
        sign_for_link(link, server, user, reason, what=ACCEPT_LOSS, sure=sure, tls=trusting(ca))
    )
