"""The sign log: the ports for whoever writes it, runs it and reads it."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from progressive.application.signs.reports import SignEntry


class SignLog(Protocol):
    """Where the reports go. It never fails and never waits: a broken log stops no sign."""

    def note(self, sign: str, link: str, entry: SignEntry, *, keyed: bool) -> None:
        """One more entry; stored within seconds.

        `keyed`: only the holder of a key could say so. Whatever is not, strangers may have written
        as well, and must never cost one that is.
        """
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
