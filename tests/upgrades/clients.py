"""Tables, panels, people and signs as strangers would write them from the protocol.

Imports nothing of the program: the same code drives the version under test and any version before.
"""

import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, Self

import aiohttp

from tests.upgrades.program import ANSWER_SECONDS, Json


class Table:
    """A table controller: it numbers its messages, and remembers what it sent and was answered."""

    def __init__(self, table: str, ws: aiohttp.ClientWebSocketResponse, welcome: Json) -> None:
        self.table = table
        self.welcome = welcome
        self.seq: int = welcome["next_seq"]
        self.sent: list[Json] = []
        self._ws = ws

    @classmethod
    @contextlib.asynccontextmanager
    async def connect(cls, url: str, table: str, key: str) -> AsyncIterator[Self]:
        """A socket with the table's key; the service speaks first."""
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(
                f"{url}/v1/tables/{table}/socket",
                headers={"Authorization": f"Bearer {key}"},
                protocols=["progressive.table.v1"],
            ) as ws,
        ):
            yield cls(table, ws, await received(ws))

    async def ask(self, message: Json) -> Json:
        """Send a message as it is, and wait for the answer."""
        await self._ws.send_str(json.dumps(message))
        while (answer := await received(self._ws))["type"] == "state":
            pass
        return answer

    async def send(self, kind: str, round_id: str, **fields: Any) -> Json:  # noqa: ANN401
        """The next message, which must be accepted."""
        message = {"type": kind, "seq": self.seq, "round": round_id, **fields}
        answer = await self.ask(message)
        if answer["type"] == "error":
            raise AssertionError(f"{message}: {answer}")
        self.seq += 1
        self.sent.append({"table": self.table, "message": message, "answer": answer})
        return answer

    async def send_refused(self, kind: str, round_id: str, **fields: Any) -> str:  # noqa: ANN401
        """A message that must be refused; the code."""
        message = {"type": kind, "seq": self.seq, "round": round_id, **fields}
        answer = await self.ask(message)
        if answer["type"] != "error":
            raise AssertionError(f"{message}: {answer}")
        return str(answer["code"])

    async def lock(self, round_id: str, *wagers: Json) -> Json:
        """The lock-out, with as many chips on the acceptors as it takes."""
        counted = sum(w["bet"] == "blazing7" and w["tender"] == "chip" for w in wagers)
        return await self.send("lock", round_id, wagers=list(wagers), chips_counted=counted)

    async def settle(self, round_id: str, up_card: str, winners: Mapping[int, list[str]]) -> Json:
        """The winning seats alone, as a dealer keys them."""
        seats = [{"seat": seat, "cards": cards} for seat, cards in winners.items()]
        return await self.send(
            "settle", round_id, dealer={"cards": [up_card]}, seats=seats, complete=False
        )

    async def play(self, round_id: str, winners: Mapping[int, list[str]]) -> list[Json]:
        """A whole round of seats 1, 3 and 5; its awards in the order of payment."""
        await self.lock(round_id, *sevens(1, 3, 5))
        awards: list[Json] = (await self.settle(round_id, "6c", winners))["awards"]
        return awards


