"""Times as the clock writes them (RFC 3339 UTC text), sums on them, and how people read them."""

import re
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


class Moment(Struct, frozen=True):
    """When something is decided."""

    at: str
    """RFC 3339 UTC, as the record will bear it."""
    day: str
    """The local day, as dated rules count it."""


def not_before(clock_at: str, last_at: str) -> str:
    """HOT. The later of two times: what a record bears, so that times never go back."""
    return clock_at if clock_at >= last_at else last_at


def microseconds_between(early: str, late: str) -> int:
    """How much later the second time is than the first."""
    passed = datetime.fromisoformat(late) - datetime.fromisoformat(early)
    return passed // timedelta(microseconds=1)


def later(at: str, *, seconds: int, microseconds: int = 0) -> str:
    """The time so many seconds after (or, negative, before) another, in the clock's form."""
    moment = datetime.fromisoformat(at) + timedelta(seconds=seconds, microseconds=microseconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def on_the_wall(at: str, zone: ZoneInfo) -> str:
    """A time for people, by the wall clock of a zone: `2026-11-01 06:00`.

    A time that the clock shows twice names which of the two: `2026-11-01 01:30 EST`.
    """
    local = datetime.fromisoformat(at).astimezone(zone)
    twice = local.utcoffset() != local.replace(fold=1 - local.fold).utcoffset()
    return local.strftime("%Y-%m-%d %H:%M %Z" if twice else "%Y-%m-%d %H:%M")


def with_wall_times(text: str, zone: ZoneInfo) -> str:
    """A sentence with every time of the clock's form in it told by the wall clock of a zone."""
    return _TIME.sub(lambda found: on_the_wall(found[0], zone), text)
