"""Whole rounds over HTTP: a supervisor confirms a round's payouts, or voids a round that is locked.

Where the terms of a bet ask for it (`validation` in the floor file).
"""

from typing import Annotated

from aiohttp import web
from msgspec import Meta, Struct

from progressive.application.link.worker import LinkWorker
from progressive.domain.acts import ActReason, ValidateRound, VoidLockedRound
from progressive.domain.award_events import RoundValidated
from progressive.domain.ids import AwardId, RoundId, TableId
from progressive.domain.people.roles import Act, Person
from progressive.entry.http.links import Links, answered, decoded, perform
from progressive.entry.people.changes import Changes
from progressive.wire.awards import AwardView, award_view


class _Shown(Struct, frozen=True, forbid_unknown_fields=True):
    """The awards that the supervisor was shown; left out: whatever waits."""

    awards: Annotated[tuple[AwardId, ...], Meta(max_length=256)] | None = None


class _Reason(Struct, frozen=True, forbid_unknown_fields=True):
    reason: ActReason


class RoundPages:
    """`/v1/tables/{table}/rounds/{round}`."""

    def __init__(self, links: Links, changes: Changes) -> None:
        self._links = links
        self._changes = changes

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        at = "/v1/tables/{table}/rounds/{round}"
        return [web.post(f"{at}/validate", self.validate), web.post(f"{at}/void", self.void)]

    async def validate(self, request: web.Request) -> web.Response:
        """POST …/validate {"awards"?}: lights and cards are right, and the rack pays."""
        table, round_id = _named(request)

        async def change(person: Person, body: bytes) -> web.Response:
            worker = self._links.that_owes(table, round_id)
            shown = decoded(body, _Shown).awards
            receipt = await perform(worker, ValidateRound(table, round_id, person.signature, shown))
            views = confirmed_views(worker, receipt.event)
            return answered({"awards": views, "journal_seq": receipt.journal_seq})

        return await self._changes.run(
            request, Act.VALIDATE_AWARD, change, about={"table": table, "round": round_id}
        )

    async def void(self, request: web.Request) -> web.Response:
        """POST …/void {"reason"}: a misdeal, where the terms leave that to a supervisor."""
        table, round_id = _named(request)

        async def change(person: Person, body: bytes) -> web.Response:
            worker = self._links.of_table(table)
            reason = decoded(body, _Reason).reason
            receipt = await perform(
                worker, VoidLockedRound(table, round_id, reason, person.signature)
            )
            voided = {"table": table, "round": round_id, "journal_seq": receipt.journal_seq}
            return answered(voided)

        return await self._changes.run(
            request, Act.VOID_ROUND, change, about={"table": table, "round": round_id}
        )


def confirmed_views(worker: LinkWorker, event: object) -> list[AwardView]:
    """The awards that a confirmation was of, as they stand now."""
    state = worker.state
    if state is None or not isinstance(event, RoundValidated):
        return []
    found = [state.award(award) for award in event.awards]
    return [award_view(worker.rules, award) for award in found if award is not None]


def _named(request: web.Request) -> tuple[TableId, RoundId]:
    return TableId(request.match_info["table"][:200]), RoundId(request.match_info["round"][:200])
