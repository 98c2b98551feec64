"""A connection's bytes in slices; an offender is not read from any more."""

import asyncio
from typing import Any

import pytest
from aiohttp import web

from progressive.live.entrance.entrance import Entrance
from progressive.live.entrance.gate import Gate, GatedHandler
from progressive.live.entrance.limits import SLICE_BYTES
from progressive.live.entrance.places import Standing


class Wire(asyncio.Transport):
    """A connection that says whether it is read from."""

    def __init__(self) -> None:
        super().__init__()
        self.reading = True
        self.aborted = False
        self.protocol: Any = None

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def is_reading(self) -> bool:
        return self.reading

    def is_closing(self) -> bool:
        return self.aborted

    def abort(self) -> None:
        self.aborted = True

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol


class Heard(GatedHandler):
    """aiohttp's side: notes what is handed on, and offends at a word."""

    heard: list[bytes]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.heard = []

    def data_received(self, data: bytes) -> None:
        self.heard.append(data)
        if b"flood" in data:
            self.gate.offend(b"too many frames")


@pytest.fixture
async def entrance() -> Entrance:
    return Entrance(1024)


def a_gate(entrance: Entrance) -> tuple[Gate, Heard, Wire]:
    async def nobody(request: web.BaseRequest) -> web.StreamResponse:
        raise web.HTTPNotFound

    handler = Heard(web.Server(nobody), loop=asyncio.get_running_loop())
    gate = Gate(entrance, "10.0.0.7", handler)
    entrance.places.take(gate, Standing.UNFINISHED)
    wire = Wire()
    gate.connection_made(wire)
    return gate, handler, wire


async def test_long_data_is_handed_on_in_slices_and_nothing_is_read_meanwhile(
    entrance: Entrance,
) -> None:
    gate, handler, wire = a_gate(entrance)
    sent = bytes(range(256)) * 100
    gate.data_received(sent)
    assert handler.heard == []
    assert not wire.reading
    while not wire.reading:
        await asyncio.sleep(0)
    assert b"".join(handler.heard) == sent
    assert max(map(len, handler.heard)) == SLICE_BYTES


async def test_nothing_more_is_read_from_an_offender(entrance: Entrance) -> None:
    gate, handler, wire = a_gate(entrance)
    said: list[bytes] = []
    gate.become_socket(said.append)
    gate.data_received(b"flood" + bytes(10 * SLICE_BYTES))
    for _ in range(20):
        await asyncio.sleep(0)
    # aiohttp resumes what it has paused by itself: once, and never again.
    wire.resume_reading()
    gate.data_received(b"more")
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(handler.heard) == 1
    assert not wire.reading
    assert said == [b"too many frames"]
    assert entrance.offences["too many frames"] == 1


async def test_more_bytes_than_allowed_are_an_offence_before_they_are_parsed(
    entrance: Entrance,
) -> None:
    gate, handler, wire = a_gate(entrance)
    said: list[bytes] = []
    gate.become_socket(said.append)
    gate.limit_bytes(a_second=10, at_once=100)
    gate.data_received(bytes(101))
    await asyncio.sleep(0)
    assert (handler.heard, said, wire.reading) == ([], [b"too many bytes"], False)


async def test_table_that_showed_its_key_has_no_gate_any_more(entrance: Entrance) -> None:
    gate, handler, wire = a_gate(entrance)
    gate.data_received(bytes(2 * SLICE_BYTES))
    gate.admit(table=True)
    assert wire.protocol is handler
    assert b"".join(handler.heard) == bytes(2 * SLICE_BYTES)
    assert wire.reading
    assert entrance.places.held[Standing.KNOWN] == 1
    assert entrance.places.held[Standing.UNFINISHED] == 0
