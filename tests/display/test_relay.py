"""A relay between a scripted upstream and real sockets: what it passes on, asks, follows, drops."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import aiohttp
import pytest
from aiohttp import web

from display import admission, feed_client, mirror, upstream
from display.relay import Relay
from progressive.live import hub as hub_module
from progressive.live import sign_sockets
from progressive.wire.codec import encode
from progressive.wire.feed_messages import FeedMessage
from tests.support.feeds import History, inoperable, live, snapshot, tick, update
from tests.support.relays import RunningRelay, Sign, a_relay, a_sign, get
from tests.support.upstreams import CARD, POSTED, ScriptedUpstream, until


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits here: how long a relay would wait is tested where that is pure."""
    monkeypatch.setattr("progressive.common.backoff.FIRST_SECONDS", 0.01)
    monkeypatch.setattr("progressive.common.backoff.LONGEST_SECONDS", 0.05)


@pytest.fixture
def history() -> History:
    return History().grow()


@pytest.fixture
async def source(history: History) -> AsyncIterator[ScriptedUpstream]:
    async with ScriptedUpstream(snapshot(history.last)).running() as running:
        yield running


@pytest.fixture
async def relay(source: ScriptedUpstream) -> AsyncIterator[RunningRelay]:
    async with a_relay(source.url) as running:
        yield running


@pytest.fixture
async def sign(relay: RunningRelay) -> AsyncIterator[Sign]:
    async with a_sign(relay.url) as connected:
        yield connected


# --- passing on -------------------------------------------------------------------------------


async def test_feed_is_passed_on_as_it_was_said(
    source: ScriptedUpstream, sign: Sign, history: History
) -> None:
    first = await sign.next()
    assert (first["type"], first["seq"], first["state"]) == ("snapshot", 2, "live")
    said: list[FeedMessage] = [
        update(history.grow().last),
        ticked := tick(history.last),
        update(history.win().last),
        *history.last.wins,
        inoperable("the disk is full"),
    ]
    await source.tell(*said)
    while sign.heard[-1]["type"] != "state":
        await sign.next()
    told = list(dict.fromkeys(sign.texts[1:]))
    expected = [encode(message).decode() for message in said]
    # In one go, the first update may have been overtaken by the second.
    assert [text for text in expected if text in told] == told
    assert told[-3:] == expected[-3:]
    assert encode(ticked).decode() in told


async def test_back_in_service_is_told_whole(source: ScriptedUpstream, sign: Sign) -> None:
    await sign.next()
    await source.tell(inoperable("the disk is full"), live())
    assert (await sign.next_of("state"))["reason"] == "the disk is full"
    assert (await sign.next_of("state"))["state"] == "live"
    assert (await sign.next_of("snapshot"))["state"] == "live"


async def test_nothing_is_said_that_upstream_did_not_say(
    source: ScriptedUpstream, sign: Sign, history: History
) -> None:
    # No ticks of its own: what comes next is what the upstream says next, whenever that is.
    await sign.next()
    ticked = tick(history.last)
    await source.tell(ticked)
    assert await sign.next() == json.loads(encode(ticked))
    await source.tell(inoperable())
    assert (await sign.next())["type"] == "state"


async def test_junk_from_upstream_harms_nobody(
    source: ScriptedUpstream, sign: Sign, history: History
) -> None:
    await sign.next()
    for feed in source.feeds:
        for junk in ("hello", "[" * 5_000, '{"type":"weather"}', '{"type":"update"}'):
            await feed.send_str(junk)
        await feed.send_bytes(b"\x00")
    await source.tell(update(history.grow().last))
    assert (await sign.next())["seq"] == 3
    assert len(source.handshakes) == 1


async def test_wins_missed_while_away_are_told_when_back(
    source: ScriptedUpstream, sign: Sign, history: History
) -> None:
    await sign.next()
    history.win().grow().win()
    source.greeting = snapshot(history.last)
    await source.hang_up()
    while len(sign.awards) < 2:
        await sign.next()
    assert sign.awards == ["main.3.1", "main.5.1"]
    await until(lambda: len(source.handshakes) == 2)
    query = source.handshakes[-1].query
    assert (query["epoch"], query["seq"], query["relay"]) == ("1", "2", "north")


