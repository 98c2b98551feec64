"""What a sign read at a moment, and since when the journal was ahead of it."""

import threading

import pytest

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.history import Amounts
from progressive.application.signs import history
from progressive.application.signs.history import (
    SPEAKS_FOR_MS,
    Ahead,
    GlassThen,
    Silence,
    glass_then,
    reading_at,
)
from progressive.application.signs.reports import Glass, SignEntry, milliseconds
from tests.support.builders import LINK, a_desk, a_lock, a_settle, kill
from tests.support.fake_clock import FakeClock

AT = 1_000_000


def report(at_ms: int, cents: int = 500) -> SignEntry:
    return SignEntry(at_ms, "showing", 1, 7, "live", (Glass("mega", cents),))


def event(at_ms: int, kind: str) -> SignEntry:
    return SignEntry(at_ms, kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([report(AT)], report(AT)),
        ([report(AT - 400), report(AT + 600)], report(AT - 400)),
        ([report(AT - SPEAKS_FOR_MS)], report(AT - SPEAKS_FOR_MS)),
        ([], Silence(None, None, False)),
        ([report(AT + 1)], Silence(None, AT + 1, False)),
        ([report(AT - SPEAKS_FOR_MS - 1)], Silence(AT - SPEAKS_FOR_MS - 1, None, False)),
        ([report(AT - 9), event(AT - 5, "gone"), report(AT + 9)], Silence(AT - 9, AT + 9, False)),
        ([report(AT - 9), event(AT - 9, "cut")], Silence(AT - 9, None, False)),
        ([event(AT - 5, "connected")], Silence(None, None, True)),
        (
            [report(AT - 99), event(AT - 50, "gone"), event(AT - 9, "connected"), report(AT - 5)],
            report(AT - 5),
        ),
        # A relay's word comes later than the next one: the order is that of the glass.
        ([report(AT - 10, 2), report(AT - 900, 1)], report(AT - 10, 2)),
    ],
)
def test_which_report_speaks_for_a_moment(
    entries: list[SignEntry], expected: SignEntry | Silence
) -> None:
    assert reading_at(entries, AT) == expected


@pytest.mark.parametrize(
    ("silence", "words"),
    [
        (
            Silence(0, 60_000, False),
            "no report between 1970-01-01T00:00:00.000000Z and 1970-01-01T00:01:00.000000Z; "
            "it was not connected",
        ),
        (
            Silence(None, None, True),
            "no report between the beginning of the log and now; it was connected",
        ),
    ],
)
def test_a_silence_in_words(silence: Silence, words: str) -> None:
    assert silence.in_words() == words


WON = {1: "7d 7d 7d"}
BEGAN = "2026-01-02T03:04:05.000000Z"
RECORDS = [
    # Second, message, Mega in cents once it is durable.
    (0, None, 10_000_000),
    (1, a_lock(1), 10_000_060),
    (2, a_settle(2), 10_000_060),
    (3, a_lock(3), 10_000_120),
    (4, a_settle(4, seats=WON, dealer="5s 9c"), 2_500_010),
    (5, a_lock(5), 2_500_070),
]


@pytest.fixture
async def store() -> MemoryStore:
    """A real journal with a record a second."""
    store, clock = MemoryStore(), FakeClock()
    async with a_desk(store, clock=clock) as desk:
        for _, command, mega_cents in RECORDS:
            if command is not None:
                clock.advance(1)
                await desk.ask(command)
            view = desk.worker.view
            assert view.meters[0].cents == mega_cents
        # A clean stop would add the record of a snapshot.
        await kill(desk)
    return store


async def glass(store: MemoryStore, *, mega_cents: int, at_second: float) -> GlassThen:
    at_ms = milliseconds(BEGAN) + int(at_second * 1000)
    return await glass_then(
        store,
        sign="wall",
        link=LINK,
        report=report(at_ms - 100, mega_cents),
        at_ms=at_ms,
    )


@pytest.mark.parametrize(
    ("mega_cents", "at_second", "journal_seq", "ahead"),
    [
        # All that was durable can be read.
        (10_000_060, 2.5, 3, None),
        (10_000_120, 3.0, 4, None),
        # The glass rolls between two amounts: the older one was reached.
        (10_000_090, 3.5, 4, (4, 500)),
        # It stands at the beginning while two more wagers were kept.
        (10_000_000, 3.25, 4, (2, 2_250)),
        # The Mega was won, and the glass does not know yet.
        (10_000_120, 4.75, 5, (5, 750)),
        (10_000_120, 5.75, 6, (5, 1_750)),
        # It knows, and is behind what grew since.
        (2_500_010, 5.5, 6, (6, 500)),
    ],
)
async def test_since_when_the_journal_was_ahead_of_the_glass(
    store: MemoryStore,
    mega_cents: int,
    at_second: float,
    journal_seq: int,
    ahead: tuple[int, int] | None,
) -> None:
    then = await glass(store, mega_cents=mega_cents, at_second=at_second)
    assert then.journal is not None
    assert then.journal.seq == journal_seq
    found = None if then.ahead is None else (then.ahead.seq, then.ahead.milliseconds)
    assert found == ahead


@pytest.mark.parametrize(
    ("ms_max", "records_max", "ahead"),
    [
        # The glass of the beginning, asked 3.25 s later: ahead since record 2, 2.25 s before.
        (3_600_000, 20_000, Ahead(2, "2026-01-02T03:04:06.000000Z", 2_250)),
        (3_600_000, 3, Ahead(2, "2026-01-02T03:04:06.000000Z", 2_250, at_least=True)),
        (1_000, 20_000, Ahead(3, "2026-01-02T03:04:07.000000Z", 1_250, at_least=True)),
        (3_600_000, 1, Ahead(4, "2026-01-02T03:04:08.000000Z", 250, at_least=True)),
    ],
)
async def test_glass_far_behind_is_said_to_be_so_without_reading_all_of_it(
    store: MemoryStore,
    monkeypatch: pytest.MonkeyPatch,
    ms_max: int,
    records_max: int,
    ahead: Ahead,
) -> None:
    monkeypatch.setattr(history, "AHEAD_MS_MAX", ms_max)
    monkeypatch.setattr(history, "AHEAD_RECORDS_MAX", records_max)
    then = await glass(store, mega_cents=10_000_000, at_second=3.25)
    assert then.ahead == ahead


async def test_records_are_compared_in_a_thread(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared_by: set[int] = set()
    real = history.amounts_after

    def amounts_after(stored: bytes) -> Amounts:
        compared_by.add(threading.get_ident())
        return real(stored)

    monkeypatch.setattr(history, "amounts_after", amounts_after)
    await glass(store, mega_cents=10_000_000, at_second=3.25)
    assert compared_by
    assert threading.get_ident() not in compared_by


async def test_glass_and_journal_stand_side_by_side(store: MemoryStore) -> None:
    then = await glass(store, mega_cents=10_000_090, at_second=3.5)
    assert [(m.id, m.name, m.cents, m.journal_cents) for m in then.meters] == [
        ("mega", "Mega", 10_000_090, 10_000_120),
        ("major", "Major", None, 1_500_060),
        ("minor", "Minor", None, 300_040),
    ]
    assert (then.state, then.epoch, then.seq) == ("live", 1, 7)
    assert then.reported_at == "2026-01-02T03:04:08.400000Z"


async def test_before_the_first_record_there_is_only_the_glass(store: MemoryStore) -> None:
    then = await glass(store, mega_cents=5, at_second=-1)
    assert (then.journal, then.ahead) == (None, None)
    assert [(m.id, m.cents, m.journal_cents) for m in then.meters] == [("mega", 5, None)]
