"""Fan-out: one encoding for all, updates coalesced, wins never skipped, nobody waits for a sign."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager

import pytest

from progressive.live import hub as hub_module
from progressive.live.frames import text_frame
from progressive.live.hub import Hub, Outbox


class FakeTransport(asyncio.Transport):
    """A connection that takes what it is given; how much of it is unread, the test says."""

    def __init__(self) -> None:
        super().__init__()
        self.frames: list[bytes] = []
        self.unread_bytes = 0
        self.aborted = False

    def write(self, data: bytes) -> None:
        if self.aborted:
            # As uvloop does, until the connection's handler has had its turn.
            raise RuntimeError("the handler is closed")
        self.frames.append(data)

    def is_closing(self) -> bool:
        return self.aborted

    def get_write_buffer_size(self) -> int:
        return self.unread_bytes

    def abort(self) -> None:
        self.aborted = True

    def payloads(self) -> list[str]:
        """What a sign would read: a write may hold several frames."""
        read = []
        for written in self.frames:
            rest = written
            while rest:
                size = rest[1]
                assert size < 126, "test messages are short"
                read.append(rest[2 : 2 + size].decode())
                rest = rest[2 + size :]
        return read

    def updates(self) -> list[int]:
        return [int(text[7:]) for text in self.payloads() if text.startswith("update ")]


class FakeEncoding:
    """Views are numbers. Counts how often each kind of message is encoded."""

    def __init__(self) -> None:
        self.encoded = {"snapshot": 0, "update": 0, "tick": 0}

    def snapshot(self, view: int, after: tuple[int, int] | None = None) -> bytes:
        self.encoded["snapshot"] += 1
        return (
            b"snapshot %d" % view if after is None else b"snapshot %d after %d.%d" % (view, *after)
        )

    def update(self, view: int) -> bytes:
        self.encoded["update"] += 1
        return b"update %d" % view

    def tick(self, view: int) -> bytes:
        self.encoded["tick"] += 1
        return b"tick %d" % view


class Pulse:
    """Stands in for the passing of time: the hub's sleeps end when the test says so."""

    def __init__(self) -> None:
        self._sleepers: dict[float, list[asyncio.Future[None]]] = {}

    async def sleep(self, seconds: float) -> None:
        if seconds == 0:
            await _real_sleep(0)
            return
        sleeper = asyncio.get_running_loop().create_future()
        self._sleepers.setdefault(seconds, []).append(sleeper)
        await sleeper

    async def _pass(self, seconds: float) -> None:
        await settle()
        sleepers, self._sleepers[seconds] = self._sleepers.get(seconds, []), []
        for sleeper in sleepers:
            if not sleeper.done():
                sleeper.set_result(None)
        await settle()

    async def update_time(self) -> None:
        """The pause between two updates is over."""
        await self._pass(hub_module.UPDATE_SECONDS)

    async def tick_time(self) -> None:
        """It is time for a tick."""
        await self._pass(hub_module.TICK_SECONDS)


_real_sleep = asyncio.sleep


async def settle() -> None:
    """Let everything run that can run without time passing."""
    for _ in range(20):
        await _real_sleep(0)


@pytest.fixture
def pulse(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pulse]:
    fake = Pulse()
    monkeypatch.setattr(hub_module.asyncio, "sleep", fake.sleep)
    yield fake
    monkeypatch.undo()


@pytest.fixture
def encoding() -> FakeEncoding:
    return FakeEncoding()


@asynccontextmanager
async def a_hub(encoding: FakeEncoding) -> AsyncIterator[Hub[int]]:
    hub = Hub(0, encoding)
    hub.start()
    try:
        yield hub
    finally:
        await hub.stop()


@pytest.fixture
async def hub(encoding: FakeEncoding, pulse: Pulse) -> AsyncIterator[Hub[int]]:
    async with a_hub(encoding) as running:
        yield running


