"""Signs over HTTP and their keys, against the real service: who may speak for a sign."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import msgspec
import pytest
from msgspec import structs

from progressive.adapters.keys.signs import RelayKeys, SignKeys
from progressive.entry.bootstrap import Running, running
from progressive.wire.signs import Posted, SignCards
from tests.support.people import PASSWORD
from tests.support.screens import ANN, EVE, JOE, hire
from tests.support.service import TableClient, issue_key, lock, shipped_rules

BAD_KEY = 4401


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    await hire(tmp_path)
    # Relays without a key are asked for here: `test_hostile_relays.py` has the others.
    rules = structs.replace(shipped_rules(), anonymous_relays=True)
    async with running(rules, data=tmp_path, host="127.0.0.1", port=0) as service:
        yield service


@pytest.fixture
async def http(service: Running) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(service.url) as session:
        yield session


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@asynccontextmanager
async def a_feed(
    http: aiohttp.ClientSession, query: str, headers: dict[str, str] | None = None
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    async with http.ws_connect(f"/v1/links/main/feed{query}", headers=headers) as feed:
        yield feed


async def heard_first(
    http: aiohttp.ClientSession, query: str, headers: dict[str, str] | None = None
) -> str | int | None:
    """The type of the first message, or what the socket is closed with."""
    async with a_feed(http, query, headers) as feed:
        message = await feed.receive(timeout=30)
        if message.type is aiohttp.WSMsgType.TEXT:
            return str(message.json()["type"])
        return feed.close_code


async def until(condition: Any) -> None:  # noqa: ANN401 - any callable
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.02)


# --- keys ---------------------------------------------------------------------------------------


async def test_a_sign_without_a_key_is_anybodys(http: aiohttp.ClientSession) -> None:
    assert await heard_first(http, "?sign=entrance") == "snapshot"
    assert await heard_first(http, "?sign=entrance", bearer("anything")) == "snapshot"


async def test_a_name_that_cannot_be_one_is_refused(http: aiohttp.ClientSession) -> None:
    """It was taken for a sign without a name: whoever keyed it wrong never learned of it."""
    for what in ("sign", "relay"):
        for name in ("pit\n", "pit\0", "p\u202eit", "p\u200bit", "p\u0456t", " pit", "a/b"):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await heard_first(http, f"?{what}={quote(name, safe='')}")
            assert refused.value.status == 400
        # What a preview says: it is nobody.
        assert await heard_first(http, f"?{what}=-") == "snapshot"


async def test_a_keyed_sign_needs_its_own_key(
    service: Running, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    key, other = SignKeys(tmp_path).issue("entrance"), SignKeys(tmp_path).issue("pit")
    await service.floor.signs.admission.look()
    cookie = {"Cookie": f"sign-entrance={key}"}
    told = [
        await heard_first(http, "?sign=entrance", headers)
        for headers in (None, bearer(""), bearer("wrong"), bearer(other), bearer(key), cookie)
    ]
    assert told == [BAD_KEY, BAD_KEY, BAD_KEY, BAD_KEY, "snapshot", "snapshot"]
    # Amounts are no secret.
    assert await heard_first(http, "") == "snapshot"
    # One sign's cookie is no other's.
    assert await heard_first(http, "?sign=pit", cookie) == BAD_KEY


@pytest.mark.slow
async def test_a_key_that_is_replaced_ends_who_speaks_by_the_former(
    service: Running, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    keys = SignKeys(tmp_path)
    former = keys.issue("entrance")
    await service.floor.signs.admission.look()
    async with a_feed(http, "?sign=entrance", bearer(former)) as feed:
        await feed.receive_json(timeout=30)
        # From another process, as `progressive key` does it: nobody tells the service.
        newest = keys.issue("entrance")
        async with asyncio.timeout(30):
            async for _ in feed:
                pass
        assert feed.closed
    assert await heard_first(http, "?sign=entrance", bearer(former)) == BAD_KEY
    assert await heard_first(http, "?sign=entrance", bearer(newest)) == "snapshot"


@pytest.mark.slow
async def test_a_first_key_ends_whoever_spoke_without(
    service: Running, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    async with a_feed(http, "?sign=entrance") as feed, a_feed(http, "?sign=pit") as another:
        await feed.receive_json(timeout=30)
        SignKeys(tmp_path).issue("entrance")
        async with asyncio.timeout(30):
            async for _ in feed:
                pass
        assert not another.closed
    assert await heard_first(http, "?sign=entrance") == BAD_KEY


def showings(*signs: str) -> dict[str, object]:
    reports = [{"sign": sign, "seq": 1, "epoch": 1, "state": "live", "age_ms": 5} for sign in signs]
    return {"type": "showings", "reports": reports}


@pytest.mark.parametrize(
    ("key", "heard"),
    [("none", {"pit"}), ("wrong", {"pit"}), ("good", {"entrance", "pit"})],
)
async def test_of_a_keyed_sign_only_a_relay_with_a_key_is_believed(
    service: Running, http: aiohttp.ClientSession, tmp_path: Path, key: str, heard: set[str]
) -> None:
    SignKeys(tmp_path).issue("entrance")
    await service.floor.signs.admission.look()
    issued = RelayKeys(tmp_path).issue("north")
    headers = {"none": None, "wrong": bearer("wrong"), "good": bearer(issued)}[key]
    desk = service.floor.signs.desk
    async with a_feed(http, "?relay=north", headers) as feed:
        await feed.receive_json(timeout=30)
        await feed.send_json(showings("entrance", "pit"))
        await until(lambda: desk.present("pit"))
    assert {sign for sign in ("entrance", "pit") if desk.present(sign)} == heard
    assert all(desk.relayed(sign) for sign in heard)


async def test_a_relay_asks_whether_a_key_fits(
    service: Running, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    key = SignKeys(tmp_path).issue("entrance")
    await service.floor.signs.admission.look()
    asked = [("entrance", key), ("entrance", "wrong"), ("pit", "any"), ("nowhere", key)]
    told = []
    for sign, shown in asked:
        path = f"/v1/signs/{sign}/admission"
        async with http.post(path, headers=bearer(shown)) as answer:
            told.append(answer.status)
    async with http.post("/v1/signs/entrance/admission") as answer:
        told.append(answer.status)
    assert told == [204, 401, 204, 404, 401]


async def test_signs_behind_a_relay_count(
    service: Running, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    signs = service.floor.signs
    async with (
        a_feed(http, "?relay=north") as feed,
        TableClient.connect(service.url, "BJ-01", issue_key(tmp_path, "BJ-01")) as table,
    ):
        await feed.receive_json(timeout=30)
        await feed.send_json(showings("lounge"))
        await until(lambda: signs.desk.present("lounge"))
        await table.ask(lock(1, "r1"))
        (row,) = (row for row in signs.floor.rows({}).values() if row.connected)
        assert (row.id, row.relayed, row.shows, row.report_age_seconds) == (
            "lounge",
            True,
            "live",
            0,
        )
        async with http.get("/metrics") as answer:
            metrics = await answer.text()
    assert 'progressive_signs_present{link="main"} 1.0' in metrics
    assert 'progressive_sign_lag_records{link="main"} 1.0' in metrics


async def until_alarm(http: aiohttp.ClientSession, kind: str) -> dict[str, Any]:
    eve = await session_of(http, EVE.name)
    async with asyncio.timeout(30):
        while True:
            async with http.get("/v1/alarms", headers=eve) as answer:
                for alarm in (await answer.json())["alarms"]:
                    if alarm["kind"] == kind:
                        return dict(alarm)
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_keyed_signs_stay_keyed_when_their_keys_vanish(
    http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """With `sign-keys/` gone anybody could speak for every sign of the floor."""
    eve = await session_of(http, EVE.name)
    async with http.post("/v1/signs/pit/key", headers=eve) as answer:
        key = (await answer.json())["key"]
    (tmp_path / "sign-keys").rename(tmp_path / "elsewhere")
    alarm = await until_alarm(http, "sign_keys")
    assert alarm["message"] == "keys of signs are gone but were not removed: pit"
    assert await heard_first(http, "?sign=pit") == BAD_KEY
    assert await heard_first(http, "?sign=pit", bearer("wrong")) == BAD_KEY
    assert await heard_first(http, "?sign=pit", bearer(key)) == "snapshot"
    # Only who may remove it opens the sign.
    async with http.delete("/v1/signs/pit/key", headers=eve) as answer:
        assert answer.status == 200
    assert await heard_first(http, "?sign=pit") == "snapshot"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"meters": [{"id": "mega", "cents": 9**15}]}, f"mega never stood at {9**15} cents"),
        ({"seq": 10**9}, "record 1000000000 of epoch 1 was never reached"),
    ],
)
async def test_sign_that_reports_what_cannot_be_is_called_wrong(
    service: Running, http: aiohttp.ClientSession, said: dict[str, object], why: str
) -> None:
    """It stayed `live` on the pit console, whatever it said."""
    async with a_feed(http, "?sign=entrance") as feed:
        told = await feed.receive_json(timeout=30)
        place = {"seq": told["seq"], "epoch": told["epoch"]}
        await feed.send_json({"type": "showing", **place, **said})
        alarm = await until_alarm(http, "sign_wrong")
        assert (alarm["subject"], alarm["message"]) == (
            "entrance",
            f"reports what cannot be: {why}",
        )
        pit = service.floor._pit
        row = pit.floor.board().signs["entrance"]
        assert (row.state, row.shows, row.why) == ("wrong", "live", alarm["message"])
    await service.floor.signs.log.close()


# --- keys by people -----------------------------------------------------------------------------


async def session_of(http: aiohttp.ClientSession, name: str) -> dict[str, str]:
    credentials = {"user": name, "password": PASSWORD}
    async with http.post("/v1/sessions", json=credentials) as answer:
        return bearer((await answer.json())["token"])


async def test_an_admin_issues_and_removes_a_key_and_it_is_recorded(
    http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    eve = await session_of(http, EVE.name)
    again = eve | {"Idempotency-Key": "same"}
    issued = []
    for _ in range(2):
        async with http.post("/v1/signs/pit/key", headers=again) as answer:
            assert answer.status == 200
            issued.append(await answer.json())
    # A key is not kept, so that the same request cannot be answered the same.
    former, newest = (each["key"] for each in issued)
    assert former != newest
    assert issued[1]["path"] == f"/sign/pit?key={newest}"
    assert await heard_first(http, "?sign=pit", bearer(newest)) == "snapshot"
    assert await heard_first(http, "?sign=pit", bearer(former)) == BAD_KEY

    async with http.delete("/v1/signs/pit/key", headers=eve) as answer:
        assert answer.status == 200
    assert await heard_first(http, "?sign=pit") == "snapshot"
    async with http.get("/v1/acts?limit=1000", headers=eve) as answer:
        acts = (await answer.json())["acts"]
    assert [
        (act["who"], act["outcome"], act["details"])
        for act in acts
        if act["act"] == "manage_sign_keys"
    ] == [
        ("Eve", "done", {"key": "issued", "sign": "pit"}),
        ("Eve", "done", {"key": "issued", "sign": "pit"}),
        ("Eve", "done", {"key": "removed", "sign": "pit"}),
    ]
    assert newest.encode() not in await asyncio.to_thread(all_bytes_in, tmp_path)


def all_bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_others_issue_no_keys(http: aiohttp.ClientSession) -> None:
    told = []
    for name, sign in ((ANN.name, "pit"), (JOE.name, "pit"), (EVE.name, "nowhere")):
        headers = await session_of(http, name)
        for method in ("POST", "DELETE"):
            async with http.request(method, f"/v1/signs/{sign}/key", headers=headers) as answer:
                told.append((answer.status, (await answer.json())["error"]["code"]))
    assert told == [(403, "WRONG_ROLE")] * 4 + [(404, "UNKNOWN_SIGN")] * 2
    eve = await session_of(http, EVE.name)
    async with http.delete("/v1/signs/pit/key", headers=eve) as answer:
        assert (await answer.json())["error"]["code"] == "NO_SIGN_KEY"


# --- cards and posted terms ---------------------------------------------------------------------


async def test_every_sign_has_a_card(
    service: Running, http: aiohttp.ClientSession, tmp_path: Path
) -> None:
    async with http.get("/v1/signs") as answer:
        cards = msgspec.json.decode(await answer.read(), type=SignCards).signs
        etag = answer.headers["ETag"]
        assert answer.headers["Cache-Control"] == "no-cache"
    assert {"entrance", "pit"} <= {card.id for card in cards}
    assert not any(card.keyed for card in cards)
    async with http.get("/v1/signs", headers={"If-None-Match": etag}) as answer:
        assert answer.status == 304
    SignKeys(tmp_path).issue("pit")
    await service.floor.signs.admission.look()
    async with http.get("/v1/signs", headers={"If-None-Match": etag}) as answer:
        cards = msgspec.json.decode(await answer.read(), type=SignCards).signs
    assert {card.id for card in cards if card.keyed} == {"pit"}


async def test_what_is_posted_is_for_everyone(http: aiohttp.ClientSession) -> None:
    async with http.get("/v1/links/main/posted") as answer:
        posted = msgspec.json.decode(await answer.read(), type=Posted)
        etag = answer.headers["ETag"]
    assert [bet.id for bet in posted.bets] == ["blazing7", "buster"]
    assert posted.bets[0].lines[0].one_in == "263,420"
    async with http.get("/v1/links/main/posted", headers={"If-None-Match": etag}) as answer:
        assert answer.status == 304
    async with http.get("/v1/links/nowhere/posted") as answer:
        assert answer.status == 404
