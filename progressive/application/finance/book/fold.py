"""HOT. Records into a day book: each once, in order, proved by the hash of the one before.

The two common kinds cost a short decoding, a hash and a count; everything else is decoded whole
and entered by its own module. The amounts that a record names are held against the record before
it and what it moved. Raises JournalBrokenError where the chain breaks; never repairs anything.
"""

from collections.abc import Iterable
from hashlib import sha256
from operator import add

from progressive.application.finance.book import narrow
from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.falls import enter_falls
from progressive.application.finance.book.happenings import enter_happening
from progressive.application.finance.book.hours import Hours
from progressive.application.finance.book.house_money import follow_house
from progressive.application.finance.book.lock_outs import Count, LockOuts, Shape, deltas_of
from progressive.application.finance.book.moves import enter_money, flows_of
from progressive.application.finance.book.register import enter_made, enter_step
from progressive.application.finance.book.standing import ACCOUNTS, OpenRound, Parts, in_play
from progressive.application.finance.book.voids import enter_void
from progressive.application.journal.record import (
    ChainCheck,
    Record,
    decode_record,
)
from progressive.domain.events import (
    Event,
    FloorRecorded,
    LinkOpened,
    LinkReopened,
    RoundSettled,
    RoundVoided,
    SettledEarly,
)
from progressive.domain.ids import MeterId, TableId
from progressive.domain.person_events import (
    CorrectionApproved,
    CorrectionProposed,
    CorrectionRefused,
    DealerSignedOn,
    LinkRetired,
    TermsChanged,
    TermsProposed,
)
from progressive.domain.rulebook.floor_record import FloorRecord

_NEW_METERS = (LinkOpened, LinkReopened, TermsChanged, FloorRecorded)


