"""The closed segments of a link as a reader holds them: decoded once, found by halving."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from progressive.adapters.segments.live_part import LiveView
from progressive.application.journal.ports import StoreCorruptError
from progressive.application.journal.segments import Segment
from progressive.domain.ids import LinkId


class SegmentRows:
    """Some or no segments, in order and without gaps. Never changes."""

    def __init__(self, segments: Sequence[Segment] = ()) -> None:
        self.segments: Final = tuple(segments)

    @property
    def newest(self) -> int:
        """Number of the last one."""
        return self.segments[-1].number if self.segments else 0

    @property
    def last_seq(self) -> int:
        """The seam: records up to this one lie in files."""
        return self.segments[-1].last_seq if self.segments else 0

    @property
    def last_purged(self) -> Segment | None:
        """The last segment whose records were purged; None: none."""
        return next((each for each in reversed(self.segments) if each.purged), None)

    @property
    def purged_seq(self) -> int:
        """The last record that was purged; 0: none."""
        return 0 if (last := self.last_purged) is None else last.last_seq

    def holding(self, seq: int) -> Segment:
        """The segment of a record up to the seam."""
        return self.segments[bisect_left(self.segments, seq, key=_last_seq)]

    def between(self, after_seq: int, until_seq: int | None) -> Sequence[Segment]:
        """The segments that hold records of a stretch."""
        first = bisect_right(self.segments, after_seq, key=_last_seq)
        if until_seq is None:
            return self.segments[first:]
        return self.segments[first : bisect_right(self.segments, until_seq, key=_first_seq)]

    def followed_by(self, newer: Sequence[Segment]) -> "SegmentRows":
        """With more of them; raises StoreCorruptError where one does not follow."""
        number, last_seq = self.newest, self.last_seq
        known = {each.first_seq: each.number for each in self.segments}
        for segment in newer:
            number += 1
            if (segment.number, segment.first_seq) != (number, last_seq + 1):
                if (before := known.get(segment.first_seq)) is not None:
                    raise StoreCorruptError(
                        f"{segment.link}: segment {before} from record {segment.first_seq:,} on "
                        f"stands there twice, the second time in the place of segment {number} "
                        f"from record {last_seq + 1:,} on"
                    )
                raise StoreCorruptError(
                    f"{segment.link}: segment {number} from record {last_seq + 1:,} on is missing: "
                    f"segment {segment.number} from record {segment.first_seq:,} on stands there"
                )
            last_seq = segment.last_seq
            known[segment.first_seq] = number
        return SegmentRows((*self.segments, *newer))


class KnownRows:
    """The rows of every link that was asked for. A question costs one look at the newest number."""

    def __init__(self) -> None:
        self._known: dict[LinkId, SegmentRows] = {}

    def of(self, view: LiveView, link: LinkId) -> SegmentRows:
        """As they are in a view."""
        newest = view.newest_segment(link)
        known = self._known.get(link, _NONE)
        if known.newest > newest:
            known = _NONE
        if known.newest < newest:
            known = known.followed_by(view.segments(link, after_number=known.newest))
            self._known[link] = known
        return known

    def forget(self, link: LinkId) -> None:
        """What is known may no longer hold: look again."""
        self._known.pop(link, None)


_NONE: Final = SegmentRows()


def _first_seq(segment: Segment) -> int:
    return segment.first_seq


def _last_seq(segment: Segment) -> int:
    return segment.last_seq
