"""The log of changes of people that several nodes share, and the copy that each of them holds.

Entry 1 is the state that the log began with, each later one an operation. An entry names the hash
of the one before and the hash of the last act before it: a log or a copy that is not the same as
on the other nodes is found out by the next entry.
"""

from collections.abc import Callable, Coroutine, Sequence
from hashlib import sha256
from typing import Any, Final, Protocol, TypeVar

import msgspec
from msgspec import Struct

from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError
from progressive.application.journal.record import GENESIS
from progressive.application.people.operations import Operation
from progressive.application.people.ports import PeopleStore

T = TypeVar("T")


class PeopleDifferError(StoreCorruptError):
    """The shared log and this node's copy do not follow each other: somebody must decide which of
    them counts."""


class PeopleSharedError(StoreUnavailableError):
    """These people are shared by several nodes, and were asked for as this node's alone."""


class LogPlace(Struct, frozen=True):
    """A place in the log: behind this entry."""

    number: int
    head: str


BEFORE_ALL: Final = LogPlace(0, GENESIS)


class LogEntry(Struct, frozen=True):
    """One change, where it stands."""

    number: int
    prev: str
    """Hash of the entry before."""
    acts: str
    """Hash of the last record of the act log before this change."""
    body: bytes

    @property
    def place(self) -> LogPlace:
        """Behind this entry."""
        content = f"{self.number} {self.prev} {self.acts} ".encode() + self.body
        return LogPlace(self.number, sha256(content).hexdigest())


class Beginning(Struct, frozen=True, tag="beginning"):
    """What entry 1 holds: the state before all operations, as the copies' engine writes it."""

    log: str
    """Random: two logs never have the same entries."""
    form: int
    """Version of the state's form."""
    sha256: str
    """Of the state."""
    state: bytes | None
    """None: it is too large for the log. Each node needs a copy of the same file."""


_beginning_decoder: Final = msgspec.msgpack.Decoder(Beginning)


def beginning_of(entry: LogEntry) -> Beginning:
    """What an entry 1 holds; raises PeopleDifferError."""
    try:
        return _beginning_decoder.decode(entry.body)
    except msgspec.DecodeError as error:
        raise PeopleDifferError(f"entry 1 of the shared log cannot be read: {error}") from None


Append = Callable[[LogEntry], Coroutine[Any, Any, None]]


class PeopleLog(Protocol):
    """As the nodes share it. Raises StoreUnavailableError where it does not answer: what became of
    an append is then read, never assumed, and nothing is sent twice."""

    async def append(self, entry: LogEntry) -> None:
        """Durable as configured when it returns.

        Raises StoreConflictError, and appends nothing, where the log's end is not the entry before.
        """
        ...

    async def read(self, number: int, *, limit: int) -> Sequence[LogEntry]:
        """The first entries from a number on. The oldest ones may have been removed."""
        ...

    async def close(self) -> None:
        """Close its connections."""
        ...


class PeopleCopy(PeopleStore, Protocol):
    """This node's people, and how much of the log they hold. Other processes of the node may use
    the same copy. Nothing is changed but by the methods here."""

    async def place(self) -> LogPlace | None:
        """Behind which entry the copy is; None: no log has begun here."""
        ...

    async def is_empty(self) -> bool:
        """No account and no act."""
        ...

    async def begin(self, append_to_log: Append) -> None:
        """Append this copy's state as entry 1 of a log, and be behind it. Raises as that does."""
        ...

    async def join(self, first: LogEntry) -> None:
        """Take over the state that a log began with; raises PeopleDifferError where another state
        is here already."""
        ...

    async def apply(self, entries: Sequence[LogEntry]) -> None:
        """Make the changes that are behind the copy's place: all of them or none. Raises
        PeopleDifferError where they do not follow."""
        ...

    async def propose(self, operation: Operation[T], append_to_log: Append) -> T:
        """Make a change, append it with `append_to_log`, and commit once the log has it.

        Raises what that raises, and StoreConflictError where no log has begun here; then
        nothing is changed here. An operation that fails is not appended.
        """
        ...

    async def any_overdue(self, *, opened_before: str, used_before: str) -> bool:
        """Whether `end_overdue` would mark anything."""
        ...