class Fold:
    """Goes on with a book from the record it closed with."""

    def __init__(self, book: DayBook) -> None:
        self.book = book
        self._hours = Hours(book.begins)
        self._hour = 0
        self._hour_ends = ""
        self._shapes: dict[tuple[object, ...], Count] = {}
        self._lock_outs = LockOuts(book)
        self._locked: dict[TableId, Shape | OpenRound] = dict(book.closing.rounds)
        self._running = self._displayed()

    def feed(self, records: Iterable[bytes]) -> None:
        """The next records, as stored. All of them belong to the book's day."""
        closing, shapes, locked, running = (
            self.book.closing,
            self._shapes,
            self._locked,
            self._running,
        )
        seq, head, at, hour_ends = closing.seq, closing.head, closing.at, self._hour_ends
        decode, nothing = narrow.short, narrow.NOTHING
        try:
            for stored in records:
                record = decode(stored)
                event = record.event
                if record.seq != seq + 1 or record.prev != head:
                    # Says what is wrong.
                    ChainCheck(seq=seq, head=head).follow(record.seq, record.prev, stored)
                if record.at >= hour_ends:
                    self._running = running
                    hour_ends = self._turn(record.at)
                seq = record.seq
                if event.type == narrow.LOCK_OUT:
                    plain, table = event.plain, event.table
                    wagers: narrow.Wagers | tuple[str, int, int] = (
                        narrow.listed_wagers(bytes(event.wagers))
                        if plain is None
                        else (plain.bet, plain.amount_cents, len(plain.seats))
                    )
                    stakes, flows = bytes(event.stakes), bytes(event.flows)
                    key = (table, event.terms_version, wagers, stakes, flows, event.hold)
                    count = shapes.get(key)
                    if count is None:
                        count = shapes[key] = self._count(record)
                    count.number += 1
                    count.last_seq = seq
                    locked[count.table] = count.shape
                    running = tuple(map(add, running, count.deltas))
                    if event.meters != running:
                        running = self._break(seq, running, event.meters)
                elif event.type == narrow.SETTLED and event.awards is nothing:
                    locked.pop(TableId(event.table), None)
                    if event.meters != running:
                        running = self._break(seq, running, event.meters)
                elif event.type == narrow.CHECKPOINT:
                    if event.meters != running:
                        running = self._break(seq, running, event.meters)
                else:
                    self._running = running
                    self._enter(decode_record(stored, seq=seq))
                    running = self._running
                head, at = sha256(stored).hexdigest(), record.at
                closing.seq = seq
        finally:
            self._running = running
            closing.head, closing.at = head, at

    def _count(self, record: narrow.RecordShort) -> Count:
        """The first lock-out of its shape."""
        event, plain = record.event, record.event.plain
        wagers: narrow.Wagers = (
            narrow.listed_wagers(bytes(event.wagers))
            if plain is None
            else ((plain.bet, "chip", plain.amount_cents, len(plain.seats)),)
        )
        flows = bytes(event.flows)
        shape = Shape(
            event.table, event.terms_version, wagers, bytes(event.stakes), flows, event.hold
        )
        return Count(record.seq, shape, deltas_of(self.book, flows))

    def finish(self) -> DayBook:
        """The book with everything entered; the fold may go on afterwards."""
        self._catch_up()
        self._read_meters()
        self.book.closing.rounds = {table: _opened(each) for table, each in self._locked.items()}
        return self.book

    # --- less often ----------------------------------------------------------------------------

    def _turn(self, at: str) -> str:
        """Another hour begins; the end of it."""
        self._enter_shapes()
        self._read_meters()
        self._hour = self._hours.hour_of(at)
        self._hour_ends = self._hours.ends(self._hour)
        return self._hour_ends

    def _read_meters(self) -> None:
        if self._hour_ends:
            self.book.readings[self._hour] = {
                meter: self._running[place] for meter, place in in_play(self.book.closing).items()
            }

    def _enter_shapes(self) -> None:
        for count in self._shapes.values():
            self._lock_outs.enter(self._hour, count.shape, count)
        self._shapes.clear()

    def _catch_up(self) -> None:
        """Everything entered, and the displayed amounts among the closing ones."""
        self._enter_shapes()
        self._lock_outs.enter_money()
        meters = self.book.closing.meters
        for meter, place in in_play(self.book.closing).items():
            meters.setdefault(meter, Parts()).primary = self._running[place]

    def _displayed(self) -> tuple[int, ...]:
        meters = self.book.closing.meters
        return tuple([meters[meter].primary for meter in in_play(self.book.closing)])

    def _enter(self, record: Record) -> None:
        book, event = self.book, record.event
        if isinstance(event, (*_NEW_METERS, LinkRetired)):
            self._catch_up()
        before = self._by_meter()
        enter_happening(book, record)
        if isinstance(event, RoundVoided):
            opened = self._locked.pop(event.table, None)
            known = None if opened is None else _opened(opened)
            enter_void(book, record.seq, self._hour, event, known, self._catch_up)
        elif isinstance(event, RoundSettled):
            self._locked.pop(event.table, None)
        if isinstance(event, RoundSettled | SettledEarly) and any(
            made.meter is not None for made in event.awards
        ):
            # How many wagers there were up to a hit is counted at the hit.
            self._enter_shapes()
        enter_money(book, record.seq, event)
        enter_made(book, record, self._hour)
        enter_step(book, record)
        _enter_acts(book, record)
        self._follow_meters(record.seq, event)
        after = self._by_meter()
        enter_falls(book, record, before, after)
        follow_house(book.closing, record, after)

    def _by_meter(self) -> dict[MeterId, int]:
        """The displayed meters after the last record that was entered."""
        return {meter: self._running[place] for meter, place in in_play(self.book.closing).items()}

    def _follow_meters(self, seq: int, event: Event) -> None:
        """The displayed amounts after an event, held against those it names."""
        standing = self.book.closing
        flows = flows_of(event)
        if isinstance(event, _NEW_METERS):
            for flow in flows:
                standing.meters.setdefault(flow.meter, Parts()).primary += flow.primary
            for meter in in_play(standing):
                standing.meters.setdefault(meter, Parts())
            expected = self._displayed()
        else:
            amounts, places = list(self._running), in_play(standing)
            for flow in flows:
                if flow.meter in places:
                    amounts[places[flow.meter]] += flow.primary
                else:
                    standing.meters.setdefault(flow.meter, Parts()).primary += flow.primary
            expected = tuple(amounts)
        if isinstance(event, LinkOpened) or event.meters == expected:
            self._running = expected
        else:
            self._running = self._break(seq, expected, event.meters)

    def _break(
        self, seq: int, expected: tuple[int, ...], named: tuple[int, ...]
    ) -> tuple[int, ...]:
        """A record names other amounts than follow: from there on its own count."""
        for meter, place in in_play(self.book.closing).items():
            if place < len(named) and named[place] != expected[place]:
                self.book.part(meter, "primary").breaks += 1
                self.book.note(
                    seq, f"{meter} is not where the record before left it",
                    named[place] - expected[place],
                )  # fmt: skip
        return named if len(named) == len(expected) else expected


def _opened(locked: Shape | OpenRound) -> OpenRound:
    if isinstance(locked, OpenRound):
        return locked
    return OpenRound(locked.terms_version, locked.wagers, narrow.flows_in(locked.flows))


def _enter_acts(book: DayBook, record: Record) -> None:
    """Terms, floor, dealers and proposals: what later records are read by."""
    event, standing = record.event, book.closing
    match event:
        case LinkOpened() | LinkReopened() | TermsChanged():
            standing.terms_version = event.terms_version
            standing.terms[event.terms_version] = event.terms
            standing.terms_proposed, standing.proposed_at = None, ""
            if isinstance(event, LinkOpened):
                standing.accounts = dict.fromkeys(ACCOUNTS, 0) | standing.accounts
                if event.floor is not None:
                    _enter_floor(book, event.floor)
        case FloorRecorded():
            if event.terms is not None:
                standing.terms[standing.terms_version] = event.terms
            _enter_floor(book, event.floor)
        case DealerSignedOn():
            if event.dealer is None:
                standing.dealers.pop(event.table, None)
            else:
                standing.dealers[event.table] = event.dealer.name
        case CorrectionProposed():
            standing.corrections[event.correction] = event
        case CorrectionRefused() | CorrectionApproved():
            standing.corrections.pop(event.correction, None)
        case TermsProposed():
            standing.terms_proposed, standing.proposed_at = event, record.at
        case _:
            pass


def _enter_floor(book: DayBook, floor: FloorRecord) -> None:
    standing = book.closing
    standing.program, standing.floor = floor.program, floor.floor
    standing.tables = tuple([table.id for table in floor.tables])
    standing.close_within_hours = floor.close_within_hours
