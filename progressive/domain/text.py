"""Texts that people give: reasons, notes, names of rounds. Whether one may be stored.

What is stored is read on papers, signs and screens for years: it must look like what it is. A
control character breaks a line of a report, a direction mark turns a number round, a character
without a shape makes two names of one. PURE, and cheap for plain text: a round's name is looked at
with every lock-out.
"""

from typing import Final
from unicodedata import is_normalized, normalize

# Letters and marks that have no shape, though Unicode counts them as printable.
_SHAPELESS: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)


def is_plain(text: str) -> bool:
    """Whether it is visible ASCII with single outer edges: true of nearly every text there is."""
    return text.isascii() and text.isprintable() and text[:1] != " " and text[-1:] != " "


def text_problem(text: str) -> str | None:
    """Why a text may not be stored as it is; None where it may."""
    if is_plain(text):
        return None
    # Control and format characters (NUL, newline, direction marks, zero width), lone surrogates,
    # unassigned ones, and every space but the plain one.
    if not text.isprintable() or not _SHAPELESS.isdisjoint(text):
        return "it holds a character that cannot be seen"
    if text != text.strip():
        return "it begins or ends with a space"
    if not is_normalized("NFC", text):
        return "its accents are written apart (it is not in Unicode's form NFC)"
    return None


def tidied(text: str) -> str:
    """The same text in the one form that is stored: letters composed, no outer spaces."""
    return normalize("NFC", text).strip(" ")