async def test_relay_that_knows_nothing_asks_for_everything(
    source: ScriptedUpstream, sign: Sign
) -> None:
    query = source.handshakes[0].query
    assert (query["epoch"], query["seq"]) == ("0", "0")


async def test_reader_of_a_relay_resumes_too(
    source: ScriptedUpstream, relay: RunningRelay, history: History
) -> None:
    source.greeting = snapshot(history.win().last)
    async with a_sign(relay.url) as sign:
        await sign.next()
    await source.tell(snapshot(history.win().last), tick(history.last))
    await until(lambda: relay.relay.links["main"].mirror.place == history.last.place)
    async with a_sign(relay.url, "?epoch=1&seq=3") as back:
        assert [win["award"] for win in (await back.next())["wins"]] == ["main.3.1", "main.4.1"]
    async with a_sign(relay.url, "?epoch=1&seq=4") as back:
        assert [win["award"] for win in (await back.next())["wins"]][-1] == "main.4.1"


# --- age --------------------------------------------------------------------------------------


async def test_age_adds_up_three_deep(source: ScriptedUpstream, history: History) -> None:
    source.greeting = snapshot(history.last, age_ms=4_000)
    async with AsyncExitStack() as stack:
        url = source.url
        for name in ("first", "second", "third"):
            url = (await stack.enter_async_context(a_relay(url, name=name))).url
        early = await (await stack.enter_async_context(a_sign(url))).next()
        await asyncio.sleep(0.05)
        late = await (await stack.enter_async_context(a_sign(url))).next()
        assert 4_000 <= early["age_ms"] < late["age_ms"]
        assert late["age_ms"] - early["age_ms"] >= 50
        assert early["state"] == "live"
        # A word from the service makes all of them young again.
        again = await stack.enter_async_context(a_sign(url))
        await source.tell(tick(history.last))
        await again.next_of("tick")
        young = await (await stack.enter_async_context(a_sign(url))).next()
        assert young["age_ms"] < 4_000


async def test_amounts_without_a_word_for_long_are_not_called_live(
    source: ScriptedUpstream, relay: RunningRelay, history: History
) -> None:
    source.greeting = snapshot(history.last, age_ms=12_000)
    async with a_sign(relay.url) as sign:
        told = await sign.next()
        assert (told["state"], told["age_ms"] >= 12_000) == ("inoperable", True)
        assert told["reason"] == "no word from the service for 12 s"
        assert [meter["cents"] for meter in told["meters"]] == [101, 101]
        # The first word after it heals without anybody connecting anew.
        await source.tell(tick(history.last))
        healed = await sign.next_of("snapshot")
        assert (healed["state"], healed["age_ms"] < mirror.FRESH_MS) == ("live", True)


async def test_silent_connection_is_closed_and_resumed(
    source: ScriptedUpstream, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_client, "SILENT_SECONDS", 0.05)
    async with a_relay(source.url):
        await until(lambda: len(source.handshakes) >= 3)
    assert source.handshakes[-1].query["seq"] == "2"


# --- several upstreams ------------------------------------------------------------------------


async def test_newest_of_two_upstreams_is_shown_and_one_is_enough(history: History) -> None:
    ahead = ScriptedUpstream(snapshot(history.grow().last))
    behind = ScriptedUpstream(snapshot(history.moments[0]))
    async with (
        behind.running(),
        ahead.running(),
        a_relay(behind.url, ahead.url) as relay,
        a_sign(relay.url) as sign,
    ):
        await until(lambda: behind.feeds and ahead.feeds)
        await sign.until_seq(history.last.place[1])
        await behind.tell(update(history.moments[1]))
        await ahead.hang_up()
        await behind.tell(update(history.grow().last), tick(history.last))
        await sign.until_seq(history.last.place[1])
        assert sign.places == sorted(sign.places)
        assert relay.relay.links["main"].age_ms < mirror.FRESH_MS


async def test_upstream_that_comes_later_is_found(
    source: ScriptedUpstream, history: History, unused_tcp_port: int
) -> None:
    nobody_yet = f"http://127.0.0.1:{unused_tcp_port}"
    async with a_relay(nobody_yet, source.url) as relay, a_sign(relay.url) as sign:
        await sign.next()
        late = ScriptedUpstream(snapshot(history.grow().last))
        async with late.running(port=unused_tcp_port):
            assert (await sign.until_seq(3))["seq"] == 3


