"""Times as people give them, in the journal's own form."""

from datetime import UTC, datetime, tzinfo


def as_journal_time(text: str, zone: tzinfo | None = None) -> str | None:
    """RFC 3339 with its offset; or, where a zone is given, local time there; None for neither."""
    try:
        # A plus sign in a query arrives as a space, and people write one between day and time.
        day, mark, rest = text.partition(" ")
        given = f"{day}T{rest}" if mark and len(day) == len("2026-01-02") else f"{day}+{rest}"
        time = datetime.fromisoformat(given if mark else text)
        if time.tzinfo is None:
            if zone is None:
                return None
            time = time.replace(tzinfo=zone)
        return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    except (ValueError, OverflowError):
        return None
