"""Sums on the clock's own text form."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from progressive.domain.policy import Moment


def later(at: str, *, seconds: int) -> str:
    """The time so many seconds after (or, negative, before) another, in the clock's form."""
    moment = datetime.fromisoformat(at) + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment(at: str, zone: ZoneInfo) -> Moment:
    """A time with its local day: dated rules begin at the floor's own midnight."""
    return Moment(at, datetime.fromisoformat(at).astimezone(zone).date().isoformat())
