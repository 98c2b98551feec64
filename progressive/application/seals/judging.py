"""Whose note a stored one is: this link's log as it goes on, one that has ended, or none of ours.

A log is one history of a link's journal, under one name (its origin). Where two people accept that
records are gone, the journal goes on from fewer records than were sealed: a checkpoint log must not
fork, so another log begins then, named after the record of their acceptance.
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal

from msgspec import Struct

from progressive.application.journal.ports import JournalReader
from progressive.application.journal.record import decode_record, hash_record
from progressive.application.seals.note import (
    Checkpoint,
    Note,
    NoteError,
    VerifierKey,
    origin_of,
    read_checkpoint,
    read_note,
)
from progressive.domain.ids import LinkId

LOSS: Final = "loss_accepted"
HASH_DIGITS: Final = 8

SignedBy = Callable[[Note, Sequence[VerifierKey]], bool]
"""Whether one of these keys has signed; raises NoteError where its signature does not hold."""


class Judged(Struct, frozen=True):
    """What a stored note is to the log that goes on now."""

    standing: Literal["none", "goes_on", "ended", "refused"]
    note: bytes = b""
    checkpoint: Checkpoint | None = None
    why: str = ""
    """Why it is refused, and what to do."""

    @property
    def size(self) -> int:
        """How many records must be those that were sealed."""
        on = self.standing == "goes_on" and self.checkpoint is not None
        return self.checkpoint.size if on and self.checkpoint is not None else 0


def log_origin(name: str, link: LinkId, log: str) -> str:
    """The name of a log; `log` is empty for the first one of a link."""
    origin = origin_of(name, link)
    return f"{origin}/{log}" if log else origin


async def log_of(journal: JournalReader, link: LinkId) -> str:
    """Which log of the link goes on: empty for the first, else named after the last acceptance."""
    end = await journal.journal_end(link)
    losses = await journal.acts(link, after_seq=0, until_seq=end.seq, types=(LOSS,))
    if not losses:
        return ""
    # The hash, so that two losses at the same place never share a log.
    return f"{decode_record(losses[-1]).seq}-{hash_record(losses[-1])[:HASH_DIGITS]}"


def judge(
    stored: bytes | None,
    link: LinkId,
    log: str,
    keys: Sequence[VerifierKey],
    signed_by: SignedBy,
) -> Judged:
    """What a note is to the log that goes on; `keys`: without any, signatures are not checked."""
    if stored is None:
        return Judged("none")
    where = f"seals/{link}/newest.note"
    try:
        note = read_note(stored)
        checkpoint = read_checkpoint(note.text)
    except NoteError as error:
        return _other(log, stored, f"{where} cannot be read: {error}")
    ours = [key for key in keys if checkpoint.origin == log_origin(key.name, link, log)]
    if not keys:
        endings = (f"/{link}/{log}",) if log else (f"/{link}",)
        if checkpoint.origin.endswith(endings):
            return Judged("goes_on", stored, checkpoint)
    elif ours:
        return _signed(stored, note, checkpoint, ours, signed_by, where)
    return _other(log, stored, _whose(checkpoint, link, keys, where), checkpoint)


def _signed(
    stored: bytes,
    note: Note,
    checkpoint: Checkpoint,
    keys: Sequence[VerifierKey],
    signed_by: SignedBy,
    where: str,
) -> Judged:
    try:
        if signed_by(note, [key.named(checkpoint.origin) for key in keys]):
            return Judged("goes_on", stored, checkpoint)
    except NoteError as error:
        return Judged("refused", stored, why=f"{where} is not as it was signed: {error}")
    signers = ", ".join(sorted({each.key_id.hex() for each in note.signatures}))
    return Judged("refused", stored, why=f"{where} is sealed with another key ({signers}){_KEY}")


_KEY: Final = (
    ": start with the key that sealed it, or, if the key was changed on purpose, name the old "
    "one's public line with --seal-key-before"
)


def _other(log: str, stored: bytes, why: str, checkpoint: Checkpoint | None = None) -> Judged:
    """Two people have accepted a loss since: what was sealed before it stays as evidence only."""
    if log:
        return Judged("ended", stored, checkpoint)
    return Judged("refused", stored, checkpoint, why)


def _whose(checkpoint: Checkpoint, link: LinkId, keys: Sequence[VerifierKey], where: str) -> str:
    origin = checkpoint.origin
    names = [key.name for key in keys if origin.startswith(f"{key.name}/")]
    if not keys or names:
        rest = origin.removeprefix(f"{max(names, key=len)}/") if names else origin
        if rest.startswith(f"{link}/") or f"/{link}/" in rest:
            return (
                f"{where} is of {origin}: it was sealed after a loss that was accepted, and this "
                "journal holds no such record: it is an older one"
            )
        return f"{where} is the seal of another link, {origin}"
    return f"{where} is sealed under another name, {origin}{_KEY}"
