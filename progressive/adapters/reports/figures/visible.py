"""Texts that other people or programs gave, made safe to look at and to encode.

Stored texts are checked before they are stored (`domain/text.py`); imported ones (a cage's file)
and old ones may hold anything. Nothing is dropped: what cannot be seen is shown by its number.
"""

import re
from typing import Final

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# Printable to Unicode, and yet without a shape of their own.
_SHAPELESS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_LINE_ENDS: Final = re.compile("\r\n|[\r\n\u0085\u2028\u2029]")


def well_formed(text: str) -> str:
    """The same text, with a replacement mark where UTF-8 has no bytes for a character."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def visible(text: str) -> str:
    """As one line that looks like what it is.

    A direction mark could turn an amount round, a zero-width one make two names of one: they appear
    as `[U+202E]`, and so does every control character. A line end becomes a space.
    """
    if text.isascii() and text.isprintable():
        return text
    one_line = _LINE_ENDS.sub(" ", text)
    if one_line.isprintable() and _SHAPELESS.isdisjoint(one_line):
        return one_line
    return "".join(map(_seen, one_line))


def _seen(character: str) -> str:
    if character.isprintable() and character not in _SHAPELESS:
        return character
    # A tab, a no-break or an ideographic space is a space.
    return " " if character.isspace() else number_of(character)


def number_of(character: str) -> str:
    """`[U+202E]`: a character by its number, where it cannot be shown itself."""
    return f"[U+{ord(character):04X}]"


def shortened(text: str, characters: int) -> str:
    """At most so many characters, and how many are missing."""
    if len(text) <= characters:
        return text
    return f"{text[:characters]}… ({len(text) - characters:,} more characters)"
