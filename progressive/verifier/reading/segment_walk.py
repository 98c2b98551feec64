"""Walk one closed segment: its records through the audit, its index and state beside them.

The records come first: where one is broken, that one is named, and not the sums that follow from
it. Then the bytes of the files are held against what the store says of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NoReturn

from progressive.verifier.chain import ChainCheck, JournalBrokenError
from progressive.verifier.findings import (
    DiscrepancyError,
    FindingError,
    Problem,
    StoreCorruptError,
    shown,
)
from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.reading.handover import NotProvedError
from progressive.verifier.reading.ports import Member, SegmentPart, SegmentSource
from progressive.verifier.reading.sealed_tree import TreeStretch
from progressive.verifier.reading.segment_index import IndexAudit
from progressive.verifier.reading.segments import (
    FileSum,
    Landmark,
    Segment,
    SegmentIndex,
    decode_index,
)
from progressive.verifier.record import Record, read_record, shown_error
from progressive.verifier.report import StoredBatch
from progressive.verifier.rules.purged import books_after


class SegmentWalk:
    """Walks the segments of a link, one after another."""

    def __init__(self, audit: LinkAudit, source: SegmentSource) -> None:
        self._audit = audit
        self._source = source
        self._indexes = IndexAudit()
        self.tree: TreeStretch | None = None
        """Hears every record that is found good, where the link is sealed."""
        self.first_epoch = 0
        """Of the first record that was walked."""

    @property
    def purges(self) -> list[Record]:
        """The records of purges so far."""
        return self._indexes.purges

    def walk(self, segment: Segment, on_block: Callable[[int], None]) -> None:
        """The next segment; raises FindingError. `on_block` hears what is read next."""
        index, index_sum = self._read_index(segment)
        self._indexes.begin()
        already = _Already(segment, self._audit, self._indexes)
        self._audit.watch = self._indexes.feed
        try:
            self._walk_records(segment, index, already, on_block)
        except FindingError as error:
            problem = error.problem
            if problem.file is None and problem.seq > segment.last_seq:
                problem = replace(problem, file=self._source.shown(segment, "records"))
            raise FindingError(problem) from None
        finally:
            self._audit.watch = None
        if not already.reached:
            already.end()
        else:
            self._audit.end_segment(segment.number, last_seq=segment.last_seq, head=segment.head)
        self._check_times(segment)
        records = self._source.sum(segment)
        self._check_sum(segment, "records", segment.records, records)
        try:
            self._indexes.check(index, segment, records)
        except DiscrepancyError as error:
            self._find(segment, "index", str(error))
        self._check_sum(segment, "index", segment.index, index_sum)
        self._expect_state(segment)

    def pass_over(self, segment: Segment) -> None:
        """A segment whose records were purged: its place in the chain, and its index."""
        index, index_sum = self._read_index(segment)
        try:
            self._indexes.pass_over(index, segment)
        except DiscrepancyError as error:
            self._find(segment, "index", str(error))
        self._check_sum(segment, "index", segment.index, index_sum)

    def begin_behind(self, segment: Segment) -> None:
        """Go on behind a segment that is walked by somebody else: by its state and its index.

        Whoever walks it proves both. Raises FindingError, DiscrepancyError, NotProvedError.
        """
        index, index_sum = self._read_index(segment)
        self._check_sum(segment, "index", segment.index, index_sum)
        self._indexes.go_on_from(index)
        body = self.state_of(segment)
        books = books_after(body, link=shown(segment.link), seq=segment.last_seq)
        if books.floor is None or b'"meter_counters":{' not in body:
            raise NotProvedError("the state is of a version that did not hold all of it")
        self._audit.go_on_from(
            books, seq=segment.last_seq, head=segment.head, last_at=segment.last_at
        )
        file = self._source.shown(segment, "state")
        self._audit.expect_snapshot(segment.last_seq, body, file=file)

    def go_on_with(self, purges: Sequence[Record], first_epoch: int) -> None:
        """What an earlier walk of the records before had found."""
        self._indexes.purges = list(purges)
        self.first_epoch = first_epoch

    def state_of(self, segment: Segment) -> bytes:
        """The state after a segment, as it lies there; raises FindingError where it is another."""
        if segment.state is None:
            self._find(segment, "records", "purged, and no state was kept that follows it")
        try:
            state = self._source.state(segment)
        except StoreCorruptError as error:
            self._find(segment, "state", str(error), seq=segment.last_seq)
        if state.trouble is not None:
            self._find(segment, "state", state.trouble, seq=segment.last_seq)
        self._check_sum(segment, "state", segment.state, state.sum)
        return state.body

    @property
    def landmarks(self) -> tuple[Landmark, ...]:
        """All up to the last segment that was walked or passed over."""
        return self._indexes.landmarks

    def check_tables(self, segment: Segment, newest: dict[str, int]) -> None:
        """After `pass_over`: the index against the state that a record confirms."""
        try:
            self._indexes.check_tables(newest)
        except DiscrepancyError as error:
            self._find(segment, "index", str(error))

    # --- parts -------------------------------------------------------------------------------

    def _walk_records(
        self,
        segment: Segment,
        index: SegmentIndex,
        already: "_Already",
        on_block: Callable[[int], None],
    ) -> None:
        audit, epoch = self._audit, 1
        try:
            for number, member in enumerate(self._source.members(segment)):
                if number < len(index.blocks):
                    epoch = index.blocks[number].epoch
                first_seq = already.seq + 1
                if not member.body:
                    self._cannot_go_on(segment, already, member.trouble or "it holds no records")
                if not already.reached:
                    member = already.feed(member)
                if already.reached and (member.body or member.trouble is not None):
                    on_block(audit.seq)
                    self._check_epoch(segment, epoch)
                    self._feed(segment, member, epoch)
                    already.seq = audit.seq
                if already.seq > segment.last_seq:
                    audit.cannot_go_on("one too many: the segment ends before it")
                self._indexes.end_block(
                    first_seq=first_seq, offset=member.offset, size=member.size, epoch=epoch
                )
        except StoreCorruptError as error:
            self._find(segment, "records", str(error), seq=already.seq + 1)

    def _check_epoch(self, segment: Segment, epoch: int) -> None:
        self.first_epoch = self.first_epoch or epoch
        try:
            self._audit.check_epoch(epoch)
        except FindingError as error:
            self._find(segment, "index", error.problem.message, seq=error.problem.seq)

    def _feed(self, segment: Segment, member: Member, epoch: object) -> None:
        audit, lines = self._audit, member.body.count(b"\n")
        first_seq = audit.seq + 1
        if member.trouble is None:
            audit.feed_batch(StoredBatch(first_seq, audit.seq + lines, epoch, member.body))
            if self.tree is not None:
                self.tree.feed(member.body)
            return
        # Whatever could be inflated is read: the first record that is not as it was is named.
        for line in member.body.split(b"\n")[:-1]:
            audit.feed(line)
        if audit.seq == segment.last_seq:
            audit.end_segment(segment.number, last_seq=segment.last_seq, head=segment.head)
            self._find(segment, "records", member.trouble, seq=segment.last_seq)
        audit.cannot_go_on(member.trouble)

    def _cannot_go_on(self, segment: Segment, already: "_Already", trouble: str) -> NoReturn:
        """A block of which nothing can be read."""
        if already.seq == segment.last_seq:
            self._find(
                segment, "records", f"something follows its last block: {trouble}", seq=already.seq
            )
        self._audit.cannot_go_on(trouble)

    def _read_index(self, segment: Segment) -> tuple[SegmentIndex, FileSum]:
        try:
            stored = self._source.index(segment)
            if stored.trouble is not None:
                self._find(segment, "index", stored.trouble)
            return decode_index(stored.body), stored.sum
        except StoreCorruptError as error:
            self._find(segment, "index", str(error))
        except JournalBrokenError as error:
            self._find(segment, "index", shown_error(str(error)))

    def _check_times(self, segment: Segment) -> None:
        for what, stored, found in (
            ("first_at", segment.first_at, self._indexes.first_at),
            ("last_at", segment.last_at, self._indexes.last_at),
        ):
            if stored != found:
                self._find(
                    segment,
                    None,
                    f"the row of segment {segment.number}, {what}: stored {shown(stored)}, "
                    f"recomputed {shown(found)}",
                )

    def _expect_state(self, segment: Segment) -> None:
        if segment.state is None:
            return
        body = self.state_of(segment)
        if self._audit.seq == segment.last_seq:
            file = self._source.shown(segment, "state")
            self._audit.expect_snapshot(segment.last_seq, body, file=file)

    def _check_sum(
        self, segment: Segment, part: SegmentPart, written: FileSum | None, found: FileSum
    ) -> None:
        if written == found:
            return
        if written is not None and written.bytes != found.bytes:
            self._find(
                segment, part, f"it has {found.bytes:,} bytes, {written.bytes:,} were written"
            )
        self._find(segment, part, "its SHA-256 is not the one that the store holds of it")

    def _find(
        self, segment: Segment, part: SegmentPart | None, message: str, *, seq: int | None = None
    ) -> NoReturn:
        file = None if part is None else self._source.shown(segment, part)
        at = segment.first_seq if seq is None else seq
        raise FindingError(Problem(at, None, None, message, file))


class _Already:
    """Records of a segment that were audited before they were moved there.

    The hash of the newest of them proves that they are the same.
    """

    def __init__(self, segment: Segment, audit: LinkAudit, indexes: IndexAudit) -> None:
        self._segment = segment
        self._audit = audit
        self._indexes = indexes
        self._chain = ChainCheck(seq=segment.first_seq - 1, head=segment.prev)
        self.seq = segment.first_seq - 1
        self.reached = audit.seq <= self.seq

    def feed(self, member: Member) -> Member:
        """A block; what is left of it for the audit."""
        lines = member.body.split(b"\n")
        torn = lines.pop()
        while lines and not self.reached:
            line = lines.pop(0)
            try:
                self._chain.feed(line)
                self._indexes.feed(read_record(line))
            except (JournalBrokenError, DiscrepancyError) as error:
                self._find(shown_error(str(error)))
            self.seq += 1
            if self.seq == self._audit.seq:
                self.reached = True
                if self._chain.head != self._audit.head:
                    self._find("is not the one that was in the journal file before")
        if not self.reached and (torn or member.trouble is not None):
            self._find(member.trouble or "does not end with a newline")
        rest = b"".join([line + b"\n" for line in lines]) + torn
        return Member(member.offset, member.size, rest, member.trouble)

    def end(self) -> None:
        """All of the segment was audited before."""
        segment = self._segment
        if self.seq != segment.last_seq:
            self._find(f"missing: the file ends with record {self.seq}")
        if self._chain.head != segment.head:
            self._find(
                f"has the hash {self._chain.head}, the row of segment {segment.number} says "
                f"{shown(segment.head)}"
            )

    def _find(self, message: str) -> NoReturn:
        raise FindingError(Problem(self.seq + 1, None, None, message))
