"""Talks to upstreams over HTTP. Where one sends its readers elsewhere, that is for us to judge."""

from typing import Final

import aiohttp
from aiohttp import ClientHandlerType, ClientRequest, ClientResponse
from msgspec import Struct

from display.settings import Settings
from progressive.common.addresses import elsewhere, origin_of

HOPS_MAX: Final = 4
"""Times that an upstream may send us on, one after the other."""
ANSWER_SECONDS: Final = 6.0
BODY_BYTES_MAX: Final = 4 * 1024 * 1024

_ELSEWHERE: Final = (301, 302, 303, 307, 308, 421)


class ElsewhereError(aiohttp.ClientError):
    """Not here: the upstream named another address."""

    def __init__(self, said: str) -> None:
        super().__init__(f"sent on to {said!r}")
        self.said = said


class BadAnswerError(aiohttp.ClientError):
    """An answer that is no use to us."""


class Answer(Struct, frozen=True):
    """What an upstream said."""

    status: int
    body: bytes
    etag: str | None


async def _stay(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
    """Of requests and of websocket handshakes alike: aiohttp itself would follow anywhere."""
    response = await handler(request)
    if response.status in _ELSEWHERE and (said := response.headers.get("Location")):
        response.close()
        raise ElsewhereError(said)
    return response


class Client:
    """All connections of a relay to its upstreams."""

    def __init__(self, settings: Settings) -> None:
        self.name = settings.name
        self._key = settings.key
        self._trusted = {origin_of(upstream) for upstream in settings.upstreams}
        self.session = aiohttp.ClientSession(
            middlewares=(_stay,),
            timeout=aiohttp.ClientTimeout(total=None),
            # A feed holds its connection for weeks: none may wait for another to end.
            connector=aiohttp.TCPConnector(limit=0, ssl=settings.tls),
        )

    async def close(self) -> None:
        """Let go of everything."""
        await self.session.close()

    def credentials(self, base: str) -> dict[str, str]:
        """Our key, for the configured upstreams and nobody they may name."""
        if self._key is None or origin_of(base) not in self._trusted:
            return {}
        return {"Authorization": f"Bearer {self._key}"}

    async def get(self, base: str, path: str, *, etag: str | None = None) -> Answer:
        """An upstream's answer, wherever it sends us for it."""
        headers = {} if etag is None else {"If-None-Match": etag}
        for _ in range(HOPS_MAX + 1):
            try:
                return await self._get(f"{base}{path}", headers)
            except ElsewhereError as error:
                there = elsewhere(error.said, by=base)
                if there is None:
                    raise
                base = there
        raise BadAnswerError("sent on too often")

    async def _get(self, url: str, headers: dict[str, str]) -> Answer:
        timeout = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
        async with self.session.get(url, headers=headers, timeout=timeout) as response:
            body = bytearray()
            async for chunk in response.content.iter_chunked(64 * 1024):
                body += chunk
                if len(body) > BODY_BYTES_MAX:
                    raise BadAnswerError(f"{url} does not end")
            return Answer(response.status, bytes(body), response.headers.get("ETag"))
