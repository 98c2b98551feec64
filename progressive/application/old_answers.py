"""COLD. The answer to a message older than a table's remembered ones, read from the journal."""

from progressive.application.journal import decode_record
from progressive.application.ports import Store
from progressive.domain.events import RoundSettled, RoundVoided, WagersRegistered
from progressive.domain.ids import LinkId, TableId
from progressive.domain.state import Receipt


async def find_receipt(
    store: Store, link: LinkId, *, table: TableId, table_seq: int, before_seq: int
) -> Receipt | None:
    """The receipt of a table's message, or None where the journal has no such message.

    Looks backwards from a record: what is sent again was mostly sent not long ago.
    """
    # Looking for the bytes first spares decoding nearly every record.
    needle = b'"table":"%b","table_seq":%d,' % (table.encode(), table_seq)
    async for stored_records in store.read_back(link, before_seq=before_seq):
        for stored in stored_records:
            if needle not in stored:
                continue
            record = decode_record(stored)
            event = record.event
            if (
                isinstance(event, WagersRegistered | RoundSettled | RoundVoided)
                and event.table == table
                and event.table_seq == table_seq
            ):
                return Receipt(record.seq, event)
    return None
