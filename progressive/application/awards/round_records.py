"""COLD. The records of one round: from its lock-out to the settlement, by look-ups."""

from typing import Final

from progressive.application.journal.ports import JournalReader
from progressive.application.journal.record import JournalBrokenError, Record, decode_record
from progressive.domain.events import RoundSettled, SettledEarly, WagersRegistered
from progressive.domain.ids import LinkId

ROUND_MESSAGES_MAX: Final = 64
"""Messages of a round that are looked up before its settlement. There are two: the lock-out, and
the awards before the peek. Only where two people voided all of those is there one more."""

StoredRecord = tuple[Record, bytes]


async def records_before(
    store: JournalReader, link: LinkId, record: Record, event: RoundSettled | SettledEarly
) -> list[StoredRecord]:
    """The round's lock-out first, then what was awarded before the peek.

    Raises StoreError and JournalBrokenError.
    """
    found: list[StoredRecord] = []
    before_seq, last = record.seq, event.table_seq - 1
    for table_seq in range(last, max(0, last - ROUND_MESSAGES_MAX), -1):
        stored = await store.message(link, event.table, table_seq, before_seq=before_seq)
        older = None if stored is None else decode_record(stored)
        if stored is None or older is None:
            break
        if not isinstance(older.event, WagersRegistered | SettledEarly):
            break
        if (older.event.table, older.event.round) != (event.table, event.round):
            break
        found.insert(0, (older, stored))
        if isinstance(older.event, WagersRegistered):
            return found
        before_seq = older.seq
    raise JournalBrokenError(
        f"the lock-out of round {event.round}, which record {record.seq} settles, is missing"
    )
