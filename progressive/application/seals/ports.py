"""What seals need of the disk: the notes and the tree of one link. Synchronous, for threads.

Every write is durable when it returns, and is there whole or not at all. Raises OSError.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec import Struct

from progressive.application.journal.segments import Segment
from progressive.application.seals.tree import TreeFiles


class WitnessMemory(Struct, frozen=True):
    """What is remembered of one witness."""

    origin: str
    size: int
    """What it cosigned last."""
    disagrees: str = ""
    """Why it refuses this journal; empty while it does not."""


class SealFolder(TreeFiles, Protocol):
    """`seals/LINK` in a data directory."""

    def remove_unfinished(self) -> None:
        """What a process that was killed left half written. Only for the one that writes."""
        ...

    def newest(self) -> bytes | None:
        """The newest note; None where there is none."""
        ...

    def write_newest(self, note: bytes) -> None:
        """A newer one takes its place."""
        ...

    def cosigned(self) -> Sequence[bytes]:
        """The newest note that each witness has confirmed."""
        ...

    def write_cosigned(self, witness: str, note: bytes) -> None:
        """A witness has confirmed it; `witness`: the id of its key, in hexadecimal digits."""
        ...

    def keep_ended(self, size: int, note: bytes) -> None:
        """The last note of a log, or by a key, that ended: it stays as evidence."""
        ...

    def waiting(self) -> Sequence[int]:
        """Sizes at which a segment may end, and a note and a range are stored."""
        ...

    def write_waiting(self, size: int, note: bytes, hashes: Sequence[bytes]) -> None:
        """A note at a size at which a segment may end."""
        ...

    def name_waiting(self, size: int, name: str) -> None:
        """A segment ends there: note and range get its name."""
        ...

    def drop_waiting(self, below_size: int) -> None:
        """No segment ends there any more."""
        ...

    def segment_note(self, name: str) -> bytes | None:
        """The note at the end of a segment; None where there is none."""
        ...

    def segment_range(self, name: str) -> Sequence[bytes] | None:
        """The range at the end of a segment; None where there is none that can be read."""
        ...

    def add_roots(self, level: int, first: int, roots: Sequence[bytes]) -> None:
        """From a place on, where those before end; what stands behind it is cut off."""
        ...

    def cut_roots(self, level: int, count: int) -> None:
        """Only the first ones stay."""
        ...

    def witnesses(self) -> dict[str, WitnessMemory]:
        """By the public line of each."""
        ...

    def write_witnesses(self, witnesses: dict[str, WitnessMemory]) -> None:
        """Instead of those that are remembered."""
        ...


class SealedJournal(Protocol):
    """The records of one link, for the process that seals them. Raises StoreError."""

    def stretch(self, after_seq: int, until_seq: int) -> Iterable[Sequence[bytes]]:
        """Records in order; short questions, each its own."""
        ...

    def segments(self) -> Sequence[Segment]:
        """The closed segments, oldest first."""
        ...
