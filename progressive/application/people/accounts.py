"""Use cases of whoever looks after the people: add, list, disable, enable, set a password."""

from collections.abc import Sequence
from enum import StrEnum

from progressive.application.clock import Clock
from progressive.application.people.act_log import Deed, Details, Outcome
from progressive.application.people.ports import AccountStore, KnownPerson, Passwords
from progressive.domain.people.names import key_to_find, name_problem
from progressive.domain.people.passwords import password_problem
from progressive.domain.people.roles import Act, Person


class BadPersonError(ValueError):
    """What was asked cannot be; the message says why."""


class _What(StrEnum):
    ADD = "add"
    DISABLE = "disable"
    ENABLE = "enable"
    PASSWORD = "password"  # noqa: S105 - the name of an act


class People:
    """Everybody who may log in. `where` says from where it is done, for the act log."""

    def __init__(self, store: AccountStore, passwords: Passwords, clock: Clock) -> None:
        self._store = store
        self._passwords = passwords
        self._clock = clock

    async def add(self, person: Person, password: str, *, where: str) -> None:
        """Somebody new; raises BadPersonError."""
        for what, text in (("name", person.name), ("department", person.department)):
            if (problem := name_problem(text)) is not None:
                raise BadPersonError(f"{text!r} cannot be a {what}: {problem}")
        hashed = await self._hashed(person.name, password)
        deed = self._deed(
            _What.ADD, person.name, where, role=person.role, department=person.department
        )
        if not await self._store.add_person(person, hashed, deed):
            raise BadPersonError(f"there is a user {person.name!r} already")

    async def everybody(self) -> Sequence[KnownPerson]:
        """All, by name."""
        return await self._store.people()

    async def disable(self, name: str, *, where: str) -> None:
        """No log-in any more, and every session of theirs ends now."""
        deed = self._deed(_What.DISABLE, name, where)
        self._must_exist(name, await self._store.set_disabled(key_to_find(name), True, deed))

    async def enable(self, name: str, *, where: str) -> None:
        """They may log in again."""
        deed = self._deed(_What.ENABLE, name, where)
        self._must_exist(name, await self._store.set_disabled(key_to_find(name), False, deed))

    async def set_password(self, name: str, password: str, *, where: str) -> None:
        """A new password; it unlocks, and ends the sessions opened with the former one."""
        hashed = await self._hashed(name, password)
        deed = self._deed(_What.PASSWORD, name, where)
        self._must_exist(name, await self._store.set_password(key_to_find(name), hashed, deed))

    async def _hashed(self, name: str, password: str) -> str:
        if (problem := password_problem(password, name=name)) is not None:
            raise BadPersonError(f"the password will not do: {problem}")
        return await self._passwords.hash(password)

    @staticmethod
    def _must_exist(name: str, found: bool) -> None:
        if not found:
            raise BadPersonError(f"there is no user {name!r}")

    def _deed(self, what: _What, name: str, where: str, **more: str) -> Deed:
        details: Details = {"what": what, "name": name, **more}
        return Deed(
            at=self._clock.now(),
            who=None,
            where=where,
            act=Act.MANAGE_USERS,
            outcome=Outcome.DONE,
            details=details,
        )
