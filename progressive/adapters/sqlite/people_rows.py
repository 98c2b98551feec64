"""Rows of the people file: what every change of accounts and sessions has in common.

Functions on an open connection, within the transaction of whoever calls them.
"""

import sqlite3
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import structs

from progressive.adapters.sqlite.people_lanes import lanes_by_person
from progressive.application.journal.record import hash_record
from progressive.application.people.act_log import Deed, decode_act, encode_act
from progressive.application.people.ports import EXPIRED, KnownPerson, Origin, Unconfirmed
from progressive.domain.people.names import name_key
from progressive.domain.people.roles import Act, Person, Role

PERSON: Final = "name, role, department, disabled, unconfirmed"
PERSON_COLUMNS: Final = 5
SECOND_NEEDED: Final = "second_needed"
"""Said in the act log of a word for an account that needs another person's besides."""


def person_of(row: Sequence[object]) -> Person:
    """Somebody, of a row that begins with `PERSON`."""
    name, role, department, disabled, unconfirmed = row[:PERSON_COLUMNS]
    return Person(
        str(name), Role(str(role)), str(department), bool(disabled), unconfirmed is not None
    )


def known_people(db: sqlite3.Connection, where: str = "") -> list[KnownPerson]:
    """By name; `where` is a constant clause."""
    lanes = lanes_by_person(db)
    rows = db.execute(
        f"SELECT {PERSON}, key, origin, unconfirmed_at, unconfirmed_by, locked_until "  # noqa: S608 - constants
        f"FROM person {where} ORDER BY key"
    )
    found: list[KnownPerson] = []
    for row in rows:
        what, (key, origin, at, by, locked_until) = row[4], row[PERSON_COLUMNS:]
        unconfirmed = None if what is None else Unconfirmed(what, at or "", by or "")
        known = (person_of(row), Origin(origin), unconfirmed, lanes.get(key, {}), locked_until)
        found.append(KnownPerson(*known))
    return found


def find(db: sqlite3.Connection, key: str) -> Person | None:
    """Somebody by the name's key."""
    row = db.execute(f"SELECT {PERSON} FROM person WHERE key = ?", (key,)).fetchone()  # noqa: S608 - a constant
    return None if row is None else person_of(row)


def is_last_admin(db: sqlite3.Connection, key: str, person: Person) -> bool:
    """Whether without this person no admin could log in."""
    if person.role is not Role.ADMIN or person.disabled:
        return False
    others = "SELECT 1 FROM person WHERE key <> ? AND role = ? AND NOT disabled LIMIT 1"
    return db.execute(others, (key, Role.ADMIN)).fetchone() is None


def end_sessions(db: sqlite3.Connection, key: str, why: str) -> None:
    """All of one person's that are not over."""
    db.execute("UPDATE session SET ended = ? WHERE person = ? AND ended IS NULL", (why, key))


_OVERDUE: Final = "ended IS NULL AND (opened_at <= ? OR used_at <= ?)"


def any_overdue(db: sqlite3.Connection, opened_before: str, used_before: str) -> bool:
    """Whether time has ended a session that is not marked."""
    found = f"SELECT 1 FROM session WHERE {_OVERDUE} LIMIT 1"  # noqa: S608 - a constant
    return db.execute(found, (opened_before, used_before)).fetchone() is not None


def mark_overdue(db: sqlite3.Connection, opened_before: str, used_before: str) -> None:
    """Time has ended them."""
    db.execute(
        f"UPDATE session SET ended = ? WHERE {_OVERDUE}",  # noqa: S608 - a constant
        (EXPIRED, opened_before, used_before),
    )


def recorded(db: sqlite3.Connection, deed: Deed, *, if_changed: sqlite3.Cursor) -> bool:
    """Record what was done to an account, where it was; say whether it was."""
    if not if_changed.rowcount:
        return False
    append_change(db, deed)
    return True


def append(db: sqlite3.Connection, deed: Deed) -> None:
    """The next record, chained to the last whoever wrote that. Within a transaction only."""
    last_seq, head = db.execute("SELECT seq, head FROM act_head").fetchone()
    seq = last_seq + 1
    record = encode_act(seq, head, deed)
    db.execute("INSERT INTO act VALUES (?, ?)", (seq, record))
    db.execute("UPDATE act_head SET seq = ?, head = ?", (seq, hash_record(record)))


# --- who made an account, and who has confirmed it ----------------------------------------------


def append_change(db: sqlite3.Connection, deed: Deed) -> None:
    """A change of an account; the record says where nobody's session stood behind it."""
    if deed.who is None and is_set_up(db):
        deed = structs.replace(deed, details={**deed.details, "unconfirmed": True})
    append(db, deed)


def is_set_up(db: sqlite3.Connection) -> bool:
    """Whether an administrator has ever signed in here."""
    set_up: str | None = db.execute("SELECT set_up FROM house").fetchone()[0]
    return set_up is not None


def close_set_up(db: sqlite3.Connection, person: Person, at: str) -> None:
    """An administrator's sign-in ends the first set-up; a demo has none."""
    if person.role is Role.ADMIN:
        db.execute("UPDATE house SET set_up = ? WHERE set_up IS NULL AND NOT demo", (at,))


def origin_of(db: sqlite3.Connection, deed: Deed) -> Origin:
    """Who makes the account that this deed is about."""
    if deed.who is not None:
        return Origin.ADMINISTRATOR
    return Origin.MACHINE if is_set_up(db) else Origin.FIRST


def mark_unconfirmed(db: sqlite3.Connection, key: str, deed: Deed) -> None:
    """Where nobody's session stands behind the deed; the first set-up is nobody's to confirm."""
    if deed.who is None and is_set_up(db):
        db.execute(
            "UPDATE person SET unconfirmed = ?, unconfirmed_at = ?, unconfirmed_by = ? "
            "WHERE key = ?",
            (str(deed.details.get("what", "changed")), deed.at, deed.where, key),
        )


def another_may_confirm(db: sqlite3.Connection, key: str) -> bool:
    """Whether an administrator or somebody of compliance, other than this person, could."""
    others = (
        "SELECT 1 FROM person WHERE key <> ? AND role IN (?, ?) AND NOT disabled "
        "AND unconfirmed IS NULL LIMIT 1"
    )
    return db.execute(others, (key, Role.ADMIN, Role.COMPLIANCE)).fetchone() is not None


def another_stands_for(db: sqlite3.Connection, key: str, deed: Deed) -> bool:
    """Whether somebody else has given their word since the account was last changed."""
    for (stored,) in db.execute("SELECT body FROM act ORDER BY seq DESC"):
        try:
            act = decode_act(stored)
        except msgspec.DecodeError:
            # A damaged record is for `verify` to name: it is nobody's word.
            continue
        if name_key(str(act.details.get("name", ""))) != key:
            continue
        if act.act == Act.MANAGE_USERS:
            return False
        if SECOND_NEEDED in act.details and name_key(act.who or "") != name_key(deed.who or ""):
            return True
    return False
