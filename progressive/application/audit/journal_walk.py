"""COLD. Walk a whole journal: closed segments first, then the open part, as one.

Segments are read without holding up anybody. The journal's own file is read in short looks: a look
that lasted for the whole walk would keep its `-wal` from being reset for as long. Between two looks
the service may close segments and remove their records from its file; the walk then goes on in
those segments.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final, NoReturn

from msgspec import structs

from progressive.application.audit.findings import (
    DiscrepancyError,
    FindingError,
    Problem,
    shown,
)
from progressive.application.audit.guard import Remembered
from progressive.application.audit.link import LinkAudit
from progressive.application.audit.ports import LiveJournal, SegmentSource
from progressive.application.audit.purge import check_marked
from progressive.application.audit.purged import books_after
from progressive.application.audit.report import (
    AuditedSegments,
    LinkReport,
    PurgedSegments,
    StoredBatch,
)
from progressive.application.audit.segment_rows import SegmentRows
from progressive.application.audit.segment_walk import SegmentWalk
from progressive.application.journal.ports import StoreCorruptError
from progressive.application.journal.record import ChainCheck, JournalBrokenError
from progressive.application.journal.segments import FileSum, Landmark, Segment

RESTARTS_MAX: Final = 3
"""How often segments may be purged under the walk before it gives up."""

OtherFile = Callable[[FileSum], str | None]
"""Whose file has this sum, as a message names it."""
WithoutRow = Callable[[int, int], str | None]
"""The file of a segment of this number that holds this record, though no row speaks of it."""


class JournalWalk:
    """The walk through the journal of one link."""

    def __init__(
        self,
        live: LiveJournal,
        source: SegmentSource,
        *,
        remembered: Remembered | None,
        on_progress: Callable[[int], None],
    ) -> None:
        self._live = live
        self._source = source
        self._on_progress = on_progress
        self._look = live.look(after=None)
        self._audit = LinkAudit(self._look.stored, remembered)
        self.rows: Final = SegmentRows(self._look.stored.link)
        self._walk = SegmentWalk(self._audit, source)
        self._purged: list[Segment] = []
        self._landmarks: tuple[Landmark, ...] = ()
        """Those among the purged records."""
        self._after: object = None
        """Where the newest batch that was read of the journal's file begins."""
        self._late: Segment | None = None
        """The newest segment, where it holds only records that were audited before."""
        self._saved: deque[int] = deque()
        """The records ahead after which a state was saved."""
        self._moved: tuple[int, Iterator[tuple[int, bytes]]] = 0, iter(())

    def run(self) -> None:
        """All of it; raises FindingError at the first broken thing."""
        self._audit.begin()
        self._check_snapshots()
        while True:
            if new := self.rows.take(self._look.segments):
                self._walk_segments(new)
            else:
                self._check_late()
                for batch in self._look.batches:
                    self._take_batch(batch)
                if self._look.complete:
                    break
            self._look = self._live.look(after=self._after)
            self._audit.look_again(self._look.stored)
            self._check_snapshots()
        self._check_purged()
        self._finish()

    def report(self, problem: Problem | None) -> LinkReport:
        """What was found."""
        segments, purged = self.rows.segments, self._purged
        report = self._audit.report(problem)
        return structs.replace(
            report,
            segments=_told(segments) if segments else None,
            purged=_told_purged(purged) if purged else None,
            open_records=max(0, report.records - self.rows.last_seq),
        )

    @property
    def seq(self) -> int:
        """The newest good record."""
        return self._audit.seq

    def was_purged_meanwhile(self) -> bool:
        """Whether records were removed that this walk still looked for."""
        if not self.rows.segments:
            return False
        return self.rows.purged_count(self._live.look(after=self._after).segments) > len(
            self._purged
        )

    # --- segments ----------------------------------------------------------------------------

    def _walk_segments(self, new: Sequence[Segment]) -> None:
        purged = [segment for segment in new if segment.purged is not None]
        if purged and self._audit.seq == 0:
            self._begin_after(purged)
            new = new[len(purged) :]
        for segment in new:
            self._load_snapshots(segment.last_seq)
            self._walk.walk(segment, self._on_progress)
            self._on_progress(self._audit.seq)
        if new:
            self._late = new[-1] if new[-1].last_seq < self._audit.seq else None

    def _begin_after(self, purged: Sequence[Segment]) -> None:
        """The books begin with the state that was kept behind the last one."""
        for segment in purged:
            self._walk.pass_over(segment)
        last = purged[-1]
        body = self._walk.state_of(last)
        file = self._source.shown(last, "state")
        try:
            books = books_after(body, link=shown(last.link), seq=last.last_seq)
        except DiscrepancyError as error:
            raise FindingError(Problem(last.last_seq, None, None, str(error), file)) from None
        newest = {name: table.last_seq for name, table in books.tables.items()}
        self._walk.check_tables(last, newest)
        self._audit.go_on_from(books, seq=last.last_seq, head=last.head, last_at=last.last_at)
        # The record after it must confirm this very state.
        self._audit.expect_snapshot(last.last_seq, body, file=file)
        self._purged, self._landmarks = list(purged), self._walk.landmarks

    def _check_purged(self) -> None:
        """Only what two people had removed may be missing, and they say so in a record."""
        if not self._purged:
            return
        try:
            check_marked(self._purged, self._landmarks, self._audit.books.purged)
        except DiscrepancyError as error:
            self._find(self._purged[-1].last_seq, str(error))

    def _check_late(self) -> None:
        """A segment that was closed behind the walk: the record after it must follow it."""
        late = self._late
        if late is None:
            return
        seq = late.last_seq + 1
        stored = self._live.record(seq)
        if stored is None:
            if self.rows.is_behind(self._live.look(after=self._after).segments):
                return
            self._find(seq, "missing: it was in the journal file a moment ago")
        try:
            ChainCheck(seq=late.last_seq, head=late.head).feed(stored)
        except JournalBrokenError:
            self._find(seq, f"does not follow segment {late.number}: the hashes do not join")
        self._late = None

    # --- the open part -----------------------------------------------------------------------

    def _take_batch(self, batch: StoredBatch) -> None:
        self._after = batch.first_seq
        first, last, seam = batch.first_seq, batch.last_seq, self.rows.last_seq
        if isinstance(first, int) and first <= seam:
            rest = self._compare_moved(first, batch)
            if rest is None:
                return
            batch, last = rest, rest.last_seq
        if isinstance(last, int):
            self._load_snapshots(last)
        self._audit.feed_batch(batch)
        self._on_progress(self._audit.seq)

    def _compare_moved(self, first: int, batch: StoredBatch) -> StoredBatch | None:
        """A batch that lies in a segment too; what is left of it behind the segments.

        The service removes it a little later. Until then both say the same.
        """
        body, seam = batch.body, self.rows.last_seq
        segment = self.rows.holding(first)
        if segment is None or not isinstance(body, bytes) or not isinstance(batch.last_seq, int):
            self._find(max(1, first), f"the batch from {first} to {shown(batch.last_seq)} is none")
        lines = body.split(b"\n")
        if lines.pop() or len(lines) != batch.last_seq - first + 1:
            self._find(first, f"the batch from {first} to {batch.last_seq} is torn")
        if segment.purged is not None:
            self._find(
                first, f"lies in the journal file, though segment {segment.number} is purged"
            )
        for seq, line in enumerate(lines[: seam - first + 1], first):
            if (batch.epoch, line) != self._moved_record(seq):
                self._find(seq, "is another one in the journal file than in its segment")
        rest = lines[seam - first + 1 :]
        if not rest or batch.last_seq <= self._audit.seq:
            return None
        body = b"".join([line + b"\n" for line in rest])
        return StoredBatch(seam + 1, batch.last_seq, batch.epoch, body)

    def _moved_record(self, seq: int) -> tuple[int, bytes] | None:
        """A record as its segment holds it; in order they are read once."""
        at, records = self._moved
        if at != seq:
            first = self.rows.holding(seq)
            later = [] if first is None else self.rows.segments[first.number - 1 :]
            stretches = [
                self._source.stretch(segment, max(seq, segment.first_seq)) for segment in later
            ]
            records = chain.from_iterable(stretches)
        self._moved = seq + 1, records
        return next(records, None)

    def _load_snapshots(self, last_seq: int) -> None:
        """The saved states that the records up to this one must confirm."""
        while self._saved and self._saved[0] < last_seq:
            seq = self._saved.popleft()
            body = self._live.snapshot(seq)
            # Those that lie in a segment are removed, like its records.
            if body is not None:
                self._audit.expect_snapshot(seq, body)

    def _check_snapshots(self) -> None:
        self._saved.clear()
        for seq in self._look.snapshots:
            if not isinstance(seq, int) or seq < 1:
                self._find(self._audit.seq + 1, f"the stored snapshot, at {shown(seq)}, is none")
            if seq >= self._audit.seq:
                self._saved.append(seq)

    def _finish(self) -> None:
        for seq in self._look.snapshots:
            if isinstance(seq, int) and seq >= self._audit.seq:
                self._audit.expect_snapshot(seq, b"")
        self._audit.finish()

    def _find(self, seq: int, message: str) -> NoReturn:
        raise FindingError(Problem(seq, None, None, message))


