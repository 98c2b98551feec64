"""Walk a whole journal: closed segments first, then the open part, as one.

Segments are read without holding up anybody. The journal's own file is read in short looks: a look
that lasted for the whole walk would keep its `-wal` from being reset for as long. Between two looks
the service may close segments and remove their records from its file; the walk then goes on in
those segments.

With several jobs, runs of closed segments are walked side by side. What that finds is used only
where all of it is good; else the journal is walked in one piece, which names the first broken
thing.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NoReturn

from progressive.verifier.chain import ChainCheck, JournalBrokenError
from progressive.verifier.findings import (
    DiscrepancyError,
    FindingError,
    Problem,
    shown,
)
from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.proof.checkpoint import Keyring
from progressive.verifier.proof.merkle import Range
from progressive.verifier.reading.audit_progress import LinkProgress
from progressive.verifier.reading.audited import (
    Audited,
    KeptAudits,
    go_on_behind,
)
from progressive.verifier.reading.handover import (
    handover_of,
    joined,
    take_over,
)
from progressive.verifier.reading.moved import MovedBatches
from progressive.verifier.reading.ports import LiveJournal, SegmentSource
from progressive.verifier.reading.purge_marks import check_marked
from progressive.verifier.reading.saved_states import SavedStates
from progressive.verifier.reading.seal_check import Sealable, SealCheck
from progressive.verifier.reading.seals import LinkSeals
from progressive.verifier.reading.segment_rows import SegmentRows
from progressive.verifier.reading.segment_walk import SegmentWalk
from progressive.verifier.reading.segments import Landmark, Segment
from progressive.verifier.reading.side_by_side import SideBySide, stretches
from progressive.verifier.reading.stretch_walk import (
    Surroundings,
    begun_behind,
    tree_from,
    walks_of,
)
from progressive.verifier.reading.told_segments import told_purged, told_segments
from progressive.verifier.record import Record
from progressive.verifier.recorded.guard_events import SegmentsPurged
from progressive.verifier.report import (
    LinkReport,
    StoredBatch,
)
from progressive.verifier.rules.guard import Remembered
from progressive.verifier.rules.purged import books_after
from progressive.verifier.seals_report import SealsReport


class JournalWalk:
    """The walk through the journal of one link."""

    def __init__(
        self,
        live: LiveJournal,
        source: SegmentSource,
        *,
        remembered: Remembered | None,
        on_progress: Callable[[int], None],
        seals: LinkSeals | None = None,
        keys: Keyring | None = None,
        jobs: int = 1,
        kept: KeptAudits | None = None,
        goes_on: bool = True,
    ) -> None:
        """`kept`: how far earlier audits have come. `goes_on`: whether this one begins there."""
        self._live = live
        self._source = source
        self._remembered = remembered
        self._hears_progress = on_progress
        self._seals = seals
        self._keys = keys
        self._jobs = jobs
        self._sealed: SealsReport | None = None
        self._side: SideBySide | None = None
        self._began_at = 0
        """Behind which record the walk of this process began."""
        self._look = live.look(after=None)
        self._audit = LinkAudit(self._look.stored, remembered)
        self.rows: Final = SegmentRows(self._look.stored.link)
        self._walk = SegmentWalk(self._audit, source)
        self._walk.tree = tree_from(seals, Range())
        self._purged: list[Segment] = []
        self._landmarks: tuple[Landmark, ...] = ()
        """Those among the purged records."""
        self._after: object = None
        """Where the newest batch that was read of the journal's file begins."""
        self._late: Segment | None = None
        """The newest segment, where it holds only records that were audited before."""
        self._states = SavedStates(live)
        self._moved = MovedBatches(self.rows, source)
        self._progress: LinkProgress | None = None
        if kept is not None:
            self._progress = LinkProgress(
                kept, self._look.stored, remembered=remembered, seals=seals, rows=self.rows
            )
        self._goes_on = goes_on
        self._passed_seq = 0
        """The last record of the segments that were passed over, as they were found good before."""

    def run(self) -> None:
        """All of it; raises FindingError at the first broken thing."""
        self._audit.begin()
        self._states.look(self._look.snapshots, self._audit.seq)
        while True:
            if new := self.rows.take(self._look.segments):
                self._walk_segments(new)
            else:
                self._check_late()
                self._moved.begin_look()
                for batch in self._look.batches:
                    self._take_batch(batch)
                if self._look.complete:
                    self._moved.end()
                    break
            self._look = self._live.look(after=self._after)
            self._audit.look_again(self._look.stored)
            self._states.look(self._look.snapshots, self._audit.seq)
        self._join()
        self._check_purged()
        self._finish()
        self._check_seals()

    def close(self) -> None:
        """End whatever still walks beside this."""
        if self._side is not None:
            self._side.close()

    @property
    def is_split(self) -> bool:
        """Whether more than one process walked."""
        return self._side is not None

    @property
    def has_gone_on(self) -> bool:
        """Whether segments were passed over that an earlier audit has found good."""
        return self._passed_seq > 0

    def report(self, problem: Problem | None) -> LinkReport:
        """What was found."""
        segments, purged = self.rows.segments, self._purged
        report = self._audit.report(problem)
        return replace(
            report,
            segments=told_segments(segments) if segments else None,
            purged=told_purged(purged) if purged else None,
            open_records=max(0, report.records - self.rows.last_seq),
            seals=self._sealed if problem is None else None,
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
        if self._audit.seq == 0 and self._progress is not None:
            self._progress.begin()
            if (known := self._progress.known(len(purged), goes_on=self._goes_on)) is not None:
                self._go_on_behind(known, purged)
                new = new[known.number :]
        if purged and self._audit.seq == 0:
            self._begin_after(purged)
            new = new[len(purged) :]
        if self._jobs > 1 and self._audit.seq == self._purged_seq and self._side is None:
            new = self._begin_side_by_side(new)
        for segment in new:
            self._states.load(self._audit, segment.last_seq)
            self._walk.walk(segment, self._on_progress)
            self._on_progress(self._audit.seq)
            if self._progress is not None and self._side is None:
                self._progress.ended(segment, self._audit, self._walk)
        if new:
            self._late = new[-1] if new[-1].last_seq < self._audit.seq else None

    def _go_on_behind(self, known: Audited, purged: Sequence[Segment]) -> None:
        """Pass over the segments that an earlier audit has found good."""
        behind = self.rows.segments[known.number - 1]
        self._passed_seq = behind.last_seq
        passed = SegmentWalk(self._audit, self._source)
        for segment in purged:
            passed.pass_over(segment)
        self._purged, self._landmarks = list(purged), passed.landmarks
        self._audit, self._walk = go_on_behind(self._around(), known, behind, purged)
        self._states.begin_behind(behind.last_seq)

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
        # What was purged is known to the tree by the seal of the last segment that went.
        begun = None if self._seals is None else self._seals.range_of(last.name, last.last_seq)
        self._walk.tree = None if begun is None else tree_from(self._seals, begun)

    @property
    def _purged_seq(self) -> int:
        return self._purged[-1].last_seq if self._purged else 0

    # --- side by side ------------------------------------------------------------------------

    def _begin_side_by_side(self, segments: Sequence[Segment]) -> Sequence[Segment]:
        """Leave all but the last stretch of them to other processes; what is left for this one."""
        runs = stretches(segments, self._jobs)
        if len(runs) == 1:
            return segments
        around = self._around()
        # Each process has its own copy of what was begun so far.
        self._side = SideBySide(walks_of(around, self._audit, self._walk, runs), self._jobs)
        behind = runs[-2][-1]
        self._began_at = behind.last_seq
        self._audit, self._walk = begun_behind(around, behind, None)
        self._states.begin_behind(behind.last_seq)
        return runs[-1]

    def _around(self) -> Surroundings:
        return Surroundings(
            self._live,
            self._source,
            self._look.stored,
            self._remembered,
            self._states.ahead,
            self._seals,
        )

    def _join(self) -> None:
        """Put what the others found before the stretch of this process."""
        if self._side is None:
            return
        walk = self._walk
        own = handover_of(
            self._audit, first_epoch=walk.first_epoch, purges=walk.purges, tree=walk.tree
        )
        whole = joined(self._side.result(), own)
        began_after = self._purged_seq
        take_over(self._audit, whole, first_seq=began_after + 1, began_after=began_after)
        walk.tree = whole.tree

    def _on_progress(self, seq: int) -> None:
        if self._side is not None:
            seq = seq - self._began_at + self._side.walked
        elif self._progress is not None:
            self._progress.confirm(self._audit)
        self._hears_progress(seq)

    # --- seals -------------------------------------------------------------------------------

    def _check_seals(self) -> None:
        if self._seals is None:
            if self._keys is not None and self._audit.seq:
                self._find(self._audit.seq, "not sealed: a key was given, and no seal is there")
            return
        books = self._audit.books
        journal = Sealable(
            last_seq=self._audit.seq,
            segments=self.rows.segments,
            purged_seq=self._purged_seq,
            passed_seq=self._passed_seq,
            purge=books.purged,
            losses=books.losses,
            tree=self._walk.tree,
        )
        self._sealed = SealCheck(self._seals, journal, self._keys).run()

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
        first, last = batch.first_seq, batch.last_seq
        if isinstance(first, int) and first <= self.rows.last_seq:
            rest = self._moved.rest_of(batch, audited_seq=self._audit.seq)
            if rest is None:
                return
            batch, last = rest, rest.last_seq
        else:
            self._moved.end()
        if isinstance(last, int):
            self._states.load(self._audit, last)
        if self._side is not None:
            self._audit.watch = self._watch_purges
        self._audit.feed_batch(batch)
        self._audit.watch = None
        if self._walk.tree is not None and isinstance(batch.body, bytes):
            self._walk.tree.feed(batch.body)
        self._on_progress(self._audit.seq)

    def _watch_purges(self, record: Record) -> None:
        if type(record.event) is SegmentsPurged:
            self._walk.purges.append(record)

    def _finish(self) -> None:
        self._states.finish(self._audit)
        self._audit.finish()

    def _find(self, seq: int, message: str) -> NoReturn:
        raise FindingError(Problem(seq, None, None, message))
