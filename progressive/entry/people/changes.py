"""A change in somebody's name: allowed, done once however often it is sent, and recorded.

A client that does not know whether its request arrived sends it again under the same
`Idempotency-Key` and gets the same answer; the same key with another request is refused.
"""

import re
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Final, NoReturn

from aiohttp import web
from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.people.act_log import Deed, Details, Outcome
from progressive.application.people.ports import AnswerStore, KeptAnswer
from progressive.domain.people.names import name_key
from progressive.domain.people.roles import Act, Person
from progressive.domain.signatures import Signature
from progressive.domain.time_text import later
from progressive.entry.http.errors import ErrorAnswer, RefusedError
from progressive.entry.people.door import Door
from progressive.entry.people.origins import address

KEY_HEADER: Final = "Idempotency-Key"
REPLAYED_HEADER: Final = "Idempotency-Replayed"
KEY_CHARACTERS_MAX: Final = 128
KEPT_SECONDS: Final = 24 * 3600
_KEY: Final = re.compile(rf"[!-~]{{1,{KEY_CHARACTERS_MAX}}}")
_KEY_WANTED: Final = f"1 to {KEY_CHARACTERS_MAX} visible ASCII characters, no space among them"

Change = Callable[[Person, bytes], Awaitable[web.Response]]
"""Does it for that person with the request's body, and answers as JSON."""


class _Asked(Struct, frozen=True):
    """What is to be done, by whom, and what the act log is to say of it."""

    request: web.Request
    act: Act
    person: Person
    body: bytes
    about: Details

    @property
    def sha256(self) -> str:
        """Tells this request from any other."""
        line = f"{self.request.method} {self.request.path_qs}\n"
        return sha256(line.encode() + self.body).hexdigest()


class Changes:
    """Runs the handlers of everything that people change."""

    def __init__(self, door: Door, store: AnswerStore, clock: Clock) -> None:
        self._door = door
        self._store = store
        self._clock = clock
        self._under_way: set[tuple[str, str]] = set()

    async def run(
        self,
        request: web.Request,
        act: Act,
        change: Change,
        *,
        first: Signature | None = None,
        about: Details | None = None,
    ) -> web.Response:
        """Require, do once, record. `about` says in the act log what it was done to."""
        person = await self._door.require(request, act, first=first)
        asked = _Asked(request, act, person, await request.read(), about or {})
        key = request.headers.get(KEY_HEADER)
        if key is None:
            response = await _answered(change, asked)
            await self._store.record(self._deed(asked, response))
            return response
        if not _KEY.fullmatch(key) and not await self._was_taken(person, key):
            raise RefusedError(400, "BAD_KEY", f"{KEY_HEADER}: {_KEY_WANTED}")
        mark = (name_key(person.name), key)
        if mark in self._under_way:
            await self._refuse(asked, "KEY_UNDER_WAY", "a request with this key is under way")
        self._under_way.add(mark)
        try:
            return await self._once(asked, key, change)
        finally:
            self._under_way.discard(mark)

    async def _was_taken(self, person: Person, key: str) -> bool:
        """Whether a version before took this key: its answer is still due to whoever asks again."""
        since = later(self._clock.now(), seconds=-KEPT_SECONDS)
        told = len(key) <= KEY_CHARACTERS_MAX and key.isascii() and key.isprintable()
        return told and await self._store.answer(person.name, key, since=since) is not None

    async def _once(self, asked: _Asked, key: str, change: Change) -> web.Response:
        who = asked.person.name
        purge_before = later(self._clock.now(), seconds=-KEPT_SECONDS)
        kept = await self._store.answer(who, key, since=purge_before)
        if kept is not None:
            if kept.request_sha256 != asked.sha256:
                await self._refuse(asked, "KEY_REUSED", "this key was another request's")
            again = web.json_response(body=kept.body, status=kept.status)
            again.headers[REPLAYED_HEADER] = "true"
            return again
        response = await _answered(change, asked)
        deed = self._deed(asked, response)
        if response.status >= 500:
            # Nothing is settled by a fault: the same key may be tried again.
            await self._store.record(deed)
            return response
        # A crash before this line: the request is sent again and finds in the journal what it did.
        answer = KeptAnswer(asked.sha256, response.status, _body(response))
        await self._store.keep_answer(who, key, answer, purge_before=purge_before, deed=deed)
        return response

    async def _refuse(self, asked: _Asked, code: str, message: str) -> NoReturn:
        who = asked.person.name
        await self._door.refuse(asked.request, 409, code, act=asked.act, who=who, message=message)

    def _deed(self, asked: _Asked, response: web.Response) -> Deed:
        good = response.status < 400
        why: Details = {} if good else {"status": response.status}
        if isinstance(response, ErrorAnswer):
            why["code"] = response.code
        return Deed(
            at=self._clock.now(),
            who=asked.person.name,
            where=address(asked.request),
            act=asked.act,
            outcome=Outcome.DONE if good else Outcome.REFUSED,
            details=asked.about | why,
        )


async def _answered(change: Change, asked: _Asked) -> web.Response:
    try:
        return await change(asked.person, asked.body)
    except RefusedError as refused:
        return refused.response


def _body(response: web.Response) -> bytes:
    if not isinstance(response.body, bytes):
        raise TypeError("only an answer with a plain body can be kept")
    return response.body
