"""What the process that writes segments is asked, and what it answers: a JSON line each."""

from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from progressive.application.journal.cut import Cut
from progressive.application.journal.ports import (
    StoreConflictError,
    StoreCorruptError,
    StoreError,
    StoreUnavailableError,
)
from progressive.application.journal.segments import Segment

Kind = Literal["conflict", "corrupt", "unavailable"]
_KINDS: Final[dict[Kind, type[StoreError]]] = {
    "conflict": StoreConflictError,
    "corrupt": StoreCorruptError,
    "unavailable": StoreUnavailableError,
}


class Job(Struct, frozen=True):
    """One segment to write."""

    data: str
    """The data directory."""
    cut: Cut
    last_seq_max: int
    """The newest snapshot: files that a crash left may have another cut, but not beyond this."""

    @property
    def directory(self) -> Path:
        """The data directory."""
        return Path(self.data)


class Outcome(Struct, frozen=True, omit_defaults=True):
    """What became of it."""

    segment: Segment | None = None
    kind: Kind = "unavailable"
    problem: str = ""

    @classmethod
    def of_error(cls, error: StoreError) -> "Outcome":
        """Why there is no segment."""
        kind: Kind = "unavailable"
        for each, raised in _KINDS.items():
            if isinstance(error, raised):
                kind = each
        return cls(kind=kind, problem=str(error))

    def given(self) -> Segment:
        """The segment; raises the error where there is none."""
        if self.segment is None:
            raise _KINDS[self.kind](self.problem)
        return self.segment


encode: Final = msgspec.json.Encoder().encode
decode_job: Final = msgspec.json.Decoder(Job).decode
decode_outcome: Final = msgspec.json.Decoder(Outcome).decode
