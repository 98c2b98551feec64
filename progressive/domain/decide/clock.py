"""A clock that was set: what counts as a step, and the event that records it.

A record bears the later of the clock's time and the last record's, so that dated rules, and
whoever asks what a meter stood at, cannot be taken back to an earlier day.
"""

from typing import Final

from progressive.domain.acts import NoteClockStep
from progressive.domain.guard_events import ClockStepped
from progressive.domain.state.link_state import LinkState
from progressive.domain.time_text import microseconds_between

STEP_BACK_MICROSECONDS: Final = 1_000_000
"""A clock that goes back by less is only held: time servers correct fractions of a second."""
STEP_FORWARD_MICROSECONDS: Final = 60_000_000
"""A clock that gains more than this on the steady one, from one second to the next, was set."""


def stepped_back(state: LinkState, *, clock_at: str, last_at: str) -> ClockStepped | None:
    """The event for a clock that is behind the last record; None where it is not."""
    if not last_at or clock_at >= last_at or not is_step(last_at, clock_at):
        return None
    return ClockStepped(clock_at=clock_at, expected_at=last_at, meters=state.primaries)


def is_step(expected_at: str, clock_at: str) -> bool:
    """Whether a clock that says so was set, back or forward."""
    gained = microseconds_between(expected_at, clock_at)
    return gained <= -STEP_BACK_MICROSECONDS or gained > STEP_FORWARD_MICROSECONDS


def note_clock_step(state: LinkState, act: NoteClockStep) -> ClockStepped:
    """The event for a step that was seen while the service ran."""
    return ClockStepped(clock_at=act.clock_at, expected_at=act.expected_at, meters=state.primaries)
