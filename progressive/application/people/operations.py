"""Every change of people as data: what several nodes share is the sequence of these.

An operation holds all that it depends on beside what is stored: times, hashes of tokens and of
passwords. So it does the same on every node. Stored: fields are added with a default, none is
renamed. No operation reads a clock or draws a random number.
"""

from typing import Any, Final, Protocol, TypeVar

import msgspec
from msgspec import Struct

from progressive.application.people.act_log import Deed
from progressive.application.people.ports import KeptAnswer, NotChanged, PeopleStore, Try
from progressive.application.people.tries import Lane
from progressive.domain.people.roles import Person, Role

T_co = TypeVar("T_co", covariant=True)


class Operation(Protocol[T_co]):
    """One change."""

    async def on(self, people: PeopleStore) -> T_co:
        """Make it there."""
        ...


class BeginDemo(Struct, frozen=True, tag="begin_demo"):
    """See `AccountStore.begin_demo`."""

    async def on(self, people: PeopleStore) -> None:
        """Make the change."""
        await people.begin_demo()


class AddPerson(Struct, frozen=True, tag="add_person"):
    """See `AccountStore.add_person`."""

    person: Person
    password_hash: str
    deed: Deed

    async def on(self, people: PeopleStore) -> bool:
        """Make the change."""
        return await people.add_person(self.person, self.password_hash, self.deed)


class SetDisabled(Struct, frozen=True, tag="set_disabled"):
    """See `AccountStore.set_disabled`."""

    key: str
    disabled: bool
    deed: Deed

    async def on(self, people: PeopleStore) -> bool:
        """Make the change."""
        return await people.set_disabled(self.key, self.disabled, self.deed)


class SetPassword(Struct, frozen=True, tag="set_password"):
    """See `AccountStore.set_password`."""

    key: str
    password_hash: str
    deed: Deed

    async def on(self, people: PeopleStore) -> bool:
        """Make the change."""
        return await people.set_password(self.key, self.password_hash, self.deed)


class ChangeRole(Struct, frozen=True, tag="change_role"):
    """See `AccountStore.change_role`."""

    key: str
    role: Role | None
    department: str | None
    even_the_last_admin: bool
    deed: Deed

    async def on(self, people: PeopleStore) -> Person | NotChanged:
        """Make the change."""
        return await people.change_role(
            *(self.key, self.role, self.department),
            even_the_last_admin=self.even_the_last_admin,
            deed=self.deed,
        )


class RemovePerson(Struct, frozen=True, tag="remove_person"):
    """See `AccountStore.remove_person`."""

    key: str
    even_the_last_admin: bool
    deed: Deed

    async def on(self, people: PeopleStore) -> Person | NotChanged:
        """Make the change."""
        return await people.remove_person(
            self.key, even_the_last_admin=self.even_the_last_admin, deed=self.deed
        )


class Confirm(Struct, frozen=True, tag="confirm"):
    """See `AccountStore.confirm`."""

    key: str
    by: Role
    deed: Deed

    async def on(self, people: PeopleStore) -> Person | NotChanged:
        """Make the change."""
        return await people.confirm(self.key, self.by, self.deed)


class Unlock(Struct, frozen=True, tag="unlock"):
    """See `AccountStore.unlock`."""

    key: str
    marks: tuple[str, ...]
    deed: Deed

    async def on(self, people: PeopleStore) -> Person | NotChanged:
        """Make the change."""
        return await people.unlock(self.key, self.marks, self.deed)


class BeginTry(Struct, frozen=True, tag="begin_try"):
    """See `SessionStore.begin_try`."""

    key: str
    at: str
    lanes: tuple[Lane, ...]

    async def on(self, people: PeopleStore) -> Try | None:
        """Make the change."""
        return await people.begin_try(self.key, at=self.at, lanes=self.lanes)


class OpenSession(Struct, frozen=True, tag="open_session"):
    """See `SessionStore.open_session`."""

    key: str
    token_sha256: str
    password_hash: str
    purge_before: str
    deed: Deed
    lanes: tuple[Lane, ...]
    marks: tuple[str, ...]
    forget_before: str

    async def on(self, people: PeopleStore) -> bool:
        """Make the change."""
        return await people.open_session(
            self.key,
            self.token_sha256,
            password_hash=self.password_hash,
            purge_before=self.purge_before,
            deed=self.deed,
            lanes=self.lanes,
            marks=self.marks,
            forget_before=self.forget_before,
        )


class TouchSession(Struct, frozen=True, tag="touch_session"):
    """See `SessionStore.touch_session`."""

    token_sha256: str
    at: str

    async def on(self, people: PeopleStore) -> None:
        """Make the change."""
        await people.touch_session(self.token_sha256, at=self.at)


class EndOverdue(Struct, frozen=True, tag="end_overdue"):
    """See `SessionStore.end_overdue`."""

    opened_before: str
    used_before: str

    async def on(self, people: PeopleStore) -> None:
        """Make the change."""
        await people.end_overdue(opened_before=self.opened_before, used_before=self.used_before)


class EndSession(Struct, frozen=True, tag="end_session"):
    """See `SessionStore.end_session`."""

    token_sha256: str
    deed: Deed

    async def on(self, people: PeopleStore) -> None:
        """Make the change."""
        await people.end_session(self.token_sha256, self.deed)


class Record(Struct, frozen=True, tag="record"):
    """See `ActLog.record`."""

    deed: Deed

    async def on(self, people: PeopleStore) -> None:
        """Make the change."""
        await people.record(self.deed)


class KeepAnswer(Struct, frozen=True, tag="keep_answer"):
    """See `AnswerStore.keep_answer`."""

    who: str
    key: str
    answer: KeptAnswer
    purge_before: str
    deed: Deed

    async def on(self, people: PeopleStore) -> None:
        """Make the change."""
        await people.keep_answer(
            *(self.who, self.key, self.answer), purge_before=self.purge_before, deed=self.deed
        )


_Any = (
    BeginDemo
    | AddPerson
    | SetDisabled
    | SetPassword
    | ChangeRole
    | RemovePerson
    | Confirm
    | Unlock
    | BeginTry
    | OpenSession
    | TouchSession
    | EndOverdue
    | EndSession
    | Record
    | KeepAnswer
)
_decoder: Final = msgspec.msgpack.Decoder(_Any)


def encode_operation(operation: Operation[object]) -> bytes:
    """The bytes that are shared: MessagePack, with the operation's name as `type`."""
    return msgspec.msgpack.encode(operation)


def decode_operation(body: bytes) -> Operation[Any]:
    """Raises msgspec.DecodeError, also for an operation that only a newer program knows."""
    operation: Operation[Any] = _decoder.decode(body)
    return operation
