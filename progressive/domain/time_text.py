"""Sums on the clock's own text form."""

from datetime import datetime, timedelta


def later(at: str, *, seconds: int) -> str:
    """The time so many seconds after (or, negative, before) another, in the clock's form."""
    moment = datetime.fromisoformat(at) + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
