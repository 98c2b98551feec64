"""What the use cases about people need from the world, and what each port promises.

Small ports, one a use: the act log, reading it, accounts, sessions, answers by idempotency key.
Whatever changes something and must be recorded takes the deed with it: both are stored or neither.
So one engine holds them all (`PeopleStore`), and only wiring needs to know that it is one.
Several processes may use it at once. People are found by `name_key`, sessions by the hash of their
token. Errors are the store's own: StoreUnavailableError, StoreCorruptError.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum, StrEnum, auto
from typing import Final, Protocol

from msgspec import Struct

from progressive.application.people.act_log import Deed
from progressive.application.people.tries import Lane
from progressive.domain.people.roles import Person, Role


class Origin(StrEnum):
    """Who made an account."""

    FIRST = "first"
    """Whoever set the house up, before an administrator had ever signed in."""
    ADMINISTRATOR = "administrator"
    """An administrator, in a session."""
    MACHINE = "machine"
    """Somebody at the machine, without a session."""


class Unconfirmed(Struct, frozen=True):
    """What was done to an account at the machine, and no colleague has confirmed."""

    what: str
    at: str
    by: str
    """The command line and its user."""


class KnownPerson(Struct, frozen=True):
    """Somebody as the store holds them, but for the password."""

    person: Person
    origin: Origin = Origin.FIRST
    unconfirmed: Unconfirmed | None = None
    lanes: Mapping[str, str] = {}
    """Where bad tries are counted, and when the last of them is forgotten."""
    locked_until: str | None = None
    """Only in a file of the former version, which locked by name."""


class NotChanged(Enum):
    """Why an account is as it was."""

    NOBODY = auto()
    LAST_ADMIN = auto()
    """Nobody else is an admin who may log in."""
    NOTHING_TO_CONFIRM = auto()
    NOT_THEIRS_TO_CONFIRM = auto()
    """Supervisors and finance confirm an administrator's account only, where nobody else could."""


class Try(Struct, frozen=True):
    """A log-in that has begun: it counts as a bad try until a session is opened."""

    person: Person
    password_hash: str
    locked: bool
    """No try left in one of its lanes."""


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
    """Who may log in.

    Until an administrator has signed in for the first time, a directory is being set up. After
    that, an account that is added, enabled or changed by a deed of nobody (`who` is None: somebody
    at the machine) stands unconfirmed until `confirm`, and the deed's record says `unconfirmed`.
    """

    async def begin_demo(self) -> None:
        """Where there is no account yet: this is a demo's folder, which is never set up."""
        ...

    async def add_person(self, person: Person, password_hash: str, deed: Deed) -> bool:
        """False, and nothing is stored, where the name is taken."""
        ...

    async def people(self) -> Sequence[KnownPerson]:
        """Everybody, by name."""
        ...

    async def unconfirmed_people(self) -> Sequence[KnownPerson]:
        """Those that nobody has confirmed, by name."""
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

    async def confirm(self, key: str, by: Role, deed: Deed) -> Person | NotChanged:
        """Somebody of this role stands for what was done to the account at the machine.

        Where no administrator and nobody of compliance is left, two people must: after the first
        word the person that is returned is unconfirmed still.
        """
        ...

    async def unlock(self, key: str, marks: Collection[str], deed: Deed) -> Person | NotChanged:
        """Forget the bad tries; `marks` (where the deed was done) are familiar from now on."""
        ...


class SessionStore(ActLog, Protocol):
    """Log-ins and sessions; a log-in that fails is recorded too."""

    async def familiar(self, key: str, marks: Collection[str], *, since: str) -> frozenset[str]:
        """Which of these browsers and addresses somebody has signed in with since then."""
        ...

    async def begin_try(self, key: str, *, at: str, lanes: Sequence[Lane]) -> Try | None:
        """Count a try in its lanes before its password is looked at; None: no such person.

        Nothing is counted where one of the lanes has no try left. Counting first means that neither
        tries at the same moment nor a crash give anybody one more.
        """
        ...

    async def open_session(
        self,
        key: str,
        token_sha256: str,
        *,
        password_hash: str,
        purge_before: str,
        deed: Deed,
        lanes: Sequence[Lane] = (),
        marks: Collection[str] = (),
        forget_before: str = "",
    ) -> bool:
        """The try was good: free its lanes and open a session at the deed's time.

        A lane that is shared gets back this try alone. `marks` are familiar from now on; those not
        seen since `forget_before` are dropped. False, and nothing is stored, where the person was
        disabled or given another password since the try began. Sessions opened before
        `purge_before` are dropped: they ended long ago.
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
