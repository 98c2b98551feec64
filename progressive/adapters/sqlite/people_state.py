"""The state of a people file as one text of bytes, and how far it holds the log that nodes share.

Functions on an open connection, within the transaction of whoever calls them.
"""

import secrets
import sqlite3
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

import msgspec

from progressive.application.people.shared_log import (
    Beginning,
    LogEntry,
    LogPlace,
    PeopleDifferError,
)

TABLES: Final = (
    *("person", "session", "act", "act_head", "answer", "house", "log_in_lane", "familiar"),
)
"""All of the file, but for its place in the log."""
STATE_BYTES_MAX: Final = 16 * 2**20
"""A larger state is not copied through the log."""

_decoder: Final = msgspec.msgpack.Decoder(dict[str, list[list[Any]]])
"""Rows by table."""


def place_of(db: sqlite3.Connection) -> LogPlace | None:
    """Behind which entry the file is; None: it is this node's alone."""
    row = db.execute("SELECT number, head FROM shared_place").fetchone()
    return None if row is None else LogPlace(*row)


def set_place(db: sqlite3.Connection, place: LogPlace | None) -> None:
    """The file holds the log up to there."""
    db.execute("DELETE FROM shared_place")
    if place is not None:
        db.execute("INSERT INTO shared_place VALUES (?, ?)", (place.number, place.head))


def last_act_hash(db: sqlite3.Connection) -> str:
    """Where the act log ends."""
    head: str = db.execute("SELECT head FROM act_head").fetchone()[0]
    return head


def is_empty(db: sqlite3.Connection) -> bool:
    """No account and no act: whatever a file that was just made holds."""
    found = "SELECT EXISTS (SELECT 1 FROM person) OR EXISTS (SELECT 1 FROM act)"
    return not db.execute(found).fetchone()[0]


def beginning(db: sqlite3.Connection) -> Beginning:
    """What a log begins with that this file begins."""
    return Beginning(
        log=secrets.token_hex(16),
        form=_form(db),
        sha256=_digest(db),
        state=_state(db),
    )


def take_over(db: sqlite3.Connection, first: LogEntry, begun: Beginning) -> None:
    """Hold what a log began with; raises PeopleDifferError."""
    if begun.form != _form(db):
        raise PeopleDifferError(
            f"the shared log of people began with version {begun.form} of people.sqlite3, and "
            f"this program writes {_form(db)}: copy the file from another node, which holds more"
        )
    if is_empty(db):
        if begun.state is None:
            raise PeopleDifferError(
                "the people that the nodes share are too many to be sent through the log: copy "
                "people.sqlite3 from another node into this data directory"
            )
        _load(db, begun.state)
    if _digest(db) != begun.sha256 or last_act_hash(db) != first.acts:
        raise PeopleDifferError(
            "people.sqlite3 on this node has accounts or acts of its own, and the nodes share "
            "others: move it away, and the shared ones are copied"
        )
    set_place(db, first.place)


def _form(db: sqlite3.Connection) -> int:
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    return version


def _state(db: sqlite3.Connection) -> bytes | None:
    size = 0
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for table, row in _rows(db):
        rows.setdefault(table, []).append(row)
        size += sum([len(value) if isinstance(value, str | bytes) else 9 for value in row])
        if size > STATE_BYTES_MAX:
            return None
    return msgspec.msgpack.encode(rows)


def _load(db: sqlite3.Connection, state: bytes) -> None:
    try:
        rows = _decoder.decode(state)
    except msgspec.DecodeError as error:
        raise PeopleDifferError(f"the shared people cannot be read: {error}") from None
    # An empty file has a row in each of these.
    db.execute("DELETE FROM act_head")
    db.execute("DELETE FROM house")
    for table in TABLES:
        for row in rows.get(table, []):
            marks = ", ".join("?" * len(row))
            db.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608 - constants


def _digest(db: sqlite3.Connection) -> str:
    digest = sha256()
    for table, row in _rows(db):
        digest.update(msgspec.msgpack.encode((table, row)))
    return digest.hexdigest()


def _rows(db: sqlite3.Connection) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Always in the same order: the first two columns tell rows apart."""
    for table in TABLES:
        for row in db.execute(f"SELECT * FROM {table} ORDER BY 1, 2"):  # noqa: S608 - constants
            yield table, row
