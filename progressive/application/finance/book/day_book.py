"""The day book of one link and one gaming day: the value that reports read.

It can be stored, loaded and continued: `closing` holds all that the next record needs. It never
says what a figure means for a report, and never reads a journal. What is stored names the SHA-256
of the book: damage is found when it is read. A forger can name another one.
"""

from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Raw, Struct

from progressive.application.finance.book.figures import (
    PARTS,
    BetUse,
    Cause,
    Difference,
    Fall,
    Happening,
    Moved,
    Part,
    PartFlows,
    RackAwards,
    RateUse,
    TableHour,
    TableUse,
    TermsEntry,
    WagerCell,
)
from progressive.application.finance.book.standing import AwardEntry, Standing
from progressive.application.journal.gaming_day import GamingDays
from progressive.domain.ids import AwardId, LinkId, MeterId

FORM: Final = 6
"""Of the stored form: a book of another one is folded again."""
DIFFERENCES_KEPT: Final = 50
"""Differences that a book names one by one; the rest are counted."""


class BookUnreadableError(Exception):
    """Stored bytes are not a day book of this form."""


class DayBook(Struct, kw_only=True):
    """Everything that the reports of one gaming day of one link need."""

    link: LinkId
    day: str
    begins: str
    """The first moment of the day, in the journal's form; and the first one after it."""
    ends: str
    time_zone: str
    day_starts: str
    opening: Standing
    closing: Standing
    """After the last record that was folded: of an open day, not the last there will be."""
    flows: dict[MeterId, dict[Part, PartFlows]] = {}
    moved: dict[MeterId, dict[Cause, list[Moved]]] = {}
    """Each record that moved a displayed meter otherwise than by a wager, oldest first. Of voided
    rounds (`void_contra`) only what they did not give back, since the meter had been won."""
    rates: dict[str, RateUse] = {}
    cells: dict[str, WagerCell] = {}
    hours: dict[str, TableHour] = {}
    tables: dict[str, TableUse] = {}
    racks: dict[str, RackAwards] = {}
    bets: dict[str, BetUse] = {}
    awards: dict[AwardId, AwardEntry] = {}
    """Made, or dealt with, on this day; those that the rack paid at once are in `racks`."""
    hits: dict[AwardId, int] = {}
    """Of the awards of meters made on this day: how many wagers their bet had had by then."""
    happenings: list[Happening] = []
    sign_ons: list[Happening] = []
    terms: list[TermsEntry] = []
    falls: list[Fall] = []
    readings: dict[int, dict[MeterId, int]] = {}
    """The displayed meters after the last record of each hour that had one."""
    differences: list[Difference] = []
    differences_more: int = 0

    @property
    def records(self) -> int:
        """How many records were folded."""
        return self.closing.seq - self.opening.seq

    @property
    def first_seq(self) -> int | None:
        """The day's first record; None where it has none."""
        return self.opening.seq + 1 if self.records else None

    @property
    def last_seq(self) -> int | None:
        """The last record that was folded; None where there is none."""
        return self.closing.seq if self.records else None

    @property
    def days(self) -> GamingDays:
        """How the floor counted its days."""
        return GamingDays.of(self.time_zone, self.day_starts)

    def part(self, meter: MeterId, part: Part) -> PartFlows:
        """What moved a part of a meter; begun where nothing had."""
        of_meter = self.flows.get(meter)
        if of_meter is None:
            of_meter = self.flows[meter] = {each: PartFlows() for each in PARTS}
        return of_meter[part]

    def name(self, meter: MeterId, cause: Cause, seq: int, microcents: int) -> None:
        """One more record is behind a displayed meter."""
        records = self.moved.setdefault(meter, {}).setdefault(cause, [])
        if records and records[-1].seq == seq:
            microcents += records.pop().microcents
        records.append(Moved(seq, microcents))

    def note(self, seq: int, what: str, microcents: int) -> None:
        """A record contradicts itself or the one before."""
        if len(self.differences) < DIFFERENCES_KEPT:
            self.differences.append(Difference(seq, what, microcents))
        else:
            self.differences_more += 1


def currency_of(book: DayBook) -> str:
    """The floor's, as its terms say at the end of the day; empty where they do not."""
    terms = book.closing.present_terms
    return "" if terms is None or terms.house is None else terms.house.currency


def new_book(link: LinkId, day: str, begins: str, days: GamingDays, opening: Standing) -> DayBook:
    """A day of which no record was folded yet."""
    return DayBook(
        link=link,
        day=day,
        begins=begins,
        ends=days.ends(day),
        time_zone=days.zone.key,
        day_starts=days.starts.isoformat("minutes"),
        opening=copied(opening),
        closing=copied(opening),
    )


def copied(standing: Standing) -> Standing:
    """The same standing, for somebody who moves it, without terms that nobody needs any more."""
    copy = _standing_decoder.decode(_encoder.encode(standing))
    needed = {copy.terms_version, *(each.terms_version for each in copy.rounds.values())}
    copy.terms = {version: terms for version, terms in copy.terms.items() if version in needed}
    return copy


def encode_book(book: DayBook) -> bytes:
    """The bytes to store."""
    body = _encoder.encode(book)
    return _encoder.encode(_Stored(FORM, sha256(body).hexdigest(), Raw(body)))


def decode_book(stored: bytes) -> DayBook:
    """A stored book; raises BookUnreadableError where the bytes are none of this form, or not
    those that were stored."""
    try:
        form = _form_decoder.decode(stored).form
        if form != FORM:
            raise BookUnreadableError(f"a day book of form {form}, this program knows {FORM}")
        outer = _stored_decoder.decode(stored)
        if sha256(outer.book).hexdigest() != outer.sha256:
            raise BookUnreadableError("not the day book that was stored: its hash is another")
        book = _decoder.decode(outer.book)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BookUnreadableError(f"not a day book: {error}") from None
    # An award that is still owed is one object for whoever goes on.
    for award, entry in book.closing.awards.items():
        if award in book.awards:
            book.awards[award] = entry
    return book


class _Form(Struct):
    form: int


class _Stored(Struct):
    """The book as it lies in its file."""

    form: int
    sha256: str
    book: Raw


_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(DayBook)
_form_decoder: Final = msgspec.json.Decoder(_Form)
_stored_decoder: Final = msgspec.json.Decoder(_Stored)
_standing_decoder: Final = msgspec.json.Decoder(Standing)
