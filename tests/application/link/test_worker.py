"""The one writer of a link: batches, answers after durability, order, stop, checkpoints."""

import asyncio

import pytest

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.record import decode_record
from progressive.application.link import appender as link_appender
from progressive.application.link import batch as link_batch
from progressive.application.link import mailbox as link_mailbox
from progressive.application.link import replay as link_replay
from progressive.application.link.batch import Calling
from progressive.application.link.snapshot import digest_of
from progressive.domain.commands import TableCommand
from progressive.domain.events import Checkpointed, Event, WagersRegistered
from progressive.domain.ids import TableId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import LinkRules, TableRules
from progressive.domain.state.link_state import Receipt
from tests.support.builders import (
    BJ1,
    BJ2,
    BJ3,
    LINK,
    Answers,
    Desk,
    a_desk,
    a_link,
    a_lock,
    a_settle,
    a_void,
    journal_of,
    kill,
    wagers,
)
from tests.support.faulty_store import FaultyStore


def a_wide_link(tables: int) -> LinkRules:
    return a_link(
        tables=tuple(TableRules(id=TableId(f"T{n}"), link=LINK, seats=7) for n in range(tables))
    )


def one_from_each(desk: Desk, tables: int) -> Answers:
    answers = Answers()
    for n in range(tables):
        desk.worker.submit_nowait(TableId(f"T{n}"), a_lock(1), answers)
    return answers


def turns(count: int) -> list[TableCommand]:
    """Locks and settlements of one table, in order."""
    return [a_lock(seq) if seq % 2 else a_settle(seq) for seq in range(1, count + 1)]


# --- batches ----------------------------------------------------------------------------------


async def test_all_that_waits_is_kept_by_one_append() -> None:
    store = FaultyStore(MemoryStore())
    async with a_desk(store, a_wide_link(100)) as desk:
        answers = one_from_each(desk, 100)
        await answers.wait_for(100)
        assert store.batch_sizes == [1, 100]
        assert desk.tally.batches == [100]
        assert (desk.tally.wagers, desk.tally.rounds) == (100, 100)


async def test_next_batch_gathers_while_a_commit_runs() -> None:
    store = FaultyStore(MemoryStore())
    async with a_desk(store, a_wide_link(8)) as desk:
        store.gate = asyncio.Event()
        first = desk.send(a_lock(1), table=TableId("T0"))
        await store.waiting.wait()
        rest = Answers()
        for n in range(1, 8):
            desk.worker.submit_nowait(TableId(f"T{n}"), a_lock(1), rest)
        assert desk.worker.queue_depth == 7
        store.gate.set()
        await first.wait_for(1)
        await rest.wait_for(7)
        assert store.batch_sizes == [1, 1, 7]
        assert desk.worker.queue_depth == 0


async def test_batch_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_batch, "BATCH_MAX", 10)
    store = FaultyStore(MemoryStore())
    async with a_desk(store, a_wide_link(25)) as desk:
        await one_from_each(desk, 25).wait_for(25)
        assert store.batch_sizes == [1, 10, 10, 5]


async def test_messages_of_one_table_may_share_a_batch() -> None:
    store = FaultyStore(MemoryStore())
    async with a_desk(store) as desk:
        answers = desk.send(*turns(20))
        await answers.wait_for(20)
        assert store.batch_sizes == [1, 20]
        receipts = [given.answer for given in answers.all]
        assert [r.journal_seq for r in receipts if isinstance(r, Receipt)] == list(range(2, 22))


async def test_refusals_and_repeats_alone_append_nothing() -> None:
    store = FaultyStore(MemoryStore())
    async with a_desk(store) as desk:
        await desk.ask(a_lock(1))
        appends, views = store.appends, len(desk.published.views)
        assert (await desk.ask(a_lock(1))).repeat
        await desk.ask(a_lock(2))
        await desk.ask(a_lock(9))
        assert store.appends == appends
        assert len(desk.published.views) == views
        assert desk.tally.refusals == ["ROUND_OPEN", "SEQ_GAP"]


# --- answers ----------------------------------------------------------------------------------


async def test_nothing_is_answered_or_shown_before_it_is_durable() -> None:
    store = FaultyStore(MemoryStore())
    async with a_desk(store) as desk:
        before = desk.worker.view
        store.gate = asyncio.Event()
        answers = desk.send(a_lock(1), a_lock(2), a_lock(1))
        await store.waiting.wait()
        for _ in range(20):
            await asyncio.sleep(0)
        # Not even the refusal and the repeat: both rest on a round that is not durable yet.
        assert answers.all == []
        assert desk.worker.view == before
        assert desk.published.views[-1] == before
        assert desk.worker.table_state(BJ1).last_seq == 0
        store.gate.set()
        await answers.wait_for(3)
        assert desk.worker.view.seq == 2
        assert desk.worker.table_state(BJ1).last_seq == 1


