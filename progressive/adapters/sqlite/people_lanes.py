"""Rows of the people file about log-ins: bad tries by lane, and where somebody has signed in.

Functions on an open connection, within the transaction of whoever calls them. How many tries a lane
has is decided in `application/people/tries.py`.
"""

import sqlite3
from collections.abc import Collection, Sequence
from typing import Final

from progressive.application.people.tries import Lane
from progressive.domain.time_text import later

MARKS_MAX: Final = 200
"""Browsers and addresses remembered of one person; beyond it the longest unused are forgotten."""


def count_try(db: sqlite3.Connection, key: str, lanes: Sequence[Lane], at: str) -> bool:
    """Whether each lane had a try left; it is counted in all of them or in none."""
    # Lanes that are free again are as good as none.
    db.execute("DELETE FROM log_in_lane WHERE free_at <= ?", (at,))
    after: dict[str, str] = {}
    for lane in lanes:
        row = db.execute(
            "SELECT free_at FROM log_in_lane WHERE person = ? AND lane = ?", (key, lane.name)
        ).fetchone()
        free_at = lane.after_try(None if row is None else row[0], at)
        if free_at is None:
            return False
        after[lane.name] = free_at
    db.executemany(
        "INSERT OR REPLACE INTO log_in_lane (person, lane, free_at) VALUES (?, ?, ?)",
        [(key, name, free_at) for name, free_at in after.items()],
    )
    return True


def free_lanes(db: sqlite3.Connection, key: str, lanes: Sequence[Lane]) -> None:
    """A try in these was good."""
    for lane in lanes:
        if not lane.shared:
            db.execute("DELETE FROM log_in_lane WHERE person = ? AND lane = ?", (key, lane.name))
            continue
        row = db.execute(
            "SELECT free_at FROM log_in_lane WHERE person = ? AND lane = ?", (key, lane.name)
        ).fetchone()
        if row is not None:
            db.execute(
                "UPDATE log_in_lane SET free_at = ? WHERE person = ? AND lane = ?",
                (later(row[0], seconds=-lane.try_seconds), key, lane.name),
            )


def lanes_by_person(db: sqlite3.Connection) -> dict[str, dict[str, str]]:
    """Every lane that holds bad tries."""
    found: dict[str, dict[str, str]] = {}
    for person, lane, free_at in db.execute("SELECT person, lane, free_at FROM log_in_lane"):
        found.setdefault(person, {})[lane] = free_at
    return found


def familiar_marks(
    db: sqlite3.Connection, key: str, marks: Collection[str], since: str
) -> frozenset[str]:
    """Which of the marks are the person's."""
    rows = db.execute("SELECT mark FROM familiar WHERE person = ? AND at >= ?", (key, since))
    return frozenset(row[0] for row in rows) & frozenset(marks)


def remember(db: sqlite3.Connection, key: str, marks: Collection[str], at: str) -> None:
    """The person was there."""
    db.executemany(
        "INSERT OR REPLACE INTO familiar (person, mark, at) VALUES (?, ?, ?)",
        [(key, mark, at) for mark in marks],
    )
    # A script without cookies is a new browser at every log-in.
    db.execute(
        "DELETE FROM familiar WHERE person = ? AND mark NOT IN "
        "(SELECT mark FROM familiar WHERE person = ? ORDER BY at DESC, mark LIMIT ?)",
        (key, key, MARKS_MAX),
    )
