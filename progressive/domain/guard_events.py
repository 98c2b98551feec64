"""What guards the journal itself: a loss that two people accepted, a clock that was set, records
that two people had removed.

Parts of the journal like `events`; the same promises hold. None of them moves a meter.
"""

from msgspec import Struct

from progressive.domain.signatures import Signature


class JournalPlace(Struct, frozen=True, gc=False):
    """A record that was committed once: where it stood, and what it was."""

    epoch: int
    """The epoch that the journal was open under."""
    seq: int
    head: str
    """Hash of that record."""
    at: str
    """Time of that record."""


class LossAccepted(
    Struct, frozen=True, kw_only=True, gc=False, tag="loss_accepted", tag_field="type"
):
    """Two people of two departments let the link go on without records it once committed.

    Stands right behind the records that are left, or behind `link_opened` where none are.
    """

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


class ClockStepped(
    Struct, frozen=True, kw_only=True, gc=False, tag="clock_stepped", tag_field="type"
):
    """The machine's clock was set, back or forward. The times of records never go back."""

    clock_at: str
    """What the clock said."""
    expected_at: str
    """What it should have said: earlier than `clock_at` where it was set forward."""
    meters: tuple[int, ...]


class SegmentsPurged(
    Struct, frozen=True, kw_only=True, gc=False, tag="segments_purged", tag_field="type"
):
    """Two people of two departments had the oldest closed segments of the journal removed.

    It is durable before a file goes. What it promises, and a reader may hold it to:

    - The segments are those from `first_number` to `last_number`, whole and in order. The first is
      segment 1, or the one after the last of the purge before; the newest segment is never one.
    - They held the records `first_seq` to `last_seq`. `prev` is the hash of the record before the
      first (64 zeros where there is none), `head` that of the last: the next record names it.
    - The next record, `last_seq` + 1, is `checkpointed`; its `state_digest` is that of the state
      file that stays beside segment `last_number`. From there on the books can be read.
    - The last of the records was `retention_days` old, by the times of both records.
    - No award that they made, no round that they opened and no proposal was open.
    - `kept` holds every record up to `last_seq` of the types that later ones are read by (terms,
      floor, losses), those of earlier purges too, from the first of the journal on, as stored.
    - Rows and indexes of the segments stay. Marks and removal follow; where a crash came between,
      the next start does the rest. A row that is marked and that no such record names is damage.
    """

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
    meters: tuple[int, ...]


GuardEvent = LossAccepted | ClockStepped | SegmentsPurged
