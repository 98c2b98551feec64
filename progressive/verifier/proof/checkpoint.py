"""Checkpoints (c2sp.org/tlog-checkpoint): how many records a journal had, and their root, signed.

Here a checkpoint is read and its signatures are held against the keys that the auditor was given.
It must never look into a journal: whether the root is that of the records is decided elsewhere.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from progressive.verifier.proof.merkle import HASH_BYTES
from progressive.verifier.proof.note import (
    COSIGNATURE,
    ED25519,
    Note,
    NoteError,
    VerifierKey,
    cosigned_at,
    is_signed,
    parse_key,
    parse_note,
    strict_base64,
)

KEYS_BYTES_MAX: Final = 1 << 20
_SIZE_DIGITS_MAX: Final = 19
_LOG: Final = re.compile(r"\d+-[0-9a-f]{8}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The first so many records of a journal, by their root."""

    note: Note
    origin: str
    size: int
    root: bytes


@dataclass(frozen=True, slots=True)
class Cosigned:
    """A witness that saw a checkpoint."""

    witness: str
    at: int
    """Seconds since 1970."""


class SignatureError(Exception):
    """A checkpoint that was not signed as the given keys ask for."""


class Keyring:
    """The keys that the auditor trusts: of the log, and of witnesses."""

    def __init__(self, keys: Sequence[VerifierKey]) -> None:
        self._logs = [key for key in keys if key.kind == ED25519]
        self.witnesses: Final = tuple([key for key in keys if key.kind == COSIGNATURE])

    def __bool__(self) -> bool:
        return bool(self._logs or self.witnesses)

    @property
    def houses(self) -> tuple[str, ...]:
        """The names of the keys of logs, each once."""
        return tuple(dict.fromkeys([key.name for key in self._logs]))

    @property
    def can_check_logs(self) -> bool:
        """Whether it holds the key of a log."""
        return bool(self._logs)

    def not_among(self, seen: Iterable[str]) -> tuple[str, ...]:
        """The witnesses whose keys were given and who are not named there.

        By name: a witness that has changed its key cosigns with one of its two.
        """
        due = dict.fromkeys([key.name for key in self.witnesses])
        names = set(seen)
        return tuple([name for name in due if name not in names])

    def of_log(self, origin: str) -> list[VerifierKey]:
        """The keys under which this origin may sign.

        The key of NAME is that of the origins NAME, NAME/LINK and NAME/LINK/LOG, where LOG is the
        log that began behind an accepted loss: it bears another id for each.
        """
        names, parts = {origin}, origin.split("/")
        if len(parts) > 2 and _LOG.fullmatch(parts[-1]):
            parts.pop()
            names.add("/".join(parts))
        names.add("/".join(parts[:-1]))
        return [key.called(origin) for key in self._logs if key.name in names]


def read_keys(body: bytes) -> Keyring:
    """The keys of a file: one a line, `#` begins a comment; raises NoteError."""
    if len(body) > KEYS_BYTES_MAX:
        raise NoteError(f"it has more than {KEYS_BYTES_MAX:,} bytes")
    try:
        # Editors of Windows begin a text with a byte order mark.
        lines = body.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise NoteError("it is not UTF-8") from None
    keys = []
    for number, line in enumerate(lines, 1):
        if (text := line.strip()) and not text.startswith("#"):
            try:
                keys.append(parse_key(text))
            except NoteError as error:
                raise NoteError(f"line {number}: {error}") from None
    if not keys:
        raise NoteError("it holds no key: a line NAME+ID+KEY is due, as `seal-key` prints it")
    return Keyring(keys)


def parse_checkpoint(body: bytes) -> Checkpoint:
    """A signed checkpoint; raises NoteError. Its signatures are not checked here."""
    note = parse_note(body)
    lines = note.text[:-1].split("\n")
    # Further lines may follow in the specification; a log of ours writes none.
    if len(lines) != 3 or not all(lines):
        raise NoteError(f"it has {len(lines)} lines of text: name, size and root are due")
    origin, size_text, root_text = lines
    if not _is_decimal(size_text):
        raise NoteError(f"{size_text[:32]!r} is not a number of records")
    root = strict_base64(root_text, "its root")
    if len(root) != HASH_BYTES:
        raise NoteError(f"its root has {len(root)} bytes, and {HASH_BYTES} are due")
    return Checkpoint(note, origin, int(size_text), root)


def check_log_signature(checkpoint: Checkpoint, keys: Keyring) -> None:
    """Raise SignatureError unless the log signed it with a key of the auditor's."""
    candidates = {key.key_id: key for key in keys.of_log(checkpoint.origin)}
    lines = [each for each in checkpoint.note.signatures if each.name == checkpoint.origin]
    known = [line for line in lines if line.key_id in candidates]
    if not known:
        why = "sealed with another key" if lines else "not signed by the one it names"
        raise SignatureError(f"{why} (it is of {checkpoint.origin!r})")
    for line in known:
        if not is_signed(checkpoint.note, line, candidates[line.key_id]):
            raise SignatureError("its signature does not fit: text or signature were changed")


def check_cosigned(checkpoint: Checkpoint, keys: Keyring) -> list[Cosigned]:
    """By whom; raises SignatureError unless every witness whose key was given has cosigned it."""
    found = cosignatures(checkpoint, keys.witnesses)
    if missing := keys.not_among([each.witness for each in found]):
        raise SignatureError(not_cosigned(missing))
    return found


def not_cosigned(names: Sequence[str]) -> str:
    """The finding: whoever gives the key of a witness asks for its word."""
    several = len(names) > 1
    given, they, lines = (
        ("keys were", "they have", "their lines") if several else ("key was", "it has", "its line")
    )
    return (
        f"NOT cosigned by {' and '.join(names)}, whose {given} given: no seal shows that {they} "
        f"confirmed these records. Leave out {lines} to check the house's key alone"
    )


def cosignatures(checkpoint: Checkpoint, witnesses: Iterable[VerifierKey]) -> list[Cosigned]:
    """Which witnesses cosigned it; raises SignatureError where one of their lines does not fit."""
    found = []
    for key in witnesses:
        for line in checkpoint.note.signatures:
            if (line.name, line.key_id) != (key.name, key.key_id):
                continue
            at = cosigned_at(checkpoint.note, line, key)
            if at is None:
                raise SignatureError(f"the cosignature of {key.name} does not fit")
            found.append(Cosigned(key.name, at))
    return found


def _is_decimal(text: str) -> bool:
    """Digits without leading zeros."""
    return (
        text.isascii()
        and text.isdigit()
        and len(text) <= _SIZE_DIGITS_MAX
        and (text == "0" or not text.startswith("0"))
    )
