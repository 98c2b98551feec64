"""COLD. What the displayed meters stood at, some time ago, read from the journal alone."""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct

from progressive.application.journal.ports import JournalReader
from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.domain.events import Event, FloorRecorded, LinkOpened, LinkReopened
from progressive.domain.ids import LinkId
from progressive.domain.person_events import TermsChanged
from progressive.domain.rulebook.rules import LinkTerms, MeterRules

STRETCH_RECORDS: Final = 50_000
"""Records that a store looks through at a time; whoever has left is noticed in between."""
_TERMS: Final = b'"terms"'


class MetersThen(Struct, frozen=True):
    """The displayed meters after a record, in the order of the terms."""

    seq: int
    at: str
    microcents: tuple[int, ...]
    meters: tuple[MeterRules, ...] | None
    """The meters of the terms then; None where they are those of now."""


class _Dated(Struct, frozen=True):
    at: str


_dated_decoder = msgspec.json.Decoder(_Dated)


async def meters_at(
    store: JournalReader,
    link: LinkId,
    *,
    at: str,
    last_seq: int,
    terms: "TermsIndex | None" = None,
) -> MetersThen | None:
    """The meters as the last record at or before a time left them; None before the first.

    `at` is written like the journal's own times, so that texts compare as times do. The record is
    found by halving, with some twenty look-ups in a journal of a million records. Where a clock was
    set back in an old journal, a time was there twice: then the record is one that stands at or
    before it and whose next one stands after it.
    """
    found = await _last_until(store, link, at=at, last_seq=last_seq)
    if found is None:
        return None
    record = decode_record(found)
    terms = terms or TermsIndex(store, link)
    meters = await terms.meters_of(record.seq, last_seq=last_seq)
    return MetersThen(record.seq, record.at, amounts_after(record.event), meters)


async def _last_until(
    store: JournalReader, link: LinkId, *, at: str, last_seq: int
) -> bytes | None:
    found: bytes | None = None
    before, after = 0, last_seq + 1
    while after - before > 1:
        # First the newest: most questions are about today.
        middle = last_seq if after > last_seq else (before + after) // 2
        stored = await store.record(link, middle)
        if stored is None:
            raise JournalBrokenError(f"record {middle} is missing")
        if _time_of(stored) <= at:
            before, found = middle, stored
        else:
            after = middle
    return found


def _time_of(stored: bytes) -> str:
    try:
        return _dated_decoder.decode(stored).at
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise JournalBrokenError(f"a record is unreadable: {error}") from error


class TermsIndex:
    """Where a link's terms stand in its journal: looked for once, and remembered.

    The stretch that is known grows from the end backwards, as far as somebody asks, and forwards
    with the journal.
    """

    def __init__(self, store: JournalReader, link: LinkId) -> None:
        self._store = store
        self._link = link
        self._known_after: int | None = None
        """All terms behind this record are known."""
        self._known_until = 0
        self._places: list[tuple[int, LinkTerms]] = []
        """Records that brought terms, oldest first."""
        self._looking = asyncio.Lock()

    async def meters_of(self, seq: int, *, last_seq: int) -> tuple[MeterRules, ...] | None:
        """The meters of the terms that a record was written under; None where they still hold."""
        async with self._looking:
            if self._known_after is None:
                self._known_after = self._known_until = last_seq
            while self._known_until < last_seq:
                until = min(last_seq, self._known_until + STRETCH_RECORDS)
                self._places += await self._look(self._known_until, until)
                self._known_until = until
            await self._look_back_to(
                lambda: self._known_after is not None and self._known_after <= seq
            )
            if all(place <= seq for place, _ in self._places):
                return None
            await self._look_back_to(lambda: any(place <= seq for place, _ in self._places))
            held = [terms for place, terms in self._places if place <= seq]
            return held[-1].meters if held else None

    async def _look_back_to(self, enough: Callable[[], bool]) -> None:
        while self._known_after and not enough():
            after = max(0, self._known_after - STRETCH_RECORDS)
            self._places = [*await self._look(after, self._known_after), *self._places]
            self._known_after = after

    async def _look(self, after_seq: int, until_seq: int) -> list[tuple[int, LinkTerms]]:
        stretch = await self._store.records_with(
            self._link, _TERMS, after_seq=after_seq, until_seq=until_seq
        )
        found = [(decode_record(each).seq, terms_of_record(each)) for each in stretch]
        return [(seq, terms) for seq, terms in found if terms is not None]


def amounts_after(event: Event) -> tuple[int, ...]:
    """The displayed meters as an event left them, in microcents."""
    if isinstance(event, LinkOpened):
        return tuple(flow.primary for flow in event.funding)
    return event.meters


def terms_of_record(stored: bytes) -> LinkTerms | None:
    """The terms that a stored record brought, where it is one that did."""
    if not (b'"terms_changed"' in stored or b'"terms"' in stored):
        return None
    event = decode_record(stored).event
    if isinstance(event, LinkOpened | LinkReopened | FloorRecorded | TermsChanged):
        return event.terms
    return None