def a_sign(hub: Hub[int], name: str = "sign") -> tuple[FakeTransport, Outbox]:
    transport = FakeTransport()
    return transport, hub.join(transport, name)


SLOW = hub_module.SKIP_BYTES + 1
STUCK = hub_module.DROP_BYTES + 1


# --- joining ----------------------------------------------------------------------------------


async def test_snapshot_comes_at_once(hub: Hub[int]) -> None:
    hub.publish(7)
    sign, _ = a_sign(hub)
    assert sign.payloads() == ["snapshot 7"]


async def test_sign_that_left_gets_nothing_more(hub: Hub[int], pulse: Pulse) -> None:
    gone, outbox = a_sign(hub)
    there, _ = a_sign(hub)
    hub.leave(outbox)
    hub.leave(outbox)
    hub.publish(1)
    await settle()
    hub.announce(b"win")
    await pulse.tick_time()
    assert gone.payloads() == ["snapshot 0"]
    assert there.payloads()[1:3] == ["update 1", "win"]
    assert len(hub.outboxes) == 1


# --- coalescing -------------------------------------------------------------------------------


async def test_many_values_become_few_writes_and_the_last_is_the_newest(
    hub: Hub[int], pulse: Pulse, encoding: FakeEncoding
) -> None:
    sign, _ = a_sign(hub)
    for value in range(1, 1_001):
        hub.publish(value)
    await settle()
    assert sign.updates() == [1_000]
    for value in range(1_001, 2_001):
        hub.publish(value)
        await _real_sleep(0)
    # The pause is not over: not one write more.
    assert sign.updates() == [1_000]
    await pulse.update_time()
    assert sign.updates() == [1_000, 2_000]
    assert encoding.encoded["update"] == 2


async def test_quiet_link_sends_no_updates(hub: Hub[int], pulse: Pulse) -> None:
    sign, _ = a_sign(hub)
    hub.publish(1)
    for _ in range(5):
        await pulse.update_time()
    assert sign.updates() == [1]


async def test_tick_says_where_the_feed_stands(hub: Hub[int], pulse: Pulse) -> None:
    sign, _ = a_sign(hub)
    await pulse.tick_time()
    hub.publish(4)
    await pulse.tick_time()
    assert sign.payloads() == ["snapshot 0", "tick 0", "update 4", "tick 4"]


async def test_every_sign_gets_the_very_same_bytes(
    hub: Hub[int], pulse: Pulse, encoding: FakeEncoding
) -> None:
    signs = [a_sign(hub)[0] for _ in range(600)]
    hub.publish(1)
    await settle()
    hub.announce(b"win")
    await pulse.tick_time()
    for frames in zip(*[sign.frames[1:] for sign in signs], strict=True):
        assert len({id(frame) for frame in frames}) == 1
    assert signs[0].frames[1:] == [
        text_frame(b"update 1"),
        text_frame(b"win"),
        text_frame(b"tick 1"),
    ]
    assert (encoding.encoded["update"], encoding.encoded["tick"]) == (1, 1)


async def test_stopping_sends_what_is_left(encoding: FakeEncoding, pulse: Pulse) -> None:
    async with a_hub(encoding) as hub:
        sign, _ = a_sign(hub)
        hub.publish(1)
        await settle()
        hub.publish(2)
    assert sign.updates() == [1, 2]


async def test_flush_is_reported_with_the_age_of_its_values(
    encoding: FakeEncoding, pulse: Pulse
) -> None:
    ages: list[float] = []
    hub = Hub(0, encoding, on_flushed=ages.append)
    hub.start()
    hub.publish(1)
    await settle()
    await hub.stop()
    assert len(ages) == 1
    assert ages[0] >= 0


# --- announcements ----------------------------------------------------------------------------


async def test_announcement_goes_out_at_once_behind_its_values(hub: Hub[int]) -> None:
    sign, _ = a_sign(hub)
    hub.publish(5)
    hub.announce(b"win")
    # No turn of the loop in between.
    assert sign.payloads() == ["snapshot 0", "update 5", "win"]


