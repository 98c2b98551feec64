"""The closed part of a journal, confirmed at a start by what the store holds of it.

Nothing of a segment is read here: its row says where it begins and ends in the chain, so rows that
follow one another lead to the open part, whose first record names the hash of the last closed one.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from progressive.application.journal.record import GENESIS, JournalBrokenError
from progressive.application.journal.segments import Segment
from progressive.domain.ids import LinkId

HASHED_AT_START_BYTES: Final = 128 << 20
"""Of the newest segment files, read and hashed before a link opens: a tenth of a second. All
others are hashed in the background right after."""


class ClosedPart(Struct, frozen=True):
    """The segments of a link, which follow one another from the first record on."""

    segments: tuple[Segment, ...] = ()

    @property
    def last_seq(self) -> int:
        """The last closed record; 0 where all records are open."""
        return self.segments[-1].last_seq if self.segments else 0

    @property
    def head(self) -> str:
        """Its hash: what the first open record must name."""
        return self.segments[-1].head if self.segments else GENESIS

    def after(self, seq: int) -> tuple[Segment, ...]:
        """The segments that hold a record after this one."""
        return tuple([each for each in self.segments if each.last_seq > seq])

    def head_at(self, seq: int) -> str | None:
        """The hash of a record with which a segment ends; None: none ends there."""
        if seq == 0:
            return GENESIS
        return next((each.head for each in self.segments if each.last_seq == seq), None)


def closed_part(link: LinkId, rows: Sequence[Segment]) -> ClosedPart:
    """The rows that a store holds of a link's segments; raises JournalBrokenError at the first
    that does not follow the one before it."""
    number, last_seq, head = 0, 0, GENESIS
    for row in rows:
        if row.link != link:
            raise JournalBrokenError(
                f"{_row(number + 1)} is of the link {row.link}, not of {link}: it was changed"
            )
        if row.number <= number:
            raise JournalBrokenError(f"{_row(row.number)} of {link} stands there twice")
        if row.number > number + 1:
            raise JournalBrokenError(
                f"{_row(number + 1)} of {link} is missing: that of {described(row)} stands there"
            )
        if row.first_seq != last_seq + 1 or row.last_seq < row.first_seq:
            raise JournalBrokenError(
                f"{described(row)} does not begin with record {last_seq + 1:,}: its row, or the "
                "one before it, was changed"
            )
        if row.prev != head:
            raise JournalBrokenError(
                f"{described(row)} does not follow record {last_seq:,}: its row, or the one "
                "before it, was changed"
            )
        number, last_seq, head = row.number, row.last_seq, row.head
    return ClosedPart(tuple(rows))


def described(row: Segment) -> str:
    """A segment, for a message."""
    return (
        f"segment {row.number} (segments/{row.link}/{row.name}, "
        f"records {row.first_seq:,} to {row.last_seq:,})"
    )


def _row(number: int) -> str:
    return f"the journal file's row of segment {number}"
