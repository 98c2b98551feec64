"""What signs report about their own glass, as stored: one entry a report, and who came or went.

Times are whole milliseconds since 1970, UTC: a sign reports once a second, and digits are read by
people. What is read from an entry is what could be read on the sign at that moment.
"""

from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from msgspec import Struct

EntryKind = Literal["showing", "connected", "gone", "cut"]
"""A report; the sign came; it went; the service ended without notice, so that nothing is known of
the sign from then on."""
ENTRY_KINDS: Final[tuple[EntryKind, ...]] = ("showing", "connected", "gone", "cut")

IMPOSSIBLE: Final = "impossible: "
"""Before the state of a report that cannot be true: what the sign said stands behind it."""

_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


class Glass(Struct, frozen=True, gc=False):
    """A meter's digits as they could be read."""

    meter: str
    cents: int


class SignEntry(Struct, frozen=True, gc=False):
    """One line of a sign's log; only a report has more than its time."""

    at_ms: int
    kind: EntryKind = "showing"
    epoch: int = 0
    seq: int = 0
    state: str = ""
    """What the sign lets people know about its amounts: `live`, `ageing`, `stale` and so on."""
    glass: tuple[Glass, ...] = ()


def milliseconds(at: str) -> int:
    """A time as text in this log's terms."""
    return (datetime.fromisoformat(at) - _BEGINNING) // _MILLISECOND


def time_text(at_ms: int, *, micros: int = 0) -> str:
    """And back, as the journal writes its times."""
    moment = _BEGINNING + timedelta(milliseconds=at_ms, microseconds=micros)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