async def test_announcement_without_new_values_stands_alone(hub: Hub[int]) -> None:
    sign, _ = a_sign(hub)
    hub.announce(b"state")
    assert sign.payloads() == ["snapshot 0", "state"]


async def test_what_is_announced_together_is_one_write_and_its_values_come_once(
    hub: Hub[int], encoding: FakeEncoding
) -> None:
    sign, _ = a_sign(hub)
    hub.publish(5)
    hub.announce(b"win 1", b"win 2", b"win 3")
    assert sign.payloads() == ["snapshot 0", "update 5", "win 1", "win 2", "win 3"]
    assert len(sign.frames) == 2
    assert encoding.encoded["update"] == 1


async def test_slow_sign_skips_updates_but_no_announcement(hub: Hub[int], pulse: Pulse) -> None:
    slow, _ = a_sign(hub, "slow")
    quick, _ = a_sign(hub, "quick")
    slow.unread_bytes = SLOW
    for value in range(1, 6):
        hub.publish(value)
        await pulse.update_time()
        hub.announce(b"win %d" % value)
        await pulse.tick_time()
    assert [text for text in slow.payloads() if text.startswith("win")] == [
        f"win {value}" for value in range(1, 6)
    ]
    assert slow.updates() == []
    assert not any(text.startswith("tick") for text in slow.payloads())
    assert quick.updates() == [1, 2, 3, 4, 5]


# --- slow signs -------------------------------------------------------------------------------


async def test_sign_that_caught_up_gets_the_newest_at_the_next_tick(
    hub: Hub[int], pulse: Pulse
) -> None:
    sign, _ = a_sign(hub)
    sign.unread_bytes = SLOW
    for value in (1, 2, 3):
        hub.publish(value)
        await pulse.update_time()
    sign.unread_bytes = 0
    # Nothing moves any more, so no update would come by itself.
    await pulse.tick_time()
    assert sign.payloads() == ["snapshot 0", "update 3", "tick 3"]
    await pulse.tick_time()
    assert sign.payloads()[3:] == ["tick 3"]


async def test_sign_at_the_very_limit_is_not_slow(hub: Hub[int], pulse: Pulse) -> None:
    sign, _ = a_sign(hub)
    sign.unread_bytes = hub_module.SKIP_BYTES
    hub.publish(1)
    await settle()
    assert sign.updates() == [1]


async def test_sign_that_stays_behind_is_dropped(hub: Hub[int], pulse: Pulse) -> None:
    stuck, _ = a_sign(hub, "stuck")
    other, _ = a_sign(hub, "other")
    stuck.unread_bytes = SLOW
    for _ in range(hub_module.BEHIND_TICKS_MAX):
        await pulse.tick_time()
    assert not stuck.aborted
    await pulse.tick_time()
    assert stuck.aborted
    assert hub.dropped == 1
    assert [box.sign for box in hub.outboxes] == ["other"]
    hub.publish(1)
    await pulse.update_time()
    assert other.updates() == [1]


async def test_sign_that_catches_up_now_and_then_is_kept(hub: Hub[int], pulse: Pulse) -> None:
    sign, _ = a_sign(hub)
    for _ in range(4):
        sign.unread_bytes = SLOW
        for _ in range(hub_module.BEHIND_TICKS_MAX):
            await pulse.tick_time()
        sign.unread_bytes = 0
        await pulse.tick_time()
    assert not sign.aborted


async def test_sign_too_far_behind_for_an_announcement_is_dropped(hub: Hub[int]) -> None:
    stuck, _ = a_sign(hub, "stuck")
    other, _ = a_sign(hub, "other")
    stuck.unread_bytes = STUCK
    hub.announce(b"win")
    hub.announce(b"win again")
    assert stuck.aborted
    assert stuck.payloads() == ["snapshot 0"]
    assert hub.dropped == 1
    assert other.payloads() == ["snapshot 0", "win", "win again"]


