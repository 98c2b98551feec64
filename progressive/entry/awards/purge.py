"""Purging the oldest records of a journal over HTTP: two people, one after the other."""

import contextlib
from collections.abc import Sequence
from typing import Annotated

import msgspec
from aiohttp import web
from msgspec import Meta, Struct

from progressive.application.journal.segments import Segment
from progressive.application.link.purge import Done, Purges
from progressive.application.link.replies import FateUnknownError
from progressive.application.people.act_log import Details
from progressive.domain.acts import ActReason
from progressive.domain.decide.days import is_day
from progressive.domain.guard_events import SegmentsPurged
from progressive.domain.people.roles import Act, Person
from progressive.domain.rejections import Refusal
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.links import Links, answered, decoded, fate_unknown, refused
from progressive.entry.people.changes import Changes
from progressive.entry.people.door import Door

GamingDay = Annotated[str, Meta(max_length=10)]


class _Purge(Struct, frozen=True, forbid_unknown_fields=True):
    reason: ActReason
    until_day: GamingDay


class PurgePages:
    """`/v1/links/{link}/purge`."""

    def __init__(self, links: Links, door: Door, changes: Changes, purges: Purges) -> None:
        self._links = links
        self._door = door
        self._changes = changes
        self._purges = purges

    def routes(self) -> list[web.AbstractRouteDef]:
        """The address it lives at."""
        return [
            web.get("/v1/links/{link}/purge", self.look),
            web.post("/v1/links/{link}/purge", self.purge),
        ]

    async def look(self, request: web.Request) -> web.Response:
        """GET …/purge?until_day=DAY: what that would remove, before anybody signs for it."""
        person = await self._door.require(request, Act.PURGE_RECORDS)
        worker = self._links.link(request)
        found = await self._purges.look(
            worker, person.signature, _checked(request.query.get("until_day", ""))
        )
        if isinstance(found, Refusal):
            raise refused(found)
        proposed = found.proposed
        return answered(
            {
                "link": worker.rules.id,
                **_range(found.segments),
                "segments": len(found.segments),
                "proposed_by": None if proposed is None else proposed.by.name,
            }
        )

    async def purge(self, request: web.Request) -> web.Response:
        """POST …/purge {"reason","until_day"}: the first person proposes it (202), a second one of
        another department who asks for the same does it (200).
        """
        link = request.match_info["link"][:200]

        async def change(person: Person, body: bytes) -> web.Response:
            worker = self._links.link(request)
            asked = decoded(body, _Purge)
            day = _checked(asked.until_day)
            try:
                answer = await self._purges.ask(worker, person.signature, asked.reason, day)
            except FateUnknownError:
                raise fate_unknown() from None
            if isinstance(answer, Refusal):
                raise refused(answer)
            if isinstance(answer, Done):
                return answered({"link": link, **_done(answer)})
            return answered(
                {
                    "link": link,
                    **_range(answer.segments),
                    "proposed_by": answer.by.name,
                    "lapses_at": answer.lapses_at,
                },
                status=202,
            )

        about: Details = {"link": link}
        with contextlib.suppress(msgspec.DecodeError):
            day = msgspec.json.decode(await request.read(), type=_Purge).until_day
            if is_day(day):
                about["until_day"] = day
        return await self._changes.run(request, Act.PURGE_RECORDS, change, about=about)


def _checked(day: str) -> str:
    if not is_day(day):
        raise RefusedError(
            400, "BAD_MESSAGE", f"until_day: {day[:20]!r} is not a day like 2026-11-17"
        )
    return day


def _range(segments: Sequence[Segment]) -> dict[str, object]:
    first, last = segments[0], segments[-1]
    return {
        "first_seq": first.first_seq,
        "last_seq": last.last_seq,
        "first_day": first.day,
        "last_day": last.day,
    }


def _done(done: Done) -> dict[str, object]:
    event = done.receipt.event
    if not isinstance(event, SegmentsPurged):
        raise AssertionError(f"a purge led to {event}")
    return {
        "journal_seq": done.receipt.journal_seq,
        "first_seq": event.first_seq,
        "last_seq": event.last_seq,
        "first_day": event.days[0],
        "last_day": event.days[1],
        "removed": done.removed,
    }
