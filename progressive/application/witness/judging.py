"""PURE. Whether a checkpoint may be cosigned: the checks of C2SP tlog-witness, in their order."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from progressive.application.seals.merkle import EMPTY_ROOT, extends
from progressive.application.seals.note import NoteError, VerifierKey
from progressive.application.witness.ports import Misbehaviour, Seen, SignedBy
from progressive.application.witness.request import AddCheckpoint

BAD_REQUEST: Final = 400
NOT_SIGNED: Final = 403
UNKNOWN_LOG: Final = 404
CONFLICT: Final = 409
NOT_PROVED: Final = 422


class Refusal(Struct, frozen=True):
    """Why it is not cosigned."""

    status: int
    reason: str
    size: int | None = None
    """Of a conflict: how many records were cosigned."""
    misbehaviour: Misbehaviour | None = None
    """Where somebody should look at it: it is of a log that is followed, and does not extend it."""


def judge(
    asked: AddCheckpoint, seen: Seen | None, keys: Sequence[VerifierKey], signed_by: SignedBy
) -> Refusal | None:
    """None: it is signed by the log and extends what was cosigned last, so it may be cosigned."""
    checkpoint = asked.checkpoint
    if not keys:
        return Refusal(UNKNOWN_LOG, f"{checkpoint.origin!r} is not a log of this witness")
    # Of a log that is followed: a rewritten journal may come under a new key.
    stranger: Misbehaviour | None = None if seen is None else "stranger"
    try:
        is_signed = bool(signed_by(asked.note, keys))
    except NoteError as error:
        return Refusal(NOT_SIGNED, str(error), misbehaviour=stranger)
    if not is_signed:
        why = f"no signature by a key that is trusted for {checkpoint.origin!r}"
        return Refusal(NOT_SIGNED, why, misbehaviour=stranger)
    if asked.old_size > checkpoint.size:
        return Refusal(
            BAD_REQUEST, f"old {asked.old_size} is more than the checkpoint's {checkpoint.size}"
        )
    size, root = (0, EMPTY_ROOT) if seen is None else (seen.checkpoint.size, seen.checkpoint.root)
    if checkpoint.size == size and checkpoint.root != root:
        # Before the old size is looked at: whatever that says, two roots of one size are two logs.
        why = f"another root for the {size} records that were cosigned"
        return Refusal(CONFLICT, why, size=size, misbehaviour="fork")
    if asked.old_size != size:
        why = f"old {asked.old_size}, but {size} records were cosigned"
        smaller: Misbehaviour | None = "smaller" if checkpoint.size < size else None
        return Refusal(CONFLICT, why, size=size, misbehaviour=smaller)
    if not extends(size, root, checkpoint.size, checkpoint.root, asked.proof):
        return Refusal(
            NOT_PROVED,
            f"the proof does not show that the {checkpoint.size} records begin with the {size} "
            "that were cosigned",
            misbehaviour="unproved",
        )
    return None
