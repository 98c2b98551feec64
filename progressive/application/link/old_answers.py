"""COLD. Answers to messages older than a table's remembered ones, read from the journal."""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from progressive.application.journal.ports import JournalReader, StoreCorruptError, StorePurgedError
from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.application.link.batch import Submission, give
from progressive.domain.decide.decide import repeat_or_reused
from progressive.domain.events import TableEvent
from progressive.domain.ids import LinkId, TableId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.state.link_state import Receipt, TableState

log = logging.getLogger(__name__)


@runtime_checkable
class MayLeave(Protocol):
    """A `Reply` that knows whether somebody still waits for it."""

    @property
    def left(self) -> bool:
        """Whether nobody will hear the answer."""
        ...


class OldAnswers:
    """Looks for them beside the link's work, one at a time."""

    def __init__(
        self, store: JournalReader, link: LinkId, *, on_damage: Callable[[str], None]
    ) -> None:
        """`on_damage` is told why, where what is stored turns out not to be what was written."""
        self._store = store
        self._link = link
        self._on_damage = on_damage
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
                if isinstance(reply, MayLeave) and reply.left:
                    # It left while others had their turn: it comes back and asks again.
                    return
                receipt = await find_receipt(
                    self._store,
                    self._link,
                    table=table,
                    table_seq=command.seq,
                    before_seq=before_seq,
                )
        except (StoreCorruptError, JournalBrokenError) as damage:
            log.error(
                "the journal's past is damaged", extra={"link": self._link, "reason": str(damage)}
            )
            self._on_damage(str(damage))
            receipt = None
        except StorePurgedError as gone:
            give(reply, command.seq, Refusal(Rejection.SEQ_REUSED, str(gone)), False)
            return
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

    A look-up, however long ago it was. Raises StoreError and JournalBrokenError.
    """
    stored = await store.message(link, table, table_seq, before_seq=before_seq)
    if stored is None:
        return None
    record = decode_record(stored)
    event = record.event
    if not isinstance(event, TableEvent) or (event.table, event.table_seq) != (table, table_seq):
        raise JournalBrokenError(f"record {record.seq} is not message {table_seq} of {table}")
    return Receipt(record.seq, event)
