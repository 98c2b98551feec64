"""People that several nodes share: the same changes in the same order, made on each node's copy.

A change is made on this node's copy, appended to the log behind the last entry that the copy holds,
and committed when the log has it. Where another node was quicker, the log refuses it: the copy then
catches up, and the change is judged again. A crash between the two leaves a copy that lacks the
node's own entry: catching up heals it. What is read is as old as `FRESH_SECONDS` at most: a session
that ended, or an account that was disabled, on another node opens nothing here.
"""

import asyncio
from collections.abc import Collection, Sequence
from typing import Final, TypeVar

from progressive.application.clock import Clock
from progressive.application.journal.ports import StoreConflictError, StoreUnavailableError
from progressive.application.people import operations
from progressive.application.people.act_log import Deed
from progressive.application.people.operations import Operation
from progressive.application.people.ports import (
    KeptAnswer,
    KnownPerson,
    NotChanged,
    StoredSession,
    Try,
)
from progressive.application.people.shared_log import (
    LogEntry,
    LogPlace,
    PeopleCopy,
    PeopleDifferError,
    PeopleLog,
)
from progressive.application.people.tries import Lane
from progressive.domain.people.roles import Person, Role

T = TypeVar("T")

FRESH_SECONDS: Final = 0.2
"""How long what another node changed may be unseen here."""
READ_ENTRIES: Final = 256
"""Applied in one commit."""
CONFLICTS_MAX: Final = 32
"""Times that others may be quicker before a change is given up."""


