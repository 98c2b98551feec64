"""Reports over HTTP, how a meter came about, and the records that a figure stands on."""

import re
from collections.abc import Collection
from typing import Final

from aiohttp import web

from progressive.application.clock import Clock
from progressive.application.finance.desk.asked import (
    BAD_QUESTION,
    BAD_TIME,
    ExplainAsked,
    KindsAsked,
    RecordsAsked,
    ReportAsked,
)
from progressive.application.journal.times import as_journal_time
from progressive.domain.people.roles import Act
from progressive.entry.finance.answers import Answers
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.links import Links
from progressive.entry.people.door import Door

RECORDS_SHOWN: Final = 200
RECORDS_SHOWN_MAX: Final = 1_000
ONLY_MAX: Final = 200
"""Records that are named one by one in an address."""
TEXT_CHARACTERS_MAX: Final = 200
"""Of anything in an address."""
_SEQ: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_OF_A_REPORT: Final = frozenset(
    {"day", "from", "to", "month", "link", "table", "format", "printed_at"}
)


class ReportPages:
    """`/v1/reports`, `/v1/links/{link}/meters/{meter}/explain`, `/v1/links/{link}/records`."""

    def __init__(self, answers: Answers, links: Links, door: Door, clock: Clock) -> None:
        self._answers = answers
        self._links = links
        self._door = door
        self._clock = clock

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [
            web.get("/v1/reports", self.kinds),
            web.get("/v1/reports/{kind}", self.report),
            web.get("/v1/links/{link}/meters/{meter}/explain", self.explain),
            web.get("/v1/links/{link}/records", self.records),
        ]

    async def kinds(self, request: web.Request) -> web.StreamResponse:
        """GET /v1/reports: the kinds, their columns and formats."""
        await self._door.require(request, Act.VIEW_REPORTS)
        asked(request, ())
        return await self._answers.send(request, KindsAsked(now=self._clock.now()))

    async def report(self, request: web.Request) -> web.StreamResponse:
        """GET /v1/reports/{kind}?day=|from=&to=|month=&link=&table=&format=&printed_at=."""
        await self._door.require(request, Act.VIEW_REPORTS)
        given, now = asked(request, _OF_A_REPORT), self._clock.now()
        question = ReportAsked(
            now=now,
            kind=request.match_info["kind"][:TEXT_CHARACTERS_MAX],
            form=given.get("format", "json"),
            printed_at=printed_at(given.get("printed_at"), now),
            day=given.get("day"),
            from_day=given.get("from"),
            to_day=given.get("to"),
            month=given.get("month"),
            link=given.get("link"),
            table=given.get("table"),
        )
        return await self._answers.send(request, question)

    async def explain(self, request: web.Request) -> web.StreamResponse:
        """GET …/explain?at=TIME|SEQ: every line of the sum, as `progressive explain --json`."""
        await self._door.require(request, Act.VIEW_REPORTS)
        worker = self._links.link(request)
        question = ExplainAsked(
            now=self._clock.now(),
            link=worker.rules.id,
            meter=request.match_info["meter"][:TEXT_CHARACTERS_MAX],
            at=asked(request, {"at"}).get("at"),
        )
        return await self._answers.send(request, question)

    async def records(self, request: web.Request) -> web.StreamResponse:
        """GET …/records?from=SEQ&to=SEQ&limit=200, or ?only=SEQ,SEQ: records as they are stored."""
        await self._door.require(request, Act.VIEW_REPORTS)
        worker = self._links.link(request)
        given = asked(request, {"from", "to", "limit", "only"})
        only = _only(request.query["only"]) if "only" in given else ()
        if only and len(given) > 1:
            raise RefusedError(400, BAD_QUESTION, "only: give it alone, or from, to and limit")
        first = number(given, "from", 1)
        question = RecordsAsked(
            now=self._clock.now(),
            link=worker.rules.id,
            from_seq=first,
            to_seq=number(given, "to", 10**18),
            limit=number(given, "limit", RECORDS_SHOWN),
            only=only,
        )
        if question.limit > RECORDS_SHOWN_MAX or question.to_seq < first:
            message = f"from and to: record numbers in order; limit: 1 to {RECORDS_SHOWN_MAX}"
            raise RefusedError(400, BAD_QUESTION, message)
        return await self._answers.send(request, question)


def _only(text: str) -> tuple[int, ...]:
    """Numbers of single records; raises RefusedError."""
    numbers = text.split(",", ONLY_MAX)
    if len(numbers) > ONLY_MAX or not all(map(_SEQ.fullmatch, numbers)) or "0" in numbers:
        message = f"only: numbers of records with commas between them, at most {ONLY_MAX}"
        raise RefusedError(400, BAD_QUESTION, message)
    return tuple(sorted({int(each) for each in numbers}))


def asked(request: web.Request, known: Collection[str]) -> dict[str, str]:
    """The query's parameters; raises RefusedError for one that nobody knows or that comes twice.

    A misspelt name would otherwise give another report than was asked for.
    """
    for name in request.query:
        if name not in known:
            there = ", ".join(sorted(known)) or "none"
            message = f"unknown parameter {name[:64]!r} (there are: {there})"
            raise RefusedError(400, BAD_QUESTION, message)
        if len(request.query.getall(name)) > 1:
            raise RefusedError(400, BAD_QUESTION, f"{name} is given twice")
    return {name: text[:TEXT_CHARACTERS_MAX] for name, text in request.query.items()}


def printed_at(text: str | None, now: str) -> str:
    """The time of printing; now, to the second, where none is given. Raises RefusedError."""
    if text is None:
        return f"{now[:19]}Z"
    at = as_journal_time(text)
    if at is None:
        message = f"printed_at: {text!r} is not a time like 2026-11-18T09:00:00-05:00"
        raise RefusedError(400, BAD_TIME, message)
    return at


def number(given: dict[str, str], name: str, otherwise: int, *, least: int = 1) -> int:
    """A parameter that is a number; raises RefusedError."""
    text = given.get(name)
    if text is None:
        return otherwise
    if not _SEQ.fullmatch(text) or int(text) < least:
        message = f"{name}: {text[:64]!r} is not a number from {least} on"
        raise RefusedError(400, BAD_QUESTION, message)
    return int(text)
