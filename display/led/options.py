"""What the command line takes, checked before anything is opened."""

import re
from collections.abc import Callable
from typing import Final

import click

from display.led.composer import bad_template
from progressive.wire.feed import is_id

_TYPE_CODE: Final = re.compile(r"[!-~]")
_ADDRESS: Final = re.compile(r"[0-9A-F?]{2}")
_CURRENCY: Final = re.compile(r"[A-Z]{3}")

Checked = Callable[[click.Context, click.Parameter, str], str]


def name(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """An id of the floor file."""
    if value is not None and not is_id(value):
        raise click.BadParameter("an id has letters, digits, dots, dashes and underscores")
    return value


def names(_: click.Context, __: click.Parameter, value: str) -> tuple[str, ...]:
    """Ids with commas between them."""
    listed = tuple(part.strip() for part in value.split(",") if part.strip())
    if not all(map(is_id, listed)):
        raise click.BadParameter("ids with commas between them are needed: mega,major")
    return listed


def template(_: click.Context, __: click.Parameter, value: str) -> str:
    """How one meter is written."""
    if (wrong := bad_template(value)) is not None:
        raise click.BadParameter(wrong)
    return value


def _matching(pattern: re.Pattern[str], wanted: str) -> Checked:
    def checked(_: click.Context, __: click.Parameter, value: str) -> str:
        if pattern.fullmatch(value) is None:
            raise click.BadParameter(wanted)
        return value

    return checked


type_code = _matching(_TYPE_CODE, "one character is needed: Z for any sign, ^ for a BetaBrite")
address = _matching(_ADDRESS, "two hexadecimal digits in capitals are needed: 00 for all signs")
currency = _matching(_CURRENCY, "a currency's code is needed: USD")
