"""Recovery: exactly the state before, or a reason why not. Never an invented amount."""

import re
from collections.abc import Callable

import pytest
from msgspec import structs

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.record import (
    GENESIS,
    decode_record,
    encode_record,
    hash_record,
)
from progressive.application.link import replay as link_replay
from progressive.application.link.ports import OpenedLink
from progressive.application.link.snapshot import decode_state, encode_state
from progressive.application.link.take_over import take_over
from progressive.domain.events import Checkpointed, Event, LinkOpened
from progressive.domain.ids import LinkId
from progressive.domain.rulebook.rules import LinkRules
from tests.support.builders import (
    BJ2,
    LINK,
    MAJOR,
    MEGA,
    MINOR,
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
from tests.support.fake_clock import FakeClock
from tests.support.faulty_store import FaultyStore

RULES = a_link()

Change = Callable[[bytes], bytes]


async def play(desk: Desk, *, messages: int = 8) -> None:
    """Rounds at two tables, settled and voided."""
    for seq in range(1, messages + 1):
        if seq % 2:
            await desk.ask(a_lock(seq, wagers=wagers(1, 2)))
        else:
            await desk.ask(a_void(seq) if seq % 4 == 0 else a_settle(seq))
    await desk.ask(a_lock(1), table=BJ2)


async def a_journal(*, snapshot: bool = False, messages: int = 8) -> MemoryStore:
    """A store with a played journal; with a snapshot, a few records follow it."""
    store = MemoryStore()
    async with a_desk(store, RULES) as desk:
        await play(desk, messages=messages)
        if not snapshot:
            await kill(desk)
    if snapshot:
        async with a_desk(store, RULES) as desk:
            await desk.ask(a_settle(2), table=BJ2)
            await desk.ask(a_lock(3), table=BJ2)
            await kill(desk)
    return store


def records_of(store: MemoryStore) -> list[bytes]:
    return store._journals[LINK].records


async def reason_inoperable(store: MemoryStore, rules: LinkRules = RULES) -> str:
    """Start a worker on the store: it must be inoperable and show nothing; tells its reason."""
    async with a_desk(store, rules) as desk:
        view = desk.worker.view
        assert view.state == "inoperable"
        assert view.meters == ()
        assert view.reason
        return view.reason


# --- the same state again ---------------------------------------------------------------------


async def test_new_link_is_founded_with_the_houses_money() -> None:
    store = MemoryStore()
    link = await take_over(store, RULES, FakeClock())
    [record] = [decode_record(stored) for stored in await journal_of(store)]
    assert (record.seq, record.prev) == (1, GENESIS)
    assert isinstance(record.event, LinkOpened)
    assert record.event.terms == RULES.terms
    assert link.at == record.at == FakeClock().now()
    assert link.state.primaries == (10_000_000_000_000, 1_500_000_000_000, 300_000_000_000)


async def test_founding_that_was_kept_after_all_is_not_repeated() -> None:
    store = FaultyStore(MemoryStore())
    store.fail_append(1, kept=True)
    with pytest.raises(Exception, match="disk full"):
        await take_over(store, RULES, FakeClock())
    link = await take_over(store, RULES, FakeClock())
    assert link.state.seq == 1
    assert len(await journal_of(store)) == 1


@pytest.mark.parametrize("snapshot", [False, True])
async def test_recovering_again_gives_the_same_state_under_a_new_epoch(snapshot: bool) -> None:
    store = await a_journal(snapshot=snapshot)
    one = await take_over(store, RULES, FakeClock())
    other = await take_over(store, RULES, FakeClock())
    assert (one.state, one.head, one.at) == (other.state, other.head, other.at)
    assert other.epoch > one.epoch


async def test_recovery_writes_nothing_to_a_journal_that_exists() -> None:
    store = await a_journal(snapshot=True)
    before = list(records_of(store))
    await take_over(store, RULES, FakeClock())
    assert records_of(store) == before


async def test_replay_begins_at_the_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    store = await a_journal(snapshot=True)
    replayed: list[int] = []
    original = link_replay.replay_event

    def count(state: object, event: Event, seq: int) -> None:
        replayed.append(seq)
        original(state, event, seq)  # type: ignore[arg-type]

    monkeypatch.setattr(link_replay, "replay_event", count)
    await take_over(store, RULES, FakeClock())
    snapshot = await store.load_snapshot(LINK)
    assert snapshot is not None
    assert replayed == list(range(snapshot.seq + 1, len(records_of(store)) + 1))
    assert len(replayed) == 3


async def test_lost_snapshot_only_costs_time() -> None:
    store = await a_journal(snapshot=True)
    fast = await take_over(store, RULES, FakeClock())
    store._journals[LINK].snapshots.clear()
    assert (await take_over(store, RULES, FakeClock())).state == fast.state


async def test_older_snapshot_that_the_chain_vouches_for_will_do() -> None:
    store = await a_journal(snapshot=True)
    older = await store.load_snapshot(LINK)
    async with a_desk(store, RULES) as desk:
        await desk.ask(a_settle(4), table=BJ2)
    newest = await take_over(store, RULES, FakeClock())
    assert older is not None
    forge(store, older.seq, older.body)
    assert (await take_over(store, RULES, FakeClock())).state == newest.state


# --- changed records --------------------------------------------------------------------------


def swap(old: bytes, new: bytes) -> Change:
    def change(record: bytes) -> bytes:
        assert old in record, (old, record)
        return record.replace(old, new, 1)

    return change


# Records 1 to 10: opened; lock, settle, lock, void, lock, settle, lock, void at BJ-01; lock at
# BJ-02, which stays open.
CHANGES: list[tuple[str, int, Change]] = [
    ("sequence", 4, swap(b'{"seq":4', b'{"seq":5')),
    ("sequence of the first", 1, swap(b'{"seq":1', b'{"seq":2')),
    ("time", 4, swap(b'"at":"2026', b'"at":"2025')),
    ("time of the last", 10, swap(b'"at":"2026', b'"at":"2025')),
    ("hash of the one before", 4, swap(b'"prev":"', b'"prev":"f')),
    ("kind of event", 3, swap(b"round_settled", b"round_voided")),
    ("table", 2, swap(b'"table":"BJ-01"', b'"table":"BJ-03"')),
    ("table of the last", 10, swap(b'"table":"BJ-02"', b'"table":"BJ-03"')),
    ("table's number", 2, swap(b'"table_seq":1', b'"table_seq":2')),
    ("table's number in the last", 10, swap(b'"table_seq":1', b'"table_seq":2')),
    ("round", 2, swap(b'"round":"r1"', b'"round":"r2"')),
    ("seat", 2, swap(b'"plain":["blazing7",500,[1,', b'"plain":["blazing7",500,[3,')),
    ("a seat less", 2, swap(b'"plain":["blazing7",500,[1,', b'"plain":["blazing7",500,[')),
    ("wager", 2, swap(b'"plain":["blazing7",500', b'"plain":["blazing7",100')),
    ("bet", 2, swap(b'"plain":["blazing7"', b'"plain":["blazing8"')),
    ("a wager more", 2, swap(b'"wagers":[]', b'"wagers":[{"seat":4,"bet":"blazing7"}]')),
    ("stake", 2, swap(b'["blazing7",1000,0]', b'["blazing7",0,1000]')),
    ("stake of the last", 10, swap(b'["blazing7",500,0]', b'["blazing7",501,0]')),
    ("stake on no bet", 10, swap(b'["blazing7",500,0]', b'["blazing9",500,0]')),
    ("flow", 2, swap(b'["mega",120000000', b'["mega",120000001')),
    ("flow of the last", 10, swap(b'["mega",60000000', b'["mega",60000001')),
    ("flow to no meter", 10, swap(b'["mega",60000000', b'["giga",60000000')),
    ("flow off a meter", 10, swap(b'["mega",60000000', b'["mega",-60000000')),
    ("hold", 2, swap(b'"hold":760000000', b'"hold":760000001')),
    ("hold of the last", 10, swap(b'"hold":380000000', b'"hold":0')),
    ("meters", 2, swap(b'"meters":[10000', b'"meters":[90000')),
    ("meters of the last", 10, swap(b'"meters":[10000', b'"meters":[90000')),
    ("one meter less", 10, swap(b'"meters":[10000', b'"meters":[10000],"x":[10000')),
    ("reason", 5, swap(b'"reason":"misdeal"', b'"reason":"mistake"')),
    ("contra entry", 5, swap(b'["mega",-120000000', b'["mega",-110000000')),
    ("terms", 1, swap(b'"rate_ppm":120000', b'"rate_ppm":130000')),
    ("initial amount", 1, swap(b'["mega",10000000000000', b'["mega",90000000000000')),
    ("type of a value", 2, swap(b'"hold":760000000', b'"hold":"760000000"')),
    ("type of a value in the last", 10, swap(b'"hold":380000000', b'"hold":380000000.5')),
    ("missing field", 10, swap(b'"chips_counted":1,', b"")),
    ("space", 4, swap(b'"event":', b'"event": ')),
    ("space in the last", 10, swap(b'"event":', b'"event": ')),
    ("not json", 4, lambda _: b"garbage"),
    ("not json, the last", 10, lambda _: b"garbage"),
    ("nothing", 4, lambda _: b""),
    ("not utf-8", 4, swap(b'"round":"r3"', b'"round":"\xff"')),
    ("not utf-8, the last", 10, swap(b'"round":"r1"', b'"round":"\xff"')),
    ("cut off", 10, lambda record: record[:-7]),
]


@pytest.mark.parametrize(
    ("number", "change"),
    [(number, change) for _, number, change in CHANGES],
    ids=[name for name, _, _ in CHANGES],
)
async def test_changed_record_makes_the_link_inoperable_and_is_named(
    number: int, change: Change
) -> None:
    store = await a_journal()
    records = records_of(store)
    assert len(records) == 10
    records[number - 1] = change(records[number - 1])
    reason = await reason_inoperable(store)
    # A changed record shows in itself, or in the next one, which carries its hash.
    assert re.search(rf"\brecord ({number}|{number + 1})\b", reason), reason


def rechained(records: list[bytes]) -> tuple[list[bytes], str]:
    """Records with their hashes made anew: what a forger who knows the format would do."""
    forged: list[bytes] = []
    head = GENESIS
    for stored in records:
        record = decode_record(stored)
        forged.append(encode_record(seq=record.seq, at=record.at, prev=head, event=record.event))
        head = hash_record(forged[-1])
    return forged, head


@pytest.mark.parametrize("number", [2, 5, 10])
async def test_forged_chain_that_does_not_end_where_it_did_is_noticed(number: int) -> None:
    store = await a_journal()
    records = records_of(store)
    records[number - 1] = records[number - 1].replace(b'"at":"2026', b'"at":"2025')
    records[:], _ = rechained(records)
    assert "record 10, the last one, has been changed" in await reason_inoperable(store)


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (2, swap(b'"meters":[10000', b'"meters":[90000')),
        (2, swap(b'"hold":760000000', b'"hold":760000001')),
        (2, swap(b'["mega",120000000', b'["mega",120000001')),
        (5, swap(b'["mega",-120000000', b'["mega",-110000000')),
        (10, swap(b'["blazing7",500,0]', b'["blazing7",501,0]')),
    ],
)
async def test_forged_chain_whose_amounts_do_not_add_up_is_noticed(
    number: int, change: Change
) -> None:
    store = await a_journal()
    records = records_of(store)
    records[number - 1] = change(records[number - 1])
    records[:], store._journals[LINK].head = rechained(records)
    assert f"record {number}" in await reason_inoperable(store)


