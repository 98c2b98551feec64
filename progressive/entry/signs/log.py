"""COLD. What a sign read, for whoever looks into a dispute."""

import asyncio
from collections.abc import Mapping
from functools import partial

from aiohttp import web

from progressive.application.journal.history import TermsIndex
from progressive.application.journal.ports import JournalReader, StoreError
from progressive.application.journal.times import as_journal_time
from progressive.application.link.worker import LinkWorker
from progressive.application.signs.history import Silence, glass_then, reading_of
from progressive.application.signs.ports import ReadsSignLogs
from progressive.application.signs.reports import milliseconds
from progressive.domain.ids import LinkId
from progressive.domain.people.roles import Act
from progressive.entry.http.errors import error
from progressive.entry.http.links import answered
from progressive.entry.http.past import read_past, terms_of
from progressive.entry.people.door import Door


class SignLogPages:
    """`/v1/signs/{sign}/log`."""

    def __init__(
        self,
        open_log: ReadsSignLogs,
        journal: JournalReader,
        workers: Mapping[LinkId, LinkWorker],
        door: Door,
    ) -> None:
        self._open_log = open_log
        self._journal = journal
        self._workers = workers
        self._door = door
        self._terms: dict[LinkId, TermsIndex] = {}

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [web.get("/v1/signs/{sign}/log", self.then)]

    async def then(self, request: web.Request) -> web.Response:
        """GET /v1/signs/{sign}/log?at=TIME."""
        await self._door.require(request, Act.VIEW_SIGN_LOG)
        sign, asked = request.match_info["sign"], request.query.get("at", "")
        at = as_journal_time(asked)
        if at is None:
            return error(400, "BAD_TIME", f"at: {asked[:64]!r} is no RFC 3339 time with its offset")
        at_ms = milliseconds(at)
        try:
            link, said = await asyncio.to_thread(reading_of, self._open_log(), sign, at_ms)
        except StoreError as reason:
            return error(503, "SIGN_LOG_UNAVAILABLE", str(reason))
        worker = None if link is None else self._workers.get(link)
        if link is None or worker is None:
            return error(404, "UNKNOWN_SIGN", f"nothing is stored of a sign {sign[:64]!r}")
        if isinstance(said, Silence):
            return error(404, "NO_REPORT", said.in_words())
        question = partial(
            glass_then,
            self._journal,
            sign=sign,
            link=link,
            report=said,
            at_ms=at_ms,
            terms=terms_of(worker, self._journal, self._terms),
        )
        return answered(await read_past(request, worker, question))
