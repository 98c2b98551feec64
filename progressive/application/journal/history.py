"""COLD. What the displayed meters stood at, some time ago, read from the journal alone."""

import msgspec
from msgspec import Struct, structs

from progressive.application.journal.ports import JournalReader
from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.domain.events import Event, LinkOpened, LinkReopened
from progressive.domain.ids import LinkId
from progressive.domain.person_events import TermsChanged
from progressive.domain.rulebook.rules import LinkTerms, MeterRules


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
    store: JournalReader, link: LinkId, *, at: str, last_seq: int
) -> MetersThen | None:
    """The meters as the last record at or before a time left them; None before the first.

    `at` is written like the journal's own times, so that texts compare as times do. Where the
    terms have changed since, the change tells which meters there were: the one before it.
    """
    changed_later = False
    found: MetersThen | None = None
    async for stored_records in store.read_back(link, before_seq=last_seq + 1):
        for stored in stored_records:
            try:
                if found is None and _dated_decoder.decode(stored).at > at:
                    changed_later = changed_later or b'"terms_changed"' in stored
                    continue
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise JournalBrokenError(f"a record is unreadable: {error}") from error
            if found is not None and not (b'"terms_changed"' in stored or b'"terms"' in stored):
                continue
            record = decode_record(stored)
            event = record.event
            if found is None:
                found = MetersThen(record.seq, record.at, amounts_after(event), None)
                if not changed_later:
                    return found
            if isinstance(event, LinkOpened | LinkReopened | TermsChanged):
                return structs.replace(found, meters=event.terms.meters)
    return found


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
    return event.terms if isinstance(event, LinkOpened | LinkReopened | TermsChanged) else None
