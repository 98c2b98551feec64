"""Times as the clock writes them (RFC 3339 UTC text), and sums on them."""

from datetime import datetime, timedelta

from msgspec import Struct


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
