"""What a page says about an error: what is wrong, what to do, and where to go next."""

from typing import Final

from msgspec import Struct

from progressive.domain.people.roles import Unfit
from progressive.entry.http.errors import INTERNAL_ERROR


class Way(Struct, frozen=True):
    """A link to go on by."""

    path: str
    text: str


class Words(Struct, frozen=True):
    """What is said about one kind of error."""

    title: str
    text: str
    """`MESSAGE` stands for the message of the error."""
    advice: str
    ways: tuple[Way, ...] = ()
    """Besides the way to the start."""
    again: bool = False
    """Whether the same address may work later."""
    somebody_else: bool = False
    """Whether it would work for somebody else."""


class Problem(Struct, frozen=True):
    """All that the page says."""

    status: int
    code: str
    text: str
    words: Words


MESSAGE: Final = "{message}"
_CHECK: Final = "Check the address, or go on from the start page."
_LATER: Final = "Load this page again in a minute. If it stays like this, call technical staff."

_WORDS: Final = {
    "NOT_FOUND": Words("No such page", "There is no page at this address.", _CHECK),
    "UNKNOWN_TABLE": Words(
        "No such table",
        f"This floor has {MESSAGE}",
        "Check the address. The start page lists the tables of this floor.",
        (Way("/#tables-title", "All tables"),),
    ),
    "UNKNOWN_AWARD": Words(
        "No such award",
        f"The journal has {MESSAGE}",
        "Check the address. The pit console lists open and recently closed awards.",
        (Way("/pit", "Pit console"),),
    ),
    Unfit.WRONG_ROLE: Words(
        "This page is not for your role",
        "You are signed in, but your role may not open this page.",
        "Somebody with another role may.",
        somebody_else=True,
    ),
    "UNAVAILABLE": Words("Not available now", MESSAGE, _LATER, again=True),
    "LINK_INOPERABLE": Words("This link is out of service", MESSAGE, _LATER, again=True),
    "TOO_MANY_REFUSALS": Words(
        "Too many refusals",
        "So much was refused to this address that nothing more is looked at for a while.",
        "Wait a minute, then load this page again.",
        again=True,
    ),
    INTERNAL_ERROR: Words(
        "Unexpected error",
        MESSAGE,
        "Load this page again. If it fails again, give technical staff the reference: "
        "the service's log has the details under it.",
        again=True,
    ),
}
_ANY_OTHER: Final = Words("This did not work", MESSAGE, _CHECK)


def problem(status: int, code: str, message: str) -> Problem:
    """What a person is told about an error."""
    words = _WORDS.get(code, _ANY_OTHER)
    return Problem(status, code, _sentence(words.text.replace(MESSAGE, message)), words)


def _sentence(message: str) -> str:
    text = message[:1].upper() + message[1:]
    return text if text.endswith(".") else f"{text}."
