"""Replaying and following a journal that another process writes: nothing is taken or written."""

import pytest

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.record import JournalBrokenError
from progressive.application.link import appender as link_appender
from progressive.application.link.replay import follow, replay
from progressive.application.link.take_over import take_over
from progressive.domain.state.link_state import Receipt
from tests.support.awards import MEGA_HAND
from tests.support.builders import LINK, a_desk, a_link, a_lock, a_settle, journal_of
from tests.support.fake_clock import FakeClock

RULES = a_link()


async def test_replaying_leaves_the_writer_its_link() -> None:
    store = MemoryStore()
    async with a_desk(store, RULES) as desk:
        await desk.ask(a_lock(1))
        replayed = await replay(store, LINK)
        assert replayed.state == desk.state()
        # The writer's epoch is still the newest: it can go on.
        assert isinstance((await desk.ask(a_settle(2))).answer, Receipt)


async def test_following_goes_on_where_the_last_look_ended() -> None:
    store = MemoryStore()
    async with a_desk(store, RULES) as desk:
        first = await replay(store, LINK)
        seen = first.state.copy()
        await desk.ask(a_lock(1))
        second = await follow(store, first)
        await desk.ask(a_settle(2, seats={1: MEGA_HAND}, dealer="5s"))
        third = await follow(store, second)
        assert third.state == desk.state()
        assert third.head == (await store.journal_end(LINK)).head
        # What was known before is as it was: whoever shows it is not surprised.
        assert first.state == seen
        assert [seq for seq, _ in third.settled] == [third.state.seq]
        assert second.settled == []


async def test_reader_alone_is_enough() -> None:
    """A standby gets a `JournalReader`: this one has no way to open or append."""

    class ReaderOnly:
        def __init__(self, store: MemoryStore) -> None:
            self.segments = store.segments
            self.confirm_segments = store.confirm_segments
            self.read = store.read
            self.load_snapshot = store.load_snapshot

    store = MemoryStore()
    async with a_desk(store, RULES) as desk:
        await desk.ask(a_lock(1))
    replayed = await replay(ReaderOnly(store), LINK)
    assert replayed.state.seq == len(await journal_of(store))


async def test_journal_that_does_not_exist_is_an_empty_state() -> None:
    replayed = await replay(MemoryStore(), LINK)
    assert (replayed.state.seq, replayed.state.terms) == (0, None)


async def test_standby_takes_over_reading_only_what_it_has_not_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link_appender, "CHECKPOINT_EVERY", 10**9)
    store = MemoryStore()
    desk_is_gone = a_desk(store, RULES)
    desk = await desk_is_gone.__aenter__()
    await desk.ask(a_lock(1))
    standby = await replay(store, LINK)
    await desk.ask(a_settle(2))
    reads: list[int] = []
    original = store.read

    def read(link: str, *, after_seq: int = 0, until_seq: int | None = None) -> object:
        reads.append(after_seq)
        return original(LINK, after_seq=after_seq, until_seq=until_seq)

    monkeypatch.setattr(store, "read", read)
    owned = await take_over(store, RULES, FakeClock(), known=standby)
    assert reads == [standby.state.seq]
    assert owned.epoch == 2
    assert owned.state.tables == desk.state().tables
    await desk_is_gone.__aexit__(None, None, None)


async def test_record_that_does_not_follow_what_is_known_is_found() -> None:
    store, other = MemoryStore(), MemoryStore()
    for each, wagered in ((store, 1), (other, 2)):
        async with a_desk(each, RULES) as desk:
            await desk.ask(a_lock(1, round=f"r{wagered}"))
    known = await replay(store, LINK)
    known.head = (await other.journal_end(LINK)).head
    async with a_desk(store, RULES) as desk:
        await desk.ask(a_settle(2, round="r1"))
    with pytest.raises(JournalBrokenError):
        await follow(store, known)
