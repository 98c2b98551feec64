"""Names of people and departments: valid or not, and when two spellings are one name."""

from typing import Final
from unicodedata import normalize

from progressive.domain.signatures import Signature
from progressive.domain.text import text_problem, tidied

NAME_CHARACTERS_MAX: Final = 64


def same_person(one: Signature, other: Signature) -> bool:
    """Whether two signatures are one person's, however the name is spelled."""
    return name_key(one.name) == name_key(other.name)


def same_department(one: Signature, other: Signature) -> bool:
    """Whether two people signed for one department."""
    return name_key(one.department) == name_key(other.department)


def name_key(name: str) -> str:
    """What two spellings of one name have in common: `Ann`, ` ANN ` and full-width `Ａｎｎ`.

    Folding can undo the normal form, so it is made again.
    """
    folded = normalize("NFKC", normalize("NFKC", name).casefold())
    return " ".join(folded.split())


def key_to_find(name: str) -> str:
    """What a name is looked up by; empty, and so nobody's, where it cannot be a name."""
    return name_key(name) if name_problem(name) is None else ""


def name_problem(name: str) -> str | None:
    """Why a text cannot be the name of a person or a department; None where it can.

    Invisible characters would make two names of one; SQLite would cut one at a NUL.
    """
    key = name_key(name)
    if not key:
        return "it is empty"
    if len(name) > NAME_CHARACTERS_MAX or len(key) > NAME_CHARACTERS_MAX:
        return f"it is longer than {NAME_CHARACTERS_MAX} characters"
    if not key.isprintable() or (text_problem(tidied(name))) is not None:
        return "it holds characters that cannot be seen"
    return None
