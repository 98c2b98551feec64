"""`progressive accept-loss`: one of the two people who let a link go on without lost records."""

import asyncio
from pathlib import Path
from typing import Final

import click

from progressive.entry.commands.approve import Signing, sign_for_link
from progressive.runtime.client_tls import trusting
from progressive.runtime.options import SERVER, ca_option
from progressive.runtime.streams import is_terminal_input

ACCEPT_LOSS: Final = Signing("loss/accept", "accepted")


@click.command("accept-loss")
@click.argument("link")
@click.option("--server", required=True, type=SERVER, help="The running service, http://…")
@click.option("--user", required=True, metavar="NAME", help="Who accepts: finance or compliance.")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stands in the journal.")
@click.option("--yes", is_flag=True, help="Do not ask again, also on a terminal.")
@ca_option
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
