"""Signed notes and checkpoints as text: C2SP signed-note, tlog-checkpoint and tlog-cosignature.

Only the form. Who signs and who checks a signature stands in `adapters/seals`; every text here may
come from a stranger, and what is not exactly in the form is refused with `NoteError`.
"""

import base64
import binascii
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from msgspec import Struct

SIGNATURE: Final = 1
"""signed-note: an Ed25519 signature over the note's text."""
COSIGNATURE: Final = 4
"""tlog-cosignature: Ed25519 with a time, by a witness."""
PUBLIC_KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
TIME_BYTES: Final = 8
KEY_ID_BYTES: Final = 4
NOTE_BYTES_MAX: Final = 16 << 10
SIGNATURES_MAX: Final = 32
"""signed-note: a limit there must be, and not below 16."""
SIZE_MAX: Final = 2**63 - 1
NAME_CHARS_MAX: Final = 255
_DASH: Final = "— "


class NoteError(ValueError):
    """A text that is not in the form it should have."""


class VerifierKey(Struct, frozen=True):
    """Whose signatures count: a name, what kind of signature, and the public key."""

    name: str
    kind: int
    public: bytes

    @property
    def id(self) -> bytes:
        """signed-note: the first four bytes of a hash of all three."""
        text = self.name.encode() + b"\n" + bytes([self.kind]) + self.public
        return sha256(text).digest()[:KEY_ID_BYTES]

    @property
    def text(self) -> str:
        """The line that others are given: `name+id+key`."""
        encoded = _encode(bytes([self.kind]) + self.public)
        return f"{self.name}+{self.id.hex()}+{encoded}"

    def named(self, name: str) -> "VerifierKey":
        """The same key under another name: that of one link, say."""
        return VerifierKey(check_name(name), self.kind, self.public)


class NoteSignature(Struct, frozen=True):
    """One signature line of a note."""

    name: str
    key_id: bytes
    signature: bytes
    """Of a cosignature: the time before it."""

    @property
    def line(self) -> str:
        """As it stands in the note, with its newline."""
        return f"{_DASH}{self.name} {_encode(self.key_id + self.signature)}\n"


class Note(Struct, frozen=True):
    """A text, ending in a newline, and who has signed it."""

    text: str
    signatures: tuple[NoteSignature, ...]

    @property
    def encoded(self) -> str:
        """The whole note."""
        return f"{self.text}\n{''.join([each.line for each in self.signatures])}"

    def with_signatures(self, added: Sequence[NoteSignature]) -> "Note":
        """Others have signed as well; one of the same key takes the old one's place."""
        keys = {(each.name, each.key_id) for each in added}
        kept = [each for each in self.signatures if (each.name, each.key_id) not in keys]
        return Note(self.text, (*kept, *added))


class Checkpoint(Struct, frozen=True):
    """tlog-checkpoint: which log, how many records, and the head of their tree."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text that is signed. Extension lines are discouraged, and there are none."""
        return f"{self.origin}\n{self.size}\n{_encode(self.root)}\n"


def origin_of(name: str, link: str) -> str:
    """Under which name a link's checkpoints are signed: a log of its own for every link."""
    return check_name(f"{name}/{link}")


def check_name(name: str) -> str:
    """signed-note: not empty, no spaces and no plus; control characters are in no note."""
    if not name or len(name) > NAME_CHARS_MAX:
        raise NoteError(f"the name of a key has 1 to {NAME_CHARS_MAX} characters")
    if any(each.isspace() or each == "+" or ord(each) < 0x20 or ord(each) == 0x7F for each in name):
        raise NoteError(f"the name of a key has no spaces and no plus: {name!r}")
    return name


def read_key(line: str) -> VerifierKey:
    """A key as others are given it; its id must be that of name and key."""
    name, plus, rest = line.strip().partition("+")
    id_hex, second, encoded = rest.partition("+")
    if not plus or not second:
        raise NoteError("not a key: name+id+key is expected")
    check_name(name)
    body = decode_base64(encoded)
    if len(body) != 1 + PUBLIC_KEY_BYTES or body[0] not in (SIGNATURE, COSIGNATURE):
        raise NoteError("not a key of a kind that is known here: Ed25519, or a witness's Ed25519")
    key = VerifierKey(name, body[0], body[1:])
    if id_hex != key.id.hex():
        raise NoteError(f"the key's id is {key.id.hex()}, the line says {id_hex}")
    return key


def read_note(stored: bytes) -> Note:
    """A note with its signature lines, none of which is checked here."""
    if len(stored) > NOTE_BYTES_MAX:
        raise NoteError(f"a note has {NOTE_BYTES_MAX} bytes at most")
    try:
        whole = stored.decode()
    except UnicodeDecodeError:
        raise NoteError("a note is UTF-8") from None
    if any(ord(each) < 0x20 and each != "\n" for each in whole):
        raise NoteError("a note holds no control characters")
    at = whole.rfind("\n\n")
    if at < 0 or not whole.endswith("\n"):
        raise NoteError("a note ends with an empty line and signatures")
    text, lines = whole[: at + 1], whole[at + 2 :].split("\n")[:-1]
    if not lines or len(lines) > SIGNATURES_MAX:
        raise NoteError(f"a note has 1 to {SIGNATURES_MAX} signatures")
    return Note(text, tuple([read_signature(line) for line in lines]))


def read_signature(line: str) -> NoteSignature:
    """One signature line, without its newline."""
    if not line.startswith(_DASH):
        raise NoteError("a signature line begins with a dash and a space")
    name, space, encoded = line.removeprefix(_DASH).partition(" ")
    if not space:
        raise NoteError("a signature line has a name and a signature")
    body = decode_base64(encoded)
    if len(body) <= KEY_ID_BYTES:
        raise NoteError("a signature is too short")
    return NoteSignature(check_name(name), body[:KEY_ID_BYTES], body[KEY_ID_BYTES:])


def read_checkpoint(text: str) -> Checkpoint:
    """The text of a note that is a checkpoint."""
    lines = text.split("\n")
    if len(lines) < 4 or lines.pop() or not all(lines):
        raise NoteError("a checkpoint has three lines: origin, size and root")
    if len(lines) > 3:
        raise NoteError("a checkpoint of this service has no extension lines")
    root = decode_base64(lines[2])
    if len(root) != 32:
        raise NoteError("the root of a checkpoint has 32 bytes")
    return Checkpoint(lines[0], read_size(lines[1]), root)


def read_size(text: str) -> int:
    """A number of records: ASCII digits without leading zeros."""
    is_number = text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")
    if not is_number or len(text) > len(str(SIZE_MAX)) or int(text) > SIZE_MAX:
        raise NoteError(f"not a number of records: {text[:40]!r}")
    return int(text)


def cosigned_message(time: int, text: str) -> bytes:
    """tlog-cosignature: what a witness signs."""
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def cosignature_time(signature: NoteSignature) -> int:
    """When the witness has seen it, in seconds since 1970."""
    if len(signature.signature) != TIME_BYTES + SIGNATURE_BYTES:
        raise NoteError("not a cosignature: it has another length")
    return int.from_bytes(signature.signature[:TIME_BYTES], "big")


def decode_base64(text: str) -> bytes:
    """Standard, with its padding, and the one form that the bytes have."""
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NoteError(f"not base64: {text[:40]!r}") from None
    if _encode(found) != text:
        raise NoteError(f"not base64 in its one form: {text[:40]!r}")
    return found


def _encode(body: bytes) -> str:
    return base64.b64encode(body).decode()