class SharedPeople:
    """Implements `application.people.ports.PeopleStore`."""

    def __init__(self, log: PeopleLog, copy: PeopleCopy, clock: Clock) -> None:
        self._log = log
        self._copy = copy
        self._clock = clock
        self._turn = asyncio.Lock()
        self._fresh_at: float | None = None
        """When the last look began that brought the copy to the log's end."""
        self._failed: tuple[float, StoreUnavailableError] | None = None
        """When the last look failed, and why."""

    async def close(self) -> None:
        """Close both."""
        await self._copy.close()
        await self._log.close()

    # --- following the log --------------------------------------------------------------------

    async def _do(self, operation: Operation[T]) -> T:
        for _ in range(CONFLICTS_MAX):
            began = self._clock.monotonic()
            try:
                done = await self._copy.propose(operation, self._log.append)
            except StoreConflictError:
                async with self._turn:
                    await self._catch_up(begin=True)
                continue
            self._fresh_at = began
            return done
        raise StoreUnavailableError(
            f"other nodes changed people {CONFLICTS_MAX} times while this change waited: try again"
        )

    async def _freshened(self) -> PeopleCopy:
        """The copy, with all that the log had a moment ago."""
        asked_at = self._clock.monotonic()
        async with self._turn:
            # Whoever waited behind a look that failed does not wait for another one.
            if self._failed is not None and self._failed[0] >= asked_at:
                raise StoreUnavailableError(str(self._failed[1])) from self._failed[1]
            if self._fresh_at is not None and asked_at - self._fresh_at < FRESH_SECONDS:
                return self._copy
            began = self._clock.monotonic()
            try:
                await self._catch_up(begin=False)
            except StoreUnavailableError as error:
                self._failed = (self._clock.monotonic(), error)
                raise
            self._fresh_at = began
        return self._copy

    async def _catch_up(self, *, begin: bool) -> None:
        """`begin`: also a log that has not begun, though there is nobody here yet."""
        while True:
            place = await self._copy.place()
            if place is None:
                if not await self._joined(begin=begin):
                    return
                continue
            entries = await self._log.read(place.number, limit=READ_ENTRIES)
            following = _following(place, entries)
            if following:
                await self._copy.apply(following)
            if len(entries) < READ_ENTRIES:
                return

    async def _joined(self, *, begin: bool) -> bool:
        """Whether the copy has a place in the log now."""
        first = await self._log.read(1, limit=1)
        if first:
            await self._copy.join(first[0])
            return True
        if not begin and await self._copy.is_empty():
            return False
        try:
            await self._copy.begin(self._log.append)
        except StoreConflictError:
            # Another node has begun it meanwhile.
            await self._copy.join((await self._log.read(1, limit=1))[0])
        return True

    # --- accounts -----------------------------------------------------------------------------

    async def begin_demo(self) -> None:
        """On every node."""
        await self._do(operations.BeginDemo())

    async def add_person(self, person: Person, password_hash: str, deed: Deed) -> bool:
        """On every node."""
        return await self._do(operations.AddPerson(person, password_hash, deed))

    async def people(self) -> Sequence[KnownPerson]:
        """Fresh."""
        return await (await self._freshened()).people()

    async def unconfirmed_people(self) -> Sequence[KnownPerson]:
        """Fresh."""
        return await (await self._freshened()).unconfirmed_people()

    async def set_disabled(self, key: str, disabled: bool, deed: Deed) -> bool:
        """On every node."""
        return await self._do(operations.SetDisabled(key, disabled, deed))

    async def set_password(self, key: str, password_hash: str, deed: Deed) -> bool:
        """On every node."""
        return await self._do(operations.SetPassword(key, password_hash, deed))

    async def change_role(
        self,
        key: str,
        role: Role | None,
        department: str | None,
        *,
        even_the_last_admin: bool,
        deed: Deed,
    ) -> Person | NotChanged:
        """On every node."""
        return await self._do(
            operations.ChangeRole(key, role, department, even_the_last_admin, deed)
        )

    async def remove_person(
        self, key: str, *, even_the_last_admin: bool, deed: Deed
    ) -> Person | NotChanged:
        """On every node."""
        return await self._do(operations.RemovePerson(key, even_the_last_admin, deed))

    async def confirm(self, key: str, by: Role, deed: Deed) -> Person | NotChanged:
        """On every node."""
        return await self._do(operations.Confirm(key, by, deed))

    async def unlock(self, key: str, marks: Collection[str], deed: Deed) -> Person | NotChanged:
        """On every node."""
        return await self._do(operations.Unlock(key, tuple(sorted(marks)), deed))

    # --- sessions -----------------------------------------------------------------------------

    async def familiar(self, key: str, marks: Collection[str], *, since: str) -> frozenset[str]:
        """Fresh."""
        return await (await self._freshened()).familiar(key, marks, since=since)

    async def begin_try(self, key: str, *, at: str, lanes: Sequence[Lane]) -> Try | None:
        """On every node: tries on several nodes are counted together."""
        return await self._do(operations.BeginTry(key, at, tuple(lanes)))

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
        """On every node."""
        return await self._do(
            operations.OpenSession(
                key=key,
                token_sha256=token_sha256,
                password_hash=password_hash,
                purge_before=purge_before,
                deed=deed,
                lanes=tuple(lanes),
                marks=tuple(sorted(marks)),
                forget_before=forget_before,
            )
        )

    async def session(self, token_sha256: str) -> StoredSession | None:
        """Fresh."""
        return await (await self._freshened()).session(token_sha256)

    async def touch_session(self, token_sha256: str, *, at: str) -> None:
        """On every node."""
        await self._do(operations.TouchSession(token_sha256, at))

    async def end_overdue(self, *, opened_before: str, used_before: str) -> None:
        """On every node; nothing is appended where nothing is overdue."""
        if await self._copy.any_overdue(opened_before=opened_before, used_before=used_before):
            await self._do(operations.EndOverdue(opened_before, used_before))

    async def latest_time(self) -> str:
        """Fresh."""
        return await (await self._freshened()).latest_time()

    async def end_session(self, token_sha256: str, deed: Deed) -> None:
        """On every node."""
        await self._do(operations.EndSession(token_sha256, deed))

    # --- acts and answers ---------------------------------------------------------------------

    async def record(self, deed: Deed) -> None:
        """On every node."""
        await self._do(operations.Record(deed))

    async def acts(self, *, after_seq: int, limit: int) -> Sequence[bytes]:
        """Fresh."""
        return await (await self._freshened()).acts(after_seq=after_seq, limit=limit)

    async def newest_acts(self, *, limit: int) -> Sequence[bytes]:
        """Fresh."""
        return await (await self._freshened()).newest_acts(limit=limit)

    async def answer(self, who: str, key: str, *, since: str) -> KeptAnswer | None:
        """Fresh."""
        return await (await self._freshened()).answer(who, key, since=since)

    async def keep_answer(
        self, who: str, key: str, answer: KeptAnswer, *, purge_before: str, deed: Deed
    ) -> None:
        """On every node."""
        await self._do(operations.KeepAnswer(who, key, answer, purge_before, deed))


def _following(place: LogPlace, entries: Sequence[LogEntry]) -> Sequence[LogEntry]:
    """Of entries from the place's own on, those behind it; that one must be the same here."""
    if not entries:
        raise PeopleDifferError(
            f"people.sqlite3 on this node holds {place.number:,} entries of the shared log of "
            "people, and the log ends before: it has lost its end"
        )
    if entries[0].number > place.number:
        if entries[0].number > place.number + 1:
            raise PeopleDifferError(
                f"the shared log of people begins with entry {entries[0].number:,}, and this "
                f"node's people.sqlite3 ends with {place.number:,}: restore a newer one here first"
            )
        return entries
    if entries[0].place != place:
        raise PeopleDifferError(
            f"entry {place.number:,} of the shared log of people is another one than "
            "people.sqlite3 on this node holds"
        )
    return entries[1:]