# --- missing and foreign records --------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (lambda r: r.pop(), "ends at record 9, but 10 were written"),
        (lambda r: r.clear(), "ends at record 0, but 10 were written"),
        (lambda r: r.pop(4), "record 5 is missing"),
        (lambda r: r.pop(0), "record 1 is missing"),
        (lambda r: r.insert(4, r[4]), "record 6 is missing"),
        (lambda r: r.append(r[-1]), "record 11 is missing"),
        (lambda r: r.reverse(), "record 1 is missing"),
    ],
    ids=["last lost", "all lost", "one lost", "first lost", "doubled", "last doubled", "reversed"],
)
async def test_missing_or_doubled_record_is_named(
    edit: Callable[[list[bytes]], object], why: str
) -> None:
    store = await a_journal()
    edit(records_of(store))
    store_says = store._journals[LINK]
    # The store tells how many it holds; the journal of another backend keeps that number beside.
    async with a_desk(_Claiming(store, seq=10, head=store_says.head), RULES) as desk:
        assert desk.worker.view.state == "inoperable"
        assert why in (desk.worker.view.reason or "")
        assert desk.worker.view.meters == ()


class _Claiming(FaultyStore):
    """A store that keeps the journal's length apart from the journal, as SQLite and Redis do."""

    def __init__(self, inner: MemoryStore, *, seq: int, head: str) -> None:
        super().__init__(inner)
        self._seq, self._head = seq, head

    async def open_link(self, link: LinkId, *, above_epoch: int = 0) -> OpenedLink:
        opened = await super().open_link(link, above_epoch=above_epoch)
        return structs.replace(opened, seq=self._seq, head=self._head)


