"""Messages older than a table's remembered ones: their answers are in the journal."""

import pytest

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.ports import StoreCorruptError
from progressive.application.journal.record import JournalBrokenError
from progressive.application.link.old_answers import find_receipt
from progressive.domain.ids import LinkId, TableId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.state.link_state import RECEIPTS_KEPT, Receipt
from tests.support.builders import (
    BJ1,
    BJ2,
    LINK,
    Answers,
    a_desk,
    a_lock,
    a_settle,
    a_void,
)
from tests.support.faulty_store import FaultyStore

MESSAGES = [
    *(a_lock(1), a_void(2)),
    *(a_lock(3), a_settle(4, seats={1: "7d 7d 7d"}, dealer="5s")),
    a_lock(5),
    a_settle(6, round="r5", seats={1: "7s 7h"}, dealer="As", complete=False, early=True),
    a_settle(7, round="r5", seats={1: "7s 7h 7c"}, dealer="As 9h"),
    *[a_settle(seq) if seq % 2 else a_lock(seq) for seq in range(8, 14)],
]
OLD = len(MESSAGES) - RECEIPTS_KEPT


async def test_every_old_message_gets_the_answer_it_had() -> None:
    async with a_desk(MemoryStore()) as desk:
        first = [await desk.ask(message) for message in MESSAGES]
        again = [await desk.ask(message) for message in MESSAGES]
    assert [given.answer for given in again] == [given.answer for given in first]
    assert all(isinstance(given.answer, Receipt) and given.repeat for given in again)
    assert not any(given.repeat for given in first)


async def test_old_number_of_another_message_is_refused() -> None:
    async with a_desk(MemoryStore()) as desk:
        for message in MESSAGES:
            await desk.ask(message)
        for other in (a_lock(1, round="other"), a_settle(1, round="r1"), a_void(2, reason="x")):
            given = await desk.ask(other)
            assert isinstance(given.answer, Refusal)
            assert given.answer.code is Rejection.SEQ_REUSED
            assert not given.repeat


async def test_answers_survive_a_restart() -> None:
    store = MemoryStore()
    async with a_desk(store) as desk:
        first = [await desk.ask(message) for message in MESSAGES]
    async with a_desk(store) as desk:
        again = [await desk.ask(message) for message in MESSAGES]
    assert [given.answer for given in again] == [given.answer for given in first]


async def test_search_adds_nothing_to_the_journal() -> None:
    store = FaultyStore(MemoryStore())
    async with a_desk(store) as desk:
        for message in MESSAGES:
            await desk.ask(message)
        appends = store.appends
        await desk.ask(MESSAGES[0])
        assert store.appends == appends


class Leaving(Answers):
    """A table's socket: gone when the test says so."""

    def __init__(self, *, left: bool) -> None:
        super().__init__()
        self.left = left


class AskedStore(MemoryStore):
    """Remembers which messages were looked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[int] = []

    async def message(
        self, link: LinkId, table: TableId, table_seq: int, *, before_seq: int
    ) -> bytes | None:
        self.asked.append(table_seq)
        return await super().message(link, table, table_seq, before_seq=before_seq)


async def test_nothing_is_looked_for_once_a_table_has_left() -> None:
    store = AskedStore()
    gone, there = Leaving(left=True), Leaving(left=False)
    async with a_desk(store) as desk:
        for message in MESSAGES:
            await desk.ask(message)
        desk.worker.submit_nowait(BJ1, MESSAGES[0], gone)
        desk.worker.submit_nowait(BJ1, MESSAGES[1], there)
        await there.wait_for(1)
    assert store.asked == [2]
    assert gone.all == []
    assert there.all[0].repeat


@pytest.mark.parametrize(
    "damage", [StoreCorruptError("000001 is damaged"), JournalBrokenError("000001 is damaged")]
)
async def test_damage_found_by_a_search_stops_the_link(damage: Exception) -> None:
    class DamagedStore(MemoryStore):
        async def message(
            self, link: LinkId, table: TableId, table_seq: int, *, before_seq: int
        ) -> bytes | None:
            raise damage

    async with a_desk(DamagedStore()) as desk:
        for message in MESSAGES:
            await desk.ask(message)
        given = await desk.ask(MESSAGES[0])
        assert given.answer is None
        view = await desk.published.wait_for_state("inoperable")
        assert "000001 is damaged" in (view.reason or "")


async def test_record_of_another_message_is_not_taken_for_the_answer() -> None:
    class MisledStore(MemoryStore):
        async def message(
            self, link: LinkId, table: TableId, table_seq: int, *, before_seq: int
        ) -> bytes | None:
            return await super().message(link, table, table_seq + 1, before_seq=before_seq)

    store = MisledStore()
    async with a_desk(store) as desk:
        for message in MESSAGES:
            await desk.ask(message)
    with pytest.raises(JournalBrokenError, match="is not message 1 of BJ-01"):
        await find_receipt(store, LINK, table=BJ1, table_seq=1, before_seq=10**6)


async def test_unreadable_journal_leaves_an_old_message_unanswered() -> None:
    store = FaultyStore(MemoryStore())
    async with a_desk(store) as desk:
        for message in MESSAGES:
            await desk.ask(message)
        store.fail_reads()
        given = await desk.ask(MESSAGES[0])
        assert given.answer is None
        store.heal()
        assert (await desk.ask(MESSAGES[0])).repeat


async def test_stopping_answers_the_searches_under_way() -> None:
    async with a_desk(MemoryStore()) as desk:
        for message in MESSAGES:
            await desk.ask(message)
        answers = desk.send(*MESSAGES[:OLD])
    assert [given.seq for given in answers.all] == list(range(1, OLD + 1))
    assert all(given.repeat for given in answers.all)


async def test_new_messages_do_not_wait_for_a_search() -> None:
    async with a_desk(MemoryStore()) as desk:
        for message in MESSAGES:
            await desk.ask(message)
        answers = Answers()
        desk.worker.submit_nowait(BJ1, MESSAGES[0], answers)
        desk.worker.submit_nowait(BJ2, a_lock(1), answers)
        await answers.wait_for(2)
    assert {given.repeat for given in answers.all} == {True, False}


@pytest.mark.parametrize(("table", "seq"), [(BJ1, 99), (BJ2, 1), (TableId("BJ-0"), 1), (BJ1, 0)])
async def test_message_that_never_was_has_no_receipt(table: TableId, seq: int) -> None:
    store = MemoryStore()
    async with a_desk(store) as desk:
        for message in MESSAGES:
            await desk.ask(message)
    assert await find_receipt(store, LINK, table=table, table_seq=seq, before_seq=10**6) is None


async def test_text_that_looks_like_a_receipt_is_none() -> None:
    store = MemoryStore()
    forged = '"table":"BJ-02","table_seq":1,'
    async with a_desk(store) as desk:
        await desk.ask(a_lock(1, round=forged))
        await desk.ask(a_void(2, round=forged, reason=forged))
    assert await find_receipt(store, LINK, table=BJ2, table_seq=1, before_seq=10**6) is None
