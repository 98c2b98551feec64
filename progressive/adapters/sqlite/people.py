"""People, sessions, the act log and kept answers in one small SQLite file beside the journal.

One thread of its own: the loop never waits for the disk, and a slow journal never waits for this.
"""

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import structs

from progressive.adapters.sqlite.file import transaction
from progressive.adapters.sqlite.people_file import FILE, open_people_file
from progressive.adapters.sqlite.people_lanes import (
    count_try,
    familiar_marks,
    free_lanes,
    remember,
)
from progressive.adapters.sqlite.people_rows import (
    PERSON,
    PERSON_COLUMNS,
    another_may_confirm,
    append,
    append_change,
    close_set_up,
    end_sessions,
    find,
    is_last_admin,
    known_people,
    mark_unconfirmed,
    origin_of,
    person_of,
    recorded,
)
from progressive.application.journal.ports import StoreError
from progressive.application.people.act_log import Deed, decode_act
from progressive.application.people.ports import (
    EXPIRED,
    KeptAnswer,
    KnownPerson,
    NotChanged,
    StoredSession,
    Try,
)
from progressive.application.people.tries import Lane
from progressive.domain.people.names import name_key
from progressive.domain.people.roles import Person, Role

log = logging.getLogger(__name__)

T = TypeVar("T")


