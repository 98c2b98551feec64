"""Walk a link's journal on its own: chain, numbering, every sum; name the first break.

It shares the record format with the service and not a line of code, so that a mistake in one is
caught by the other. No I/O either: whoever reads the files hands in what is stored, batch by batch,
and memory holds one batch, the tables, the meters and the awards that are open.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import NoReturn

from progressive.verifier.findings import (
    DiscrepancyError,
    FindingError,
    Problem,
    StoreCorruptError,
    shown,
)
from progressive.verifier.record import GENESIS, Record, glimpse, read_record, read_time
from progressive.verifier.recorded.guard_events import ClockStepped, LossAccepted
from progressive.verifier.recorded.table_events import Checkpointed, LinkOpened
from progressive.verifier.report import (
    LinkReport,
    StoredBatch,
    StoredLink,
    StoredSnapshot,
    amounts_in,
    awards_in,
    days_in,
)
from progressive.verifier.rules.books import Books
from progressive.verifier.rules.guard import Remembered, check_follows
from progressive.verifier.rules.plain_rounds import PlainRounds
from progressive.verifier.rules.snapshot import check_snapshot


@dataclass(frozen=True, slots=True)
class _Break:
    """A record that does not follow the one before; the next one tells which was changed."""

    digest: str
    """Of the record itself."""
    before: Problem | None
    itself: Problem


class LinkAudit:
    """A fold over the stored records of one link."""

    def __init__(self, stored: StoredLink, remembered: Remembered | None = None) -> None:
        """`remembered`: what the data directory knows of it outside the journal."""
        self.seq = 0
        self.head = GENESIS
        self.first_at: str | None = None
        self.last_at: str | None = None
        self.clock_steps_back = 0
        self.first_seq = 1
        """Those before it were purged."""
        self.books = Books(shown(stored.link))
        self._plain = PlainRounds(self.books)
        self.watch: Callable[[Record], None] | None = None
        """Whoever else looks at each record once it is found good."""
        self._stored = stored
        self._snapshots: dict[int, list[tuple[StoredSnapshot, str | None]]] = {}
        self._last: Record | None = None
        self._last_time: datetime | None = None
        self.epoch = 0
        self._remembered = remembered
        self.holds_remembered = False
        self.times_hold_after: int | None = None
        """The record from which on times never go back; None: a version before wrote it."""
        self._break: _Break | None = None

    # --- what the store says -----------------------------------------------------------------

    def begin(self) -> None:
        """Look at the link's own row, before any record."""
        stored = self._stored
        if not isinstance(stored.link, str):
            self._find(f"the store's name of the link, {shown(stored.link)}, is no text")
        for what, value, least in (("epoch", stored.epoch, 1), ("seq", stored.seq, 0)):
            if not isinstance(value, int) or value < least:
                self._find(f"the store's {what} of the link is {shown(value)}")
        for seq, body in stored.snapshots:
            self.expect_snapshot(seq, body)

    def look_again(self, stored: StoredLink) -> None:
        """The link's own row, as it is by now: the journal may have grown meanwhile."""
        self._stored = stored

    def expect_snapshot(self, seq: object, body: object, *, file: str | None = None) -> None:
        """A saved state, which the record after `seq` must confirm; before that one is fed."""
        if not isinstance(seq, int) or seq < 1 or not isinstance(body, bytes):
            self._find(f"the stored snapshot, at {shown(seq)}, is none")
        self._snapshots.setdefault(seq, []).append((StoredSnapshot(seq=seq, body=body), file))

    def go_on_from(self, books: Books, *, seq: int, head: str, last_at: str) -> None:
        """Begin in the middle, after a record that was purged."""
        self.books = books
        self._plain = PlainRounds(books)
        self.seq, self.head = seq, head
        self.first_seq = seq + 1
        self._last_time = read_time(last_at)
        if books.terms is not None:
            books.days.counted.count_by(books.terms.house, last_at)
            books.days.begin_in_the_middle()

    def feed_batch(self, batch: StoredBatch) -> None:
        """The next batch of the store; raises FindingError at the first break."""
        first, last, body = batch.first_seq, batch.last_seq, batch.body
        expected = self.seq + 1
        if not isinstance(first, int) or not isinstance(last, int) or not isinstance(body, bytes):
            self._find(f"the batch from {shown(first)} to {shown(last)} is none")
        if first > expected:
            self._find(f"missing: the next batch begins with record {first}")
        if first < expected:
            self._find(f"stands in two batches, or its batch begins with {first}")
        self.check_epoch(batch.epoch)
        lines = body.split(b"\n")
        torn = lines.pop()
        for line in lines:
            self.feed(line)
        if torn:
            self._find("does not end with a newline", stored=torn)
        if self.seq != last or not lines:
            self._find(
                f"the batch from {first} to {last} holds {len(lines)} records",
                seq=max(first, min(self.seq, last) + 1),
            )

    def check_epoch(self, epoch: object) -> None:
        """Who wrote the next batch: nobody older than before, and nobody newer than the newest."""
        newest = self._stored.epoch
        if not isinstance(epoch, int) or epoch < 1:
            self._find(f"its batch has the epoch {shown(epoch)}")
        if epoch < self.epoch:
            self._find(f"its batch has epoch {epoch}, the one before it {self.epoch}")
        if isinstance(newest, int) and epoch > newest:
            self._find(f"its batch has epoch {epoch}, the newest is {newest}")
        self.epoch = epoch

    def feed(self, stored: bytes) -> None:
        """The next record as stored, without its newline; raises FindingError at a break."""
        if self._break is not None:
            self._resolve(self._break, vouched=_prev_of(stored))
        seq = self.seq + 1
        try:
            # A snapshot is confirmed by a checkpoint, which no plain record is.
            plain = None
            if self.seq not in self._snapshots:
                plain = self._plain.enter(stored, seq, self.head)
            record = plain or self._enter(stored, seq)
            if self._break is None:
                self._keep_time(record)
                if self.watch is not None:
                    self.watch(record)
        except DiscrepancyError as error:
            self._find(str(error), stored=stored)
        except (ArithmeticError, LookupError, ValueError) as error:
            # No rule foresaw it. A forger may think of more than the rules do; it stays a finding.
            self._find(
                f"cannot be worked out ({type(error).__name__}: {shown(str(error))})",
                stored=stored,
            )
        self.seq = seq
        self.head = sha256(stored).hexdigest()
        self._last = record
        place = None if self._remembered is None else self._remembered.place
        if place is not None and seq == place.seq:
            self.holds_remembered = self.head == place.head

    def finish(self) -> None:
        """After the last record: is it the last one, and does everything balance?"""
        if self._break is not None:
            self._resolve(self._break, vouched=self._stored.head)
        written = self._stored.seq
        if isinstance(written, int) and written > self.seq:
            self._find(f"missing: the journal ends at {self.seq}, but {written} were written")
        if written != self.seq:
            self._find_last(f"one too many: the store says that {shown(written)} were written")
        if self._stored.head != self.head:
            self._find_last(
                f"the last one has the hash {self.head}, the store says {shown(self._stored.head)}"
            )
        if ahead := [seq for seq in self._snapshots if seq >= self.seq]:
            self._find(f"missing: there is a stored snapshot at {min(ahead)}")
        self._check_remembered()
        try:
            self.books.check_balance()
            self.books.days.positions.finish()
        except DiscrepancyError as error:
            self._find_last(str(error))

    def end_segment(self, number: int, *, last_seq: int, head: str) -> None:
        """After the last record of a segment: is it the one that the store says?"""
        if self._break is not None:
            self._resolve(self._break, vouched=head)
        if self.seq < last_seq:
            self._find(f"missing: the file ends with record {self.seq}")
        if self.head != head:
            self._find_last(
                f"has the hash {self.head}, the row of segment {number} says {shown(head)}"
            )

    def has_confirmed(self, seq: int) -> bool:
        """Whether a good record behind this one has confirmed every state saved there."""
        return self.seq > seq and self._break is None and seq not in self._snapshots

    def cannot_go_on(self, message: str) -> NoReturn:
        """The next record cannot be read."""
        self._find(message)

    def report(self, problem: Problem | None) -> LinkReport:
        """What was found."""
        books = self.books
        return LinkReport(
            link=books.link,
            records=self.seq if problem is None else max(0, problem.seq - 1),
            head=self.head,
            rounds=books.rounds,
            voided=books.voided,
            open=books.tables.in_play,
            wagers=books.wagers,
            first_at=self.first_at,
            last_at=self.last_at,
            clock_steps_back=self.clock_steps_back,
            meters=amounts_in(books) if problem is None else (),
            totals=books.accounts.totals if problem is None else None,
            awards=awards_in(books) if problem is None else None,
            problem=problem,
            losses=tuple(books.losses),
            clock_steps=tuple(books.clock_steps),
            closed_days=days_in(books) if problem is None else None,
        )

    # --- parts -------------------------------------------------------------------------------

    def _enter(self, stored: bytes, seq: int) -> Record:
        """Read any record, and enter it where it follows the one before."""
        record = read_record(stored)
        if record.seq != seq:
            self._find(f"missing: record {shown(record.seq)} stands in its place")
        if record.prev == self.head:
            if self._snapshots:
                self._check_snapshots(record)
            self.books.enter(record, stored)
        else:
            self._suspend(record, stored)
        return record

    def _check_remembered(self) -> None:
        """The journal holds what was committed once, or says who accepted that it does not."""
        if self._remembered is None or self.holds_remembered:
            return
        was = self._remembered.place
        if was.seq < self.first_seq:
            # It is always about the newest record: an old one was put back, and proves nothing.
            return
        if any(loss.remembered == was for loss in self.books.losses):
            return
        if was.seq > self.seq:
            self._find(
                f"missing: the journal ends at {self.seq:,}, but this data directory has "
                f"committed {was.seq:,} (the last at {shown(was.at)}, hash {shown(was.head)})"
            )
        self._find(
            f"is not the one that this data directory has committed (hash {shown(was.head)})",
            seq=was.seq,
        )

    def _check_snapshots(self, record: Record) -> None:
        for snapshot, file in self._snapshots.pop(self.seq, ()):
            try:
                check_snapshot(snapshot, self.books, vouching=record.event)
            except DiscrepancyError as error:
                found = _problem(record, str(error))
                raise FindingError(replace(found, file=file)) from None

    def _keep_time(self, record: Record) -> None:
        at = record.at
        # All records of a batch bear one time.
        if at != self.last_at:
            time = read_time(at)
            if self.first_at is None:
                self.first_at = at
            if self._last_time is not None and time < self._last_time:
                if (since := self.times_hold_after) is not None:
                    check_follows(time, self._last_time, since_seq=since)
                self.clock_steps_back += 1
            self.last_at = at
            self._last_time = time
        if self.times_hold_after is None and self._promises_times(record):
            self.times_hold_after = record.seq

    def _promises_times(self, record: Record) -> bool:
        """Whether times never go back after this record: it says so, or only a version that holds
        to it can have written it. What is remembered beside the journal counts as much: a forger
        who leaves the promise out has to change that too."""
        event = record.event
        if isinstance(event, LinkOpened | Checkpointed):
            promised = event.times_hold
        else:
            promised = isinstance(event, LossAccepted | ClockStepped)
        hold_from = 0 if self._remembered is None else self._remembered.times_hold_from
        return promised or 0 < hold_from <= record.seq + 1

    def _suspend(self, record: Record, stored: bytes) -> None:
        """The chain is broken before or at this record: wait for what the next one names."""
        seq = self.seq + 1
        itself = f"does not follow record {self.seq}: one of the two has been changed"
        if self._last is None:
            itself = "names a record before it, though it is the first"
        self._break = _Break(
            digest=sha256(stored).hexdigest(),
            before=None
            if self._last is None
            else _problem(self._last, f"has been changed: record {seq} names another hash"),
            itself=_problem(record, itself),
        )

    def _resolve(self, broken: _Break, *, vouched: object) -> NoReturn:
        """A record that the next one vouches for is as it was: then the one before it is not."""
        if broken.before is not None and vouched == broken.digest:
            raise FindingError(broken.before)
        raise FindingError(broken.itself)

    def _find(self, message: str, *, seq: int | None = None, stored: bytes = b"") -> NoReturn:
        """Break at the next record, or at the one given."""
        if self._break is not None:
            self._resolve(self._break, vouched=_prev_of(stored))
        at, kind = glimpse(stored)
        raise FindingError(Problem(self.seq + 1 if seq is None else seq, at, kind, message))

    def _find_last(self, message: str) -> NoReturn:
        """Break at the last record that was read."""
        if self._last is None:
            raise FindingError(Problem(self.seq, None, None, message))
        raise FindingError(_problem(self._last, message))


def audit_link(
    stored: StoredLink,
    batches: Iterable[StoredBatch],
    *,
    on_progress: Callable[[int], None],
    remembered: Remembered | None = None,
) -> LinkReport:
    """The whole audit of a link; `on_progress` hears the number of the last good record."""
    audit = LinkAudit(stored, remembered)
    try:
        audit.begin()
        for batch in batches:
            audit.feed_batch(batch)
            on_progress(audit.seq)
        audit.finish()
    except FindingError as finding:
        return audit.report(finding.problem)
    except StoreCorruptError as error:
        return audit.report(Problem(audit.seq + 1, None, None, f"cannot be read: {error}"))
    return audit.report(None)


def _problem(record: Record, message: str) -> Problem:
    return Problem(record.seq, shown(record.at), record.event.TYPE, message)


def _prev_of(stored: bytes) -> str | None:
    """The hash that a record names, or None where it cannot be read."""
    try:
        return read_record(stored).prev
    except DiscrepancyError:
        return None
