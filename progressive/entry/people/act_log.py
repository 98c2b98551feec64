"""COLD. The act log for whoever watches: who did or tried what, when and from where."""

from typing import Final

from aiohttp import web
from msgspec import Raw

from progressive.application.people.ports import ActReader
from progressive.domain.people.roles import Act
from progressive.entry.http.errors import error
from progressive.entry.people.door import Door
from progressive.wire.codec import encode

PAGE_RECORDS: Final = 100
PAGE_RECORDS_MAX: Final = 1_000
_SEQ_MAX: Final = 2**63 - 1


class ActPages:
    """`/v1/acts`."""

    def __init__(self, store: ActReader, door: Door) -> None:
        self._store = store
        self._door = door

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [web.get("/v1/acts", self.acts)]

    async def acts(self, request: web.Request) -> web.Response:
        """GET /v1/acts?after=SEQ&limit=N: records as they are stored and hashed, oldest first."""
        await self._door.require(request, Act.VIEW_ACTS)
        after = _number(request.query.get("after", "0"), most=_SEQ_MAX)
        limit = _number(request.query.get("limit", str(PAGE_RECORDS)), most=PAGE_RECORDS_MAX)
        if after is None or not limit:
            wanted = f"after: a record's number; limit: 1 to {PAGE_RECORDS_MAX}"
            return error(400, "BAD_QUERY", wanted)
        records = await self._store.acts(after_seq=after, limit=limit)
        return web.json_response(body=encode({"acts": [Raw(record) for record in records]}))


def _number(text: str, *, most: int) -> int | None:
    if not text.isascii() or not text.isdigit() or len(text) > 19:
        return None
    return number if (number := int(text)) <= most else None
