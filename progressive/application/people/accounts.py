"""Use cases of account management: add, list, change, disable, enable, set a password, remove.

`by` is the administrator in whose session it is done. Without one it is done at the machine: once
the house is set up, such an account signs for nothing until a colleague confirms it.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from msgspec import structs

from progressive.application.clock import Clock
from progressive.application.people.act_log import Deed, Details, Outcome
from progressive.application.people.ports import AccountStore, KnownPerson, NotChanged, Passwords
from progressive.application.people.tries import address_mark
from progressive.domain.people.look_alikes import looks_like_another
from progressive.domain.people.names import key_to_find, name_problem
from progressive.domain.people.passwords import password_problem
from progressive.domain.people.roles import Act, Person, Role
from progressive.domain.text import tidied


class BadPersonError(ValueError):
    """What was asked cannot be done; the message says why."""


class LastAdminError(BadPersonError):
    """Nobody else is an admin who may log in."""


class NotTheirsError(BadPersonError):
    """Somebody else must confirm it."""


class _What(StrEnum):
    ADD = "add"
    DISABLE = "disable"
    ENABLE = "enable"
    PASSWORD = "password"  # noqa: S105 - the name of an act
    ROLE = "role"
    REMOVE = "remove"
    CONFIRM = "confirm"
    UNLOCK = "unlock"


class People:
    """Everybody who may log in. `where` says from where it is done, for the act log."""

    def __init__(self, store: AccountStore, passwords: Passwords, clock: Clock) -> None:
        self._store = store
        self._passwords = passwords
        self._clock = clock

    async def add(
        self, person: Person, password: str, *, where: str, by: Person | None = None
    ) -> None:
        """Somebody new; raises BadPersonError."""
        person = structs.replace(
            person, name=tidied(person.name), department=tidied(person.department)
        )
        _check("name", person.name)
        _check("department", person.department)
        hashed = await self._hashed(person.name, password)
        known = [each.person for each in await self._store.people()]
        _refuse_look_alike("name", person.name, [each.name for each in known])
        _refuse_look_alike("department", person.department, [each.department for each in known])
        deed = self._deed(
            _What.ADD,
            person.name,
            where,
            by,
            more={"role": person.role, "department": person.department},
        )
        if not await self._store.add_person(person, hashed, deed):
            raise BadPersonError(f"there is a user {person.name!r} already")

    async def unconfirmed(self) -> Sequence[KnownPerson]:
        """Those who sign for nothing until a colleague confirms their account."""
        return await self._store.unconfirmed_people()

    async def everybody(self) -> Sequence[KnownPerson]:
        """All, by name."""
        return await self._store.people()

    async def disable(self, name: str, *, where: str, by: Person | None = None) -> None:
        """No log-in any more, and every session of theirs ends now."""
        deed = self._deed(_What.DISABLE, name, where, by)
        self._must_exist(name, await self._store.set_disabled(key_to_find(name), True, deed))

    async def enable(self, name: str, *, where: str, by: Person | None = None) -> None:
        """They may log in again."""
        deed = self._deed(_What.ENABLE, name, where, by)
        self._must_exist(name, await self._store.set_disabled(key_to_find(name), False, deed))

    async def change_role(
        self,
        name: str,
        role: Role | None,
        department: str | None,
        *,
        even_the_last_admin: bool,
        where: str,
        by: Person | None = None,
    ) -> Person:
        """Another role, another department or both; None: as it is. Every session ends now.

        Returns the person as they are afterwards. Raises BadPersonError; LastAdminError unless
        `even_the_last_admin`.
        """
        more: dict[str, str] = {}
        if role is not None:
            more["role"] = role
        if department is not None:
            department = tidied(department)
            _check("department", department)
            known = [each.person.department for each in await self._store.people()]
            _refuse_look_alike("department", department, known)
            more["department"] = department
        changed = await self._store.change_role(
            key_to_find(name),
            role,
            department,
            even_the_last_admin=even_the_last_admin,
            deed=self._deed(_What.ROLE, name, where, by, more=more),
        )
        return _changed(name, changed)

    async def remove(
        self, name: str, *, even_the_last_admin: bool, where: str, by: Person | None = None
    ) -> None:
        """No account any more, and no session. What the journal and the act log say stays.

        Raises BadPersonError; LastAdminError unless `even_the_last_admin`.
        """
        removed = await self._store.remove_person(
            key_to_find(name),
            even_the_last_admin=even_the_last_admin,
            deed=self._deed(_What.REMOVE, name, where, by),
        )
        _changed(name, removed)

    async def set_password(
        self, name: str, password: str, *, where: str, by: Person | None = None
    ) -> None:
        """A new password; it unlocks, and ends the sessions opened with the former one."""
        hashed = await self._hashed(name, password)
        deed = self._deed(_What.PASSWORD, name, where, by)
        self._must_exist(name, await self._store.set_password(key_to_find(name), hashed, deed))

    async def confirm(self, name: str, by: Person, *, where: str) -> Person:
        """A colleague stands for what was done to an account at the machine.

        The person that is returned is unconfirmed still where another one must do so too. Raises
        BadPersonError. That it is a colleague is for the caller to ask (`unfit`).
        """
        deed = self._deed(_What.CONFIRM, name, where, by, act=Act.CONFIRM_USER)
        return _changed(name, await self._store.confirm(key_to_find(name), by.role, deed))

    async def unlock(self, name: str, *, where: str, by: Person | None = None) -> Person:
        """Forget the bad tries; where it is done from is familiar from now on."""
        deed = self._deed(_What.UNLOCK, name, where, by, act=Act.UNLOCK_USER)
        marks = [] if by is None else [address_mark(where)]
        return _changed(name, await self._store.unlock(key_to_find(name), marks, deed))

    async def begin_demo(self) -> None:
        """The accounts of a demo's folder are its own, at every start."""
        await self._store.begin_demo()

    async def _hashed(self, name: str, password: str) -> str:
        if (problem := password_problem(password, name=name)) is not None:
            raise BadPersonError(f"password rejected: {problem}")
        return await self._passwords.hash(password)

    @staticmethod
    def _must_exist(name: str, found: bool) -> None:
        if not found:
            _changed(name, NotChanged.NOBODY)

    def _deed(
        self,
        what: _What,
        name: str,
        where: str,
        by: Person | None,
        *,
        act: Act = Act.MANAGE_USERS,
        more: Mapping[str, str] = MappingProxyType({}),
    ) -> Deed:
        details: Details = {"what": what, "name": name, **more}
        return Deed(
            at=self._clock.now(),
            who=None if by is None else by.name,
            where=where,
            act=act,
            outcome=Outcome.DONE,
            details=details,
        )


def _check(what: str, text: str) -> None:
    if (problem := name_problem(text)) is not None:
        raise BadPersonError(f"{text!r} cannot be a {what}: {problem}")


def _refuse_look_alike(what: str, text: str, known: Sequence[str]) -> None:
    for other in known:
        if looks_like_another(text, other):
            raise BadPersonError(
                f"{text!r} looks like the {what} {other!r}, which is another: give one that can be "
                "told from it"
            )


def _changed(name: str, outcome: Person | NotChanged) -> Person:
    match outcome:
        case NotChanged.NOBODY:
            raise BadPersonError(f"there is no user {name!r}")
        case NotChanged.LAST_ADMIN:
            raise LastAdminError(f"{name} is the last admin who may log in")
        case NotChanged.NOTHING_TO_CONFIRM:
            raise BadPersonError(f"there is nothing to confirm about {name}")
        case NotChanged.NOT_THEIRS_TO_CONFIRM:
            raise NotTheirsError(f"an administrator or compliance confirms {name}")
        case person:
            return person
