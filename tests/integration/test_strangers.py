"""What strangers could do to a floor with a plain socket: floods, and requests that never end.

Each of these once stopped a lock-out for seconds, or the whole service for good.
"""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import aiohttp
import pytest

from progressive.entry.bootstrap import running
from progressive.entry.http.tls import TlsFiles
from progressive.entry.people.reception import Doorway
from progressive.live.entrance import entrance
from progressive.live.entrance.limits import Limits
from progressive.runtime.open_files import raise_file_limit
from tests.support.certificates import Certificates
from tests.support.service import (
    ROOT,
    ServiceProcess,
    TableClient,
    issue_key,
    lock,
    settle,
    shipped_rules,
)
from tests.support.strangers import PING, PONG, Stranger, frame, metric, open_files

FRAMES = {
    "pings": frame(PING),
    "pongs": frame(PONG),
    "empty fragments": frame(0x1, fin=False) + frame(0x0, fin=False) * 99,
    "short messages": frame(0x1, b"{}"),
    "long pings": frame(PING, b"x" * 125),
}
KINDS = ("pings", "pongs", "fragments", "http", "assets", "heads")
BLOCK_BYTES = 32 * 1024
FILES = 1024


@pytest.fixture(scope="module", params=["fast reader", "plain reader"])
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServiceProcess]:
    """aiohttp has its frame reader twice, in C and in Python."""
    plain = {"AIOHTTP_NO_EXTENSIONS": "1"} if request.param == "plain reader" else {}
    with ServiceProcess(tmp_path_factory.mktemp("floor") / "data", **plain) as service:
        yield service


@pytest.fixture(scope="module")
def fast_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    with ServiceProcess(tmp_path_factory.mktemp("floor") / "data") as service:
        yield service


