"""The templates of all pages of the service, and how they write amounts, times and cards."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from jinja2 import Environment
from markupsafe import Markup

from display.templates import page_templates
from progressive.domain.money import exact_money_text, money_text
from progressive.domain.people.roles import Act, may
from progressive.domain.rulebook.rules import FloorRules

WEB_FOLDER: Final = Path(__file__).parents[1] / "web"
_SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


def service_templates(floor: FloorRules) -> Environment:
    """For the pages of one floor."""
    environment = page_templates(WEB_FOLDER)
    zone = ZoneInfo(floor.time_zone)
    environment.filters |= {
        "money": lambda cents: money_text(cents, floor.currency),
        "exact": lambda amount: exact_money_text(amount, floor.currency),
        "local": lambda at: _local(at, zone),
    }
    environment.globals |= {"floor": floor, "may": may, "Act": Act, "cards": _cards}
    return environment


def _local(at: str, zone: ZoneInfo) -> str:
    return datetime.fromisoformat(at).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S %Z")


def _cards(cards: Sequence[str]) -> Markup:
    """Cards as a person reads them; they were checked before they were stored."""
    face = Markup('<span class="card{}">{}{}</span>')
    return Markup("").join(
        face.format(
            " red" if card[1] in "hd" else "", "10" if card[0] == "T" else card[0], _SUITS[card[1]]
        )
        for card in cards
    )