class SqlitePeople:
    """`application.people.ports.PeopleStore`. The file is opened when it is first needed."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="people")
        self._connection: sqlite3.Connection | None = None

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
        """The account counts as any other from now on."""

        def change(db: sqlite3.Connection) -> Person | NotChanged:
            person = find(db, key)
            if person is None:
                return NotChanged.NOBODY
            if not person.unconfirmed:
                return NotChanged.NOTHING_TO_CONFIRM
            if by is Role.SUPERVISOR and (
                person.role is not Role.ADMIN or another_may_confirm(db, key)
            ):
                return NotChanged.NOT_THEIRS_TO_CONFIRM
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

    async def familiar(self, key: str, marks: Collection[str], *, since: str) -> frozenset[str]:
        """Where somebody has signed in."""
        return await self._read(lambda db: familiar_marks(db, key, marks, since))

    async def begin_try(self, key: str, *, at: str, lanes: Sequence[Lane]) -> Try | None:
        """Count the try, then hand out what it is judged by."""

        def begin(db: sqlite3.Connection) -> Try | None:
            row = db.execute(
                f"SELECT {PERSON}, password, locked_until FROM person WHERE key = ?",  # noqa: S608 - a constant
                (key,),
            ).fetchone()
            if row is None:
                # The commit of a try takes its time: a name that nobody has must cost one too.
                db.execute("UPDATE act_head SET seq = seq")
                return None
            person, (password_hash, locked_until) = person_of(row), row[PERSON_COLUMNS:]
            locked = locked_until is not None and at < locked_until
            if locked or not count_try(db, key, lanes, at):
                # A lane without a try left must not be told from one with, by the commit.
                db.execute("UPDATE act_head SET seq = seq")
                return Try(person, password_hash, locked=True)
            return Try(person, password_hash, locked=False)

        return await self._write(begin)

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
        """The session, unless the person is not as the try found them."""

        def open_it(db: sqlite3.Connection) -> bool:
            welcome = db.execute(
                "UPDATE person SET bad_tries = 0, locked_until = NULL "
                "WHERE key = ? AND password = ? AND NOT disabled",
                (key, password_hash),
            )
            if welcome.rowcount:
                if (person := find(db, key)) is not None:
                    close_set_up(db, person, deed.at)
                free_lanes(db, key, lanes)
                db.execute("DELETE FROM familiar WHERE at < ?", (forget_before,))
                remember(db, key, marks, deed.at)
                db.execute("DELETE FROM session WHERE opened_at < ?", (purge_before,))
                db.execute(
                    "INSERT INTO session (token_sha256, person, opened_at, used_at) "
                    "VALUES (?, ?, ?, ?)",
                    (token_sha256, key, deed.at, deed.at),
                )
            return recorded(db, deed, if_changed=welcome)

        return await self._write(open_it)

    async def session(self, token_sha256: str) -> StoredSession | None:
        """The session of a token."""

        def read(db: sqlite3.Connection) -> StoredSession | None:
            row = db.execute(
                f"SELECT {PERSON}, opened_at, used_at, ended "  # noqa: S608 - a constant
                "FROM session JOIN person ON person.key = session.person WHERE token_sha256 = ?",
                (token_sha256,),
            ).fetchone()
            return None if row is None else StoredSession(person_of(row), *row[PERSON_COLUMNS:])

        return await self._read(read)

    async def touch_session(self, token_sha256: str, *, at: str) -> None:
        """It was used."""

        def touch(db: sqlite3.Connection) -> None:
            db.execute("UPDATE session SET used_at = ? WHERE token_sha256 = ?", (at, token_sha256))

        await self._write(touch)

    async def end_overdue(self, *, opened_before: str, used_before: str) -> None:
        """One statement, and no commit where nothing is overdue."""
        overdue = "ended IS NULL AND (opened_at <= ? OR used_at <= ?)"
        values = (opened_before, used_before)

        def end(db: sqlite3.Connection) -> None:
            found = db.execute(f"SELECT 1 FROM session WHERE {overdue} LIMIT 1", values)  # noqa: S608 - a constant
            if found.fetchone() is not None:
                with transaction(db):
                    db.execute(
                        f"UPDATE session SET ended = ? WHERE {overdue}",  # noqa: S608 - a constant
                        (EXPIRED, *values),
                    )

        await self._read(end)

    async def latest_time(self) -> str:
        """Of sessions and of the last record of the act log."""

        def read(db: sqlite3.Connection) -> str:
            times = list(db.execute("SELECT max(opened_at), max(used_at) FROM session").fetchone())
            last = db.execute("SELECT body FROM act ORDER BY seq DESC LIMIT 1").fetchone()
            # A damaged record is for `verify` to name: nobody is locked out for it.
            with contextlib.suppress(msgspec.DecodeError):
                times += [] if last is None else [decode_act(last[0]).at]
            return max([str(at) for at in times if at is not None], default="")

        return await self._read(read)

    async def end_session(self, token_sha256: str, deed: Deed) -> None:
        """Its owner logged out."""

        def end(db: sqlite3.Connection) -> None:
            db.execute(
                "UPDATE session SET ended = 'logged out' WHERE token_sha256 = ? AND ended IS NULL",
                (token_sha256,),
            )
            append(db, deed)

        await self._write(end)

    async def record(self, deed: Deed) -> None:
        """One more record of the act log."""
        await self._write(lambda db: append(db, deed))

    async def acts(self, *, after_seq: int, limit: int) -> Sequence[bytes]:
        """Records as stored."""

        def read(db: sqlite3.Connection) -> list[bytes]:
            rows = db.execute(
                "SELECT body FROM act WHERE seq > ? ORDER BY seq LIMIT ?", (after_seq, limit)
            )
            return [row[0] for row in rows]

        return await self._read(read)

    async def newest_acts(self, *, limit: int) -> Sequence[bytes]:
        """Records as stored."""

        def read(db: sqlite3.Connection) -> list[bytes]:
            rows = db.execute("SELECT body FROM act ORDER BY seq DESC LIMIT ?", (limit,))
            return [row[0] for row in rows][::-1]

        return await self._read(read)

    async def answer(self, who: str, key: str, *, since: str) -> KeptAnswer | None:
        """What was answered under that key."""

        def read(db: sqlite3.Connection) -> KeptAnswer | None:
            row = db.execute(
                "SELECT request_sha256, status, body FROM answer "
                "WHERE person = ? AND key = ? AND at >= ?",
                (name_key(who), key, since),
            ).fetchone()
            return None if row is None else KeptAnswer(*row)

        return await self._read(read)

    async def keep_answer(
        self, who: str, key: str, answer: KeptAnswer, *, purge_before: str, deed: Deed
    ) -> None:
        """The answer and the deed together."""

        def keep(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM answer WHERE at < ?", (purge_before,))
            db.execute(
                "INSERT INTO answer VALUES (?, ?, ?, ?, ?, ?)",
                (
                    *(name_key(who), key, deed.at),
                    *(answer.request_sha256, answer.status, answer.body),
                ),
            )
            append(db, deed)

        await self._write(keep)

    async def close(self) -> None:
        """Close the file, end the thread."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown()

    # --- in the thread -----------------------------------------------------------------------

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def whole(db: sqlite3.Connection) -> T:
            with transaction(db):
                return work(db)

        return await self._read(whole)

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._do, work)

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            if self._connection is None:
                self._connection = open_people_file(self._directory)
            return work(self._connection)
        except StoreError:
            self._disconnect()
            raise
        except (sqlite3.Error, OSError, ValueError) as error:
            # The connection's idea of the file can no longer be trusted: start from the disk.
            self._disconnect()
            raise FILE.translated(error) from error

    def _disconnect(self) -> None:
        if self._connection is not None:
            try:
                self._connection.close()
            except sqlite3.Error:
                log.exception("closing the people file failed")
            self._connection = None
