"""COLD. Answers to messages older than a table's remembered ones, read from the journal."""

import asyncio
import logging

from progressive.application.journal.ports import JournalReader
from progressive.application.journal.record import decode_record
from progressive.application.link.batch import Submission, give
from progressive.domain.decide.decide import repeat_or_reused
from progressive.domain.events import TableEvent
from progressive.domain.ids import LinkId, TableId
from progressive.domain.rejections import Refusal
from progressive.domain.state.link_state import Receipt, TableState

log = logging.getLogger(__name__)


class OldAnswers:
    """Looks for them beside the link's work, one at a time."""

    def __init__(self, store: JournalReader, link: LinkId) -> None:
        self._store = store
        self._link = link
        self._searches: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Semaphore(1)

    def look_for(self, submission: Submission, at_table: TableState) -> None:
        """A number older than the table's state remembers: its answer is in the journal."""
        before_seq = at_table.receipts[0].journal_seq
        task = asyncio.create_task(self._answer(submission, before_seq))
        self._searches.add(task)
        task.add_done_callback(self._searches.discard)

    async def finish(self) -> None:
        """Answer those that still wait."""
        for search in list(self._searches):
            await search

    async def _answer(self, submission: Submission, before_seq: int) -> None:
        table, command, reply = submission
        try:
            async with self._turn:
                receipt = await find_receipt(
                    self._store,
                    self._link,
                    table=table,
                    table_seq=command.seq,
                    before_seq=before_seq,
                )
        except Exception:
            log.exception(
                "searching the journal for an earlier answer failed",
                extra={"link": self._link, "table": table},
            )
            receipt = None
        if receipt is None:
            give(reply, command.seq, None, False)
            return
        decision = repeat_or_reused(receipt, command)
        if isinstance(decision, Refusal):
            give(reply, command.seq, decision, False)
        else:
            give(reply, command.seq, decision.receipt, True)


async def find_receipt(
    store: JournalReader, link: LinkId, *, table: TableId, table_seq: int, before_seq: int
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
                isinstance(event, TableEvent)
                and event.table == table
                and event.table_seq == table_seq
            ):
                return Receipt(record.seq, event)
    return None
