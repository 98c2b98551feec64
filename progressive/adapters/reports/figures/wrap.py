"""Texts broken into lines of a given width, whatever widths are measured in.

Nothing is lost: a word that is wider than a line is cut, never dropped. Pure.
"""

from collections.abc import Callable
from typing import Final

_MARKS: Final = ":-/._,"
Measure = Callable[[str], int]
"""How wide a text is. Widths of parts add up to the width of the whole."""


def wrapped(text: str, room: int, measure: Measure) -> list[str]:
    """At least one line."""
    if measure(text) <= room:
        return [text]
    lines: list[str] = []
    line, used = "", 0
    space = measure(" ")
    for word in text.split(" "):
        wide = measure(word)
        if line and used + space + wide <= room:
            line, used = f"{line} {word}", used + space + wide
            continue
        if line:
            lines.append(line)
        *full, line = [word] if wide <= room else _cut(word, room, measure)
        lines += full
        used = measure(line)
    return [*lines, line]


def _cut(word: str, room: int, measure: Measure) -> list[str]:
    """A word in pieces that fit, cut behind a mark where there is one, such as the colons of an
    account; a single character that does not fit stands alone."""
    pieces: list[str] = []
    piece, used = "", 0
    for character in word:
        wide = measure(character)
        if piece and used + wide > room:
            end = _behind_a_mark(piece)
            pieces.append(piece[:end])
            piece = piece[end:]
            used = measure(piece)
        piece, used = piece + character, used + wide
    return [*pieces, piece]


def _behind_a_mark(piece: str) -> int:
    """Where to cut: behind the last mark, if that leaves a third of the piece."""
    last = max(piece.rfind(mark) for mark in _MARKS) + 1
    return last if 3 * last >= len(piece) else len(piece)


def longest_word(text: str, measure: Measure) -> int:
    """The width of the widest word."""
    return max(map(measure, text.split(" ")))
