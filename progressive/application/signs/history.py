"""COLD. What a sign read at some moment, and how that compares with the journal.

The sign's log says what could be read on the glass; the journal says what was durable by then. The
journal is ahead of the glass from the first record on whose amounts the glass had not reached.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final

from msgspec import Struct

from progressive.application.journal.history import TermsIndex, amounts_after, meters_at
from progressive.application.journal.ports import JournalReader
from progressive.application.signs.ports import SignLogReader
from progressive.application.signs.reports import SignEntry, milliseconds, time_text
from progressive.domain.ids import LinkId
from progressive.domain.rounding import floor_cents
from progressive.domain.rulebook.rules import MeterRules

SPEAKS_FOR_MS: Final = 15_000
"""A sign speaks at least every 5 s: after three silences a report says nothing about the glass."""
AHEAD_MS_MAX: Final = 3_600_000
"""How far back it is looked when the glass was reached: digits roll for seconds, and a sign that is
an hour behind is broken, by however much more."""
AHEAD_RECORDS_MAX: Final = 20_000
"""And through how many records: on a floor of a thousand tables they are made in some minutes."""


class Silence(Struct, frozen=True):
    """The sign said nothing about that moment."""

    since_ms: int | None
    """Its last word before; None where there is none."""
    until_ms: int | None
    """Its first word after it."""
    connected: bool
    """Whether it was there all the same, as far as is known."""

    def in_words(self) -> str:
        """For people."""
        since = "the beginning of the log" if self.since_ms is None else time_text(self.since_ms)
        until = "now" if self.until_ms is None else time_text(self.until_ms)
        there = "it was connected" if self.connected else "it was not connected"
        return f"no report between {since} and {until}; {there}"


def reading_at(entries: Sequence[SignEntry], at_ms: int) -> SignEntry | Silence:
    """The report that speaks for a moment, or the silence around it."""
    # A relay's word about a sign may come later than the sign's next word to the service.
    ordered = sorted(entries, key=lambda entry: entry.at_ms)
    before = [entry for entry in ordered if entry.at_ms <= at_ms]
    reports = [entry for entry in before if entry.kind == "showing"]
    after = [entry for entry in ordered if entry.at_ms > at_ms and entry.kind == "showing"]
    there = bool(before) and before[-1].kind in ("showing", "connected")
    if reports and there and at_ms - reports[-1].at_ms <= SPEAKS_FOR_MS:
        return reports[-1]
    return Silence(
        since_ms=reports[-1].at_ms if reports else None,
        until_ms=after[0].at_ms if after else None,
        connected=there and at_ms - before[-1].at_ms <= SPEAKS_FOR_MS,
    )


class MeterThen(Struct, frozen=True):
    """A meter on the glass, and in the journal."""

    id: str
    name: str
    cents: int | None
    """What the sign read; None where it did not show this meter."""
    journal_cents: int | None
    """What was durable; None where the journal did not have this meter."""


class JournalThen(Struct, frozen=True):
    """The last durable record."""

    seq: int
    at: str


class Ahead(Struct, frozen=True):
    """The first record whose amounts the glass had not reached."""

    seq: int
    at: str
    milliseconds: int
    """From then until the moment that was asked about."""
    at_least: bool = False
    """Whether it may have been longer: records before this one were not looked at."""


class GlassThen(Struct, frozen=True):
    """What a sign read, and how old that was."""

    sign: str
    link: str
    at: str
    reported_at: str
    state: str
    epoch: int
    seq: int
    meters: list[MeterThen]
    journal: JournalThen | None
    """None where the journal begins later, or was not asked."""
    ahead: Ahead | None
    """None where everything durable could be read on the glass."""


def reading_of(
    opened: AbstractContextManager[SignLogReader], sign: str, at_ms: int
) -> tuple[LinkId | None, SignEntry | Silence]:
    """A sign's link and its report at a moment; no link: the log does not know the sign.

    Blocks: the sign log is a file. Raises StoreError.
    """
    with opened as log:
        link = log.link_of(sign, at_ms=at_ms)
        reading = reading_at(log.around(sign, at_ms=at_ms), at_ms)
    return None if link is None else LinkId(link), reading


async def glass_then(
    store: JournalReader,
    *,
    sign: str,
    link: LinkId,
    report: SignEntry,
    at_ms: int,
    terms: TermsIndex | None = None,
) -> GlassThen:
    """A report beside the journal of its moment.

    Raises StoreError and JournalBrokenError.
    """
    at = time_text(at_ms)
    last_seq = (await store.journal_end(link)).seq
    # Times are asked to the millisecond, and records are made within one.
    moment = time_text(at_ms, micros=999)
    then = await meters_at(store, link, at=moment, last_seq=last_seq, terms=terms)
    glass = {each.meter: each.cents for each in report.glass}
    meters: Sequence[MeterRules] = ()
    amounts: dict[str, int] = {}
    ahead = None
    if then is not None:
        meters = then.meters
        amounts = {
            meter.id: floor_cents(amount)
            for meter, amount in zip(meters, then.microcents, strict=True)
        }
        ahead = await _ahead(
            store, link, glass, places=[meter.id for meter in meters], seq=then.seq, at_ms=at_ms
        )
    names: dict[str, str] = {meter.id: meter.name for meter in meters}
    return GlassThen(
        sign=sign,
        link=link,
        at=at,
        reported_at=time_text(report.at_ms),
        state=report.state,
        epoch=report.epoch,
        seq=report.seq,
        meters=[
            MeterThen(meter, names.get(meter, meter), glass.get(meter), amounts.get(meter))
            for meter in dict.fromkeys((*names, *glass))
        ],
        journal=None if then is None else JournalThen(then.seq, then.at),
        ahead=ahead,
    )


async def _ahead(
    store: JournalReader,
    link: LinkId,
    glass: Mapping[str, int],
    *,
    places: Sequence[str],
    seq: int,
    at_ms: int,
) -> Ahead | None:
    """Back from the moment until, meter by meter, the glass had what the journal has."""
    walk = _WalkBack(glass, places, at_ms)
    async for stored_records in store.read_back(link, before_seq=seq + 1):
        # Thousands of records, where a sign is far behind: never in the loop that tables wait for.
        if await asyncio.to_thread(walk.over, stored_records):
            break
    return walk.ahead


class _WalkBack:
    """Records newest first, until the glass is reached or it is enough.

    Digits roll: they stand between the amounts of two records, and the older of the two has been
    reached. A meter that fell was won: until the glass falls too, the journal is ahead.
    """

    def __init__(self, glass: Mapping[str, int], places: Sequence[str], at_ms: int) -> None:
        self.ahead: Ahead | None = None
        self._glass = glass
        self._places = places
        self._at_ms = at_ms
        self._rising: dict[str, bool] | None = None
        self._records = 0

    def over(self, stored_records: Sequence[bytes]) -> bool:
        """Go over the next ones; whether that is enough. Blocks for as long as it takes."""
        return any(self._is_enough(stored) for stored in stored_records)

    def _is_enough(self, stored: bytes) -> bool:
        record = amounts_after(stored)
        if len(record.microcents) != len(self._places):
            # Other terms, other meters: nothing further back can be compared.
            return True
        amounts = {
            meter: floor_cents(amount)
            for meter, amount in zip(self._places, record.microcents, strict=True)
        }
        if self._rising is None:
            self._rising = {
                meter: amounts[meter] > cents
                for meter, cents in self._glass.items()
                if meter in amounts and amounts[meter] != cents
            }
        rising, glass = self._rising, self._glass
        for meter in [m for m, up in rising.items() if _reached(amounts[m], glass[m], up)]:
            del rising[meter]
        if not rising:
            return True
        since_ms = max(0, self._at_ms - milliseconds(record.at))
        self._records += 1
        far = since_ms >= AHEAD_MS_MAX or self._records >= AHEAD_RECORDS_MAX
        self.ahead = Ahead(record.seq, record.at, since_ms, at_least=far)
        return far


def _reached(durable_cents: int, glass_cents: int, rising: bool) -> bool:
    return durable_cents <= glass_cents if rising else durable_cents >= glass_cents
