"""Times as the clock writes them (RFC 3339 UTC text), and sums on them."""

from datetime import datetime, timedelta

from msgspec import Struct


class Moment(Struct, frozen=True):
    """When something is decided."""

    at: str
    """RFC 3339 UTC, as the record will bear it."""
    day: str
    """The local day, as dated rules count it."""


def later(at: str, *, seconds: int) -> str:
    """The time so many seconds after (or, negative, before) another, in the clock's form."""
    moment = datetime.fromisoformat(at) + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
