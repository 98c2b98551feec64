"""People, sessions, the act log and kept answers in one small SQLite file beside the journal.

One thread of its own: the loop never waits for the disk, and a slow journal never waits for this.
"""

import contextlib
import sqlite3
from collections.abc import Collection, Sequence

import msgspec

from progressive.adapters.sqlite.people_accounts import SqliteAccounts
from progressive.adapters.sqlite.people_lanes import (
    count_try,
    familiar_marks,
    free_lanes,
    remember,
)
from progressive.adapters.sqlite.people_rows import (
    PERSON,
    PERSON_COLUMNS,
    any_overdue,
    append,
    close_set_up,
    find,
    mark_overdue,
    person_of,
    recorded,
)
from progressive.application.people.act_log import Deed, decode_act
from progressive.application.people.ports import (
    KeptAnswer,
    StoredSession,
    Try,
)
from progressive.application.people.tries import Lane
from progressive.domain.people.names import name_key


class SqlitePeople(SqliteAccounts):
    """`application.people.ports.PeopleStore`: sessions, the act log and stored answers besides."""

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
        if await self._read(lambda db: any_overdue(db, opened_before, used_before)):
            await self._write(lambda db: mark_overdue(db, opened_before, used_before))

    async def latest_time(self) -> str:
        """The latest time of sessions and of the last record of the act log."""

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
