"""What the store says of a link's closed segments, before any of their files is opened.

A row is the commit point of a segment. Rows of a store that may have been tampered with are held
against each other: numbers without a gap, records without a gap, and ends of the chain that join.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from hashlib import sha256
from typing import Final, NoReturn

from progressive.verifier.findings import FindingError, Problem, shown
from progressive.verifier.reading.ports import SegmentRow
from progressive.verifier.reading.segments import FileSum, Segment, decode_segment
from progressive.verifier.record import GENESIS, read_time, shown_error
from progressive.verifier.recorded.decoder import UnreadableError

_DAY_BEFORE: Final = timedelta(days=2)
_DAY_AFTER: Final = timedelta(days=1)
"""How far a gaming day may lie from the date in UTC: time zones, and days that begin at noon."""
_DAYS_BACK: Final = timedelta(days=1)
"""A floor that begins its days later than before may be a day behind for some hours."""

_HEX: Final = frozenset("0123456789abcdef")


class SegmentRows:
    """The segments of one link, row by row; raises FindingError at the first that is wrong."""

    def __init__(self, link: object) -> None:
        self._link = link
        self.segments: list[Segment] = []
        self._taken: list[SegmentRow] = []

    @property
    def last_seq(self) -> int:
        """The last record of the newest segment."""
        return self.segments[-1].last_seq if self.segments else 0

    def take(self, rows: Sequence[SegmentRow]) -> list[Segment]:
        """All rows as they are now; those that are new, up to the first that is wrong.

        Old ones may only have been purged.
        """
        for row, known, taken in zip(rows, self.segments, self._taken, strict=False):
            if row == taken:
                continue
            if (now := self._read(row, known.number, known.first_seq)) != known and (
                now.purged is None or replace(now, purged=known.purged) != known
            ):
                _find(known.first_seq, f"the row of segment {known.number} changed meanwhile")
        known_count = len(self.segments)
        if len(rows) < known_count:
            gone = self.segments[len(rows)]
            _find(gone.first_seq, f"the row of segment {gone.number} was removed meanwhile")
        for row in rows[known_count:]:
            try:
                segment = self._read(row, len(self.segments) + 1, self.last_seq + 1)
                self._check_follows(segment)
            except FindingError:
                if len(self.segments) == known_count:
                    raise
                # The records before it are looked at first; then it is met again.
                break
            self.segments.append(segment)
            self._taken.append(row)
        return self.segments[known_count:]

    def digest(self, count: int) -> str:
        """Of the first so many rows, as they were stored."""
        digest = sha256()
        for row in self._taken[:count]:
            body = row.body if isinstance(row.body, bytes) else b""
            digest.update(b"%d\n" % len(body) + body)
        return digest.hexdigest()

    def is_behind(self, rows: Sequence[SegmentRow]) -> bool:
        """Whether there are segments that were not taken yet."""
        return len(rows) > len(self.segments)

    def purged_count(self, rows: Sequence[SegmentRow]) -> int:
        """How many of the known segments are purged by now."""
        known = zip(rows, self.segments, strict=False)
        return sum(self._read(row, each.number, 1).purged is not None for row, each in known)

    def holding(self, seq: int) -> Segment | None:
        """The segment that a record lies in."""
        for segment in reversed(self.segments):
            if segment.first_seq <= seq <= segment.last_seq:
                return segment
        return None

    def _read(self, row: SegmentRow, number: int, first_seq: int) -> Segment:
        of = f"the row of segment {number}"
        if row.number != number:
            _find(first_seq, f"{of} is missing: {shown(row.number)} stands in its place")
        try:
            segment = decode_segment(row.body)
        except UnreadableError as error:
            _find(first_seq, f"{of} is unreadable: {shown_error(str(error))}")
        for what, stored, expected in (
            ("number", segment.number, number),
            ("link", segment.link, self._link),
            ("last_seq", segment.last_seq, row.last_seq),
        ):
            if stored != expected:
                _find(
                    first_seq, f"{of}: its {what} is {shown(stored)}, and {shown(expected)} beside"
                )
        for name, sum_ in (
            ("records", segment.records),
            ("index", segment.index),
            ("state", segment.state),
        ):
            if sum_ is not None and not _is_sum(sum_):
                _find(first_seq, f"{of}: length and SHA-256 of its {name} are none")
        return segment

    def _check_follows(self, segment: Segment) -> None:
        """Against the row before, which is right."""
        before = self.segments[-1] if self.segments else None
        of = f"the row of segment {segment.number}"
        seq = self.last_seq + 1
        if segment.first_seq != seq:
            _find(seq, f"{of} begins with record {segment.first_seq}, and {seq} is the next")
        if segment.last_seq < seq:
            _find(seq, f"{of} ends with record {segment.last_seq}, before it begins")
        if segment.prev != (GENESIS if before is None else before.head):
            after = "the first record" if before is None else f"segment {before.number}"
            _find(seq, f"{of} does not follow {after}: the hashes do not join")
        try:
            first_at, _ = read_time(segment.first_at), read_time(segment.last_at)
            day = date.fromisoformat(segment.day)
        except Exception as error:  # noqa: BLE001 - a discrepancy, or a day that is none
            _find(seq, f"{of}: {shown_error(str(error))}")
        if not first_at.date() - _DAY_BEFORE <= day <= first_at.date() + _DAY_AFTER:
            _find(seq, f"{of}: its day is {segment.day}, its first record of {segment.first_at}")
        if before is None:
            return
        if (
            segment.first_at >= before.first_at
            and day < date.fromisoformat(before.day) - _DAYS_BACK
        ):
            _find(seq, f"{of}: its day is {segment.day}, after {before.day}")
        if segment.purged is not None and before.purged is None:
            _find(seq, f"{of} is purged, though the segment before it is not")


def _is_sum(sum_: FileSum) -> bool:
    return sum_.bytes > 0 and len(sum_.sha256) == 64 and _HEX.issuperset(sum_.sha256)


def _find(seq: int, message: str) -> NoReturn:
    raise FindingError(Problem(seq, None, None, message))
