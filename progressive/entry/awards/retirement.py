"""The end of a link over HTTP: proposed, withdrawn, or done by a second person."""

from collections.abc import Callable

from aiohttp import web
from msgspec import Struct

from progressive.application.people.act_log import Details
from progressive.domain.acts import (
    ActReason,
    ApproveRetirement,
    PersonsAct,
    ProposeRetirement,
    WithdrawRetirement,
)
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.people.roles import Act, Person
from progressive.domain.person_events import LinkRetired, RetirementProposed
from progressive.domain.signatures import Signature
from progressive.entry.http.links import Links, answered, decoded, perform
from progressive.entry.people.changes import Changes


class _Reason(Struct, frozen=True, forbid_unknown_fields=True):
    reason: ActReason


class RetirementPages:
    """`/v1/links/{link}/retirement`."""

    def __init__(self, links: Links, changes: Changes) -> None:
        self._links = links
        self._changes = changes

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        at = "/v1/links/{link}/retirement"
        return [
            web.post(at, self.propose),
            web.post(f"{at}/withdraw", self.withdraw),
            web.post(f"{at}/approve", self.approve),
        ]

    async def propose(self, request: web.Request) -> web.Response:
        """POST …/retirement {"reason"}: one person proposes it; the notice begins."""
        return await self._do(request, ProposeRetirement, status=202)

    async def withdraw(self, request: web.Request) -> web.Response:
        """POST …/retirement/withdraw {"reason"}: the link stays."""
        return await self._do(request, WithdrawRetirement)

    async def approve(self, request: web.Request) -> web.Response:
        """POST …/retirement/approve {"reason"}: the link ends, its money is parked."""
        return await self._do(request, ApproveRetirement)

    async def _do(
        self,
        request: web.Request,
        kind: Callable[[Signature, str], PersonsAct],
        *,
        status: int = 200,
    ) -> web.Response:
        link = request.match_info["link"][:200]

        async def change(person: Person, body: bytes) -> web.Response:
            worker = self._links.link(request)
            reason = decoded(body, _Reason).reason
            receipt = await perform(worker, kind(person.signature, reason))
            event, answer = receipt.event, {"link": link, "journal_seq": receipt.journal_seq}
            if isinstance(event, RetirementProposed):
                return answered(answer | {"not_before": event.not_before}, status=status)
            if isinstance(event, LinkRetired):
                parked = {
                    "parked_cents": event.parked // MICROCENTS_PER_CENT,
                    "parked_microcents": event.parked,
                }
                return answered(answer | parked, status=status)
            return answered(answer, status=status)

        about: Details = {"link": link, "step": request.path.rpartition("/")[2]}
        return await self._changes.run(request, Act.RETIRE_LINK, change, about=about)
