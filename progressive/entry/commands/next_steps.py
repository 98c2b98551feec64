"""What is still missing when a service starts, each with the command that adds it.

A floor that can be played and looked after gets no advice.
"""

import logging
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from progressive.application.journal.ports import StoreError
from progressive.application.keys.ports import KeyWatch
from progressive.application.people.accounts import People
from progressive.application.people.shared_log import PeopleDifferError, PeopleSharedError
from progressive.domain.people.roles import Person, Role
from progressive.domain.rulebook.rules import FloorRules

log = logging.getLogger(__name__)


async def next_steps(
    rules: FloorRules,
    people: People,
    *,
    data: Path,
    keys: KeyWatch,
    shared: bool,
    program: str = "progressive",
) -> list[str]:
    """A line for each thing that is missing; commands are quoted for a shell.

    `keys` of tables; `shared`: with other nodes.
    """
    try:
        can_log_in = [each.person for each in await people.everybody() if not each.person.disabled]
    except (PeopleDifferError, PeopleSharedError) as error:
        return [f"nobody can log in: {error}"]
    except StoreError:
        # The log says why, and advice about people would be a guess.
        return []
    steps: list[str] = []
    tables = [table.id for link in rules.links for table in link.tables]
    store = " --store REDIS_URL" if shared else ""
    if tables and not await _can_be_played(tables, can_log_in, keys):
        key = key_command(program, tables[0], data) + store
        steps.append(f"no table has a key yet; in another terminal: {key}")
    if not can_log_in:
        add = user_command(program, data) + store
        steps.append(f"nobody can log in yet; in another terminal: {add}")
    return steps


def key_command(program: str, table: str, data: Path | str) -> str:
    """Issues a table's key; quoted for a shell."""
    return f"{program} key {table} --data {shlex.quote(str(data))}"


def user_command(program: str, data: Path | str) -> str:
    """Adds somebody who can validate awards; quoted for a shell."""
    where = f"--data {shlex.quote(str(data))}"
    return f"{program} user add NAME --role supervisor --department 'Table games' {where}"


async def _can_be_played(tables: Sequence[str], people: Sequence[Person], keys: KeyWatch) -> bool:
    """A controller shows the table's key; a dealer signs on at the panel, which needs none."""
    if any(person.role is Role.DEALER for person in people):
        return True
    try:
        return not set(await keys.versions()).isdisjoint(tables)
    except StoreError:
        return True


def advise(lines: list[str]) -> None:
    """Plain on a terminal; elsewhere standard error is a log of JSON lines, and stays one."""
    for line in lines:
        if sys.stderr.isatty():
            click.echo(line, err=True)
        else:
            log.info(line)
