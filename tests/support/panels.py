"""A dealer's panel as a stranger would write one from the protocol, and the people around it."""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator
from typing import Any, Self

import aiohttp

from progressive.domain.people.roles import Person, Role
from progressive.entry.bootstrap import Running
from tests.support.people import PASSWORD
from tests.support.service import ANSWER_SECONDS, Message, wager

DANA = Person("Dana", Role.DEALER, "Table games")
RAY = Person("Ray", Role.DEALER, "Table games")
SUE = Person("Sue", Role.SUPERVISOR, "Table games")
TOM = Person("Tom", Role.SUPERVISOR, "Table games")
FAY = Person("Fay", Role.FINANCE, "Cage")

_ids = itertools.count(1)


def an_id() -> str:
    """Never used twice."""
    return f"panel-{next(_ids):06}"


async def add_people(service: Running, *people: Person) -> None:
    for person in people:
        await service.floor.reception.people.add(person, PASSWORD, where="here")


async def token_of(url: str, person: Person) -> str:
    credentials = {"user": person.name, "password": PASSWORD}
    async with (
        aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
        session.post(f"{url}/v1/sessions", json=credentials) as response,
    ):
        assert response.status == 200, await response.text()
        token: str = (await response.json())["token"]
        return token


async def post(url: str, path: str, token: str, body: object = None) -> tuple[int, Message]:
    """A change by somebody with a session."""
    async with (
        aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
        session.post(
            url + path, json=body or {}, headers={"Authorization": f"Bearer {token}"}
        ) as response,
    ):
        return response.status, await response.json()


class PanelClient:
    """One panel; `state` is the last whole state it was sent, with newer meters entered."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        self.ws = ws
        self.you: Message = {}
        self.state: Message = {}

    @classmethod
    @contextlib.asynccontextmanager
    async def connect(cls, url: str, table: str, token: str) -> AsyncIterator[Self]:
        async with cls.knock(url, table, token) as client:
            await client.wait_state(lambda _: bool(client.state))
            yield client

    @classmethod
    @contextlib.asynccontextmanager
    async def knock(cls, url: str, table: str, token: str) -> AsyncIterator[Self]:
        """Connect without expecting to be let in."""
        async with (
            aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
            session.ws_connect(
                f"{url}/v1/tables/{table}/panel",
                headers={"Authorization": f"Bearer {token}"},
                protocols=["progressive.panel.v1"],
            ) as ws,
        ):
            yield cls(ws)

    async def receive(self) -> Message:
        """The next message; a close is an error here."""
        frame = await self.ws.receive(timeout=ANSWER_SECONDS)
        assert frame.type is aiohttp.WSMsgType.TEXT, (frame.type, self.ws.close_code, frame.extra)
        message: Message = json.loads(frame.data)
        if message["type"] == "state":
            self.state = message
        elif message["type"] == "welcome":
            self.you = message["you"]
        elif message["type"] == "meters":
            amounts = {meter["id"]: meter["cents"] for meter in message["meters"]}
            for meter in self.state["meters"]:
                meter["cents"] = amounts[meter["id"]]
        return message

    async def wait_state(self, wanted: Any) -> Message:  # noqa: ANN401 (a predicate)
        """Until the panel's state is as wanted."""
        while not self.state or not wanted(self.state):
            await self.receive()
        return self.state

    async def receive_close(self) -> int | None:
        async with asyncio.timeout(ANSWER_SECONDS):
            async for _ in self.ws:
                pass
        return self.ws.close_code

    async def send(self, message: Message) -> None:
        await self.ws.send_str(json.dumps(message))

    async def answer_to(self, message_id: str) -> Message:
        while (message := await self.receive()).get("id") != message_id:
            pass
        return message

    async def ask(self, message: Message) -> Message:
        """Send, and wait for its answer; the state it led to has come before it."""
        await self.send(message)
        return await self.answer_to(message["id"])

    def lock(self, *seats: int, **changes: Any) -> Message:  # noqa: ANN401 (any field)
        return {
            "type": "lock",
            "id": an_id(),
            "after": self.state["seq"],
            "wagers": [wager(seat) for seat in seats],
            "chips_counted": len(seats),
            **changes,
        }

    def settle(self, **changes: Any) -> Message:  # noqa: ANN401 (any field)
        """Nobody won, unless changed."""
        return {
            "type": "settle",
            "id": an_id(),
            "after": self.state["seq"],
            "round": self.state["round"]["round"],
            "seats": [],
            "complete": False,
            **changes,
        }

    def void(self, reason: str = "card exposed") -> Message:
        return {
            "type": "void",
            "id": an_id(),
            "after": self.state["seq"],
            "round": self.state["round"]["round"],
            "reason": reason,
        }
