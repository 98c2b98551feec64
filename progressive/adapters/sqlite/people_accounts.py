"""Accounts in the people file: made, changed, confirmed, unlocked, removed, each with its act."""

import sqlite3
from collections.abc import Collection, Sequence

from msgspec import structs

from progressive.adapters.sqlite.people_lanes import (
    remember,
)
from progressive.adapters.sqlite.people_rows import (
    SECOND_NEEDED,
    another_may_confirm,
    another_stands_for,
    append,
    append_change,
    end_sessions,
    find,
    is_last_admin,
    known_people,
    mark_unconfirmed,
    origin_of,
    recorded,
)
from progressive.adapters.sqlite.people_thread import PeopleThread
from progressive.application.people.act_log import Deed
from progressive.application.people.ports import (
    KnownPerson,
    NotChanged,
)
from progressive.domain.people.names import name_key
from progressive.domain.people.roles import Person, Role


class SqliteAccounts(PeopleThread):
    """`application.people.ports.AccountStore`."""

    async def add_person(self, person: Person, password_hash: str, deed: Deed) -> bool:
        """Somebody new, unless the name is taken."""

        def add(db: sqlite3.Connection) -> bool:
            key = name_key(person.name)
            added = db.execute(
                "INSERT INTO person (key, name, role, department, password, origin) "
                "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
                (
                    *(key, person.name, person.role, person.department),
                    *(password_hash, origin_of(db, deed)),
                ),
            )
            if added.rowcount:
                mark_unconfirmed(db, key, deed)
            return recorded(db, deed, if_changed=added)

        return await self._write(add)

    async def people(self) -> Sequence[KnownPerson]:
        """Everybody, by name."""
        return await self._read(lambda db: known_people(db))

    async def unconfirmed_people(self) -> Sequence[KnownPerson]:
        """Those that nobody has confirmed."""
        return await self._read(lambda db: known_people(db, "WHERE unconfirmed IS NOT NULL"))

    async def set_disabled(self, key: str, disabled: bool, deed: Deed) -> bool:
        """Disable or enable; disabling ends the sessions."""

        def change(db: sqlite3.Connection) -> bool:
            changed = db.execute("UPDATE person SET disabled = ? WHERE key = ?", (disabled, key))
            if disabled:
                end_sessions(db, key, "disabled")
            else:
                mark_unconfirmed(db, key, deed)
            return recorded(db, deed, if_changed=changed)

        return await self._write(change)

    async def set_password(self, key: str, password_hash: str, deed: Deed) -> bool:
        """Another password, no lock, no session opened with the former one."""

        def change(db: sqlite3.Connection) -> bool:
            changed = db.execute(
                "UPDATE person SET password = ?, bad_tries = 0, locked_until = NULL WHERE key = ?",
                (password_hash, key),
            )
            db.execute("DELETE FROM log_in_lane WHERE person = ?", (key,))
            mark_unconfirmed(db, key, deed)
            end_sessions(db, key, "password changed")
            return recorded(db, deed, if_changed=changed)

        return await self._write(change)

    async def change_role(
        self,
        key: str,
        role: Role | None,
        department: str | None,
        *,
        even_the_last_admin: bool,
        deed: Deed,
    ) -> Person | NotChanged:
        """Another role or department; the sessions opened with the former ones end."""

        def change(db: sqlite3.Connection) -> Person | NotChanged:
            person = find(db, key)
            if person is None:
                return NotChanged.NOBODY
            stays_admin = role is None or role is Role.ADMIN
            if not (stays_admin or even_the_last_admin) and is_last_admin(db, key, person):
                return NotChanged.LAST_ADMIN
            changed = Person(
                person.name, role or person.role, department or person.department, person.disabled
            )
            db.execute(
                "UPDATE person SET role = ?, department = ? WHERE key = ?",
                (changed.role, changed.department, key),
            )
            mark_unconfirmed(db, key, deed)
            end_sessions(db, key, "role changed")
            append_change(db, deed)
            return changed

        return await self._write(change)

    async def remove_person(
        self, key: str, *, even_the_last_admin: bool, deed: Deed
    ) -> Person | NotChanged:
        """The account and what hangs on it; the act log stays."""

        def remove(db: sqlite3.Connection) -> Person | NotChanged:
            person = find(db, key)
            if person is None:
                return NotChanged.NOBODY
            if not even_the_last_admin and is_last_admin(db, key, person):
                return NotChanged.LAST_ADMIN
            for each in ("session", "log_in_lane", "familiar"):
                db.execute(f"DELETE FROM {each} WHERE person = ?", (key,))  # noqa: S608 - constants
            # Whoever is added under this name later must not be given this person's answers.
            db.execute("DELETE FROM answer WHERE person = ?", (key,))
            db.execute("DELETE FROM person WHERE key = ?", (key,))
            append_change(db, deed)
            return person

        return await self._write(remove)

    async def begin_demo(self) -> None:
        """Only where nobody has an account."""

        def begin(db: sqlite3.Connection) -> None:
            db.execute("UPDATE house SET demo = 1 WHERE NOT EXISTS (SELECT 1 FROM person)")

        await self._write(begin)

    async def confirm(self, key: str, by: Role, deed: Deed) -> Person | NotChanged:
        """The account counts as any other from now on; it is unconfirmed still in the person that
        is returned where a second word is needed."""

        def change(db: sqlite3.Connection) -> Person | NotChanged:
            person = find(db, key)
            if person is None:
                return NotChanged.NOBODY
            if not person.unconfirmed:
                return NotChanged.NOTHING_TO_CONFIRM
            if by not in (Role.ADMIN, Role.COMPLIANCE):
                if person.role is not Role.ADMIN or another_may_confirm(db, key):
                    return NotChanged.NOT_THEIRS_TO_CONFIRM
                if not another_stands_for(db, key, deed):
                    details = {**deed.details, SECOND_NEEDED: True}
                    append(db, structs.replace(deed, details=details))
                    return person
            db.execute(
                "UPDATE person SET unconfirmed = NULL, unconfirmed_at = NULL, "
                "unconfirmed_by = NULL WHERE key = ?",
                (key,),
            )
            append(db, deed)
            return structs.replace(person, unconfirmed=False)

        return await self._write(change)

    async def unlock(self, key: str, marks: Collection[str], deed: Deed) -> Person | NotChanged:
        """Every lane is free, and whoever stands beside the colleague has one of their own."""

        def change(db: sqlite3.Connection) -> Person | NotChanged:
            person = find(db, key)
            if person is None:
                return NotChanged.NOBODY
            db.execute("UPDATE person SET bad_tries = 0, locked_until = NULL WHERE key = ?", (key,))
            db.execute("DELETE FROM log_in_lane WHERE person = ?", (key,))
            remember(db, key, marks, deed.at)
            append(db, deed)
            return person

        return await self._write(change)
