"""What a witness is asked, and what its answer means: C2SP tlog-witness, the side of the log.

A witness on another machine remembers the newest checkpoint it has cosigned. It agrees with a newer
one only where that extends it: so it notices a journal that was cut, rewritten, or replaced by an
older copy. A witness that does not answer has said nothing. No socket is opened here.
"""

import base64
from collections.abc import Callable, Sequence
from typing import Final, Literal

from msgspec import Struct

from progressive.application.seals.note import (
    COSIGNATURE,
    Checkpoint,
    Note,
    NoteError,
    NoteSignature,
    VerifierKey,
    read_key,
    read_note,
    read_size,
)

SIZE_TYPE: Final = "text/x.tlog.size"
ANSWER_BYTES_MAX: Final = 16 << 10
WORDS_MAX: Final = 200
"""Characters of a stranger's text in a message."""

Standing = Literal["agrees", "silent", "refuses", "disagrees"]
"""`refuses`: it follows no such log, or trusts another key for it. Nothing is said of the journal;
but a journal that was written again under a new key looks just so."""
Checked = Callable[[Note, Sequence[VerifierKey]], Sequence[NoteSignature]]
"""The signatures of a note that are by one of these keys; NoteError where one does not hold."""


class Witness(Struct, frozen=True):
    """Whom to ask, and whose cosignature counts."""

    url: str
    """Where `/add-checkpoint` is."""
    key: VerifierKey

    @property
    def name(self) -> str:
        """What people call it: the name of its key."""
        return self.key.name


class Answer(Struct, frozen=True):
    """What came back; status 0 where nothing did."""

    status: int
    body: bytes = b""
    content_type: str = ""
    why: str = ""


class Verdict(Struct, frozen=True):
    """What an answer means."""

    standing: Standing | Literal["behind"]
    """`behind`: it is to be asked again, from another size on."""
    size: int = 0
    signatures: tuple[NoteSignature, ...] = ()
    why: str = ""


def read_witness(text: str) -> Witness:
    """`URL VKEY`; raises NoteError in words for whoever wrote it."""
    url, _, line = text.strip().partition(" ")
    if not url.startswith(("http://", "https://")) or not line.strip():
        raise NoteError(f"not a witness: `URL VKEY` is expected, found {text[:WORDS_MAX]!r}")
    key = read_key(line)
    if key.kind != COSIGNATURE:
        raise NoteError(
            f"{key.name} is a key that seals journals: the line of a witness is of another kind "
            "(progressive seal-key --public FILE --witness)"
        )
    return Witness(url.rstrip("/"), key)


def read_witnesses(text: str) -> list[Witness]:
    """One a line; empty lines and those that begin with # are passed over. Raises NoteError."""
    lines = [line.strip() for line in text.splitlines()]
    return [read_witness(line) for line in lines if line and not line.startswith("#")]


def request_body(old_size: int, proof: Sequence[bytes], note: bytes) -> bytes:
    """add-checkpoint: the old size, the proof that the note extends it, an empty line, the note."""
    hashes = "".join([f"{base64.b64encode(each).decode()}\n" for each in proof])
    return f"old {old_size}\n{hashes}\n".encode() + note


def verdict(
    answer: Answer, witness: Witness, note: Note, asked: Checkpoint, old_size: int, checked: Checked
) -> Verdict:
    """What a witness means by its answer."""
    if answer.status == 200:
        return _cosigned(answer, witness, note, asked, checked)
    if answer.status == 409 and answer.content_type.partition(";")[0].strip() == SIZE_TYPE:
        return _another_size(answer, witness, asked, old_size)
    if answer.status in (409, 422) and asked.size > 0:
        return Verdict(
            "disagrees",
            why=f"witness {witness.name} refuses the journal: what it has cosigned at record "
            f"{old_size:,} is not the beginning of these {asked.size:,} records",
        )
    standing: Standing = "refuses" if answer.status in (403, 404) else "silent"
    return Verdict(standing, why=f"witness {witness.name} {_in_words(answer)}")


def _cosigned(
    answer: Answer, witness: Witness, note: Note, asked: Checkpoint, checked: Checked
) -> Verdict:
    try:
        answered = read_note(f"{note.text}\n".encode() + answer.body)
        found = checked(answered, [witness.key])
    except NoteError as error:
        return Verdict("silent", why=f"witness {witness.name} gave no cosignature: {error}")
    if not found:
        return Verdict("silent", why=f"witness {witness.name} has signed with another key")
    return Verdict("agrees", asked.size, tuple(found))


def _another_size(answer: Answer, witness: Witness, asked: Checkpoint, old_size: int) -> Verdict:
    try:
        size = read_size(answer.body.decode("ascii", "replace").removesuffix("\n"))
    except NoteError as error:
        return Verdict("silent", why=f"witness {witness.name}: {error}")
    if size > asked.size:
        return Verdict(
            "disagrees",
            why=f"witness {witness.name} has seen {size:,} sealed records, the newest seal here "
            f"is of {asked.size:,}: this data directory is an older copy",
        )
    if size == old_size:
        return Verdict(
            "disagrees",
            why=f"witness {witness.name} has cosigned other {size:,} records than these",
        )
    return Verdict("behind", size)


def _in_words(answer: Answer) -> str:
    said = answer.body.decode("utf-8", "replace").strip().split("\n")[0][:WORDS_MAX]
    match answer.status:
        case 0:
            return f"cannot be reached: {answer.why}"
        case 403:
            return (
                "follows this log under another key (403): after a planned change of key give it "
                "the new public line; otherwise the journal was written again by somebody else"
            )
        case 404:
            return "does not know this log (404): give it the public line"
        case status:
            return f"answered {status}{f': {said}' if said else ''}"
