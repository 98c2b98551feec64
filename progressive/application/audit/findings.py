"""How the audit says what is wrong: a discrepancy, and the record where it stands.

What a broken journal holds may be anything, so nothing of it is shown unclipped or unescaped.
"""

from typing import Final

from msgspec import Struct

SHOWN_MAX: Final = 80
"""Characters of a stored value in a message: a forged id may be a book."""


class Problem(Struct, frozen=True):
    """The first broken record of a journal."""

    seq: int
    """Where the journal breaks; a record that is missing has a number too."""
    at: str | None
    type: str | None
    message: str
    file: str | None = None
    """The file of a segment that it was found in; None: in the journal's own file."""


class DiscrepancyError(Exception):
    """What is stored is not what the audit finds when it does the sum itself."""


class FindingError(Exception):
    """A discrepancy, with the record it was found in."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def shown(value: object) -> str:
    """A stored value for a message: one short printable line, whatever it holds."""
    text = value if isinstance(value, str) else repr(value)
    if len(text) > SHOWN_MAX:
        text = text[:SHOWN_MAX] + "…"
    if text.isprintable():
        return text
    return "".join([char if char.isprintable() else ascii(char)[1:-1] for char in text])


def differs(what: str, *, stored: object, recomputed: object) -> DiscrepancyError:
    """The usual discrepancy: two amounts that should be one."""
    return DiscrepancyError(f"{what}: stored {shown(stored)}, recomputed {shown(recomputed)}")
