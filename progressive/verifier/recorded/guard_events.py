"""What guards the journal itself: an accepted loss, a clock that was set, removed records.

None of them moves a meter.
"""

from dataclasses import dataclass
from typing import ClassVar

from progressive.verifier.recorded.values import JournalPlace, Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class LossAccepted:
    """Two people of two departments let the link go on without records it once committed.

    Stands right behind the records that are left, or behind `link_opened` where none are.
    """

    TYPE: ClassVar = "loss_accepted"

    remembered: JournalPlace | None
    """The last record that the data directory remembers; None where its memory was unreadable, or
    where all that it remembers is there and a seal or a witness says otherwise."""
    found_seq: int
    """Where the journal ended that was found: 0 where there was none."""
    found_head: str
    reason: str
    """Of whoever accepted the loss first."""
    second_reason: str = ""
    finding: str = ""
    """What the service said was wrong, where it is not a remembered record that is missing."""
    by: tuple[Signature, ...]
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockStepped:
    """The machine's clock was set, back or forward. The times of records never go back."""

    TYPE: ClassVar = "clock_stepped"

    clock_at: str
    """What the clock said."""
    expected_at: str
    """What it should have said: earlier than `clock_at` where it was set forward."""
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentsPurged:
    """Two people of two departments had the oldest closed segments of the journal removed.

    What it promises stands in `docs/export-and-retention.md`.
    """

    TYPE: ClassVar = "segments_purged"

    first_number: int
    last_number: int
    first_seq: int
    last_seq: int
    prev: str
    head: str
    days: tuple[str, str]
    """Gaming days of the first and the last segment."""
    last_at: str
    """Time of the last record that is gone."""
    retention_days: int
    clause: str
    """Of the jurisdiction's minimum."""
    reason: str
    """Of whoever proposed it."""
    second_reason: str
    by: tuple[Signature, ...]
    kept: tuple[str, ...]
    """Records that later ones are read by (terms, floor, losses), as stored."""
    meters: tuple[int, ...]