async def test_answers_come_in_the_order_of_the_messages() -> None:
    async with a_desk(MemoryStore(), a_wide_link(50)) as desk:
        order: list[tuple[int, int]] = []
        done = asyncio.Event()
        for n in range(50):
            for command in (a_lock(1), a_settle(2), a_lock(9)):

                def reply(seq: int, _answer: object, _repeat: bool, n: int = n) -> None:
                    order.append((n, seq))
                    if len(order) == 150:
                        done.set()

                desk.worker.submit_nowait(TableId(f"T{n}"), command, Calling(reply))
        await done.wait()
        assert order == [(n, seq) for n in range(50) for seq in (1, 2, 9)]


async def test_receipt_carries_the_durable_record() -> None:
    store = MemoryStore()
    async with a_desk(store) as desk:
        given = await desk.ask(a_lock(1, wagers=wagers(1, 2)))
        assert isinstance(given.answer, Receipt)
        record = decode_record((await journal_of(store))[given.answer.journal_seq - 1])
        assert record.event == given.answer.event
        assert record.at == desk.clock.now()


async def test_answers_are_given_before_signs_are_told() -> None:
    async with a_desk(MemoryStore()) as desk:
        seen: list[int] = []
        asking = Calling(lambda *_: seen.append(len(desk.published.views)))
        desk.worker.submit_nowait(BJ1, a_lock(1), asking)
        views = len(desk.published.views)
        await desk.ask(a_lock(1), table=BJ2)
        assert seen == [views]


async def test_view_shows_whole_cents_of_the_durable_meters() -> None:
    async with a_desk(MemoryStore()) as desk:
        assert [m.cents for m in desk.worker.view.meters] == [10_000_000, 1_500_000, 300_000]
        await desk.ask(a_lock(1))
        view = desk.published.views[-1]
        assert view == desk.worker.view
        assert [(m.id, m.name, m.cents) for m in view.meters] == [
            ("mega", "Mega", 10_000_060),
            ("major", "Major", 1_500_030),
            ("minor", "Minor", 300_020),
        ]
        assert (view.state, view.reason, view.seq, view.at) == ("live", None, 2, desk.clock.now())


async def test_same_message_twice_in_one_batch_is_kept_once() -> None:
    store = FaultyStore(MemoryStore())
    async with a_desk(store) as desk:
        answers = desk.send(a_lock(1), a_lock(1), a_lock(1, round="other"))
        await answers.wait_for(3)
        first, again, other = answers.all
        assert (first.repeat, again.repeat) == (False, True)
        assert first.answer == again.answer
        assert isinstance(other.answer, Refusal)
        assert other.answer.code is Rejection.SEQ_REUSED
        assert store.batch_sizes == [1, 1]


# --- the queue --------------------------------------------------------------------------------


async def test_full_queue_asks_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_batch, "BATCH_MAX", 2)
    monkeypatch.setattr(link_mailbox, "QUEUE_MAX", 3)
    store = FaultyStore(MemoryStore())
    async with a_desk(store, a_wide_link(9)) as desk:
        store.gate = asyncio.Event()
        first = desk.send(a_lock(1), table=TableId("T8"))
        await store.waiting.wait()
        # Two are decided while the first is kept, three wait behind them.
        answers = one_from_each(desk, 7)
        # At once, because waiting is what the queue cannot afford.
        assert [
            given.answer.code for given in answers.all if isinstance(given.answer, Refusal)
        ] == [
            Rejection.TRY_AGAIN,
            Rejection.TRY_AGAIN,
        ]
        store.gate.set()
        await answers.wait_for(7)
        await first.wait_for(1)
        assert sum(isinstance(given.answer, Receipt) for given in answers.all) == 5
        # A message that was sent away is taken when it comes again.
        again = await desk.ask(a_lock(1), table=TableId("T6"))
        assert isinstance(again.answer, Receipt)
        assert not again.repeat


# --- stop -------------------------------------------------------------------------------------


async def test_stopping_answers_all_that_waits() -> None:
    store = MemoryStore()
    async with a_desk(store) as desk:
        answers = desk.send(*turns(30))
    assert [given.seq for given in answers.all] == list(range(1, 31))
    assert all(isinstance(given.answer, Receipt) for given in answers.all)


async def test_message_after_the_stop_is_sent_away() -> None:
    async with a_desk(MemoryStore()) as desk:
        pass
    answers = desk.send(a_lock(1))
    assert isinstance(answers.all[0].answer, Refusal)
    assert answers.all[0].answer.code is Rejection.TRY_AGAIN


async def test_stopping_keeps_a_snapshot_that_the_journal_vouches_for() -> None:
    store = MemoryStore()
    async with a_desk(store) as desk:
        await desk.send(*turns(5)).wait_for(5)
        state = desk.state()
    snapshot = await store.load_snapshot(LINK)
    assert snapshot is not None
    assert snapshot.seq == state.seq
    last = decode_record((await journal_of(store))[-1])
    assert last.seq == snapshot.seq + 1
    assert isinstance(last.event, Checkpointed)
    assert last.event.state_digest == digest_of(snapshot.body)
    assert last.event.meters == state.primaries


async def test_idle_restart_writes_nothing() -> None:
    store = MemoryStore()
    async with a_desk(store) as desk:
        await desk.ask(a_lock(1))
    records = await journal_of(store)
    for _ in range(3):
        async with a_desk(store):
            pass
    assert await journal_of(store) == records


