"""Alarms about accounts: each that was made or changed at the machine, until it is confirmed.

Read from the accounts themselves and not from the act log: such an alarm must outlive any number of
later acts and starts.
"""

from typing import Final

from progressive.application.floor.alarms import AlarmBook
from progressive.application.people.ports import AccountStore, KnownPerson
from progressive.domain.alarms import AlarmKind

_DONE: Final = {
    "add": "added",
    "enable": "enabled again",
    "password": "given another password",
    "role": "given another role or department",
}


class AlarmsOfAccounts:
    """Looks at the accounts and keeps the book of alarms in step with them."""

    def __init__(self, book: AlarmBook, accounts: AccountStore) -> None:
        self._book = book
        self._accounts = accounts
        self._standing: set[str] = set()

    async def look(self) -> None:
        """One look. Raises the store's error; nothing changes then."""
        now: set[str] = set()
        for known in await self._accounts.unconfirmed_people():
            now.add(known.person.name)
            self._raise(known)
        for name in self._standing - now:
            self._book.drop(AlarmKind.ACCOUNT_UNCONFIRMED, name)
        self._standing = now

    def _raise(self, known: KnownPerson) -> None:
        if (made := known.unconfirmed) is None:
            return
        person = known.person
        self._book.raise_alarm(
            AlarmKind.ACCOUNT_UNCONFIRMED,
            person.name,
            at=made.at,
            message=(
                f"{person.role}, {person.department}: {_DONE.get(made.what, made.what)} at the "
                f"machine ({made.by}); signs for nothing until a colleague confirms it"
            ),
        )