async def test_slow_signs_harm_no_other(hub: Hub[int], pulse: Pulse) -> None:
    signs = [a_sign(hub, f"sign-{n}")[0] for n in range(300)]
    for sign in signs[::2]:
        sign.unread_bytes = SLOW
    for value in range(1, 4):
        hub.publish(value)
        await pulse.update_time()
    assert all(sign.updates() == [1, 2, 3] for sign in signs[1::2])
    assert all(sign.updates() == [] for sign in signs[::2])


async def test_sign_whose_connection_is_gone_harms_no_other(hub: Hub[int], pulse: Pulse) -> None:
    gone, _ = a_sign(hub, "gone")
    other, _ = a_sign(hub, "other")
    # Its handler has not noticed yet, so nobody has told the hub.
    gone.abort()
    hub.publish(1)
    await settle()
    hub.announce(b"win")
    await pulse.tick_time()
    hub.publish(2)
    await pulse.update_time()
    assert other.payloads() == ["snapshot 0", "update 1", "win", "tick 1", "update 2"]


# --- never an older value ---------------------------------------------------------------------


def never_goes_back(sign: FakeTransport) -> bool:
    return sign.updates() == sorted(sign.updates())


async def wait_until_one_is_written_to(signs: Iterable[FakeTransport]) -> None:
    """A flush is under way and has come as far as its first chunk."""
    while not any(sign.updates() for sign in signs):
        await _real_sleep(0)


