"""What the use cases about people need from the world, and what each port promises.

Small ports, one a use: the act log, reading it, accounts, sessions, answers by idempotency key.
Whatever changes something and must be recorded takes the deed with it: both are stored or neither.
So one engine holds them all (`PeopleStore`), and only wiring needs to know that it is one.
Several processes may use it at once. People are found by `name_key`, sessions by the hash of their
token. Errors are the store's own: StoreUnavailableError, StoreCorruptError.
"""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final, Protocol

from msgspec import Struct

from progressive.application.people.act_log import Deed
from progressive.domain.people.roles import Person, Role


class KnownPerson(Struct, frozen=True):
    """Somebody as the store holds them, but for the password."""

    person: Person
    bad_tries: int
    locked_until: str | None


class NotChanged(Enum):
    """Why an account is as it was."""

    NOBODY = auto()
    LAST_ADMIN = auto()
    """Nobody else is an admin who may log in."""


class Try(Struct, frozen=True):
    """A log-in that has begun: it counts as a bad try until a session is opened."""

    person: Person
    password_hash: str
    locked: bool


class StoredSession(Struct, frozen=True):
    """A session and whose it is."""

    person: Person
    opened_at: str
    used_at: str
    ended: str | None
    """Why it is over, where it did not end by time."""


EXPIRED: Final = "expired"
"""Why a session is over that time has ended."""


class KeptAnswer(Struct, frozen=True):
    """What a request was answered, under the key its sender gave it."""

    request_sha256: str
    status: int
    body: bytes


class ActLog(Protocol):
    """Where it is written who did or tried what."""

    async def record(self, deed: Deed) -> None:
        """Something that changed nothing here. Chained to the record before, whoever wrote that."""
        ...


class ActReader(Protocol):
    """The act log for whoever reads it."""

    async def acts(self, *, after_seq: int, limit: int) -> Sequence[bytes]:
        """Records of the act log in order, as stored."""
        ...

    async def newest_acts(self, *, limit: int) -> Sequence[bytes]:
        """The last records of the act log, oldest first, as stored."""
        ...


class AccountStore(Protocol):
    """Who may log in."""

    async def add_person(self, person: Person, password_hash: str, deed: Deed) -> bool:
        """False, and nothing is stored, where the name is taken."""
        ...

    async def people(self) -> Sequence[KnownPerson]:
        """Everybody, by name."""
        ...

    async def set_disabled(self, key: str, disabled: bool, deed: Deed) -> bool:
        """Disabling ends the person's sessions. False where there is no such person."""
        ...

    async def set_password(self, key: str, password_hash: str, deed: Deed) -> bool:
        """Also unlocks, and ends the person's sessions. False where there is no such person."""
        ...

    async def change_role(
        self,
        key: str,
        role: Role | None,
        department: str | None,
        *,
        even_the_last_admin: bool,
        deed: Deed,
    ) -> Person | NotChanged:
        """None: as it is. Ends the person's sessions; returns them as they are afterwards."""
        ...

    async def remove_person(
        self, key: str, *, even_the_last_admin: bool, deed: Deed
    ) -> Person | NotChanged:
        """Drops the account, its sessions and its stored answers; returns who it was."""
        ...


class SessionStore(ActLog, Protocol):
    """Log-ins and sessions; a log-in that fails is recorded too."""

    async def begin_try(self, key: str, *, at: str, locks_until: str, tries_max: int) -> Try | None:
        """Count a try before its password is looked at; None where there is no such person.

        The last of `tries_max` tries in a row locks until `locks_until`. Counting first means that
        neither tries at the same moment nor a crash give anybody one more.
        """
        ...

    async def open_session(
        self, key: str, token_sha256: str, *, password_hash: str, purge_before: str, deed: Deed
    ) -> bool:
        """The try was good: forget the bad ones and open a session at the deed's time.

        False, and nothing is stored, where the person was disabled or given another password since
        the try began. Sessions opened before `purge_before` are dropped: they ended long ago.
        """
        ...

    async def session(self, token_sha256: str) -> StoredSession | None:
        """The session of a token."""
        ...

    async def touch_session(self, token_sha256: str, *, at: str) -> None:
        """It was used."""
        ...

    async def end_overdue(self, *, opened_before: str, used_before: str) -> None:
        """Mark as `EXPIRED` what was opened, or used last, at one of these times or before."""
        ...

    async def latest_time(self) -> str:
        """The latest time in sessions and the act log; empty where there is none."""
        ...

    async def end_session(self, token_sha256: str, deed: Deed) -> None:
        """Its owner logged out."""
        ...


class AnswerStore(ActLog, Protocol):
    """What requests were answered, by idempotency key; one without a key is only recorded."""

    async def answer(self, who: str, key: str, *, since: str) -> KeptAnswer | None:
        """What this person was answered under that key, unless before `since`."""
        ...

    async def keep_answer(
        self, who: str, key: str, answer: KeptAnswer, *, purge_before: str, deed: Deed
    ) -> None:
        """Store an answer with the deed it reports; drop those from before `purge_before`."""
        ...


class PeopleStore(AccountStore, SessionStore, AnswerStore, ActReader, Protocol):
    """All of it in one place, as an engine offers it and wiring hands it out."""

    async def close(self) -> None:
        """Flush and close."""
        ...


class Passwords(Protocol):
    """Hashes that are slow on purpose, made off the loop and few at a time."""

    async def hash(self, password: str) -> str:
        """What to store."""
        ...

    async def fits(self, password_hash: str | None, password: str) -> bool:
        """Whether this is the password; without a hash it is never, and takes as long."""
        ...
