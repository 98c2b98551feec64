"""Closes segments of a made-up journal on the way, as the service does, with its real writer.

What lies in a segment never goes through the journal file here: that the service moves it is tested
elsewhere, and a journal of years would take hours.
"""

from collections.abc import Iterator
from pathlib import Path

from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.segments.writer import write_segment
from progressive.application.journal.cut import Cut, CutLimits, OpenPart, next_cut
from progressive.application.journal.finding import finding
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.segments import Segment
from progressive.domain.ids import LinkId
from tests.support.long_play import Committed


class LongArchive:
    """The segments so far, and the commits that are still open."""

    def __init__(self, data: Path, link: LinkId, days: GamingDays, limits: CutLimits) -> None:
        self.segments: list[Segment] = []
        self.open: list[Committed] = []
        self._files = SegmentFiles(data)
        self._link = link
        self._days = days
        self._limits = limits
        self._snapshots: dict[int, Committed] = {}
        """Of the open part: the checkpoints, by the record that each state follows."""
        self._day = ""
        """Gaming day of the first open record."""

    @property
    def closed_seq(self) -> int:
        """The last record that lies in a segment."""
        return self.segments[-1].last_seq if self.segments else 0

    def take(self, done: Committed) -> None:
        """One more commit. With a checkpoint, what is due is closed."""
        if not self.open:
            self._day = self._days.day_of(done.at)
        self.open.append(done)
        if done.snapshot is not None:
            self._snapshots[done.first_seq - 1] = done
            while (last_seq := self._due(done)) is not None:
                self._close(last_seq)

    def _due(self, checkpoint: Committed) -> int | None:
        # A day's turn has a checkpoint of its own, before the new day's first record.
        over = self._days.day_of(checkpoint.at) != self._day
        part = OpenPart(
            first_seq=self.closed_seq + 1,
            last_seq=checkpoint.last_seq,
            snapshots=list(self._snapshots),
            day_last_seq=checkpoint.first_seq - 1 if over else None,
        )
        return next_cut(part, self._limits)

    def _close(self, last_seq: int) -> None:
        cut = Cut(
            link=self._link,
            day=self._day,
            last_seq=last_seq,
            previous=self.segments[-1] if self.segments else None,
        )
        # Cut at a snapshot, always: they are never gone here.
        checkpoint = self._snapshots[last_seq]
        place = self.open.index(checkpoint)
        self.segments.append(
            write_segment(self._files, cut, _batches(self.open[:place]), state=checkpoint.snapshot)
        )
        self.open = self.open[place:]
        self._snapshots = {seq: each for seq, each in self._snapshots.items() if seq > last_seq}
        self._day = self._days.day_of(finding(self.open[0].records[0]).at)


def _batches(commits: list[Committed]) -> Iterator[tuple[int, list[bytes]]]:
    return ((done.epoch, done.records) for done in commits)
