"""The meters at a moment: found by halving, with the meters of the terms that held then."""

from collections.abc import Sequence

import pytest

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal import history
from progressive.application.journal.history import TermsIndex, amounts_after, meters_at
from progressive.application.journal.record import Record, decode_record
from progressive.domain.ids import LinkId
from tests.support.awards import CARA, FRED
from tests.support.builders import (
    LINK,
    MAJOR,
    MEGA,
    MINOR,
    a_desk,
    a_link,
    a_lock,
    a_meter,
    a_void,
    journal_of,
)
from tests.support.fake_clock import FakeClock

RULES = a_link()
WIDER = a_link(meters=(MEGA, a_meter("mini", initial_cents=777), MAJOR, MINOR))
BEFORE, LATER = "2020-01-01T00:00:00.000000Z", "2030-01-01T00:00:00.000000Z"


class CountingStore(MemoryStore):
    """Counts what is looked up and looked through."""

    def __init__(self) -> None:
        super().__init__()
        self.looked_up = 0
        self.looked_through: list[tuple[int, int]] = []

    async def record(self, link: LinkId, seq: int) -> bytes | None:
        self.looked_up += 1
        return await super().record(link, seq)

    async def records_with(
        self, link: LinkId, text: bytes, *, after_seq: int, until_seq: int
    ) -> Sequence[bytes]:
        self.looked_through.append((after_seq, until_seq))
        return await super().records_with(link, text, after_seq=after_seq, until_seq=until_seq)


@pytest.fixture
async def store() -> CountingStore:
    """Forty records, a second apart; in the middle the link got one more meter."""
    store, clock = CountingStore(), FakeClock()
    async with a_desk(store, RULES, clock=clock) as desk:
        for seq in range(1, 21):
            clock.advance(1)
            await desk.ask(a_lock(seq) if seq % 2 else a_void(seq))
    clock.advance(1)
    async with a_desk(store, WIDER, clock=clock) as desk:
        for by in (FRED, CARA):
            clock.advance(1)
            assert await desk.worker.approve_terms(by, "wider") is None
        for seq in range(21, 41):
            clock.advance(1)
            await desk.ask(a_lock(seq) if seq % 2 else a_void(seq))
    return store


async def records(store: MemoryStore) -> list[Record]:
    return [decode_record(stored) for stored in await journal_of(store)]


async def test_every_moment_has_the_last_record_before_it(store: CountingStore) -> None:
    kept = await records(store)
    terms = TermsIndex(store, LINK)
    for asked in kept:
        then = await meters_at(store, LINK, at=asked.at, last_seq=kept[-1].seq, terms=terms)
        wanted = [record for record in kept if record.at <= asked.at][-1]
        assert then is not None
        assert (then.seq, then.at) == (wanted.seq, wanted.at)
        assert then.microcents == amounts_after(wanted.event)
        meters = then.meters or WIDER.terms.meters
        assert len(meters) == len(then.microcents)
        assert meters == (RULES if len(then.microcents) == 3 else WIDER).terms.meters


async def test_before_the_first_record_there_is_nothing(store: CountingStore) -> None:
    last_seq = (await records(store))[-1].seq
    assert await meters_at(store, LINK, at=BEFORE, last_seq=last_seq) is None


async def test_moment_is_found_with_a_few_look_ups(store: CountingStore) -> None:
    last_seq = (await records(store))[-1].seq
    store.looked_up = 0
    await meters_at(store, LINK, at=BEFORE, last_seq=last_seq)
    assert store.looked_up <= last_seq.bit_length() + 1
    store.looked_up = 0
    await meters_at(store, LINK, at=LATER, last_seq=last_seq)
    assert store.looked_up == 1


async def test_terms_are_looked_for_once(
    store: CountingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "STRETCH_RECORDS", 7)
    kept = await records(store)
    terms = TermsIndex(store, LINK)
    for _ in range(2):
        then = await meters_at(store, LINK, at=kept[3].at, last_seq=kept[-1].seq, terms=terms)
        assert then is not None
        assert then.meters == RULES.terms.meters
    assert len(store.looked_through) == len(set(store.looked_through))
    assert max(until - after for after, until in store.looked_through) == 7


async def test_clock_that_was_set_back_gives_a_record_between_its_neighbours(
    store: CountingStore,
) -> None:
    """A time that was there twice: the record is at or before it, its next one after it."""
    kept = await records(store)
    back = MemoryStore()
    opened = await back.open_link(LINK)
    stored = await journal_of(store)
    mixed = [*stored[:15], *stored[5:15]]
    await back.append(LINK, epoch=opened.epoch, expected_seq=0, records=mixed, head="h")
    for asked in kept[:15]:
        then = await meters_at(back, LINK, at=asked.at, last_seq=len(mixed))
        assert then is not None
        assert then.at <= asked.at
