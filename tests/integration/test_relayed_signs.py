"""Signs behind a real relay of the real service: their keys, and what is kept of them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from msgspec import structs

from progressive.adapters.keys.signs import RelayKeys, SignKeys
from progressive.adapters.sqlite.sign_log_reader import open_sign_log
from progressive.application.signs.reports import Glass
from progressive.entry.bootstrap import Running, running
from tests.support.relays import a_relay
from tests.support.service import shipped_rules

pytestmark = pytest.mark.slow
BAD_KEY = 4401


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    rules = structs.replace(shipped_rules(), anonymous_relays=True)
    async with running(rules, data=tmp_path, host="127.0.0.1", port=0) as service:
        yield service


async def show(feed: aiohttp.ClientWebSocketResponse) -> None:
    """What any sign says once it has its snapshot."""
    told = await feed.receive_json(timeout=30)
    meters = [{"id": meter["id"], "cents": meter["cents"]} for meter in told["meters"]]
    place = {"seq": told["seq"], "epoch": told["epoch"]}
    await feed.send_json({"type": "showing", **place, "state": "live", "meters": meters})


@pytest.mark.parametrize(("relay_has_key", "believed"), [(True, True), (False, False)])
async def test_a_keyed_sign_is_let_in_by_its_key_and_believed_through_a_keyed_relay(
    service: Running, tmp_path: Path, relay_has_key: bool, believed: bool
) -> None:
    key = SignKeys(tmp_path).issue("pit")
    relay_key = RelayKeys(tmp_path).issue("north") if relay_has_key else None
    signs = service.floor.signs
    await signs.admission.look()
    async with a_relay(service.url, key=relay_key) as relay, aiohttp.ClientSession() as http:
        async with asyncio.timeout(30):
            # Until the relay knows the floor.
            while True:
                async with http.get(f"{relay.url}/readyz") as answer:
                    if answer.status == 200:
                        break
                await asyncio.sleep(0.05)
        feed = f"{relay.url}/v1/links/main/feed"
        async with http.ws_connect(f"{feed}?sign=pit") as refused:
            async for _ in refused:
                pass
            assert refused.close_code == BAD_KEY
        headers = {"Authorization": f"Bearer {key}"}
        async with (
            http.ws_connect(f"{feed}?sign=pit", headers=headers) as keyed,
            http.ws_connect(f"{feed}?sign=lounge") as open_to_all,
        ):
            await show(keyed)
            await show(open_to_all)
            async with asyncio.timeout(30):
                while not signs.desk.present("lounge"):
                    await asyncio.sleep(0.02)
                while believed and not signs.desk.present("pit"):
                    await asyncio.sleep(0.02)
            assert signs.desk.present("pit") is believed
            assert signs.desk.relayed("lounge")
    await signs.log.close()
    with open_sign_log(tmp_path) as log:
        assert log.signs() == (["lounge", "pit"] if believed else ["lounge"])
        kinds = [entry.kind for entry in log.between("lounge", from_ms=0, to_ms=2**60)]
        (report, *_) = [
            entry
            for entry in log.between("lounge", from_ms=0, to_ms=2**60)
            if entry.kind == "showing"
        ]
    assert kinds[0] == "connected"
    assert report.glass[0] == Glass("mega", 10_000_000)
