"""What was committed is remembered outside: never ahead of the journal, never taken back."""

import asyncio
from pathlib import Path

import pytest
from msgspec import structs

from progressive.adapters.committed import FileMemory
from progressive.adapters.memory.committed import ProcessMemory
from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.ports import StoreUnavailableError
from progressive.application.link.guard import LinkGuard
from progressive.application.link.memory import (
    CommittedMark,
    FirstAcceptance,
    Memory,
    MemoryUnreadableError,
)
from progressive.application.link.remembering import Remembering
from progressive.domain.guard_events import JournalPlace
from progressive.domain.ids import LinkId
from progressive.domain.signatures import Signature
from tests.support.builders import LINK, Desk, a_desk, a_link, a_lock, a_settle, kill
from tests.support.fake_clock import FakeClock
from tests.support.faulty_store import FaultyStore
from tests.support.journals import Row

CARA, FRED = Signature("Cara", "Cage"), Signature("Fred", "Finance")
HASH = "ab" * 32
AT = "2026-01-02T03:04:05.000000Z"
MARK = CommittedMark(LINK, JournalPlace(3, 40, HASH, AT), times_hold_from=2)


@pytest.fixture(params=["process", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Memory:
    return ProcessMemory() if request.param == "process" else FileMemory(tmp_path)


# --- every memory -------------------------------------------------------------------------------


async def test_mark_is_remembered_and_an_older_one_is_ignored(memory: Memory) -> None:
    assert await memory.recall(LINK) is None
    await memory.remember(MARK)
    older = structs.replace(MARK, place=structs.replace(MARK.place, seq=39))
    await memory.remember(older)
    assert await memory.recall(LINK) == MARK
    await memory.remember(older, instead=True)
    assert await memory.recall(LINK) == older


async def test_every_remembered_link_is_named(memory: Memory) -> None:
    other = structs.replace(MARK, link=LinkId("side"), retired=True)
    await memory.remember(MARK)
    await memory.remember(other)
    assert await memory.marks() == {LINK: MARK, LinkId("side"): other}


async def test_first_acceptance_is_stored_until_it_is_dropped(memory: Memory) -> None:
    first = FirstAcceptance(LINK, MARK.place, 12, HASH, CARA, "the disk burnt", AT)
    await memory.keep_acceptance(first)
    assert await memory.acceptance(LINK) == first
    await memory.drop_acceptance(LINK)
    await memory.drop_acceptance(LINK)
    assert await memory.acceptance(LINK) is None


# --- the files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda _: b"", "the file is empty"),
        (lambda whole: whole[:30], "committed/main.json"),
        (lambda whole: whole.replace(b'"version":1', b'"version":2'), "is of version 2"),
        (lambda whole: whole.replace(b'"main"', b'"other"'), "about another link"),
        (lambda whole: whole.replace(HASH.encode(), b"x"), "head"),
        (lambda whole: whole.replace(b'"seq":40', b'"seq":-1'), "seq"),
    ],
)
async def test_damaged_mark_is_unreadable_and_not_overwritten(
    tmp_path: Path, change: "type[Row]", says: str
) -> None:
    memory, path = FileMemory(tmp_path), tmp_path / "committed" / "main.json"
    await memory.remember(MARK)
    path.write_bytes(change(path.read_bytes()))  # type: ignore[arg-type]
    damaged = path.read_bytes()
    with pytest.raises(MemoryUnreadableError, match=says):
        await memory.recall(LINK)
    with pytest.raises(MemoryUnreadableError):
        await memory.remember(MARK)
    assert path.read_bytes() == damaged
    assert await memory.marks() == {LINK: None}


async def test_data_directory_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError):
        await FileMemory(tmp_path / "gone").remember(MARK)
    assert not (tmp_path / "gone").exists()


# --- a link -------------------------------------------------------------------------------------


def guarded(memory: Memory, *others: str) -> LinkGuard:
    return LinkGuard(LINK, memory, floor_links=frozenset({LINK, *map(LinkId, others)}))


async def played(store: MemoryStore, memory: Memory, rounds: int = 2) -> None:
    async with a_desk(store, guard=guarded(memory)) as desk:
        for seq in range(1, 2 * rounds + 1):
            await desk.ask(a_lock(seq) if seq % 2 else a_settle(seq))
        await Remembering([desk.worker], store=store, memory=memory).look()


