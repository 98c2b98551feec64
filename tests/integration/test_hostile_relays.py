"""Strangers at the sign feed: what they say costs no keyed sign a report, and fills no disk.

Four `?relay=x` sockets wrote 670,000 entries in ten seconds, and reports of a sign with a key were
lost. They are closed now, or held to a few a second of each sign where the floor file allows them.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from msgspec import structs

from progressive.adapters.keys.signs import RelayKeys, SignKeys
from progressive.adapters.sqlite.sign_log_file import FILE_NAME
from progressive.adapters.sqlite.sign_log_reader import open_sign_log
from progressive.application.signs.desk import SignDesk
from progressive.application.signs.reports import SignEntry
from progressive.entry.bootstrap import Running, running
from progressive.live import relay_desk
from tests.support.service import shipped_rules

pytestmark = pytest.mark.slow
HOSTILE = 4
MESSAGES_EACH = 150
REPORTS_EACH = 500
HONEST = 5
"""As many as a sign may say at once."""
EVER = {"from_ms": 0, "to_ms": 2**60}


@asynccontextmanager
async def a_service(data: Path, *, anonymous_relays: bool) -> AsyncIterator[Running]:
    rules = structs.replace(shipped_rules(), anonymous_relays=anonymous_relays, sign_log_max_mib=16)
    async with running(rules, data=data, host="127.0.0.1", port=0) as service:
        yield service


def feed_of(service: Running, query: str) -> str:
    return f"{service.url}/v1/links/main/feed{query}"


def a_message(sign: str, seq: int, count: int = 1) -> dict[str, object]:
    report = {"sign": sign, "seq": seq, "epoch": 1, "state": "live"}
    return {"type": "showings", "reports": [report] * count}


async def shout(http: aiohttp.ClientSession, url: str) -> None:
    """As fast as the socket takes it, coming back whenever it is closed."""
    said = 0
    while said < MESSAGES_EACH:
        with contextlib.suppress(aiohttp.ClientError, ConnectionError):
            async with http.ws_connect(url) as feed:
                while said < MESSAGES_EACH and not feed.closed:
                    said += 1
                    await feed.send_json(a_message("lounge", said, REPORTS_EACH))
                    if said % 20 == 0:
                        await asyncio.sleep(0)


async def test_relay_without_a_key_is_closed_with_4401(tmp_path: Path) -> None:
    async with (
        a_service(tmp_path, anonymous_relays=False) as service,
        aiohttp.ClientSession() as http,
    ):
        key = RelayKeys(tmp_path).issue("north")
        for shown in (None, "wrong", SignKeys(tmp_path).issue("pit")):
            headers = {} if shown is None else {"Authorization": f"Bearer {shown}"}
            async with http.ws_connect(feed_of(service, "?relay=north"), headers=headers) as feed:
                said = await feed.receive(timeout=30)
                assert (said.data, said.extra) == (4401, "this relay needs its key")
        headers = {"Authorization": f"Bearer {key}"}
        async with http.ws_connect(feed_of(service, "?relay=north"), headers=headers) as feed:
            assert (await feed.receive_json(timeout=30))["type"] == "snapshot"
        # Amounts are for everybody.
        async with http.ws_connect(feed_of(service, "")) as feed:
            assert (await feed.receive_json(timeout=30))["type"] == "snapshot"


@pytest.mark.parametrize("allowed", [False, True])
async def test_strangers_cost_a_keyed_sign_no_report_and_the_disk_no_room(
    tmp_path: Path, allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Room for every stranger's message: what is limited is each sign.
    monkeypatch.setattr(relay_desk, "ANONYMOUS_BURST", 10.0**9)
    key = SignKeys(tmp_path).issue("pit")
    async with (
        a_service(tmp_path, anonymous_relays=allowed) as service,
        aiohttp.ClientSession() as http,
    ):
        desk = service.floor.signs.desk
        loud = [
            asyncio.create_task(shout(http, feed_of(service, f"?relay=x{number}")))
            for number in range(HOSTILE)
        ]
        headers = {"Authorization": f"Bearer {key}"}
        async with http.ws_connect(feed_of(service, "?sign=pit"), headers=headers) as sign:
            await sign.receive_json(timeout=30)
            for seq in range(1, HONEST + 1):
                await sign.send_json({"type": "showing", "seq": seq, "epoch": 1})
                await heard(desk, seq)
        await asyncio.gather(*loud)
        await service.floor.signs.log.close()
        assert service.floor.signs.log.lost == 0
    with open_sign_log(tmp_path) as log:
        honest = seqs(list(log.between("pit", **EVER)))
        strange = seqs(list(log.between("lounge", **EVER)))
    assert honest == list(range(1, HONEST + 1))
    # 300,000 were sent. Each sign's allowance is small, and fills at two a second.
    assert len(strange) < 1_000
    assert (len(strange) > 0) is allowed
    assert (tmp_path / FILE_NAME).stat().st_size < 2**20


async def heard(desk: SignDesk, seq: int) -> None:
    async with asyncio.timeout(60):
        while (word := desk.word("pit")) is None or word.entry.seq < seq:
            await asyncio.sleep(0.01)


def seqs(entries: list[SignEntry]) -> list[int]:
    return [entry.seq for entry in entries if entry.kind == "showing"]


async def test_relays_without_a_key_share_what_their_address_may_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay_desk, "ANONYMOUS_BURST", 30.0)
    monkeypatch.setattr(relay_desk, "ANONYMOUS_REPORTS_A_SECOND", 0.0)
    async with (
        a_service(tmp_path, anonymous_relays=True) as service,
        aiohttp.ClientSession() as http,
    ):
        for number, code in enumerate([None, 4400, 4400]):
            async with http.ws_connect(feed_of(service, f"?relay=x{number}")) as feed:
                await feed.receive_json(timeout=30)
                await feed.send_json(a_message("lounge", 1, 20))
                if code is None:
                    continue
                async with asyncio.timeout(30):
                    async for _ in feed:
                        pass
                assert feed.close_code == code
        # A relay with its key is not counted among them.
        headers = {"Authorization": f"Bearer {RelayKeys(tmp_path).issue('north')}"}
        async with http.ws_connect(feed_of(service, "?relay=north"), headers=headers) as feed:
            await feed.receive_json(timeout=30)
            for seq in range(2, 5):
                await feed.send_json(a_message("pit", seq, 500))
            async with asyncio.timeout(30):
                while (word := service.floor.signs.desk.word("pit")) is None or not word.entry.seq:
                    await asyncio.sleep(0.01)


async def test_thousands_of_signs_stand_behind_one_keyed_relay(tmp_path: Path) -> None:
    rules = shipped_rules()
    signs = tuple(structs.replace(rules.signs[0], id=f"s{number}") for number in range(3_000))
    rules = structs.replace(rules, signs=signs)
    key = RelayKeys(tmp_path).issue("north")
    async with (
        running(rules, data=tmp_path, host="127.0.0.1", port=0) as service,
        aiohttp.ClientSession() as http,
    ):
        headers = {"Authorization": f"Bearer {key}"}
        async with http.ws_connect(feed_of(service, "?relay=north"), headers=headers) as feed:
            await feed.receive_json(timeout=30)
            for seq in (1, 2, 3):
                for start in range(0, len(signs), 500):
                    reports = [
                        {"sign": sign.id, "seq": seq, "epoch": 1}
                        for sign in signs[start : start + 500]
                    ]
                    await feed.send_json({"type": "showings", "reports": reports})
            async with asyncio.timeout(60):
                while (word := service.floor.signs.desk.word("s2999")) is None or (
                    word.entry.seq < 3
                ):
                    await asyncio.sleep(0.01)
        await service.floor.signs.log.close()
        assert (service.floor.signs.log.lost, service.floor.signs.desk.refused) == (0, 0)
        # Arrivals, and three reports each.
        assert service.floor.signs.log.kept >= 4 * len(signs)
