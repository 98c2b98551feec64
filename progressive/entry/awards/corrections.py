"""Corrections, transfers, dealers and terms over HTTP: what else people change on a link."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from aiohttp import web
from msgspec import Meta, Struct

from progressive.application.link.replies import FateUnknownError
from progressive.application.link.worker import LinkWorker
from progressive.application.people.act_log import Details
from progressive.domain.acts import (
    ActReason,
    ApproveCorrection,
    ProposeCorrection,
    RefuseCorrection,
    SignOn,
)
from progressive.domain.ids import CorrectionId, MeterId, TableId
from progressive.domain.money import CENTS_MAX, MICROCENTS_PER_CENT, microcents
from progressive.domain.people.roles import Act, Person
from progressive.domain.person_events import CorrectionLeg, CorrectionProposed, MeterPart
from progressive.domain.rejections import Refusal
from progressive.domain.signatures import Signature
from progressive.entry.http.links import Links, answered, decoded, fate_unknown, perform, refused
from progressive.entry.people.changes import Changes
from progressive.entry.people.door import Door
from progressive.wire.awards import correction_view

SignedCents = Annotated[int, Meta(ge=-CENTS_MAX, le=CENTS_MAX)]
PositiveCents = Annotated[int, Meta(ge=1, le=CENTS_MAX)]
Fraction = Annotated[int, Meta(gt=-MICROCENTS_PER_CENT, lt=MICROCENTS_PER_CENT)]


class _Leg(Struct, frozen=True, forbid_unknown_fields=True):
    """How much is put on (or, with a minus, taken off) a part of a meter."""

    meter: MeterId
    amount_cents: SignedCents
    part: MeterPart = "primary"
    microcents: Fraction = 0
    """A fraction of a cent on top, where it takes one."""


class _Correction(Struct, frozen=True, forbid_unknown_fields=True):
    reason: ActReason
    legs: Annotated[tuple[_Leg, ...], Meta(min_length=1, max_length=8)]
    day: str = ""
    """The closed gaming day that it belongs to."""


class _Place(Struct, frozen=True, forbid_unknown_fields=True):
    meter: MeterId
    part: MeterPart = "primary"


class _Transfer(Struct, frozen=True, forbid_unknown_fields=True, rename={"source": "from"}):
    reason: ActReason
    source: _Place
    to: _Place
    amount_cents: PositiveCents
    day: str = ""


class _Reason(Struct, frozen=True, forbid_unknown_fields=True):
    reason: ActReason


class CorrectionPages:
    """`/v1/links/{link}/corrections`, `/v1/corrections`, dealers and terms."""

    def __init__(self, links: Links, door: Door, changes: Changes) -> None:
        self._links = links
        self._door = door
        self._changes = changes

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [
            web.get("/v1/links/{link}/corrections", self.corrections),
            web.post("/v1/links/{link}/corrections", self.correct),
            web.post("/v1/links/{link}/transfers", self.transfer),
            web.post("/v1/corrections/{correction}/approve", self.approve),
            web.post("/v1/corrections/{correction}/refuse", self.refuse),
            web.post("/v1/links/{link}/terms/approve", self.approve_terms),
            web.post("/v1/links/{link}/loss/accept", self.accept_loss),
            web.post("/v1/tables/{table}/dealer", self.sign_on),
            web.delete("/v1/tables/{table}/dealer", self.sign_off),
        ]

    async def corrections(self, request: web.Request) -> web.Response:
        """GET …/corrections: those that wait to be decided about."""
        await self._door.require(request, Act.VIEW_HIDDEN_METERS)
        worker = self._links.link(request)
        waiting = () if worker.state is None else worker.state.corrections.values()
        views = [correction_view(worker.rules.id, each) for each in waiting]
        return answered({"corrections": views})

    async def correct(self, request: web.Request) -> web.Response:
        """POST …/corrections {"reason","legs"}: one person says what is wrong, and by how much."""

        async def change(person: Person, body: bytes) -> web.Response:
            asked = decoded(body, _Correction)
            legs = tuple(
                CorrectionLeg(leg.meter, leg.part, microcents(leg.amount_cents) + leg.microcents)
                for leg in asked.legs
            )
            return await self._propose(request, person, asked.reason, legs, asked.day)

        return await self._changes.run(request, Act.PROPOSE_CORRECTION, change)

    async def transfer(self, request: web.Request) -> web.Response:
        """POST …/transfers {"reason","from","to","amount_cents"}: money between two meters."""

        async def change(person: Person, body: bytes) -> web.Response:
            asked = decoded(body, _Transfer)
            amount = microcents(asked.amount_cents)
            legs = (
                CorrectionLeg(asked.source.meter, asked.source.part, -amount),
                CorrectionLeg(asked.to.meter, asked.to.part, amount),
            )
            return await self._propose(request, person, asked.reason, legs, asked.day)

        return await self._changes.run(request, Act.PROPOSE_CORRECTION, change)

    async def _propose(
        self,
        request: web.Request,
        person: Person,
        reason: str,
        legs: tuple[CorrectionLeg, ...],
        day: str,
    ) -> web.Response:
        worker = self._links.link(request)
        receipt = await perform(worker, ProposeCorrection(person.signature, reason, legs, day))
        event = receipt.event
        if not isinstance(event, CorrectionProposed):
            raise TypeError("a proposal leads to a proposal")
        view = correction_view(worker.rules.id, event)
        return answered({"correction": view, "journal_seq": receipt.journal_seq}, status=202)

    async def approve(self, request: web.Request) -> web.Response:
        """POST …/approve: a second person of another department agrees, and it is made."""
        correction = request.match_info["correction"]

        async def change(person: Person, body: bytes) -> web.Response:
            worker = self._links.of_correction(correction)
            act = ApproveCorrection(CorrectionId(correction), person.signature)
            receipt = await perform(worker, act)
            return answered({"correction": correction, "journal_seq": receipt.journal_seq})

        about: Details = {"correction": correction[:200]}
        return await self._changes.run(request, Act.APPROVE_CORRECTION, change, about=about)

    async def refuse(self, request: web.Request) -> web.Response:
        """POST …/refuse {"reason"}: it is not made."""
        correction = request.match_info["correction"]

        async def change(person: Person, body: bytes) -> web.Response:
            worker = self._links.of_correction(correction)
            reason = decoded(body, _Reason).reason
            act = RefuseCorrection(CorrectionId(correction), person.signature, reason)
            receipt = await perform(worker, act)
            return answered({"correction": correction, "journal_seq": receipt.journal_seq})

        about: Details = {"correction": correction[:200]}
        return await self._changes.run(request, Act.APPROVE_CORRECTION, change, about=about)

    async def approve_terms(self, request: web.Request) -> web.Response:
        """POST …/terms/approve {"reason"}: the floor file is to hold; it takes two people."""
        return await self._let_go_on(request, Act.APPROVE_TERMS, LinkWorker.approve_terms)

    async def accept_loss(self, request: web.Request) -> web.Response:
        """POST …/loss/accept {"reason"}: records are gone, and the link is to go on without them.

        It takes two people of two departments.
        """
        return await self._let_go_on(request, Act.ACCEPT_LOSS, LinkWorker.accept_loss)

    async def _let_go_on(
        self,
        request: web.Request,
        act: Act,
        sign: Callable[[LinkWorker, Signature, str], Awaitable[Refusal | None]],
    ) -> web.Response:
        """One of the two people who let a link go on that stands still."""

        async def change(person: Person, body: bytes) -> web.Response:
            worker = self._links.link(request)
            reason = decoded(body, _Reason).reason
            try:
                refusal = await sign(worker, person.signature, reason)
            except FateUnknownError:
                raise fate_unknown() from None
            if refusal is not None:
                raise refused(refusal)
            view = worker.view
            body_out = {"link": view.link, "state": view.state, "reason": view.reason}
            return answered(body_out, status=200 if view.state == "live" else 202)

        about: Details = {"link": request.match_info["link"][:200]}
        return await self._changes.run(request, act, change, about=about)

    async def sign_on(self, request: web.Request) -> web.Response:
        """POST /v1/tables/{table}/dealer: whoever is logged in deals there from now on."""
        return await self._sign(request, on=True)

    async def sign_off(self, request: web.Request) -> web.Response:
        """DELETE /v1/tables/{table}/dealer: nobody deals there."""
        return await self._sign(request, on=False)

    async def _sign(self, request: web.Request, *, on: bool) -> web.Response:
        table = TableId(request.match_info["table"])

        async def change(person: Person, body: bytes) -> web.Response:
            worker = self._links.of_table(table)
            receipt = await perform(worker, SignOn(table, person.signature if on else None))
            dealer = person.signature if on else None
            return answered({"table": table, "dealer": dealer, "journal_seq": receipt.journal_seq})

        return await self._changes.run(
            request, Act.SIGN_ON_TABLE, change, about={"table": table[:200], "on": on}
        )