def audit_journal(
    live: LiveJournal,
    source: SegmentSource,
    *,
    on_progress: Callable[[int], None],
    remembered: Remembered | None = None,
    other_file: OtherFile = lambda _: None,
    without_row: WithoutRow = lambda _, __: None,
) -> LinkReport:
    """The whole audit of a link: all of its segments, and its open part."""
    restarts = 0
    while True:
        walk = JournalWalk(live, source, remembered=remembered, on_progress=on_progress)
        try:
            walk.run()
            return walk.report(None)
        except FindingError as finding:
            problem = finding.problem
        except StoreCorruptError as error:
            problem = Problem(walk.seq + 1, None, None, f"cannot be read: {error}")
        restarts += 1
        if restarts > RESTARTS_MAX or not walk.was_purged_meanwhile():
            problem = _located(problem, walk.rows, source, other_file)
            return walk.report(_explained(problem, walk.rows, without_row))


def _located(
    problem: Problem, rows: SegmentRows, source: SegmentSource, other_file: OtherFile
) -> Problem:
    """With the file it lies in, and what can be said of that file as a whole."""
    if problem.file is not None:
        return problem
    segment = rows.holding(problem.seq)
    if segment is None:
        return problem
    problem = structs.replace(problem, file=source.shown(segment, "records"))
    try:
        found = source.sum(segment)
    except StoreCorruptError:
        return problem
    if found == segment.records:
        return problem
    whose = other_file(found)
    remark = "the file is not the one that was written"
    if whose is not None:
        remark = f"the file is that of {whose}"
    return structs.replace(problem, message=f"{problem.message}; {remark}")


def _explained(problem: Problem, rows: SegmentRows, without_row: WithoutRow) -> Problem:
    """The first record behind the segments is missing: it may lie in one whose row was removed."""
    if problem.file is not None or problem.seq != rows.last_seq + 1:
        return problem
    file = without_row(len(rows.segments) + 1, problem.seq)
    if file is None:
        return problem
    why = f"{file} holds it, and the journal file has no row of that segment"
    return structs.replace(problem, message=f"{problem.message}; {why}")


def _told(segments: Sequence[Segment]) -> AuditedSegments:
    sums = [each.index.bytes + (each.state.bytes if each.state else 0) for each in segments]
    sums += [each.records.bytes for each in segments if each.purged is None]
    return AuditedSegments(
        count=len(segments),
        first_day=segments[0].day,
        last_day=segments[-1].day,
        last_seq=segments[-1].last_seq,
        bytes=sum(sums),
    )


def _told_purged(purged: Sequence[Segment]) -> PurgedSegments:
    return PurgedSegments(
        count=len(purged),
        first_day=purged[0].day,
        last_day=purged[-1].day,
        last_seq=purged[-1].last_seq,
        last_at=purged[-1].last_at,
    )
