"""What signs report about their own glass, as it is kept: one entry a report, and who came or went.

Times are whole milliseconds since 1970, UTC: a sign reports once a second, and digits are read by
people. What is read from an entry is what could be read on the sign at that moment.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, Protocol

from msgspec import Struct

EntryKind = Literal["showing", "connected", "gone", "cut"]
"""A report; the sign came; it went; the service ended without a word, so that nothing is known of
the sign from then on."""
ENTRY_KINDS: Final[tuple[EntryKind, ...]] = ("showing", "connected", "gone", "cut")

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


class SignLog(Protocol):
    """Where the reports go. It never fails and never waits: a broken log stops no sign."""

    def note(self, sign: str, link: str, entry: SignEntry) -> None:
        """One more entry; kept within seconds."""
        ...

    @property
    def problem(self) -> str | None:
        """Why nothing is kept at present; None while all is well."""
        ...


class RunningSignLog(SignLog, Protocol):
    """The log as its node runs it: begun, counted, closed."""

    @property
    def kept(self) -> int:
        """Entries written since the start."""
        ...

    @property
    def lost(self) -> int:
        """Entries dropped since the start because they could not be written."""
        ...

    def start(self) -> None:
        """Begin to write."""
        ...

    async def close(self) -> None:
        """Write what waits, and close."""
        ...


class SignLogReader(Protocol):
    """A sign's log as it was kept, oldest first."""

    def signs(self) -> list[str]:
        """Every sign that has ever reported, as far as it is still kept."""
        ...

    def link_of(self, sign: str, *, at_ms: int) -> str | None:
        """The link that the sign belonged to at that time."""
        ...

    def between(self, sign: str, *, from_ms: int, to_ms: int) -> Iterator[SignEntry]:
        """The entries of that time, both ends included."""
        ...

    def around(self, sign: str, *, at_ms: int) -> Sequence[SignEntry]:
        """Some entries before that time and some after it, where there are any."""
        ...


class ReadsSignLogs(Protocol):
    """Opens the stored log for reading, beside whoever writes it."""

    def __call__(self) -> AbstractContextManager[SignLogReader]:
        """One consistent view; raises StoreError.

        COLD, and not async: it unpacks thousands of entries, so whoever asks does it in a thread
        anyway, from opening to the end.
        """
        ...


def milliseconds(at: str) -> int:
    """A time as text in this log's terms."""
    return (datetime.fromisoformat(at) - _BEGINNING) // _MILLISECOND


def time_text(at_ms: int, *, micros: int = 0) -> str:
    """And back, as the journal writes its times."""
    moment = _BEGINNING + timedelta(milliseconds=at_ms, microseconds=micros)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
