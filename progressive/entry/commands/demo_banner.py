"""What the demo prints first: what its numbers are, where to look, and how to log in."""

from collections.abc import Sequence
from typing import Final

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from progressive.domain.ids import TableId
from progressive.domain.people.roles import Role
from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.commands.demo_people import DemoLogIn

PADDING: Final = (1, 1)
"""Narrow: both boxes fit on a terminal of 80 columns."""


def addresses(url: str, rules: FloorRules, free: TableId | None) -> Panel:
    """Every page worth a look."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="dim", no_wrap=True)
    rows.add_column(style="bold", no_wrap=True, overflow="ignore")
    rows.add_row("start here", Text(f"{url}/"))
    rows.add_row("pit console", Text(f"{url}/pit"))
    if free is not None:
        rows.add_row(Text(f"dealer panel, {free} is free"), Text(f"{url}/table/{free}"))
    for sign in rules.signs:
        rows.add_row(Text(f"sign, {sign.name or sign.id}"), Text(f"{url}/sign/{sign.id}"))
    rows.add_row("all signs, for staff", Text(f"{url}/signs"))
    rows.add_row("amounts, for machines", Text(f"{url}/v1/links"))
    tables = sum(len(link.tables) for link in rules.links) - (free is not None)
    what = f"{tables} simulated tables, play money, demo shoe with many sevens: no real odds"
    return Panel.fit(
        Group(Text(what), Text(""), rows),
        title=Text(f" {rules.name} ", style="bold"),
        subtitle=Text(" Ctrl-C stops "),
        border_style="yellow",
        padding=PADDING,
    )


def log_ins(people: Sequence[DemoLogIn], free: TableId | None) -> Panel:
    """Printed once: the passwords are stored nowhere."""
    rows = Table.grid(padding=(0, 2))
    for style in ("bold", "bold yellow", "dim", "dim", "bold"):
        rows.add_column(style=style, no_wrap=True, overflow="ignore")
    for each in people:
        person = each.person
        panel = "" if free is None else f"/table/{free}"
        page = panel if person.role is Role.DEALER else "/pit"
        cells = (person.name, each.password, person.role.value, person.department, page)
        rows.add_row(*map(Text, cells))
    return Panel.fit(
        rows,
        title=Text(" log-ins, with passwords of this run only ", style="bold"),
        border_style="yellow",
        padding=PADDING,
    )
