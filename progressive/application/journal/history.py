"""COLD. What the displayed meters stood at, some time ago, read from the journal alone.

Every question is a few look-ups, however long the journal is: none of them reads it through.
"""

import asyncio
from bisect import bisect_right
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Raw, Struct

from progressive.application.journal.ports import JournalReader, StorePurgedError
from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.domain.award_events import MeterFlow
from progressive.domain.events import LinkOpened, LinkReopened
from progressive.domain.ids import LinkId
from progressive.domain.person_events import TermsChanged
from progressive.domain.rulebook.rules import MeterRules

BRING_METERS: Final = frozenset({"link_opened", "link_reopened", "terms_changed"})
"""Types of records whose terms say which meters there are. What `floor_recorded` adds to the terms
is never a meter, and there is one for every start with another program: they need not be read."""


class MetersThen(Struct, frozen=True):
    """The displayed meters after a record, in the order of the terms."""

    seq: int
    at: str
    microcents: tuple[int, ...]
    meters: tuple[MeterRules, ...]
    """Those of the terms that it was written under."""


class _MovingEvent(Struct):
    type: str
    meters: tuple[int, ...] = ()
    funding: Raw = Raw(b"[]")


class _MovingRecord(Struct):
    seq: int
    at: str
    event: _MovingEvent


class Amounts(Struct, frozen=True):
    """The displayed meters as a record left them, in microcents."""

    seq: int
    at: str
    microcents: tuple[int, ...]


_moving_decoder: Final = msgspec.json.Decoder(_MovingRecord)
_flows_decoder: Final = msgspec.json.Decoder(tuple[MeterFlow, ...])


def amounts_after(stored: bytes) -> Amounts:
    """What a stored record left on the meters: all else of it is skipped.

    Raises JournalBrokenError where the bytes are no record.
    """
    try:
        record = _moving_decoder.decode(stored)
        event = record.event
        microcents = event.meters
        if event.type == "link_opened":
            microcents = tuple([flow.primary for flow in _flows_decoder.decode(event.funding)])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise JournalBrokenError(f"a record is unreadable: {error}") from error
    return Amounts(record.seq, record.at, microcents)


async def meters_at(
    store: JournalReader,
    link: LinkId,
    *,
    at: str,
    last_seq: int,
    terms: "TermsIndex | None" = None,
) -> MetersThen | None:
    """The meters as the last record at or before a time left them; None before the first.

    `at` is written like the journal's own times, so that texts compare as times do. Where a clock
    was set back in an old journal, a time was there twice: then the record is one that stands at or
    before it and whose next one stands after it. Raises StoreError and JournalBrokenError.
    """
    found = await store.last_record_until(link, at, last_seq=last_seq)
    if found is None:
        # Nothing so early, or nothing at all any more: only the first is an answer.
        if (await store.journal_end(link)).seq < last_seq:
            raise JournalBrokenError(f"record {last_seq} is missing")
        return None
    return await _named(found, last_seq=last_seq, terms=terms or TermsIndex(store, link))


async def meters_after(
    store: JournalReader,
    link: LinkId,
    *,
    seq: int,
    last_seq: int,
    terms: "TermsIndex | None" = None,
) -> MetersThen | None:
    """The meters as one record left them; None where there is no such record yet.

    Raises StoreError and JournalBrokenError.
    """
    if not 1 <= seq <= last_seq:
        return None
    found = await store.record(link, seq)
    if found is None:
        raise JournalBrokenError(f"record {seq} is missing")
    return await _named(found, last_seq=last_seq, terms=terms or TermsIndex(store, link))


async def _named(found: bytes, *, last_seq: int, terms: "TermsIndex") -> MetersThen:
    then = amounts_after(found)
    meters = await terms.meters_of(then.seq, last_seq=last_seq)
    if len(meters) != len(then.microcents):
        raise JournalBrokenError(
            f"record {then.seq} names {len(then.microcents)} meters, "
            f"and the terms before it have {len(meters)}"
        )
    return MetersThen(then.seq, then.at, then.microcents, meters)


class TermsIndex:
    """The meters of every terms that a link ever had: where they are, and those asked for so far.

    A question reads one record at the most, however often the terms were changed.
    """

    def __init__(
        self,
        store: JournalReader,
        link: LinkId,
        *,
        meters_now: Callable[[], tuple[MeterRules, ...] | None] = lambda: None,
    ) -> None:
        """`meters_now`: those of the link's state, for records whose terms were purged."""
        self._store = store
        self._link = link
        self._meters_now = meters_now
        self._known_until = 0
        self._places: list[int] = []
        """Records that brought terms, oldest first."""
        self._meters: dict[int, tuple[MeterRules, ...]] = {}
        """Those of some of them."""
        self._looking = asyncio.Lock()

    async def meters_of(self, seq: int, *, last_seq: int) -> tuple[MeterRules, ...]:
        """The meters of the terms that a record was written under.

        Raises StorePurgedError where these terms were purged and others have come since.
        """
        async with self._looking:
            if self._known_until < last_seq:
                self._places += await self._store.landmarks(
                    self._link, after_seq=self._known_until, until_seq=last_seq, types=BRING_METERS
                )
                self._known_until = last_seq
            held = bisect_right(self._places, seq)
            if not held:
                raise JournalBrokenError(f"no record up to {seq} brings terms")
            place = self._places[held - 1]
            if place not in self._meters:
                try:
                    self._meters[place] = await self._meters_in(place)
                except StorePurgedError:
                    now = self._meters_now()
                    if now is None or held < len(self._places):
                        raise
                    return now
            return self._meters[place]

    async def _meters_in(self, place: int) -> tuple[MeterRules, ...]:
        stored = await self._store.record(self._link, place)
        if stored is None:
            raise JournalBrokenError(f"record {place} is missing")
        record = await asyncio.to_thread(decode_record, stored)
        if not isinstance(record.event, LinkOpened | LinkReopened | TermsChanged):
            raise JournalBrokenError(f"record {record.seq} brings no terms")
        return record.event.terms.meters