# --- not the leader ---------------------------------------------------------------------------


async def test_close_4503_is_followed(source: ScriptedUpstream, history: History) -> None:
    leader = ScriptedUpstream(snapshot(history.grow().last))
    async with leader.running():
        source.send_away = (4503, leader.url)
        async with a_relay(source.url, key="secret") as relay, a_sign(relay.url) as sign:
            assert (await sign.next())["seq"] == 3
            # The leader changes: back to the configured address, which knows better.
            source.send_away = None
            await leader.hang_up()
            await until(lambda: source.feeds)
    # A key is for those who were configured, and for nobody they name.
    assert source.handshakes[0].headers["Authorization"] == "Bearer secret"
    assert "Authorization" not in leader.handshakes[0].headers


@pytest.mark.parametrize("status", [307, 308, 421])
async def test_handshake_that_names_another_address_is_followed(
    source: ScriptedUpstream, history: History, status: int
) -> None:
    leader = ScriptedUpstream(snapshot(history.grow().last))
    async with leader.running():
        source.refuse = lambda request: web.Response(
            status=status, headers={"Location": f"{leader.url}{request.path_qs}"}
        )
        async with a_relay(source.url) as relay, a_sign(relay.url) as sign:
            assert (await sign.next())["seq"] == 3


async def test_two_that_send_each_other_readers_are_not_followed_for_ever(
    source: ScriptedUpstream,
) -> None:
    other = ScriptedUpstream()
    async with other.running():
        source.send_away, other.send_away = (4503, other.url), (4503, source.url)
        async with a_relay(source.url):
            await until(lambda: len(source.handshakes) + len(other.handshakes) >= 10)
            # Five of each chain: the configured one, and four hops.
            seen = len(source.handshakes) / (len(source.handshakes) + len(other.handshakes))
            assert seen > 0.5


@pytest.mark.parametrize("there", ["", "ftp://host", "http://user:word@host", "not an address"])
async def test_nonsense_is_not_followed(source: ScriptedUpstream, there: str) -> None:
    source.send_away = (4503, there)
    async with a_relay(source.url):
        await until(lambda: len(source.handshakes) >= 3)


# --- what signs say ---------------------------------------------------------------------------

SHOWING = '{"type":"showing","seq":2,"epoch":1,"state":"ageing","meters":[{"id":"mega","cents":7}]}'


@pytest.fixture
def quick_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("display.relay.REPORT_SECONDS", 0.01)


@pytest.mark.usefixtures("quick_reports")
async def test_reports_of_signs_travel_up_a_chain(source: ScriptedUpstream) -> None:
    source.keys["second"] = "prk_second"
    async with (
        a_relay(source.url, name="first") as first,
        a_relay(first.url, name="second", key="prk_second") as second,
        a_sign(second.url) as sign,
        a_sign(first.url, "?sign=stranger") as stranger,
    ):
        await until(lambda: second.relay.catalogue.cards)
        await stranger.ws.send_str(SHOWING)
        await sign.ws.send_str(SHOWING)
        said = await source.said.get()
    (report,) = said["reports"]
    assert said["type"] == "showings"
    assert report.pop("age_ms") >= 0
    assert report == {
        "sign": "entrance",
        "seq": 2,
        "epoch": 1,
        "state": "ageing",
        "meters": [{"id": "mega", "cents": 7}],
    }


@pytest.mark.usefixtures("quick_reports")
async def test_relay_without_a_key_that_needs_one_reads_on_and_reports_nothing(
    source: ScriptedUpstream, history: History
) -> None:
    async with (
        a_relay(source.url, name="first") as first,
        a_relay(first.url, name="second") as second,
        a_sign(second.url) as sign,
    ):
        await sign.next()
        await until(lambda: second.relay.catalogue.cards)
        await sign.ws.send_str(SHOWING)
        await until(lambda: second.relay.reports._said)
        # Refused by its name at first, it came back without one.
        (feed,) = second.relay.upstreams[first.url].feeds.values()
        assert (feed.up, feed.takes_reports) == (True, False)
        await source.tell(update(history.grow().last))
        await sign.until_seq(3)
        assert list(second.relay.reports.due(second.relay._is_heard)) == []
    assert source.said.empty()


