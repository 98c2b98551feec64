"""How the verifier says what is wrong: a discrepancy, and the record where it stands.

What a broken journal holds may be anything, so nothing of it is shown unclipped or unescaped.
"""

from dataclasses import dataclass
from typing import Final

SHOWN_MAX: Final = 80
"""Characters of a stored value in a message: a forged id may be a book."""


@dataclass(frozen=True, slots=True)
class Problem:
    """The first broken record of a journal."""

    seq: int
    """Where the journal breaks; a record that is missing has a number too."""
    at: str | None
    type: str | None
    message: str
    file: str | None = None
    """The file of a segment that it was found in; None: in the journal's own file."""


class DiscrepancyError(Exception):
    """What is stored is not what the verifier finds when it does the sum itself."""


class FindingError(Exception):
    """A discrepancy, with the record it was found in."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class StoreCorruptError(Exception):
    """A file that holds records cannot be read any further."""


class MachineError(OSError):
    """What the verifier itself needs is missing on this computer: nothing about the journal."""


def shown(value: object) -> str:
    """A stored value for a message: one short printable line, whatever it holds."""
    if isinstance(value, str):
        text = value
    else:
        try:
            text = repr(value)
        except ValueError:
            # Python refuses to write out a number of thousands of digits.
            text = "a number of thousands of digits"
    if len(text) > SHOWN_MAX:
        text = text[:SHOWN_MAX] + "…"
    if text.isprintable():
        return text
    return "".join([char if char.isprintable() else ascii(char)[1:-1] for char in text])


def differs(what: str, *, stored: object, recomputed: object) -> DiscrepancyError:
    """The usual discrepancy: two amounts that should be one."""
    return DiscrepancyError(f"{what}: stored {shown(stored)}, recomputed {shown(recomputed)}")