async def test_valid_record_that_nobody_wrote_is_noticed() -> None:
    store = await a_journal()
    records = records_of(store)
    last = decode_record(records[-1])
    records.append(
        encode_record(
            seq=11,
            at=last.at,
            prev=hash_record(records[-1]),
            event=Checkpointed(state_digest="x", meters=last.event.meters),  # type: ignore[union-attr]
        )
    )
    assert "record 11, the last one, has been changed" in await reason_inoperable(store)


async def test_journal_must_begin_with_its_opening_and_only_once() -> None:
    store = await a_journal()
    records = records_of(store)
    for forged in ([records[1]], [records[0], records[0]]):
        again = [
            encode_record(seq=seq, at="", prev="", event=decode_record(stored).event)
            for seq, stored in enumerate(forged, start=1)
        ]
        records[:], store._journals[LINK].head = rechained(again)
        reason = await reason_inoperable(store)
        assert f"record {len(forged)}: a journal begins with link_opened, once" in reason


async def test_journal_of_another_link_is_not_taken_for_this_ones() -> None:
    # The same terms, other amounts: only the name in the first record tells them apart.
    store = await a_journal()
    other = a_link(id="high")
    store._journals[other.id] = store._journals.pop(LINK)
    async with a_desk(store, other) as desk:
        assert desk.worker.view.state == "inoperable"
        assert desk.worker.view.meters == ()