@pytest.mark.usefixtures("quick_reports")
async def test_older_service_that_knows_no_signs_is_told_nothing_of_them(
    source: ScriptedUpstream, history: History
) -> None:
    source.cards = None
    async with a_relay(source.url) as relay, a_sign(relay.url) as sign:
        await sign.next()
        await sign.ws.send_str(SHOWING)
        await source.tell(update(history.grow().last))
        await sign.until_seq(3)
        await until(lambda: relay.relay.reports._said)
        assert list(relay.relay.reports.due(relay.relay._is_heard)) == []
        assert (await get(f"{relay.url}/v1/signs"))[1] == b'{"signs":[]}'
    assert source.said.empty()
    assert len(source.handshakes) == 1


@pytest.mark.usefixtures("quick_reports")
async def test_report_goes_to_one_upstream_only(source: ScriptedUpstream, history: History) -> None:
    other = ScriptedUpstream(snapshot(history.last))
    async with (
        other.running(),
        a_relay(source.url, other.url) as relay,
        a_sign(relay.url) as sign,
    ):
        await until(lambda: source.feeds and other.feeds and relay.relay.catalogue.cards)
        await until(lambda: all(u.takes_reports for u in relay.relay.upstreams.values()))
        await sign.ws.send_str(SHOWING)
        await source.said.get()
        assert other.said.empty()


@pytest.mark.slow
@pytest.mark.parametrize("said", ["junk", '{"type":"showings","reports":[]}', "{}"])
async def test_anything_else_closes_with_4400(sign: Sign, said: str) -> None:
    await sign.ws.send_str(said)
    async for _ in sign.ws:
        pass
    assert sign.ws.close_code == 4400


# --- keys -------------------------------------------------------------------------------------

KEYED = {**CARD, "id": "keyed", "keyed": True}


async def close_code(url: str, key: str | None, *, cookie: bool = False) -> int | None:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    if cookie:
        headers = {"Cookie": f"sign-keyed={key}"}
    async with a_sign(url, "?sign=keyed", headers) as sign:
        frame = await sign.ws.receive()
        return sign.ws.close_code if frame.type is not aiohttp.WSMsgType.TEXT else None


async def test_keyed_sign_gets_in_with_its_key_and_a_yes_is_remembered(
    source: ScriptedUpstream,
) -> None:
    source.cards, source.keys = [KEYED], {"keyed": "right"}
    async with a_relay(source.url, name="first") as first, a_relay(first.url) as relay:
        await until(lambda: relay.relay.catalogue.cards)
        assert await close_code(relay.url, None) == 4401
        assert source.asked_for("/v1/signs/keyed/admission") == []
        assert await close_code(relay.url, "wrong") == 4401
        assert await close_code(relay.url, "right") is None
        asked = len(source.asked_for("/v1/signs/keyed/admission"))
        assert asked == 2
        assert await close_code(relay.url, "right", cookie=True) is None
        assert await close_code(first.url, "right") is None
        assert len(source.asked_for("/v1/signs/keyed/admission")) == asked
        # Amounts are no secret.
        async with a_sign(relay.url, "") as reader:
            assert (await reader.next())["type"] == "snapshot"


async def test_nobody_can_tell_while_upstream_is_away_but_a_yes_holds(
    history: History, unused_tcp_port: int
) -> None:
    source = ScriptedUpstream(snapshot(history.last))
    source.cards, source.keys = [KEYED], {"keyed": "right"}
    async with AsyncExitStack() as stack:
        up = AsyncExitStack()
        await up.enter_async_context(source.running())
        relay = await stack.enter_async_context(a_relay(source.url))
        await until(lambda: relay.relay.catalogue.cards)
        assert await close_code(relay.url, "right") is None
        await up.aclose()
        assert await close_code(relay.url, "right") is None
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await close_code(relay.url, "other")
        assert refused.value.status == 503


async def test_who_tries_many_keys_does_not_keep_the_service_busy(
    source: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "ASKING_MAX", 0)
    source.cards, source.keys = [KEYED], {"keyed": "right"}
    async with a_relay(source.url) as relay:
        await until(lambda: relay.relay.catalogue.cards)
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await close_code(relay.url, "a guess")
        assert refused.value.status == 503
    assert source.asked_for("/v1/signs/keyed/admission") == []


