"""Times as people give them, in the journal's own form."""

from datetime import UTC, datetime, timedelta, tzinfo


def as_journal_time(text: str, zone: tzinfo | None = None) -> str | None:
    """RFC 3339 with its offset; or, where a zone is given, local time there; None for neither."""
    try:
        time = _given(text)
        if time.tzinfo is None:
            if zone is None:
                return None
            time = time.replace(tzinfo=zone)
        return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    except (ValueError, OverflowError):
        return None


def clock_text(at: str, zone: tzinfo) -> str:
    """A moment of the journal as a clock on the floor shows it: `2026-11-01 01:30:00 EDT`."""
    return f"{datetime.fromisoformat(at).astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"


def both_times(text: str, zone: tzinfo) -> tuple[str, str] | None:
    """A local time in an hour that comes twice, with the offset of each; None for any other.

    `as_journal_time` takes the first.
    """
    try:
        time = _given(text)
        if time.tzinfo is not None:
            return None
        first, second = (time.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
        # In an hour that never comes the offsets differ, too, the other way round.
        if (first.utcoffset() or _NOTHING) <= (second.utcoffset() or _NOTHING):
            return None
        return first.isoformat(), second.isoformat()
    except (ValueError, OverflowError):
        return None


def _given(text: str) -> datetime:
    # A plus sign in a query arrives as a space, and people write one between day and time.
    day, mark, rest = text.partition(" ")
    given = f"{day}T{rest}" if mark and len(day) == len("2026-01-02") else f"{day}+{rest}"
    return datetime.fromisoformat(given if mark else text)


_NOTHING = timedelta(0)
