"""What a witness needs of its surroundings: a signer, a memory, and a place for evidence."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from msgspec import Struct

from progressive.application.seals.note import Checkpoint, Note, NoteSignature, VerifierKey

Misbehaviour = Literal["fork", "unproved", "smaller", "stranger"]
"""`fork`: two signed checkpoints of one size with two roots, which proves itself. `unproved`: no
proof leads there from what was cosigned. `smaller`: fewer records than were cosigned. `stranger`:
no key that is trusted for this log has signed."""


class Seen(Struct, frozen=True):
    """The newest checkpoint of a log that the witness has cosigned."""

    checkpoint: Checkpoint
    time: int
    """Of the cosignature, in seconds since 1970."""
    note: str
    """The whole note, the cosignature included."""


class Refused(Struct, frozen=True):
    """A checkpoint of a followed log that was not cosigned, with all that shows why."""

    at: str
    kind: Misbehaviour
    origin: str
    old_size: int
    proof: tuple[str, ...]
    """As base64."""
    note: str
    """As it came."""
    seen: str
    """What the witness had cosigned; empty where that is nothing."""


class SeenUnreadableError(Exception):
    """What was cosigned is there and cannot be read: it must not be taken for nothing."""


class SeenStore(Protocol):
    """What was cosigned, on a disk. Plain calls: the witness has a thread of its own for them."""

    def load(self) -> Mapping[str, Seen]:
        """The newest of every origin; raises OSError or SeenUnreadableError."""
        ...

    def get(self, origin: str) -> Seen | None:
        """The newest of one origin; raises the same."""
        ...

    def put(self, seen: Seen) -> None:
        """In the place of the one before. On the disk when this returns; raises OSError."""
        ...


class Evidence(Protocol):
    """Refused checkpoints that somebody should look at."""

    def add(self, refused: Refused) -> bool:
        """Whether it was new and there is room for it; raises OSError."""
        ...


class Cosigner(Protocol):
    """The witness's own key."""

    def cosign(self, text: str, time: int) -> NoteSignature:
        """Its cosignature over a checkpoint's text."""
        ...


class SignedBy(Protocol):
    """Checks signatures."""

    def __call__(self, note: Note, keys: Sequence[VerifierKey]) -> Sequence[NoteSignature]:
        """Those by one of the keys; raises NoteError where one of them does not hold."""
        ...
