"""Any text to what an Alpha sign can draw. Pure, and total: no name breaks a packet.

ASCII stands for itself. Letters with accents are the byte 08H and their code less 60H: the sign's
second table, which from 80H to A8H is IBM's code page 437, and goes its own way after that.
"""

import unicodedata
from typing import Final

EXTENDED: Final = b"\x08"
UNKNOWN: Final = b"?"

_CP437_LAST: Final = 0xA8
_BEYOND_CP437: Final = {"°": 0xA9, "¡": 0xAA, "Á": 0xBA, "Ê": 0xBE, "Í": 0xBF}
"""Those of the rest that signs draw alike. They have no Ó and no Ú: the bare letter stands in."""
_INSTEAD: Final = {
    "~": "-",  # Its code is half a space on these signs.
    "–": "-",
    "—": "-",
    "−": "-",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "…": "...",
    "×": "x",
    "·": ".",
    "ß": "ss",
    "Ø": "O",
    "ø": "o",
}


def encoded(text: str, bytes_max: int | None = None) -> bytes:
    """The bytes that draw this text, with `?` for what cannot be drawn, cut at a character."""
    drawn = b""
    for character in unicodedata.normalize("NFC", text):
        piece = _drawn(character)
        piece = UNKNOWN if piece is None else piece
        if bytes_max is not None and len(drawn) + len(piece) > bytes_max:
            break
        drawn += piece
    return drawn


def tidy(text: str) -> str:
    """A name without stray spaces and control characters around and inside."""
    return " ".join("".join(" " if _is_gap(each) else each for each in text).split())


def is_drawable(text: str) -> bool:
    """Whether nothing of it would be a `?`, and something would be there to read."""
    pieces = [_drawn(character) for character in unicodedata.normalize("NFC", text)]
    return None not in pieces and any(piece and piece.strip() for piece in pieces)


def _is_gap(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Cc", "Cf", "Cs")


def _drawn(character: str) -> bytes | None:
    """One character's bytes; None where the sign has nothing like it."""
    if _is_gap(character):
        return b" "  # Control characters would be commands to the sign.
    if character in _INSTEAD:
        return _INSTEAD[character].encode("ascii")
    if " " <= character <= "}":
        return character.encode("ascii")
    if (code := _extended_code(character)) is not None:
        return EXTENDED + bytes((code - 0x60,))
    bare = "".join(
        part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part)
    )
    if bare == character:
        return None
    pieces = [_drawn(part) for part in bare]
    known = [piece for piece in pieces if piece is not None]
    return b"".join(known) if len(known) == len(pieces) else None


def _extended_code(character: str) -> int | None:
    if character in _BEYOND_CP437:
        return _BEYOND_CP437[character]
    try:
        code = character.encode("cp437")[0]
    except UnicodeEncodeError:
        return None
    return code if 0x80 <= code <= _CP437_LAST else None