async def test_relay_shows_its_key(source: ScriptedUpstream) -> None:
    async with a_relay(source.url, key="secret"):
        await until(lambda: source.handshakes)
    assert source.handshakes[0].headers["Authorization"] == "Bearer secret"


# --- slow signs -------------------------------------------------------------------------------


async def test_sign_that_never_reads_is_dropped_and_harms_nobody(
    source: ScriptedUpstream,
    relay: RunningRelay,
    sign: Sign,
    history: History,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sign_sockets, "SEND_BUFFER_BYTES", 2048)
    monkeypatch.setattr(hub_module, "SKIP_BYTES", 4 * 1024)
    monkeypatch.setattr(hub_module, "BEHIND_TICKS_MAX", 3)
    monkeypatch.setattr(mirror, "TICK_MS", 0)
    stuck = await a_socket_nobody_reads(relay.url)
    hub = relay.relay.links["main"].hub
    assert hub is not None
    await until(lambda: len(hub.outboxes) == 2)
    wins = 0
    while hub.dropped == 0:
        wins += 1
        await source.tell(update(history.win().last), *history.last.wins[-1:], tick(history.last))
        await until(lambda: relay.relay.links["main"].mirror.place == history.last.place)
    assert [box.sign for box in hub.outboxes] == ["entrance"]
    while len(sign.awards) < wins:
        await sign.next()
    assert sign.awards == [win.award for win in history.last.wins]
    assert sign.places == sorted(sign.places)
    stuck.close()


async def a_socket_nobody_reads(url: str) -> socket.socket:
    """A feed's reader with next to no room for what it does not read."""
    stuck = socket.socket()
    stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stuck.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(stuck, ("127.0.0.1", int(url.rpartition(":")[2])))
    await loop.sock_sendall(
        stuck,
        b"GET /v1/links/main/feed HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
        b"Connection: Upgrade\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
        b"Sec-WebSocket-Version: 13\r\n\r\n",
    )
    return stuck


# --- pages ------------------------------------------------------------------------------------


async def test_pages_of_signs_are_served(relay: RunningRelay, sign: Sign) -> None:
    status, body, headers = await get(f"{relay.url}/sign/entrance")
    assert (status, b'data-sign="entrance"' in body) == (200, True)
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert (await get(f"{relay.url}/sign/nowhere"))[0] == 404


async def test_home_lists_the_signs_and_escapes_their_names(source: ScriptedUpstream) -> None:
    source.cards = [CARD, {**CARD, "id": "odd", "name": "<b>Bold</b>", "keyed": True}]
    async with a_relay(source.url) as relay:
        assert b"No upstream has answered yet" in (await get(relay.url))[1]
        async with a_sign(relay.url):
            status, body, headers = await get(relay.url)
    text = body.decode()
    assert status == 200
    assert 'href="/sign/entrance"' in text
    assert "&lt;b&gt;Bold" in text
    assert "<b>" not in text
    assert "Main pit" in text
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    for asset in ("/assets/home/home.css", "/assets/kit/base.css"):
        assert asset in text


async def test_links_carry_the_amounts_shown_here_and_the_terms_as_told(
    relay: RunningRelay, source: ScriptedUpstream, sign: Sign, history: History
) -> None:
    await source.tell(update(history.grow().last))
    await sign.until_seq(3)
    (link,) = json.loads((await get(f"{relay.url}/v1/links"))[1])["links"]
    assert link.pop("age_ms") >= 0
    assert link == {
        "id": "main",
        "name": "Main pit",
        "state": "live",
        "reason": None,
        "epoch": 1,
        "seq": 3,
        "at": history.last.at,
        "meters": [
            {"id": "mega", "name": "Mega", "cents": 102},
            {"id": "minor", "name": "Minor", "cents": 102},
        ],
        "bets": ["as it is"],
    }