async def test_open_round_is_still_open_after_a_restart() -> None:
    store = MemoryStore()
    async with a_desk(store) as desk:
        await desk.ask(a_lock(1, wagers=wagers(2, 5)))
    async with a_desk(store) as desk:
        opened = desk.worker.table_state(BJ1).round
        assert opened is not None
        assert [wager.seat for wager in opened.wagers] == [2, 5]
        assert isinstance((await desk.ask(a_void(2))).answer, Receipt)
        assert desk.state().primaries == (10_000_000_000_000, 1_500_000_000_000, 300_000_000_000)


async def test_every_start_has_a_higher_epoch() -> None:
    store = MemoryStore()
    epochs = []
    for _ in range(3):
        async with a_desk(store) as desk:
            epochs.append(desk.worker.view.epoch)
    assert epochs == sorted(set(epochs))


# --- checkpoints ------------------------------------------------------------------------------


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The records that recoveries replay one by one."""
    numbers: list[int] = []
    original = link_replay.replay_event

    def count(state: object, event: Event, seq: int) -> None:
        numbers.append(seq)
        original(state, event, seq)  # type: ignore[arg-type]

    monkeypatch.setattr(link_replay, "replay_event", count)
    return numbers


async def test_thousands_of_records_are_recovered_from_the_last_snapshot(
    monkeypatch: pytest.MonkeyPatch, replayed: list[int]
) -> None:
    monkeypatch.setattr(link_appender, "CHECKPOINT_EVERY", 100)
    monkeypatch.setattr(link_batch, "BATCH_MAX", 7)
    store = FaultyStore(MemoryStore())
    async with a_desk(store) as desk:
        await desk.send(*turns(3_000)).wait_for(3_000)
        state, snapshots = desk.state(), store.snapshots_saved
        await kill(desk)
    assert 25 <= snapshots <= 30
    async with a_desk(store) as desk:
        assert desk.state() == state
        assert 0 < len(replayed) <= 110
        assert replayed[-1] == state.seq
        # And it counts on from there.
        assert isinstance((await desk.ask(a_lock(3_001))).answer, Receipt)


async def test_crashes_do_not_add_up_to_a_longer_replay(
    monkeypatch: pytest.MonkeyPatch, replayed: list[int]
) -> None:
    # "Records between two snapshots: what a start has to replay at the most."
    monkeypatch.setattr(link_appender, "CHECKPOINT_EVERY", 10)
    store = MemoryStore()
    messages = iter(turns(80))
    for _ in range(10):
        async with a_desk(store) as desk:
            for _ in range(8):
                await desk.ask(next(messages))
            await kill(desk)
    replayed.clear()
    async with a_desk(store):
        assert len(replayed) <= 20


async def test_stop_after_a_crash_keeps_the_snapshot_that_the_crash_did_not(
    replayed: list[int],
) -> None:
    store = MemoryStore()
    async with a_desk(store) as desk:
        await desk.send(*turns(50)).wait_for(50)
        await kill(desk)
    async with a_desk(store):
        pass  # nothing new, but 51 records were replayed
    replayed.clear()
    async with a_desk(store):
        assert len(replayed) <= 1


async def test_failed_snapshot_costs_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_appender, "CHECKPOINT_EVERY", 4)
    monkeypatch.setattr(link_batch, "BATCH_MAX", 2)
    store = FaultyStore(MemoryStore())
    store.fail_snapshots()
    async with a_desk(store) as desk:
        answers = desk.send(*turns(40))
        await answers.wait_for(40)
        assert all(isinstance(given.answer, Receipt) for given in answers.all)
        await desk.published.wait_for_state("live")
        store.heal()
    async with a_desk(store) as desk:
        assert desk.worker.table_state(BJ1).last_seq == 40


# --- several ----------------------------------------------------------------------------------


async def test_two_links_on_one_store_do_not_mix() -> None:
    store = MemoryStore()
    other = a_link(id="high", wager_cents=100)
    async with a_desk(store) as main, a_desk(store, other) as high:
        await main.ask(a_lock(1))
        given = await high.ask(a_lock(1, wagers=wagers(1, amount_cents=100)))
        assert isinstance(given.answer, Receipt)
        assert given.answer.journal_seq == 2
        assert main.state().primaries[0] - high.state().primaries[0] == 400 * 120_000


async def test_writer_that_was_overtaken_does_not_take_the_link_back() -> None:
    store = MemoryStore()
    async with a_desk(store) as former, a_desk(store) as newer:
        await newer.ask(a_lock(1), table=BJ1)
        refused = await former.ask(a_lock(1), table=BJ3)
        assert isinstance(refused.answer, Refusal)
        assert refused.answer.code is Rejection.LINK_INOPERABLE
        assert "another process has taken the link" in former.worker.view.reason
        await newer.ask(a_settle(2), table=BJ1)
        again = await former.ask(a_lock(1), table=BJ3)
        assert again.answer == refused.answer
    events = [decode_record(stored).event for stored in await journal_of(store)]
    assert [event.table for event in events if isinstance(event, WagersRegistered)] == [BJ1]
