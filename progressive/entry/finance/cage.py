"""The cage's own file of a day over HTTP: read elsewhere, entered, and held against documents."""

import asyncio
from collections import Counter
from typing import Final

import msgspec
from aiohttp import web
from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.finance.desk.asked import CageAsked, ReportAsked
from progressive.application.link.owned_link import gaming_days
from progressive.application.link.worker import LinkWorker
from progressive.domain.finance_acts import EnterFinance
from progressive.domain.finance_events import CageFile
from progressive.domain.people.roles import Act, Person
from progressive.entry.finance.acts import about_day, refuse_future
from progressive.entry.finance.answers import Answers
from progressive.entry.finance.reports import asked
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.links import Links, answered, perform
from progressive.entry.people.changes import Changes
from progressive.entry.people.door import Door

FILE_BYTES_MAX: Final = 4 * 2**20


READ_SECONDS: Final = 60.0


def brings_file(request: web.Request) -> bool:
    """More than any other request brings: read once it is known whose it is."""
    return request.path.startswith("/v1/days/") and request.path.endswith("/cage")


async def _read(request: web.Request) -> web.Request:
    """The same request with its body at hand; raises RefusedError."""
    whole = request.clone(client_max_size=FILE_BYTES_MAX)
    try:
        async with asyncio.timeout(READ_SECONDS):
            await whole.read()
    except TimeoutError:
        raise RefusedError(408, "TIMEOUT", "the file never ended") from None
    return whole


class _Match(Struct, frozen=True):
    status: str


class _Matches(Struct, frozen=True):
    """What is taken of a cage report."""

    rows: tuple[_Match, ...]


_cage_file: Final = msgspec.json.Decoder(CageFile)
_matches: Final = msgspec.json.Decoder(_Matches)


class CagePages:
    """`/v1/days/{link}/{day}/cage`."""

    def __init__(
        self, answers: Answers, links: Links, door: Door, changes: Changes, clock: Clock
    ) -> None:
        self._answers = answers
        self._links = links
        self._door = door
        self._changes = changes
        self._clock = clock

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [web.post("/v1/days/{link}/{day}/cage", self.cage)]

    async def cage(self, request: web.Request) -> web.Response:
        """POST …/cage?file=NAME&mapping=NAME: the cage's own file of the day, as it is."""
        await self._door.require(request, Act.ENTER_FIGURES)
        request = await _read(request)

        async def change(person: Person, body: bytes) -> web.Response:
            given, now = asked(request, {"file", "mapping"}), self._clock.now()
            worker, day = self._links.link(request), request.match_info["day"]
            refuse_future(gaming_days(worker.rules), day, now)
            question = CageAsked(
                now=now,
                link=worker.rules.id,
                file=given.get("file", ""),
                body=body,
                mapping=given.get("mapping", ""),
            )
            file = _cage_file.decode((await self._answers.ask(request, question)).body)
            act = EnterFinance(day=day, entry=file, by=person.signature)
            receipt = await perform(worker, act)
            statuses = await self._statuses(worker, day)
            answer = {
                "day": day,
                "type": "cage",
                "payments": len(file.payments),
                "matched": None if statuses is None else statuses["matched"],
                "statuses": statuses,
                "journal_seq": receipt.journal_seq,
            }
            return answered(answer, status=201)

        return await self._changes.run(request, Act.ENTER_FIGURES, change, about=about_day(request))

    async def _statuses(self, worker: LinkWorker, day: str) -> Counter[str] | None:
        """What the file came to, beside the documents of the day; None: it is entered all the same,
        and the report says it."""
        now = self._clock.now()
        question = ReportAsked(
            now=now, kind="cage", form="json", printed_at=now, day=day, link=worker.rules.id
        )
        answer = await self._answers.look(question)
        if answer is None:
            return None
        return Counter(each.status for each in _matches.decode(answer.body).rows)
