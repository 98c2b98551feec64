"""What a password must be. Length is what counts; the rest only bars the foolish."""

from typing import Final
from unicodedata import normalize

from progressive.domain.people.names import name_key

PASSWORD_CHARACTERS_MIN: Final = 12
PASSWORD_CHARACTERS_MAX: Final = 256
"""Bounds the work of a log-in; long enough for any phrase."""


def normal_password(password: str) -> str:
    """One form for what different keyboards make of the same letters."""
    return normalize("NFKC", password)


def password_problem(password: str, *, name: str) -> str | None:
    """Why this cannot be the person's password; None where it can."""
    normal = normal_password(password)
    if len(normal) < PASSWORD_CHARACTERS_MIN:
        return f"it is shorter than {PASSWORD_CHARACTERS_MIN} characters"
    if len(normal) > PASSWORD_CHARACTERS_MAX:
        return f"it is longer than {PASSWORD_CHARACTERS_MAX} characters"
    if not normal.isprintable():
        return "it holds a character that cannot be seen"
    if len(set(normal)) == 1:
        return "it is one character over and over"
    if name_key(password) == name_key(name):
        return "it is the name"
    return None
