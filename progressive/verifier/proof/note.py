"""Signed notes (c2sp.org/signed-note) and the keys that sign them.

A note is text that somebody signed; nothing in it counts before a signature by a known key was
checked. It must never choose a key by what a note says of itself: names and ids only say which of
the given keys is to be tried.
"""

import binascii
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from progressive.verifier.proof.ed25519 import KEY_BYTES, SIGNATURE_BYTES, is_signed_by

NOTE_BYTES_MAX: Final = 1 << 20
SIGNATURES_MAX: Final = 128
"""The specification asks for 16 at least."""
ED25519: Final = 0x01
COSIGNATURE: Final = 0x04
"""A witness's, with a time (c2sp.org/tlog-cosignature)."""
_ID_BYTES: Final = 4
_TIME_BYTES: Final = 8
_TIME_MAX: Final = 2**63 - 1
_DASH: Final = "\u2014 "


class NoteError(Exception):
    """Text that is not a signed note, or a line that is not a key."""


@dataclass(frozen=True, slots=True)
class SignatureLine:
    """Who says to have signed a note, and with what."""

    name: str
    key_id: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """A text, and the lines that say who signed it."""

    text: str
    """Ends with a newline. What was signed are its bytes in UTF-8."""
    signatures: tuple[SignatureLine, ...]


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with the name of whoever signs with it."""

    name: str
    kind: int
    public: bytes

    @property
    def key_id(self) -> bytes:
        """How signature lines name the key."""
        return key_id(self.name, self.kind, self.public)

    def called(self, name: str) -> "VerifierKey":
        """The same key under another name: it has another id then."""
        return VerifierKey(name, self.kind, self.public)


def key_id(name: str, kind: int, public: bytes) -> bytes:
    """The short hash of a name and a key."""
    return sha256(name.encode() + b"\n" + bytes((kind,)) + public).digest()[:_ID_BYTES]


def parse_note(body: bytes) -> Note:
    """A note as it was written; raises NoteError."""
    if len(body) > NOTE_BYTES_MAX:
        raise NoteError(f"it has more than {NOTE_BYTES_MAX:,} bytes")
    try:
        whole = body.decode()
    except UnicodeDecodeError:
        raise NoteError("it is not UTF-8") from None
    if whole.startswith("\ufeff") or "\r\n" in whole:
        raise NoteError(
            "a program has changed its bytes on the way (a byte order mark, or lines that end with "
            "CR LF)"
        )
    if any(char < " " and char != "\n" for char in whole):
        raise NoteError("it holds control characters")
    text, gap, signed = whole.rpartition("\n\n")
    if not gap or not signed:
        raise NoteError("it has no signature: an empty line and signature lines must end it")
    if not signed.endswith("\n"):
        raise NoteError("its last line is cut off")
    lines = signed[:-1].split("\n")
    if len(lines) > SIGNATURES_MAX:
        raise NoteError(f"it has more than {SIGNATURES_MAX} signatures")
    return Note(f"{text}\n", tuple([_signature_line(line) for line in lines]))


def parse_key(line: str) -> VerifierKey:
    """A key as a line, `NAME+ID+KEY`; raises NoteError."""
    parts = line.split("+", 2)
    if len(parts) != 3:
        raise NoteError("a key is a line NAME+ID+KEY")
    name, id_text, key_text = parts
    _check_name(name)
    encoded = strict_base64(key_text, "the key")
    kind, public = encoded[0] if encoded else 0, encoded[1:]
    if kind not in (ED25519, COSIGNATURE):
        raise NoteError(
            f"the key of {name} is of type {kind:#04x}: only Ed25519 keys (0x01) and witness keys "
            "(0x04) can be checked"
        )
    if len(public) != KEY_BYTES:
        raise NoteError(f"the key of {name} has {len(public)} bytes, and {KEY_BYTES} are due")
    key = VerifierKey(name, kind, public)
    if id_text != key.key_id.hex():
        raise NoteError(
            f"the key of {name} has the id {key.key_id.hex()}, and the line says {id_text[:16]!r}: "
            "it was not copied as it is"
        )
    return key


def is_signed(note: Note, line: SignatureLine, key: VerifierKey) -> bool:
    """Whether a line of a note was made with a key of type 0x01."""
    return is_signed_by(key.public, note.text.encode(), line.signature)


def cosigned_at(note: Note, line: SignatureLine, key: VerifierKey) -> int | None:
    """When a witness cosigned, in seconds since 1970; None: it did not."""
    if len(line.signature) != _TIME_BYTES + SIGNATURE_BYTES:
        return None
    at = int.from_bytes(line.signature[:_TIME_BYTES], "big")
    message = f"cosignature/v1\ntime {at}\n{note.text}".encode()
    if at > _TIME_MAX or not is_signed_by(key.public, message, line.signature[_TIME_BYTES:]):
        return None
    return at


def strict_base64(text: str, what: str) -> bytes:
    """Bytes out of their one encoding; raises NoteError."""
    try:
        decoded = b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NoteError(f"{what} is not base64") from None
    # The bits behind the last byte would let one value be written in several ways.
    if b64encode(decoded).decode() != text:
        raise NoteError(f"{what} is not base64 as it is written")
    return decoded


def _signature_line(line: str) -> SignatureLine:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not encoded:
        raise NoteError("a line behind its text is not a signature")
    _check_name(name)
    decoded = strict_base64(encoded, f"the signature of {name}")
    if len(decoded) <= _ID_BYTES:
        raise NoteError(f"the signature of {name} is cut off")
    return SignatureLine(name, decoded[:_ID_BYTES], decoded[_ID_BYTES:])


def _check_name(name: str) -> None:
    if not name or "+" in name or any(char.isspace() or not char.isprintable() for char in name):
        raise NoteError(f"{name[:64]!r} cannot be the name of a key")
