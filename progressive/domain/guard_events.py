"""What guards the journal itself: a loss that two people accepted, a clock that was set.

Parts of the journal like `events`; the same promises hold. Neither moves a meter.
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
    """The last record that the data directory remembers; None where its memory was unreadable."""
    found_seq: int
    """Where the journal ended that was found: 0 where there was none."""
    found_head: str
    reason: str
    """Of whoever accepted the loss first."""
    second_reason: str = ""
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


GuardEvent = LossAccepted | ClockStepped
