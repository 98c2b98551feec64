"""The meters at a moment: found by halving, with the meters of the terms that held then."""

import asyncio
from collections.abc import Collection, Sequence

import pytest

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.history import (
    TermsIndex,
    amounts_after,
    meters_after,
    meters_at,
)
from progressive.application.journal.ports import StorePurgedError
from progressive.application.journal.record import JournalBrokenError, Record, decode_record
from progressive.application.journal.segments import LANDMARKS
from progressive.domain.events import LinkOpened
from progressive.domain.ids import LinkId
from progressive.domain.person_events import TermsChanged
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
    """Remembers through which stretches it was asked to look for terms, and what was read."""

    def __init__(self) -> None:
        super().__init__()
        self.looked_through: list[tuple[int, int]] = []
        self.records_read: list[int] = []

    async def landmarks(
        self, link: LinkId, *, after_seq: int, until_seq: int, types: Collection[str]
    ) -> Sequence[int]:
        self.looked_through.append((after_seq, until_seq))
        assert LANDMARKS.issuperset(types), "anything else is no look-up"
        return await super().landmarks(link, after_seq=after_seq, until_seq=until_seq, types=types)

    async def record(self, link: LinkId, seq: int) -> bytes | None:
        self.records_read.append(seq)
        return await super().record(link, seq)


class PurgedStore(MemoryStore):
    """Records up to one of them were purged."""

    def __init__(self, inner: MemoryStore, last_seq: int) -> None:
        super().__init__()
        self._journals = inner._journals
        self.last_seq = last_seq

    async def record(self, link: LinkId, seq: int) -> bytes | None:
        if seq <= self.last_seq:
            raise StorePurgedError("purged", last_seq=self.last_seq)
        return await super().record(link, seq)


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
            assert await desk.worker.approve_terms(by, "one more meter") is None
        for seq in range(21, 41):
            clock.advance(1)
            await desk.ask(a_lock(seq) if seq % 2 else a_void(seq))
    return store


async def records(store: MemoryStore) -> list[Record]:
    return [decode_record(stored) for stored in await journal_of(store)]


def amounts(record: Record) -> tuple[int, ...]:
    event = record.event
    if isinstance(event, LinkOpened):
        return tuple(flow.primary for flow in event.funding)
    return event.meters


async def test_every_moment_has_the_last_record_before_it(store: CountingStore) -> None:
    kept = await records(store)
    terms = TermsIndex(store, LINK)
    for asked in kept:
        then = await meters_at(store, LINK, at=asked.at, last_seq=kept[-1].seq, terms=terms)
        wanted = [record for record in kept if record.at <= asked.at][-1]
        assert then is not None
        assert (then.seq, then.at) == (wanted.seq, wanted.at)
        assert then.microcents == amounts(wanted)
        assert then.meters == (RULES if len(then.microcents) == 3 else WIDER).terms.meters


async def test_every_record_has_the_meters_that_it_left(store: CountingStore) -> None:
    kept = await records(store)
    for wanted in kept:
        then = await meters_after(store, LINK, seq=wanted.seq, last_seq=kept[-1].seq)
        assert then is not None
        assert (then.seq, then.at, then.microcents) == (wanted.seq, wanted.at, amounts(wanted))
        assert len(then.meters) == len(then.microcents)


async def test_record_that_is_not_there_yet_has_no_meters(store: CountingStore) -> None:
    last_seq = (await records(store))[-1].seq
    for seq in (0, -1, last_seq + 1):
        assert await meters_after(store, LINK, seq=seq, last_seq=last_seq) is None


async def test_missing_records_are_not_taken_for_a_moment_before_the_first() -> None:
    """The file was taken away under a link that has counted to 40."""
    for question in (
        meters_at(MemoryStore(), LINK, at=LATER, last_seq=40),
        meters_after(MemoryStore(), LINK, seq=40, last_seq=40),
    ):
        with pytest.raises(JournalBrokenError, match="record 40 is missing"):
            await question


@pytest.mark.parametrize(
    "stored", [b"", b"{}", b'{"seq":1,"at":"x","event":{"type":"checkpointed","meters":["a"]}}']
)
def test_bytes_that_are_no_record_are_damage(stored: bytes) -> None:
    with pytest.raises(JournalBrokenError, match="unreadable"):
        amounts_after(stored)


async def test_before_the_first_record_there_is_nothing(store: CountingStore) -> None:
    last_seq = (await records(store))[-1].seq
    assert await meters_at(store, LINK, at=BEFORE, last_seq=last_seq) is None


async def test_terms_are_looked_for_once_and_new_ones_are_seen(store: CountingStore) -> None:
    kept = await records(store)
    changed = next(each.seq for each in kept if isinstance(each.event, TermsChanged))
    terms = TermsIndex(store, LINK)
    for last_seq in (changed - 1, changed - 1, kept[-1].seq, kept[-1].seq):
        then = await meters_at(store, LINK, at=LATER, last_seq=last_seq, terms=terms)
        assert then is not None
        assert then.meters == (RULES if last_seq < changed else WIDER).terms.meters
        early = await meters_at(store, LINK, at=kept[3].at, last_seq=last_seq, terms=terms)
        assert early is not None
        assert early.meters == RULES.terms.meters
    assert store.looked_through == [(0, changed - 1), (changed - 1, kept[-1].seq)]
    assert store.records_read == [1, changed]


async def test_only_the_terms_that_were_asked_for_are_read(store: CountingStore) -> None:
    """A hundred changes of terms would be a hundred records."""
    kept = await records(store)
    changed = next(each.seq for each in kept if isinstance(each.event, TermsChanged))
    terms = TermsIndex(store, LINK)
    for seq in (kept[-1].seq, changed, kept[-2].seq):
        assert await terms.meters_of(seq, last_seq=kept[-1].seq) == WIDER.terms.meters
    assert store.records_read == [changed]
    assert await terms.meters_of(changed - 1, last_seq=kept[-1].seq) == RULES.terms.meters
    assert store.records_read == [changed, 1]


async def test_question_that_was_given_up_leaves_the_next_one_whole(store: CountingStore) -> None:
    kept = await records(store)
    terms = TermsIndex(store, LINK)
    asking = asyncio.create_task(
        meters_at(store, LINK, at=LATER, last_seq=kept[-1].seq, terms=terms)
    )
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    for asked, rules in ((kept[3], RULES), (kept[-1], WIDER)):
        then = await meters_at(store, LINK, at=asked.at, last_seq=kept[-1].seq, terms=terms)
        assert then is not None
        assert then.meters == rules.terms.meters


async def test_where_the_terms_were_purged_those_of_now_hold_unless_others_came(
    store: CountingStore,
) -> None:
    kept = await records(store)
    changed = next(each.seq for each in kept if isinstance(each.event, TermsChanged))
    for purged_until, last_seq, expected in (
        # No terms since: they are still those of the link.
        (10, changed - 1, RULES.terms.meters),
        # Terms came since: what held before them is gone with its record.
        (10, kept[-1].seq, None),
    ):
        gone = PurgedStore(store, purged_until)
        terms = TermsIndex(gone, LINK, meters_now=lambda: RULES.terms.meters)
        asking = meters_after(gone, LINK, seq=15, last_seq=last_seq, terms=terms)
        if expected is None:
            with pytest.raises(StorePurgedError):
                await asking
            later = await meters_after(gone, LINK, seq=changed, last_seq=last_seq, terms=terms)
            assert later is not None
            assert later.meters == WIDER.terms.meters
        else:
            then = await asking
            assert then is not None
            assert then.meters == expected


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
