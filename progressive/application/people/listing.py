"""Accounts as lists show them: for machines, and their state in words."""

from progressive.application.people.ports import KnownPerson
from progressive.application.people.tries import slowed_until


def user_row(known: KnownPerson, now: str) -> dict[str, object]:
    """An account as lists show it."""
    person, unconfirmed = known.person, known.unconfirmed
    return {
        "name": person.name,
        "role": person.role,
        "department": person.department,
        "disabled": person.disabled,
        "origin": known.origin,
        "unconfirmed": unconfirmed,
        "slowed_until": user_slowed_until(known, now),
    }


def user_slowed_until(known: KnownPerson, now: str) -> str | None:
    """Until when log-ins are slowed from somewhere, or locked by the former version."""
    old = known.locked_until if known.locked_until and known.locked_until > now else None
    return max(filter(None, (old, slowed_until(known.lanes, now))), default=None)


def state_in_words(known: KnownPerson, now: str) -> str:
    """Whether somebody may log in, and what stands in the way."""
    said: list[str] = ["disabled" if known.person.disabled else "active"]
    if (until := user_slowed_until(known, now)) is not None:
        said.append(f"log-ins slowed until {until}")
    if (made := known.unconfirmed) is not None:
        said.append(f"unconfirmed ({made.what} {made.at}, {made.by})")
    return ", ".join(said)
