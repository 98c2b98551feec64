"""Writes the text of a first floor file, one for every jurisdiction that ships with the program.

The text is checked like any floor file before anybody gets it. The amounts in it are examples.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from progressive.adapters.config.files import parse_toml
from progressive.adapters.config.floor import rules_of
from progressive.adapters.config.new_floor_links import (
    CA_LINK,
    NJ_LINK,
    NJ_SIGNS,
    RULES_SIGN,
    SD_LINK,
    WA_LINK,
)
from progressive.adapters.config.problems import Report
from progressive.domain.rulebook.rules import FloorRules

TABLES_MAX: Final = 500
"""More than any floor has; a larger number is a slip of the finger."""


class Start(Struct, frozen=True, kw_only=True):
    """Where a first floor file of a jurisdiction begins."""

    title: str
    name: str
    time_zone: str
    currency: str
    link: str
    signs: str
    base_min_cents: int
    base_max_cents: int


STARTS: Final = {
    "us-nj": Start(
        title="New Jersey",
        name="Boardwalk Casino",
        time_zone="America/New_York",
        currency="USD",
        link=NJ_LINK,
        signs=NJ_SIGNS + RULES_SIGN,
        base_min_cents=1_000,
        base_max_cents=200_000,
    ),
    "us-sd": Start(
        title="South Dakota",
        name="Deadwood Casino",
        time_zone="America/Denver",
        currency="USD",
        link=SD_LINK,
        signs=RULES_SIGN,
        base_min_cents=500,
        base_max_cents=100_000,
    ),
    "us-wa": Start(
        title="Washington",
        name="Evergreen Casino",
        time_zone="America/Los_Angeles",
        currency="USD",
        link=WA_LINK,
        signs=RULES_SIGN,
        base_min_cents=500,
        base_max_cents=30_000,
    ),
    "us-ca": Start(
        title="California",
        name="Golden Cardroom",
        time_zone="America/Los_Angeles",
        currency="USD",
        link=CA_LINK,
        signs=RULES_SIGN,
        base_min_cents=500,
        base_max_cents=30_000,
    ),
}


class Wanted(Struct, frozen=True):
    """What somebody wants on their first floor."""

    jurisdiction: str
    name: str
    time_zone: str
    tables: int
    seats: int


def table_ids(count: int) -> list[str]:
    """`BJ-01` and so on."""
    return [f"BJ-{number:02}" for number in range(1, count + 1)]


def floor_text(wanted: Wanted) -> str:
    """A commented floor file."""
    start = STARTS[wanted.jurisdiction]
    return "\n".join(_parts(wanted, start))


def checked(text: str, path: Path) -> FloorRules:
    """The rules in a text that is to be written to `path`; raises ConfigError."""
    return rules_of(parse_toml(text), path, Report()).rules


def _parts(wanted: Wanted, start: Start) -> Iterator[str]:
    yield f"""\
# A first floor file for {start.title}. The amounts are examples: make them yours before real money.
#
# Money is in whole cents, rates are in parts per million (ppm) of a wager: 10000 ppm is 1 percent.
# `progressive check` holds this file against the rule texts and names every problem.

schema = 1                           # version of this format
{_line("name", wanted.name, "shown on signs, pages and reports")}
{_line("currency", start.currency, "ISO 4217")}
{_line("time_zone", wanted.time_zone, "gaming days are counted in this zone")}
{_line("gaming_day_starts", "06:00", "local time at which the next gaming day begins")}
{_line("jurisdiction", wanted.jurisdiction, "whose rule texts the file is held against")}
sign_log_days = 90                   # how long the log of what the signs read is stored
"""
    yield start.link
    least, most = start.base_min_cents, start.base_max_cents
    for number, table in enumerate(table_ids(wanted.tables)):
        if number == 0:
            yield f"""\
[[table]]                            # a gaming table; it is in one link
{_line("id", table, "its name in messages, addresses and keys; not to be changed")}
link = "main"
seats = {wanted.seats:<29}# betting positions; seat 1 is at the dealer's left
base_min_cents = {least:<20}# the least blackjack wager, as posted at the table
base_max_cents = {most:<20}# the greatest
"""
        else:
            yield f"""\
[[table]]
id = "{table}"
link = "main"
seats = {wanted.seats}
base_min_cents = {least}
base_max_cents = {most}
"""
    yield start.signs


def _line(key: str, value: str, comment: str) -> str:
    """`key = "value"    # comment`, the comments below each other where the value leaves room."""
    # JSON's texts are TOML's, but for DEL, which TOML wants escaped too.
    quoted = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"{f'{key} = {quoted}':<36} # {comment}"
