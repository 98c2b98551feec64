"""Awards over HTTP: list, validate, approve, pay, void. Every change is a person's and recorded."""

from collections.abc import Callable
from typing import Annotated, Final, get_args

from aiohttp import web
from msgspec import Meta, Struct

from progressive.domain.acts import (
    ActReason,
    ApprovePayment,
    ApproveVoid,
    DocumentNumber,
    PayAward,
    PersonsAct,
    ProposeVoid,
    ValidateAward,
    WithdrawVoid,
)
from progressive.domain.award_events import VoidProposed
from progressive.domain.ids import AwardId
from progressive.domain.people.names import same_person
from progressive.domain.people.roles import Act, Person
from progressive.domain.signatures import Signature
from progressive.domain.state.award_state import Award, AwardStatus
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.links import Links, answered, decoded, perform
from progressive.entry.people.changes import Changes
from progressive.entry.people.door import Door
from progressive.wire.awards import AwardView, award_view

PAGE_AWARDS_MAX: Final = 1_000

MakeAct = Callable[[AwardId, Signature, bytes], PersonsAct]


class _Empty(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing is asked for."""


class _Reason(Struct, frozen=True, forbid_unknown_fields=True):
    reason: ActReason


class _Payment(Struct, frozen=True, forbid_unknown_fields=True):
    document: DocumentNumber | None = None


class _Agreement(Struct, frozen=True, forbid_unknown_fields=True):
    """A second person may say why too; the first one's reason is the one that is kept."""

    reason: Annotated[str, Meta(max_length=500)] | None = None


class AwardPages:
    """`/v1/awards`."""

    def __init__(self, links: Links, door: Door, changes: Changes) -> None:
        self._links = links
        self._door = door
        self._changes = changes

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        at = "/v1/awards/{award}"
        return [
            web.get("/v1/awards", self.awards),
            web.get(at, self.award),
            web.post(f"{at}/validate", self.validate),
            web.post(f"{at}/approve", self.approve),
            web.post(f"{at}/pay", self.pay),
            web.post(f"{at}/void", self.void),
            web.post(f"{at}/void/approve", self.approve_void),
            web.post(f"{at}/void/withdraw", self.withdraw_void),
        ]

    # --- reading -----------------------------------------------------------------------------

    async def awards(self, request: web.Request) -> web.Response:
        """GET /v1/awards?status=&link=: open awards and the last finished ones, oldest first."""
        await self._door.require(request, Act.LIST_AWARDS)
        status, link = request.query.get("status"), request.query.get("link")
        if status is not None and status not in get_args(AwardStatus):
            known = ", ".join(get_args(AwardStatus))
            raise RefusedError(400, "BAD_QUERY", f"status is one of {known}")
        found: list[AwardView] = []
        for worker in self._links.workers.values():
            state = worker.state
            if state is None or link not in (None, worker.rules.id):
                continue
            found += [
                award_view(worker.rules, award)
                for award in (*state.finals.values(), *state.awards.values())
                if status in (None, award.status)
            ]
        found.sort(key=lambda view: (view.at, view.link, view.journal_seq, view.order))
        return answered({"awards": found[-PAGE_AWARDS_MAX:]})

    async def award(self, request: web.Request) -> web.Response:
        """GET /v1/awards/{award}."""
        await self._door.require(request, Act.LIST_AWARDS)
        return answered({"award": self._view(request.match_info["award"])})

    def _find(self, award_id: str) -> Award:
        state = self._links.of_award(award_id).state
        award = None if state is None else state.award(AwardId(award_id))
        if award is None:
            raise RefusedError(404, "UNKNOWN_AWARD", f"no award {award_id!r} is open")
        return award

    def _view(self, award_id: str) -> AwardView:
        return award_view(self._links.of_award(award_id).rules, self._find(award_id))

    # --- acts --------------------------------------------------------------------------------

    async def validate(self, request: web.Request) -> web.Response:
        """POST …/validate: a supervisor has seen light and cards."""
        return await self._act(request, Act.VALIDATE_AWARD, _validation)

    async def approve(self, request: web.Request) -> web.Response:
        """POST …/approve: a large payment may be made."""
        return await self._act(request, Act.APPROVE_PAYMENT, _approval)

    async def pay(self, request: web.Request) -> web.Response:
        """POST …/pay {"document"}: without one, the service issues its next number."""
        return await self._act(request, Act.PAY_AWARD, _payment)

    async def void(self, request: web.Request) -> web.Response:
        """POST …/void {"reason"}: proposes it; by a second person it is done."""

        def make(award: AwardId, by: Signature, body: bytes) -> PersonsAct:
            # Looked up last: a stranger learns nothing of awards, and who sends it again gets the
            # same answer although the award is gone.
            first = self._find(award).void_proposed_by
            second = first is not None and not same_person(by, first)
            return (_void_approval if second else _void_proposal)(award, by, body)

        return await self._act(request, Act.PROPOSE_VOID, make)

    async def approve_void(self, request: web.Request) -> web.Response:
        """POST …/void/approve: a second person agrees."""
        return await self._act(request, Act.APPROVE_VOID, _void_approval)

    async def withdraw_void(self, request: web.Request) -> web.Response:
        """POST …/void/withdraw: the award stands."""
        return await self._act(request, Act.PROPOSE_VOID, _void_withdrawal)

    async def _act(self, request: web.Request, act: Act, make: MakeAct) -> web.Response:
        async def change(person: Person, body: bytes) -> web.Response:
            return await self._done(request, make, person, body)

        return await self._changes.run(
            request, act, change, about={"award": request.match_info["award"][:200]}
        )

    async def _done(
        self, request: web.Request, make: MakeAct, person: Person, body: bytes
    ) -> web.Response:
        award_id = request.match_info["award"]
        worker = self._links.of_award(award_id)
        receipt = await perform(worker, make(AwardId(award_id), person.signature, body))
        view = self._view(award_id)
        # A proposal is taken down; it takes somebody else to be done.
        status = 202 if isinstance(receipt.event, VoidProposed) else 200
        return answered({"award": view, "journal_seq": receipt.journal_seq}, status=status)


def _validation(award: AwardId, by: Signature, body: bytes) -> PersonsAct:
    decoded(body, _Empty)
    return ValidateAward(award, by)


def _approval(award: AwardId, by: Signature, body: bytes) -> PersonsAct:
    decoded(body, _Empty)
    return ApprovePayment(award, by)


def _payment(award: AwardId, by: Signature, body: bytes) -> PersonsAct:
    return PayAward(award, by, decoded(body, _Payment).document)


def _void_proposal(award: AwardId, by: Signature, body: bytes) -> PersonsAct:
    return ProposeVoid(award, by, decoded(body, _Reason).reason)


def _void_approval(award: AwardId, by: Signature, body: bytes) -> PersonsAct:
    decoded(body, _Agreement)
    return ApproveVoid(award, by)


def _void_withdrawal(award: AwardId, by: Signature, body: bytes) -> PersonsAct:
    decoded(body, _Empty)
    return WithdrawVoid(award, by)
