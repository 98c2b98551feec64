"""Accepted losses and steps of the clock, and what a data directory remembers of a journal.

Whether a journal has lost its end cannot be seen in it. What is remembered beside it can be held
against it: it must hold that very record, or say who accepted that it does not.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.record import GENESIS, Record, read_time
from progressive.verifier.recorded.guard_events import ClockStepped, LossAccepted
from progressive.verifier.recorded.values import JournalPlace
from progressive.verifier.rules.people import check_signed, check_two_departments

_LOSS: Final = "acceptance of a loss"
_STEP_BACK_SECONDS: Final = 1
_STEP_FORWARD_SECONDS: Final = 60
_REASON_CHARACTERS_MIN: Final = 3


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a data directory remembers of a link. Any value may be any."""

    place: JournalPlace
    times_hold_from: int = 0


def check_loss(event: LossAccepted, record: Record) -> None:
    """Raise unless two people of two departments accepted just what is missing here."""
    if len(event.by) != 2:
        raise DiscrepancyError(f"{_LOSS}: signed by {len(event.by)}, it takes two people")
    for each in event.by:
        check_signed(_LOSS, each)
    check_two_departments(_LOSS, *event.by)
    if len(event.reason.strip()) < _REASON_CHARACTERS_MIN:
        raise DiscrepancyError(f"{_LOSS}: no reason is given")
    if event.found_seq == 0:
        if (record.seq, event.found_head) != (2, GENESIS):
            raise DiscrepancyError(f"{_LOSS}: says that no record was left, but some were")
    elif (event.found_seq, event.found_head) != (record.seq - 1, record.prev):
        raise DiscrepancyError(
            f"{_LOSS}: says that the journal ended at record {shown(event.found_seq)}, "
            f"it ended at {record.seq - 1}"
        )
    if (was := event.remembered) is not None:
        _check_place(was)
        if (was.seq, was.head) == (event.found_seq, event.found_head):
            raise DiscrepancyError(f"{_LOSS}: nothing is missing")


def _check_place(place: JournalPlace) -> None:
    if place.epoch < 1 or place.seq < 1:
        raise DiscrepancyError(
            f"{_LOSS}: record {shown(place.seq)} of epoch {shown(place.epoch)} cannot have been"
        )
    if len(place.head) != 64 or not set(place.head) <= set("0123456789abcdef"):
        raise DiscrepancyError(f"{_LOSS}: {shown(place.head)} is not a SHA-256")
    read_time(place.at)


def check_clock_step(event: ClockStepped, record: Record) -> None:
    """Raise where the clock cannot have been set as it says."""
    said, expected = read_time(event.clock_at), read_time(event.expected_at)
    step_seconds = (said - expected).total_seconds()
    if -_STEP_BACK_SECONDS < step_seconds <= _STEP_FORWARD_SECONDS:
        raise DiscrepancyError(f"the clock was set by {step_seconds:+} seconds: that is not a step")
    if read_time(record.at) < said:
        raise DiscrepancyError("the clock said a time after the time of the record")


def check_follows(time: datetime, before: datetime, *, since_seq: int) -> None:
    """Raise for a record whose time is before the one of the record before it."""
    if time < before:
        raise DiscrepancyError(
            f"its time is before that of the record before it ({before.isoformat()}): "
            f"times never go back after record {since_seq}"
        )
