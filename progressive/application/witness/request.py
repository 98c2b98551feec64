"""The body of `add-checkpoint` (C2SP tlog-witness): from where, a proof, and a signed checkpoint.

Every byte may come from a stranger: what is not exactly in the form is refused with `NoteError`.
"""

from msgspec import Struct

from progressive.application.seals.merkle import HASH_BYTES, PROOF_HASHES_MAX
from progressive.application.seals.note import (
    Checkpoint,
    Note,
    NoteError,
    decode_base64,
    read_checkpoint,
    read_note,
    read_size,
)

_OLD = "old "
_CHECKPOINT_LINES = 3


class AddCheckpoint(Struct, frozen=True):
    """What is asked for: that this checkpoint be cosigned, as one that extends the old tree."""

    old_size: int
    proof: tuple[bytes, ...]
    note: Note
    checkpoint: Checkpoint


def read_request(body: bytes) -> AddCheckpoint:
    """The parts of a body; raises NoteError where it is not in the form."""
    head, empty_line, rest = body.partition(b"\n\n")
    if not empty_line:
        raise NoteError("no empty line before the checkpoint")
    try:
        lines = head.decode("ascii").split("\n")
    except UnicodeDecodeError:
        raise NoteError("the old size and the proof are ASCII") from None
    if not lines[0].startswith(_OLD):
        raise NoteError("the first line is `old SIZE`")
    old_size = read_size(lines[0].removeprefix(_OLD))
    # tlog-witness: a client must not send more.
    if len(lines) - 1 > PROOF_HASHES_MAX:
        raise NoteError(f"a proof has {PROOF_HASHES_MAX} lines at most")
    proof = tuple([_hash(line) for line in lines[1:]])
    note = read_note(rest)
    return AddCheckpoint(old_size, proof, note, checkpoint_in(note))


def checkpoint_in(note: Note) -> Checkpoint:
    """The first three lines of the note. A log may add others: they are cosigned, and not read."""
    lines = note.text.split("\n")[:-1]
    if not all(lines):
        raise NoteError("a checkpoint has no empty lines")
    return read_checkpoint("".join([f"{line}\n" for line in lines[:_CHECKPOINT_LINES]]))


def _hash(line: str) -> bytes:
    found = decode_base64(line)
    if len(found) != HASH_BYTES:
        raise NoteError(f"a line of the proof is one hash of {HASH_BYTES} bytes")
    return found
