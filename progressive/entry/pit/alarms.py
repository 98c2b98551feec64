"""Alarms over HTTP: those that stand, and the word of whoever looks after one."""

from aiohttp import web
from msgspec import Struct

from progressive.application.clock import Clock
from progressive.domain.acts import AcknowledgeAlarm, AlarmNote
from progressive.domain.alarms import Alarm, AlarmKind
from progressive.domain.ids import LinkId
from progressive.domain.people.roles import Act, Person
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.links import Links, answered, decoded, perform
from progressive.entry.people.changes import Changes
from progressive.entry.people.door import Door
from progressive.entry.pit.floor import PitFloor
from progressive.entry.pit.hub import PitHub


class _Note(Struct, frozen=True, forbid_unknown_fields=True):
    note: AlarmNote = ""


class AlarmPages:
    """`/v1/alarms`."""

    def __init__(
        self,
        floor: PitFloor,
        hub: PitHub,
        links: Links,
        door: Door,
        changes: Changes,
        clock: Clock,
    ) -> None:
        self._floor = floor
        self._hub = hub
        self._links = links
        self._door = door
        self._changes = changes
        self._clock = clock

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [
            web.get("/v1/alarms", self.alarms),
            web.post("/v1/alarms/{alarm}/acknowledge", self.acknowledge),
        ]

    async def alarms(self, request: web.Request) -> web.Response:
        """GET /v1/alarms: those that stand, oldest first."""
        await self._door.require(request, Act.LIST_AWARDS)
        return answered({"alarms": list(self._floor.book.alarms.values())})

    async def acknowledge(self, request: web.Request) -> web.Response:
        """POST /v1/alarms/{alarm}/acknowledge {"note"}: somebody looks after it."""
        name = request.match_info["alarm"][:200]
        # Read here too: the act log is to keep what was noted, a bad body is refused below.
        note = _noted(await request.read())

        async def change(person: Person, body: bytes) -> web.Response:
            given = decoded(body, _Note)
            alarm = self._floor.book.find(name)
            if alarm is None:
                raise RefusedError(404, "UNKNOWN_ALARM", f"no alarm {name!r} stands")
            await self._keep(alarm, person, given.note)
            self._floor.book.acknowledge(
                name, by=person.name, at=self._clock.now(), note=given.note
            )
            self._hub.stir()
            return answered({"alarm": name})

        return await self._changes.run(
            request, Act.ACKNOWLEDGE_ALARM, change, about={"alarm": name, "note": note}
        )

    async def _keep(self, alarm: Alarm, person: Person, note: str) -> None:
        """In the journal of its link; the act log has it in any case."""
        if alarm.link is None or alarm.kind is AlarmKind.LINK_INOPERABLE:
            return
        worker = self._links.workers[LinkId(alarm.link)]
        await perform(worker, AcknowledgeAlarm(alarm.alarm, person.signature, note))


def _noted(body: bytes) -> str:
    try:
        return decoded(body, _Note).note
    except RefusedError:
        return ""
