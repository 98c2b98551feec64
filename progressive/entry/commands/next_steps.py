"""What is still missing when a service starts, each with the command that adds it.

A floor that can be played and looked after gets no advice.
"""

import logging
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from progressive.adapters.keys.tables import TableKeys
from progressive.application.journal.ports import StoreError
from progressive.application.people.accounts import People
from progressive.domain.people.roles import Person, Role
from progressive.domain.rulebook.rules import FloorRules

log = logging.getLogger(__name__)


async def next_steps(
    rules: FloorRules, people: People, *, data: Path, program: str = "progressive"
) -> list[str]:
    """A line for each thing that is missing; commands are quoted for a shell."""
    try:
        can_log_in = [each.person for each in await people.everybody() if not each.person.disabled]
    except StoreError:
        # The log says why, and advice about people would be a guess.
        return []
    steps: list[str] = []
    tables = [table.id for link in rules.links for table in link.tables]
    if tables and not _can_be_played(tables, can_log_in, data):
        key = key_command(program, tables[0], data)
        steps.append(f"no table has a key yet; in another terminal: {key}")
    if not can_log_in:
        add = user_command(program, data)
        steps.append(f"nobody can log in yet; in another terminal: {add}")
    return steps


def key_command(program: str, table: str, data: Path | str) -> str:
    """Issues a table's key; quoted for a shell."""
    return f"{program} key {table} --data {shlex.quote(str(data))}"


def user_command(program: str, data: Path | str) -> str:
    """Adds somebody who can validate awards; quoted for a shell."""
    where = f"--data {shlex.quote(str(data))}"
    return f"{program} user add NAME --role supervisor --department 'Table games' {where}"


def _can_be_played(tables: Sequence[str], people: Sequence[Person], data: Path) -> bool:
    """A controller shows the table's key; a dealer signs on at the panel, which needs none."""
    if any(person.role is Role.DEALER for person in people):
        return True
    try:
        return not set(TableKeys(data).versions()).isdisjoint(tables)
    except OSError:
        return True


def advise(lines: list[str]) -> None:
    """Plain on a terminal; elsewhere standard error is a log of JSON lines, and stays one."""
    for line in lines:
        if sys.stderr.isatty():
            click.echo(line, err=True)
        else:
            log.info(line)
