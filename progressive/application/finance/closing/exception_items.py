"""What an exception is called on the checklist of a day, and what an explanation names it by.

No two exceptions of a day have one name: an explanation answers what somebody looked at, and
nothing that happened beside it. A name is made of what does not change any more, so that it is the
same whenever the day is worked out.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from progressive.application.finance.report import Cell, Row
from progressive.domain.time_text import on_the_wall, with_wall_times

PART_CHARACTERS_MAX: Final = 80
"""Of one part of a name: an explanation must be able to hold all of them."""


class ExceptionItem(Struct, frozen=True):
    """How explanations name one exception."""

    item: str
    older: str
    """As older explanations name it; empty where that could mean another exception as well."""


def exception_items(rows: Sequence[Row]) -> list[ExceptionItem]:
    """The names of all exceptions of a day, in their order."""
    meant = Counter(map(_older, rows))
    taken: Counter[str] = Counter()
    found = []
    for row in rows:
        older = _older(row)
        alone = meant[older] == 1
        item = older if alone and row["first_seq"] is not None else _item(row)
        taken[item] += 1
        if taken[item] > 1:
            item = f"{item} #{taken[item]}"
        found.append(ExceptionItem(item, older if alone else ""))
    return found


def _older(row: Row) -> str:
    """The record, or kind and time: everything that was noted at one moment shares them."""
    return str(row["first_seq"] or f"{row['kind']} {row['at']}")


def _item(row: Row) -> str:
    if row["first_seq"] is not None:
        # A record that contradicts itself in several ways, or is an exception besides.
        return _joined(f"{row['first_seq']} {row['kind']}", row["object"], row["detail"])
    return _joined(f"{row['kind']} {row['at']}", row["object"], row["code"], row["who"])


def exception_words(row: Row, zone: ZoneInfo) -> str:
    """One line for people: what it was, at which table or by whom, and when by the floor's clock.

    Of several that look the same, each has its own line: that takes every part.
    """
    times = row["times"]
    return with_wall_times(
        _joined(
            row["kind"],
            row["object"],
            row["code"],
            row["who"],
            row["detail"],
            f"{times} times" if isinstance(times, int) and times > 1 else None,
            None if row["at"] is None else on_the_wall(str(row["at"]), zone),
            most=None,
        ),
        zone,
    )


def _joined(*parts: Cell, most: int | None = PART_CHARACTERS_MAX) -> str:
    return ", ".join(str(part)[:most] for part in parts if part)
