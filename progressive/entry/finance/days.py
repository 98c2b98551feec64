"""Gaming days over HTTP: which there are, and how far each has got."""

from collections.abc import Callable
from typing import Final

from aiohttp import web

from progressive.application.clock import Clock
from progressive.application.finance.desk.asked import DayAsked, DaysAsked, PackAsked
from progressive.domain.people.roles import Act
from progressive.entry.finance.answers import Answers
from progressive.entry.finance.reports import asked, number, printed_at
from progressive.entry.http.links import Links
from progressive.entry.people.door import Door

SAMPLE: Final = 5
SEED: Final = 1


class DayPages:
    """`/v1/days`."""

    def __init__(
        self,
        answers: Answers,
        links: Links,
        door: Door,
        clock: Clock,
        *,
        keys: Callable[[], str],
    ) -> None:
        """`keys`: the house's public lines, for whoever checks a pack."""
        self._answers = answers
        self._links = links
        self._door = door
        self._clock = clock
        self._keys = keys

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [
            web.get("/v1/days", self.days),
            web.get("/v1/days/{link}/{day}", self.day),
            web.get("/v1/days/{link}/{day}/pack", self.pack),
        ]

    async def days(self, request: web.Request) -> web.StreamResponse:
        """GET /v1/days?link=: the newest days of a link, newest first."""
        await self._door.require(request, Act.VIEW_REPORTS)
        link = asked(request, {"link"}).get("link")
        return await self._answers.send(request, DaysAsked(now=self._clock.now(), link=link))

    async def day(self, request: web.Request) -> web.StreamResponse:
        """GET /v1/days/{link}/{day}: its checklist, and what keeps it from closing."""
        await self._door.require(request, Act.VIEW_REPORTS)
        asked(request, ())
        link = self._links.link(request).rules.id
        question = DayAsked(now=self._clock.now(), link=link, day=request.match_info["day"][:64])
        return await self._answers.send(request, question)

    async def pack(self, request: web.Request) -> web.StreamResponse:
        """GET …/pack?sample=5&seed=1&printed_at=: all of the day for an auditor, as a zip."""
        await self._door.require(request, Act.VIEW_REPORTS)
        given, now = asked(request, {"sample", "seed", "printed_at"}), self._clock.now()
        question = PackAsked(
            now=now,
            link=self._links.link(request).rules.id,
            day=request.match_info["day"][:64],
            printed_at=printed_at(given.get("printed_at"), now),
            sample=number(given, "sample", SAMPLE, least=0),
            seed=number(given, "seed", SEED, least=0),
            keys=self._keys(),
        )
        return await self._answers.send(request, question)
