"""COLD. What the displayed meters stood at, some time ago, read from the journal alone."""

import msgspec
from msgspec import Struct

from progressive.application.journal import JournalBrokenError, decode_record
from progressive.application.ports import Store
from progressive.domain.events import LinkOpened
from progressive.domain.ids import LinkId


class MetersThen(Struct, frozen=True):
    """The displayed meters after a record, in the order of the terms."""

    seq: int
    at: str
    microcents: tuple[int, ...]


class _Dated(Struct, frozen=True):
    at: str


_dated_decoder = msgspec.json.Decoder(_Dated)


async def meters_at(store: Store, link: LinkId, *, at: str, last_seq: int) -> MetersThen | None:
    """The meters as the last record at or before a time left them; None before the first.

    `at` is written like the journal's own times, so that texts compare as times do.
    """
    async for stored_records in store.read_back(link, before_seq=last_seq + 1):
        for stored in stored_records:
            try:
                if _dated_decoder.decode(stored).at > at:
                    continue
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise JournalBrokenError(f"a record is unreadable: {error}") from error
            record = decode_record(stored)
            event = record.event
            microcents = (
                tuple(flow.primary for flow in event.funding)
                if isinstance(event, LinkOpened)
                else event.meters
            )
            return MetersThen(record.seq, record.at, microcents)
    return None