async def test_posted_terms_are_passed_on_and_kept(
    relay: RunningRelay, source: ScriptedUpstream, sign: Sign
) -> None:
    path = "/v1/links/main/posted"
    await until(lambda: len(source.asked_for("/v1/links")) == 2)
    status, body, headers = await get(f"{relay.url}{path}")
    assert (status, json.loads(body)) == (200, POSTED)
    assert headers["Cache-Control"] == "no-cache"
    same = await get(f"{relay.url}{path}", headers={"If-None-Match": headers["ETag"]})
    assert same[0] == 304
    assert len(source.asked_for(path)) == 1
    # Terms may be others after a restart: they are asked for again, and the copy holds meanwhile.
    relay.relay.posted.forget_age()
    source.refuse = lambda request: web.Response(status=500 if request.path == path else 404)
    assert json.loads((await get(f"{relay.url}{path}"))[1]) == POSTED
    assert len(source.asked_for(path)) == 2
    assert source.asked_for(path)[1].headers["If-None-Match"] == '"posted"'
    assert (await get(f"{relay.url}/v1/links/nowhere/posted"))[0] == 404
    assert (await get(f"{relay.url}/v1/links/..%2Fx/posted"))[0] == 404


async def test_signs_are_passed_on(relay: RunningRelay, sign: Sign) -> None:
    status, body, headers = await get(f"{relay.url}/v1/signs")
    (card,) = json.loads(body)["signs"]
    assert (status, card["id"], card["layout"]) == (200, "entrance", "meters")
    same = await get(f"{relay.url}/v1/signs", headers={"If-None-Match": headers["ETag"]})
    assert same[0] == 304


async def test_ready_while_every_link_has_a_fresh_word(
    source: ScriptedUpstream, relay: RunningRelay, history: History
) -> None:
    assert (await get(f"{relay.url}/healthz"))[0] == 200
    source.greeting = snapshot(history.last, age_ms=mirror.FRESH_MS)
    async with a_sign(relay.url):
        status, body, _ = await get(f"{relay.url}/readyz")
        assert (status, json.loads(body)["reason"]) == (503, "no word from the service for 3 s")
        await source.tell(tick(history.last))
        await until(lambda: relay.relay.links["main"].age_ms < mirror.FRESH_MS)
        status, body, _ = await get(f"{relay.url}/readyz")
        assert (status, json.loads(body)["status"]) == (200, "ready")


async def test_not_ready_before_anybody_answered(unused_tcp_port: int) -> None:
    async with a_relay(f"http://127.0.0.1:{unused_tcp_port}") as relay:
        status, body, _ = await get(f"{relay.url}/readyz")
        assert (status, json.loads(body)["reason"]) == (503, "no upstream has answered yet")
        assert (await get(f"{relay.url}/v1/links/main/feed"))[0] == 404


async def test_metrics_tell_of_signs_and_upstreams(
    source: ScriptedUpstream, relay: RunningRelay, sign: Sign
) -> None:
    await source.hang_up()
    await until(lambda: len(source.handshakes) == 2 and source.feeds)
    await until(lambda: relay.relay.upstreams[source.url].feeds["main"].up)
    text = (await get(f"{relay.url}/metrics"))[1].decode()
    of_feed = f'{{link="main",upstream="{source.url}"}}'
    for line in (
        'relay_signs_connected{link="main"} 1.0',
        'relay_signs_dropped_total{link="main"} 0.0',
        f"relay_upstream_up{of_feed} 1.0",
        f"relay_upstream_reconnects_total{of_feed} 1.0",
    ):
        assert line in text
    assert 'relay_last_word_age_seconds{link="main"} 0.' in text
    assert "python_info" not in text


async def test_amounts_do_not_wait_for_an_answer_about_signs(source: ScriptedUpstream) -> None:
    source.refuse = lambda request: (
        web.Response(status=500) if request.path == "/v1/signs" else None
    )
    async with a_relay(source.url) as relay, a_sign(relay.url) as sign:
        assert (await sign.next())["type"] == "snapshot"
        source.refuse = lambda _: None
        await until(lambda: relay.relay.catalogue.card("entrance"))


async def test_upstream_is_asked_anew_now_and_then(
    source: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upstream, "REFRESH_SECONDS", 0.02)
    async with a_relay(source.url) as relay:
        await until(lambda: relay.relay.catalogue.card("entrance"))
        source.cards = [CARD, {**CARD, "id": "new"}]
        await until(lambda: relay.relay.catalogue.card("new"))
        assert isinstance(relay.relay, Relay)
    assert len(source.handshakes) == 1