# --- floods -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FRAMES)
def test_socket_that_floods_is_closed_with_4400(service: ServiceProcess, kind: str) -> None:
    block = FRAMES[kind] * (BLOCK_BYTES // len(FRAMES[kind]))
    with Stranger.at(service.port) as stranger:
        stranger.open()
        stranger.send(block)
        assert stranger.close_code() == 4400


def test_messages_in_fragments_and_single_pings_are_still_heard(service: ServiceProcess) -> None:
    showing = b'{"type":"showing","seq":1}'
    with Stranger.at(service.port) as stranger:
        stranger.open()
        stranger.send(frame(PING, b"still there"))
        stranger.send(frame(0x1, showing[:9], fin=False) + frame(PING) + frame(0x0, showing[9:]))
        stranger.send(frame(0x8, (1000).to_bytes(2, "big")))
        assert b"\x8a\x0bstill there" in stranger.answer()
        assert stranger.close_code() == 1000


@pytest.mark.parametrize("opcode", [0x1, PING])
def test_unmasked_frame_is_refused(service: ServiceProcess, opcode: int) -> None:
    # RFC 6455 section 5.1.
    table = f"BJ-{opcode:02}"
    key = issue_key(service.data, table)
    for path, shown in (("/v1/links/main/feed", ""), (f"/v1/tables/{table}/socket", key)):
        with Stranger.at(service.port) as stranger:
            stranger.open(path, shown)
            stranger.send(frame(opcode, b'{"type":"showing","seq":1}', masked=False))
            assert stranger.close_code() == 4400
    assert metric(service.url, 'progressive_offences_total{why="frames must be masked"}') >= 2


def test_table_that_pings_too_much_waits_and_stays(service: ServiceProcess) -> None:
    """It has its key: it is made to wait like one that sends too many messages."""
    with Stranger.at(service.port) as table:
        table.open("/v1/tables/BJ-03/socket", issue_key(service.data, "BJ-03"))
        before = metric(service.url, "progressive_table_pauses_total")
        table.send(frame(PING) * 10_000 + frame(0x8, (1000).to_bytes(2, "big")))
        assert table.close_code() == 1000
    assert metric(service.url, "progressive_table_pauses_total") > before


def test_address_of_offenders_is_slowed_and_its_tables_are_not(
    fast_service: ServiceProcess,
) -> None:
    with ExitStack() as stack:
        for _ in range(5):
            stranger = stack.enter_context(Stranger.at(fast_service.port))
            stranger.open()
            stranger.send(FRAMES["pings"] * 1_000)
            assert stranger.close_code() == 4400
        assert metric(fast_service.url, "progressive_addresses_slowed") == 1
        table = stack.enter_context(Stranger.at(fast_service.port))
        table.open("/v1/tables/BJ-02/socket", issue_key(fast_service.data, "BJ-02"))


@contextmanager
def flooding(kind: str, sockets: int, port: int) -> Iterator[None]:
    command = [sys.executable, "-m", "tests.bench.flooder", kind, str(sockets), str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "flooding\n"
            yield
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
async def test_lock_outs_are_answered_while_strangers_flood(
    fast_service: ServiceProcess, kind: str
) -> None:
    service = fast_service
    table = f"BJ-{KINDS.index(kind) + 4:02}"
    key = issue_key(service.data, table)
    with flooding(kind, 30, service.port):
        async with TableClient.connect(service.url, table, key) as client:
            seq = client.welcome["next_seq"]
            for number in range(10):
                locked = await client.ask(lock(seq + 2 * number, f"{kind}{seq}.{number}"))
                assert locked["type"] == "locked"
                answer = await client.ask(settle(seq + 2 * number + 1, f"{kind}{seq}.{number}"))
                assert answer["type"] == "settled"


# --- requests that never end --------------------------------------------------------------------


@pytest.mark.slow
async def test_half_open_requests_leave_room_for_tables_signs_and_staff(tmp_path: Path) -> None:
    """1,500 of them at 1,024 files once kept everybody out for good."""
    assert raise_file_limit() > 2_000
    with (
        ServiceProcess(tmp_path / "data", files_max=FILES) as service,
        ExitStack() as stack,
    ):
        for _ in range(1_500):
            stack.enter_context(Stranger.at(service.port)).send(b"GET / HTTP/1.1\r\nHost: x\r\n")
        key = issue_key(service.data, "BJ-01")
        async with TableClient.connect(service.url, "BJ-01", key) as table:
            assert (await table.ask(lock(1, "r1")))["type"] == "locked"
        stack.enter_context(Stranger.at(service.port)).open()
        async with aiohttp.ClientSession() as session, session.get(f"{service.url}/pit") as page:
            assert page.status == 200
        assert open_files(service.pid) < FILES // 3
        assert metric(service.url, 'progressive_connections{standing="unfinished"}') <= 192


@pytest.mark.slow
async def test_strangers_never_have_all_places(tmp_path: Path) -> None:
    """Even where every one of them behaves: tables and staff keep places of their own."""
    with (
        ServiceProcess(tmp_path / "data", files_max=256) as service,
        ExitStack() as stack,
    ):
        refused = 0
        for _ in range(160):
            try:
                stack.enter_context(Stranger.at(service.port)).open()
            except AssertionError:
                refused += 1
        assert refused == 160 - (256 - 64) * 75 // 100
        key = issue_key(service.data, "BJ-01")
        async with TableClient.connect(service.url, "BJ-01", key) as table:
            assert (await table.ask(lock(1, "r1")))["type"] == "locked"


@pytest.mark.slow
async def test_unfinished_heads_and_bodies_are_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entrance, "BEAT_SECONDS", 0.05)
    limits = Limits(head_seconds=0.2, body_seconds=0.2)
    body = b'POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{"user":'
    rules = shipped_rules()
    doorway = Doorway(limits=limits)
    async with running(rules, data=tmp_path, host="127.0.0.1", port=0, doorway=doorway) as service:
        port = int(service.url.rpartition(":")[2])
        for sent in (b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\n", body):
            with Stranger.at(port) as stranger:
                stranger.send(sent)
                answer = await asyncio.to_thread(stranger.answer)
            assert (b" 408 " in answer) == (sent is body), answer
        assert service.floor.entrance.offences["unfinished request"] == 3


async def test_tls_handshake_that_never_ends_is_closed(tmp_path: Path) -> None:
    shown = Certificates(tmp_path)
    doorway = Doorway(tls=TlsFiles(shown.cert, shown.key), limits=Limits(head_seconds=0.2))
    rules = shipped_rules()
    data = tmp_path / "data"
    async with running(rules, data=data, host="127.0.0.1", port=0, doorway=doorway) as service:
        with Stranger.at(int(service.url.rpartition(":")[2])) as stranger:
            stranger.send(b"\x16\x03\x01")
            await asyncio.to_thread(stranger.is_gone)
        assert not any(service.floor.entrance.places.held.values())


@pytest.mark.slow
def test_stranger_who_leaves_in_the_middle_of_a_body_writes_no_traceback(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path / "data") as service:
        with Stranger.at(service.port) as stranger:
            stranger.send(
                b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n"
            )
            stranger.send(b"x" * 3_000_000)
            assert b" 413 " in stranger.socket.recv(65536)
        assert service.terminate() == 0
        assert "Traceback" not in (tmp_path / "data.log").read_text()


# --- a floor that behaves ------------------------------------------------------------------------


@pytest.mark.slow
def test_whole_floor_behind_one_address_is_let_in(tmp_path: Path) -> None:
    """The mere number is not an offence: a proxy's clients all have the proxy's address."""
    raise_file_limit()
    with ServiceProcess(tmp_path / "data") as service, ExitStack() as stack:
        # All at once, as after a restart: hundreds are accepted before the first has its say.
        signs = [stack.enter_context(Stranger.at(service.port)) for _ in range(600)]
        for sign in signs:
            sign.open()
        assert metric(service.url, 'progressive_connections{standing="stranger"}') >= 600
        for sign in signs:
            sign.send(frame(0x1, b'{"type":"showing","seq":1}'))
        assert metric(service.url, "progressive_addresses_slowed") == 0
        assert metric(service.url, 'progressive_offences_total{why="too many frames"}') == 0