async def test_announcement_between_two_chunks_is_not_followed_by_an_older_value(
    hub: Hub[int], pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With more signs than a chunk holds, a flush is interrupted; newer values may pass it.
    monkeypatch.setattr(hub_module, "FAN_OUT_CHUNK", 1)
    signs = [a_sign(hub, f"sign-{n}")[0] for n in range(4)]
    hub.publish(1)
    await wait_until_one_is_written_to(signs)
    hub.publish(2)
    hub.announce(b"win")
    await settle()
    assert [sign.updates() for sign in signs if not never_goes_back(sign)] == []


async def test_sign_that_joins_or_leaves_between_two_chunks_is_treated_as_it_is(
    hub: Hub[int], pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "FAN_OUT_CHUNK", 1)
    signs = {outbox: sign for sign, outbox in (a_sign(hub) for _ in range(4))}
    hub.publish(1)
    await wait_until_one_is_written_to(signs.values())
    waiting = [outbox for outbox, sign in signs.items() if not sign.updates()]
    hub.leave(waiting[0])
    gone = signs[waiting[0]]
    hub.publish(2)
    late, _ = a_sign(hub, "late")
    await settle()
    await pulse.update_time()
    assert gone.updates() == []
    assert late.payloads() == ["snapshot 2", "update 2"]


async def test_values_of_an_interrupted_flush_reach_everyone_in_the_end(
    hub: Hub[int], pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "FAN_OUT_CHUNK", 1)
    signs = [a_sign(hub)[0] for _ in range(5)]
    for value in range(1, 30):
        hub.publish(value)
        await _real_sleep(0)
    for _ in range(3):
        await pulse.update_time()
    assert {sign.updates()[-1] for sign in signs} == {29}
    assert all(map(never_goes_back, signs))


async def test_stopping_in_the_middle_of_a_flush_sends_what_is_left(
    encoding: FakeEncoding, pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "FAN_OUT_CHUNK", 1)
    async with a_hub(encoding) as hub:
        signs = [a_sign(hub)[0] for _ in range(4)]
        hub.publish(1)
        await wait_until_one_is_written_to(signs)
    assert [sign.updates()[-1:] for sign in signs] == [[1]] * 4


# --- in slices --------------------------------------------------------------------------------


async def test_announcements_and_ticks_reach_a_chunk_of_signs_in_a_turn(
    hub: Hub[int], pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With thousands of signs one stretch would keep every table waiting."""
    monkeypatch.setattr(hub_module, "FAN_OUT_CHUNK", 2)
    signs = [a_sign(hub)[0] for _ in range(5)]
    hub.tick()
    hub.announce(b"win 1")
    assert [len(sign.frames) for sign in signs] == [2, 2, 1, 1, 1]
    await _real_sleep(0)
    assert [len(sign.frames) for sign in signs] == [2, 2, 2, 2, 1]
    await settle()
    assert {tuple(sign.payloads()) for sign in signs} == {("snapshot 0", "tick 0", "win 1")}


async def test_announcements_keep_their_order_at_every_sign_and_no_value_goes_back(
    hub: Hub[int], pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "FAN_OUT_CHUNK", 1)
    signs = [a_sign(hub)[0] for _ in range(4)]
    for value in range(1, 6):
        hub.publish(value)
        hub.announce(b"win %d" % value)
        hub.tick()
        await _real_sleep(0)
    late, _ = a_sign(hub, "late")
    await settle()
    await pulse.update_time()
    await settle()
    wins = [f"win {value}" for value in range(1, 6)]
    for sign in signs:
        assert [text for text in sign.payloads() if text.startswith("win")] == wins
        assert never_goes_back(sign)
        places = [int(text.split()[1]) for text in sign.payloads() if text[:3] != "sna"]
        assert places == sorted(places)
    assert late.payloads()[0] == "snapshot 5"
    assert not any(text.startswith("win") for text in late.payloads())


async def test_stopping_ends_what_is_being_announced(
    encoding: FakeEncoding, pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "FAN_OUT_CHUNK", 1)
    async with a_hub(encoding) as hub:
        signs = [a_sign(hub)[0] for _ in range(4)]
        hub.announce(b"win")
    assert [sign.payloads()[-1] for sign in signs] == ["win"] * 4


# --- without a rhythm of its own: a relay -----------------------------------------------------


@pytest.fixture
async def driven(encoding: FakeEncoding, pulse: Pulse) -> AsyncIterator[Hub[int]]:
    hub = Hub(0, encoding, paced=False)
    hub.start()
    yield hub
    await hub.stop()


async def test_driven_hub_passes_every_value_on_at_once(driven: Hub[int]) -> None:
    sign, _ = a_sign(driven)
    for value in (1, 2, 3):
        driven.publish(value)
        await settle()
    # No time has passed at all.
    assert sign.updates() == [1, 2, 3]


async def test_driven_hub_coalesces_what_comes_in_one_turn(driven: Hub[int]) -> None:
    sign, _ = a_sign(driven)
    for value in (1, 2, 3):
        driven.publish(value)
    await settle()
    assert sign.updates() == [3]


async def test_driven_hub_ticks_only_when_told(driven: Hub[int], pulse: Pulse) -> None:
    sign, _ = a_sign(driven)
    await pulse.tick_time()
    assert sign.payloads() == ["snapshot 0"]
    driven.tick()
    assert sign.payloads() == ["snapshot 0", "tick 0"]


async def test_driven_hub_lets_a_slow_sign_skip_and_catch_up(driven: Hub[int]) -> None:
    sign, _ = a_sign(driven)
    sign.unread_bytes = SLOW
    for value in (1, 2):
        driven.publish(value)
        await settle()
    sign.unread_bytes = 0
    driven.tick()
    assert sign.payloads() == ["snapshot 0", "update 2", "tick 2"]


async def test_what_is_kept_is_told_to_those_who_join(driven: Hub[int]) -> None:
    here, _ = a_sign(driven)
    driven.keep(7)
    await settle()
    late, _ = a_sign(driven)
    assert (here.payloads(), late.payloads()) == (["snapshot 0"], ["snapshot 7"])


async def test_sign_that_is_back_is_told_what_came_after_its_place(hub: Hub[int]) -> None:
    transport = FakeTransport()
    hub.join(transport, "sign", (3, 14))
    assert transport.payloads() == ["snapshot 0 after 3.14"]