class Panel:
    """A dealer's panel; the service numbers the table's messages."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        self._ws = ws
        self.state: Json = {}

    @classmethod
    @contextlib.asynccontextmanager
    async def connect(cls, url: str, table: str, token: str) -> AsyncIterator[Self]:
        """A socket with a dealer's session, once it has the table's state."""
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(
                f"{url}/v1/tables/{table}/panel",
                headers={"Authorization": f"Bearer {token}"},
                protocols=["progressive.panel.v1"],
            ) as ws,
        ):
            panel = cls(ws)
            while not panel.state.get("dealer"):
                await panel._receive()
            yield panel

    async def ask(self, message: Json) -> Json:
        """Send, and wait for the answer; the state it led to comes before."""
        await self._ws.send_str(json.dumps(message))
        while (answer := await self._receive()).get("id") != message["id"]:
            pass
        return answer

    async def _receive(self) -> Json:
        message = await received(self._ws)
        if message["type"] == "state":
            self.state = message
        return message


class Feed:
    """The sign feed of a link, read and answered by a sign or a relay."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse, snapshot: Json) -> None:
        self._ws = ws
        self.snapshot = snapshot

    @classmethod
    @contextlib.asynccontextmanager
    async def connect(
        cls, url: str, link: str, *, key: str | None = None, **who: str
    ) -> AsyncIterator[Self]:
        """A socket as `sign=ID` or `relay=NAME`."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{url}/v1/links/{link}/feed", params=who, headers=headers) as ws,
        ):
            yield cls(ws, await received(ws))

    def glass(self) -> Json:
        """What a sign reads that shows the snapshot."""
        meters = [{"id": meter["id"], "cents": meter["cents"]} for meter in self.snapshot["meters"]]
        place = {"seq": self.snapshot["seq"], "epoch": self.snapshot["epoch"]}
        return {**place, "state": "live", "meters": meters}

    async def show(self, **changes: object) -> None:
        """Report what can be read on the glass."""
        await self._ws.send_json({"type": "showing", **self.glass(), **changes})

    async def relay(self, sign: str, **changes: object) -> None:
        """Report what can be read on the glass of a sign behind this relay."""
        report = {"sign": sign, **self.glass(), "age_ms": 40, **changes}
        await self._ws.send_json({"type": "showings", "reports": [report]})


class People:
    """Everybody's sessions at one service."""

    def __init__(
        self, session: aiohttp.ClientSession, tokens: dict[str, str], sent: list[Json]
    ) -> None:
        self._session = session
        self.tokens = tokens
        self.sent = sent

    @classmethod
    @contextlib.asynccontextmanager
    async def at(
        cls,
        url: str,
        tokens: dict[str, str] | None = None,
        sent: list[Json] | None = None,
    ) -> AsyncIterator[Self]:
        """The service's doors; `tokens` are sessions opened before, `sent` what is added to."""
        async with aiohttp.ClientSession(url, cookie_jar=aiohttp.DummyCookieJar()) as session:
            yield cls(session, {} if tokens is None else tokens, [] if sent is None else sent)

    async def try_log_in(self, who: str, password: str) -> tuple[int, Any]:
        """Status and answer of a log-in."""
        credentials = {"user": who, "password": password}
        async with self._session.post("/v1/sessions", json=credentials) as response:
            return response.status, await response.json()

    async def log_in(self, who: str, password: str) -> None:
        """A log-in that must succeed."""
        status, answer = await self.try_log_in(who, password)
        if status != 200:
            raise AssertionError(f"{who}: {status} {answer}")
        self.tokens[who] = answer["token"]

    async def ask(
        self, who: str, method: str, path: str, body: Json | None = None, key: str | None = None
    ) -> tuple[int, Any]:
        """Status and answer of a request in somebody's name."""
        headers = {"Authorization": f"Bearer {self.tokens[who]}"}
        if key is not None:
            headers["Idempotency-Key"] = key
        async with self._session.request(method, path, json=body, headers=headers) as response:
            answer = await response.json() if response.content_type == "application/json" else None
            return response.status, answer

    async def do(
        self, who: str, path: str, body: Json | None = None, *, key: str | None = None
    ) -> Json:
        """A change that must be made; one with an idempotency key is remembered in `sent`."""
        status, answer = await self.ask(who, "POST", path, body or {}, key)
        if status not in (200, 202):
            raise AssertionError(f"{who} {path} {body}: {status} {answer}")
        if key is not None:
            request = {"who": who, "path": path, "body": body or {}, "key": key}
            self.sent.append({**request, "status": status, "answer": answer})
        found: Json = answer
        return found

    async def read_public(self, path: str) -> Any:  # noqa: ANN401 - the service's JSON
        """An address that answers everybody."""
        async with self._session.get(path) as response:
            response.raise_for_status()
            return await response.json()

    async def read(self, who: str, path: str) -> Any:  # noqa: ANN401 - the service's JSON
        """An address that must answer."""
        status, answer = await self.ask(who, "GET", path)
        if status != 200:
            raise AssertionError(f"{path}: {status} {answer}")
        return answer


async def received(ws: aiohttp.ClientWebSocketResponse) -> Json:
    """The next message; a close is an error here."""
    frame = await ws.receive(timeout=ANSWER_SECONDS)
    if frame.type is not aiohttp.WSMsgType.TEXT:
        raise AssertionError(f"{frame.type} {ws.close_code} {frame.extra}")
    message: Json = json.loads(frame.data)
    return message


def a_wager(seat: int, bet: str = "blazing7", amount_cents: int = 500, **changes: Any) -> Json:  # noqa: ANN401
    """A chip beside a base wager of $25."""
    return {
        "seat": seat,
        "bet": bet,
        "amount_cents": amount_cents,
        "base_cents": 2500,
        "tender": "chip",
        **changes,
    }


def sevens(*seats: int) -> list[Json]:
    """The progressive bet at these seats."""
    return [a_wager(seat) for seat in seats]