async def reason(store: MemoryStore | FaultyStore, memory: Memory, *others: str) -> str:
    async with a_desk(store, guard=guarded(memory, *others)) as desk:
        return desk.worker.view.reason or ""


async def test_what_is_remembered_is_never_ahead_of_what_is_durable() -> None:
    store, memory = FaultyStore(MemoryStore()), ProcessMemory()
    async with a_desk(store, guard=guarded(memory)) as desk:
        remembering = Remembering([desk.worker], store=store, memory=memory)
        store.gate = asyncio.Event()
        answers = desk.send(a_lock(1))
        await store.waiting.wait()
        await remembering.look()
        before = await memory.recall(LINK)
        store.gate.set()
        await answers.wait_for(1)
        await remembering.look()
        after = await memory.recall(LINK)
    assert before is not None
    assert after is not None
    assert after.place.seq == before.place.seq + 1


async def test_take_over_remembers_its_epoch_at_once() -> None:
    store, memory = MemoryStore(), ProcessMemory()
    for epoch in (1, 2, 3):
        desk = Desk(a_link(), store, guard=guarded(memory))
        await desk.worker.start()
        await kill(desk)
        mark = await memory.recall(LINK)
        assert mark is not None
        assert mark.place.epoch == epoch


async def test_nothing_is_opened_or_written_before_the_comparison() -> None:
    memory = ProcessMemory()
    await played(MemoryStore(), memory)
    empty = FaultyStore(MemoryStore())
    assert "is gone" in await reason(empty, memory)
    assert (empty.opens, empty.appends) == (0, 0)


async def test_new_link_waits_while_another_one_is_missing() -> None:
    store, memory = MemoryStore(), ProcessMemory()
    await memory.remember(structs.replace(MARK, link=LinkId("side")))
    assert "holds that of side, which is not in the floor file" in await reason(store, memory)
    assert "that of side is missing" in await reason(store, memory, "side")
    await memory.remember(structs.replace(MARK, link=LinkId("side"), retired=True))
    assert await reason(store, memory) == ""


async def accepted(desk: Desk, *people: Signature) -> None:
    for each in people:
        assert await desk.worker.accept_loss(each, "the disk burnt") is None


async def test_loss_of_another_kind_needs_two_people_again() -> None:
    memory = ProcessMemory()
    await played(MemoryStore(), memory)
    async with a_desk(MemoryStore(), guard=guarded(memory)) as desk:
        await accepted(desk, CARA)
    other = MemoryStore()
    await played(other, ProcessMemory(), rounds=1)
    async with a_desk(other, guard=guarded(memory)) as desk:
        # Cara accepted that all was gone, not that this was left.
        await accepted(desk, FRED)
        assert desk.worker.view.state == "inoperable"
        await accepted(desk, CARA)
        assert desk.worker.view.state == "live"


async def test_crash_between_the_record_of_a_loss_and_the_memory_asks_nobody_again() -> None:
    class Forgetful(ProcessMemory):
        async def remember(self, mark: CommittedMark, *, instead: bool = False) -> None:
            if not instead:
                await super().remember(mark)

    memory, store = Forgetful(), MemoryStore()
    await played(MemoryStore(), memory)
    before = await memory.recall(LINK)
    async with a_desk(store, guard=guarded(memory)) as desk:
        await accepted(desk, CARA, FRED)
        assert desk.worker.view.state == "live"
    assert await memory.recall(LINK) == before
    assert await reason(store, memory) == ""


async def test_clock_set_back_is_held_by_the_last_record() -> None:
    store, clock = MemoryStore(), FakeClock()
    clock.advance(3600)
    async with a_desk(store, clock=clock) as desk:
        await desk.ask(a_lock(1))
        at = desk.worker.view.at
    async with a_desk(store, clock=FakeClock()) as desk:
        await desk.ask(a_settle(2))
        assert desk.worker.view.at == at


async def test_links_that_begin_at_the_same_time_do_not_miss_each_other(memory: Memory) -> None:
    """One is listed and marked while the other looks whether any link is missing."""
    store, other = MemoryStore(), LinkId("side")

    class Meanwhile(MemoryStore):
        async def links(self) -> tuple[LinkId, ...]:
            before = tuple(await store.links())
            if not before:
                await store.open_link(other, above_epoch=0)
                await memory.remember(structs.replace(MARK, link=other))
            return before

    await guarded(memory, "side").compare(Meanwhile())
