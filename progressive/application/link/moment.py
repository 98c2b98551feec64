"""A time together with the floor's local day."""

from datetime import datetime
from zoneinfo import ZoneInfo

from progressive.domain.time_text import Moment


def moment(at: str, zone: ZoneInfo) -> Moment:
    """A time with its local day: dated rules begin at the floor's own midnight."""
    return Moment(at, datetime.fromisoformat(at).astimezone(zone).date().isoformat())
