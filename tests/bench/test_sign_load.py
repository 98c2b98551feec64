"""The load counts what was sent, however it arrives; the servers under test send what was asked."""

import socket

import pytest

from progressive.live.frames import text_frame
from tests.bench.sign_frames import Broadcast, stamped
from tests.bench.sign_load import Signs
from tests.bench.sign_peers import HUB, SEND_STR, Peer
from tests.bench.sign_servers import update_template
from tests.bench.signs import measure


@pytest.mark.parametrize("cut_bytes", [1, 7, 14, 15, 16, 100, 10_000])
def test_updates_are_counted_however_they_are_cut(cut_bytes: int) -> None:
    server, sign = socket.socketpair()
    signs = Signs([sign])
    sent = b"".join(text_frame(stamped(update_template())) for _ in range(5))
    for start in range(0, len(sent), cut_bytes):
        server.sendall(sent[start : start + cut_bytes])
        signs.read_ready()
    assert signs.updates == 5
    server.close()
    signs.close()


@pytest.mark.slow
@pytest.mark.parametrize("peer", [HUB, SEND_STR], ids=lambda peer: peer.label)
@pytest.mark.parametrize("wanted", [Broadcast(20), Broadcast(5, pause_ms=1)], ids=["flat", "paced"])
def test_every_sign_gets_every_update(peer: Peer, wanted: Broadcast) -> None:
    measured = measure(peer, 30, wanted)
    assert (measured.messages, measured.errors) == (30 * wanted.count, 0)
    assert measured.p99_ms >= measured.p50_ms > 0


@pytest.mark.slow
def test_a_burst_reaches_every_sign_whole() -> None:
    measured = measure(HUB, 30, Broadcast(50, at_once=True))
    assert (measured.messages, measured.errors) == (30 * 50, 0)
