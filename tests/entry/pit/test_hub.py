"""Fan-out of the board: one encoding for all who see the same, and nobody waits for a console."""

import asyncio
import json
from typing import Any

import pytest
from msgspec import structs

from progressive.entry.pit import hub as pit_hub
from progressive.entry.pit.board import Board
from progressive.entry.pit.hub import BEHIND_LOOKS_MAX, SKIP_BYTES, VIEWERS_MAX, PitHub
from progressive.wire.pit import ActRow, LinkRow
from tests.support.fake_clock import FakeClock

AT = "2026-01-02T03:04:05.000000Z"


class FakeTransport(asyncio.Transport):
    """A connection that takes what it is given; how much of it is unread, the test says."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[dict[str, Any]] = []
        self.unread_bytes = 0
        self.aborted = False

    def write(self, data: bytes) -> None:
        if self.aborted:
            # As uvloop does, until the connection's handler has had its turn.
            raise RuntimeError("the handler is closed")
        header = {126: 4, 127: 10}.get(data[1], 2)
        self.messages.append(json.loads(data[header:]))

    def get_write_buffer_size(self) -> int:
        return self.unread_bytes

    def abort(self) -> None:
        self.aborted = True

    def is_closing(self) -> bool:
        return self.aborted

    @property
    def types(self) -> list[str]:
        return [message["type"] for message in self.messages]


class FakeFloor:
    """A floor of one link whose record number a test moves."""

    def __init__(self) -> None:
        self.seq = 1
        self.boards = 0
        self.looks = 0
        acts = [ActRow(1, AT, "Ann", "pay_award", "done", {})]
        self._board = Board({}, {}, {}, {}, {}, acts, [*acts, structs.replace(acts[0], seq=2)])

    def board(self) -> Board:
        self.boards += 1
        link = LinkRow("main", "Main", "live", None, self.seq, AT, ())
        return structs.replace(self._board, links={"main": link})

    async def look(self) -> None:
        self.looks += 1
        if self.looks == 1:
            raise RuntimeError("a bug")


class Desk:
    """A hub, its floor, and consoles that join."""

    def __init__(self) -> None:
        self.floor = FakeFloor()
        self.hub = PitHub(self.floor, FakeClock())  # type: ignore[arg-type]

    def join(self, *, watcher: bool = False) -> FakeTransport:
        transport = FakeTransport()
        self.hub.join(transport, watcher=watcher)
        return transport


@pytest.fixture
async def desk() -> Desk:
    return Desk()


async def test_a_console_gets_the_board_and_then_what_changes(desk: Desk) -> None:
    console = desk.join()
    desk.floor.seq = 2
    desk.hub.tell()
    desk.hub.tell()

    assert console.types == ["snapshot", "change"]
    assert console.messages[1]["links"][0]["seq"] == 2


async def test_a_console_whose_connection_is_gone_harms_no_other(desk: Desk) -> None:
    gone, other = desk.join(), desk.join()
    # Its handler has not noticed yet, so nobody has told the hub.
    gone.abort()
    desk.floor.seq = 2
    desk.hub.tell()
    desk.hub.tick()

    assert other.types == ["snapshot", "change", "tick"]


async def test_whoever_joins_later_starts_from_what_the_others_see(desk: Desk) -> None:
    first = desk.join()
    desk.floor.seq = 2
    second = desk.join()
    desk.floor.seq = 3
    desk.hub.tell()

    assert first.types == ["snapshot", "change", "change"]
    assert second.types == ["snapshot", "change"]
    assert first.messages[-1] == second.messages[-1]


async def test_those_who_see_the_same_share_one_encoding(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for watcher in (False, True, False, True):
        desk.join(watcher=watcher)
    encoded = []
    monkeypatch.setattr(pit_hub, "encode", lambda message: encoded.append(message) or b"{}")
    desk.floor.seq = 2

    desk.hub.tell()

    assert len(encoded) == 2


async def test_acts_that_are_not_for_the_pit_are_for_those_who_watch(desk: Desk) -> None:
    assert [act["seq"] for act in desk.join().messages[0]["acts"]] == [1]
    assert [act["seq"] for act in desk.join(watcher=True).messages[0]["acts"]] == [1, 2]


async def test_nothing_is_looked_up_while_nobody_looks(desk: Desk) -> None:
    desk.hub.tell()
    desk.hub.tick()
    assert desk.floor.boards == 0


async def test_a_console_that_missed_a_change_gets_a_snapshot_when_it_has_caught_up(
    desk: Desk,
) -> None:
    slow, quick = desk.join(), desk.join()
    slow.unread_bytes = SKIP_BYTES + 1
    desk.floor.seq = 2
    desk.hub.tell()
    slow.unread_bytes = 0
    desk.floor.seq = 3
    desk.hub.tell()
    assert slow.types == ["snapshot"]

    desk.hub.tick()

    assert slow.types == ["snapshot", "snapshot", "tick"]
    assert slow.messages[1]["links"][0]["seq"] == 3
    assert quick.types == ["snapshot", "change", "change", "tick"]


async def test_a_console_that_never_reads_is_dropped(desk: Desk) -> None:
    dead, quick = desk.join(), desk.join()
    dead.unread_bytes = SKIP_BYTES + 1
    for _ in range(BEHIND_LOOKS_MAX):
        desk.hub.tick()
    assert not dead.aborted

    desk.hub.tick()

    assert dead.aborted
    assert (desk.hub.viewers, desk.hub.dropped) == (1, 1)
    assert quick.types.count("tick") == BEHIND_LOOKS_MAX + 1


async def test_the_last_one_to_leave_ends_the_looking_up(desk: Desk) -> None:
    transport = FakeTransport()
    viewer = desk.hub.join(transport, watcher=False)
    desk.hub.leave(viewer)
    boards = desk.floor.boards

    desk.floor.seq = 2
    desk.hub.tell()

    assert desk.floor.boards == boards
    assert transport.types == ["snapshot"]


async def test_a_full_hub_says_so(desk: Desk) -> None:
    for _ in range(VIEWERS_MAX):
        assert not desk.hub.full
        desk.join()
    assert desk.hub.full


async def test_a_bug_in_looking_does_not_end_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pit_hub, "LOOK_SECONDS", 0)
    console = desk.join()
    await desk.hub.start()
    async with asyncio.timeout(30):
        while desk.floor.looks < 3:
            await asyncio.sleep(0)
    desk.floor.seq = 2
    desk.hub.stir()
    async with asyncio.timeout(30):
        while "change" not in console.types:
            await asyncio.sleep(0)
    await desk.hub.stop()
