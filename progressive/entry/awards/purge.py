"""Purging the oldest records of a journal over HTTP: two people, one after the other."""

import contextlib
from typing import Annotated

import msgspec
from aiohttp import web
from msgspec import Meta, Struct

from progressive.application.link.purge import Done, Purges
from progressive.application.link.replies import FateUnknownError
from progressive.application.people.act_log import Details
from progressive.domain.acts import ActReason
from progressive.domain.guard_events import SegmentsPurged
from progressive.domain.people.roles import Act, Person
from progressive.domain.rejections import Refusal
from progressive.entry.http.links import Links, answered, decoded, fate_unknown, refused
from progressive.entry.people.changes import Changes

GamingDay = Annotated[str, Meta(pattern=r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\Z")]


class _Purge(Struct, frozen=True, forbid_unknown_fields=True):
    reason: ActReason
    until_day: GamingDay


class PurgePages:
    """`/v1/links/{link}/purge`."""

    def __init__(self, links: Links, changes: Changes, purges: Purges) -> None:
        self._links = links
        self._changes = changes
        self._purges = purges

    def routes(self) -> list[web.AbstractRouteDef]:
        """The address it lives at."""
        return [web.post("/v1/links/{link}/purge", self.purge)]

    async def purge(self, request: web.Request) -> web.Response:
        """POST …/purge {"reason","until_day"}: the first person proposes it (202), a second one of
        another department who asks for the same does it (200).
        """
        link = request.match_info["link"][:200]

        async def change(person: Person, body: bytes) -> web.Response:
            worker = self._links.link(request)
            asked = decoded(body, _Purge)
            try:
                answer = await self._purges.ask(
                    worker, person.signature, asked.reason, asked.until_day
                )
            except FateUnknownError:
                raise fate_unknown() from None
            if isinstance(answer, Refusal):
                raise refused(answer)
            if isinstance(answer, Done):
                return answered({"link": link, **_done(answer)})
            first, last = answer.segments[0], answer.segments[-1]
            return answered(
                {
                    "link": link,
                    "first_seq": first.first_seq,
                    "last_seq": last.last_seq,
                    "first_day": first.day,
                    "last_day": last.day,
                    "proposed_by": answer.by.name,
                    "lapses_at": answer.lapses_at,
                },
                status=202,
            )

        about: Details = {"link": link}
        with contextlib.suppress(msgspec.DecodeError):
            about["until_day"] = msgspec.json.decode(await request.read(), type=_Purge).until_day
        return await self._changes.run(request, Act.PURGE_RECORDS, change, about=about)


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