# --- snapshots --------------------------------------------------------------------------------


def forge(store: MemoryStore, seq: int, body: bytes) -> None:
    store._journals[LINK].snapshots = {seq: body}


@pytest.mark.parametrize(
    "change",
    [
        swap(b'["primary","mega",', b'["primary","mega",9'),
        swap(b'"last_seq":', b'"last_seq":1'),
        swap(b'"wagers_cents":', b'"wagers_cents":1'),
        swap(b'"rate_ppm":120000', b'"rate_ppm":120001'),
        swap(b'"link":"main"', b'"link":"high"'),
        swap(b'{"link"', b'{ "link"'),
        swap(b'"seq":', b'"seq":1'),
        lambda body: body[:-1],
        lambda _: b"",
        lambda _: b"\xff\xfe",
    ],
    ids=["amount", "number", "counter", "terms", "link", "space", "seq", "cut", "empty", "garbage"],
)
async def test_changed_snapshot_makes_the_link_inoperable(change: Change) -> None:
    store = await a_journal(snapshot=True)
    snapshot = await store.load_snapshot(LINK)
    assert snapshot is not None
    forge(store, snapshot.seq, change(snapshot.body))
    assert "snapshot" in await reason_inoperable(store)


@pytest.mark.parametrize("change", [-1, 1, 2, 3, 100])
async def test_snapshot_at_another_record_is_not_believed(change: int) -> None:
    store = await a_journal(snapshot=True)
    snapshot = await store.load_snapshot(LINK)
    assert snapshot is not None
    state = decode_state(snapshot.body)
    state.seq += change
    forge(store, state.seq, encode_state(state))
    assert "snapshot" in await reason_inoperable(store)


async def test_snapshot_without_its_checkpoint_record_is_not_believed() -> None:
    store = await a_journal()
    state = (await take_over(store, RULES, FakeClock())).state
    forge(store, state.seq, encode_state(state))
    assert "ends before its snapshot at 10" in await reason_inoperable(store)


async def test_changed_record_before_the_snapshot_is_noticed_too() -> None:
    store = await a_journal(snapshot=True)
    records = records_of(store)
    records[2] = records[2].replace(b'"at":"2026', b'"at":"2025')
    assert "record 4 does not follow record 3" in await reason_inoperable(store)


# --- changed floor ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "key"),
    [
        (a_link(decks=8), "decks: 6 in the journal, 8 in the floor"),
        (a_link(wager_cents=100), "bet.blazing7.wager_cents"),
        (
            a_link(meters=(structs.replace(MEGA, rate_ppm=110_000), MAJOR, MINOR)),
            "bet.blazing7.meter.mega.rate_ppm: 120000 in the journal, 110000 in the floor",
        ),
        (a_link(meters=(MEGA, MAJOR)), "bet.blazing7.meter.minor.rate_ppm"),
        (a_link(bets=()), "bet.blazing7.game"),
    ],
)
@pytest.mark.parametrize("snapshot", [False, True])
async def test_changed_terms_make_the_link_inoperable_and_are_named(
    rules: LinkRules, key: str, snapshot: bool
) -> None:
    store = await a_journal(snapshot=snapshot)
    assert key in await reason_inoperable(store, rules)


async def test_meters_in_another_order_never_show_each_others_amounts() -> None:
    store = await a_journal()
    async with a_desk(store, RULES) as desk:
        right = {meter.id: meter.cents for meter in desk.worker.view.meters}
    async with a_desk(store, a_link(meters=(MINOR, MEGA, MAJOR))) as desk:
        shown = {meter.id: meter.cents for meter in desk.worker.view.meters}
    # Either the amounts under their own names, or none at all.
    assert shown in (right, {})


async def test_meters_do_not_swap_their_names_unapproved() -> None:
    """The players of Mega would see the amount of Minor."""
    store = await a_journal()
    mega, minor = structs.replace(MEGA, name="Minor"), structs.replace(MINOR, name="Mega")
    reason = await reason_inoperable(store, a_link(meters=(mega, MAJOR, minor)))
    assert "bet.blazing7.meter.mega.name: Mega in the journal, Minor in the floor" in reason


async def test_inoperable_link_leaves_its_journal_as_it_was() -> None:
    store = await a_journal()
    before = list(records_of(store))
    await reason_inoperable(store, a_link(decks=8))
    assert records_of(store) == before
    async with a_desk(store, RULES) as desk:
        assert desk.worker.view.state == "live"
