"""A name that is not there, and those that somebody may have meant."""

import difflib
from collections.abc import Collection
from typing import Final

NEAREST_MAX: Final = 3
LISTED_MAX: Final = 12
"""Names that are listed where none is near."""


def nearest(name: str, known: Collection[str]) -> list[str]:
    """The names that somebody may have meant, the nearest first."""
    spelled = {each.casefold(): each for each in sorted(known)}
    found = difflib.get_close_matches(name.casefold(), spelled, n=NEAREST_MAX)
    return [spelled[each] for each in found]


def no_such(what: str, name: str, known: Collection[str]) -> str:
    """`no table BJ-99 on this floor; nearest: BJ-09`: `what` says it in words, with the name."""
    text = f"no {what}"
    if near := nearest(name, known):
        return f"{text}; nearest: {', '.join(near)}"
    listed = sorted(known)
    more = ", …" if len(listed) > LISTED_MAX else ""
    return f"{text}; it has: {', '.join(listed[:LISTED_MAX]) or 'none'}{more}"
