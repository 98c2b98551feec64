"""The end of a link: two departments, the notice of the jurisdiction, every cent parked."""

from collections.abc import Sequence

from progressive.verifier.findings import DiscrepancyError, differs, shown
from progressive.verifier.record import days_later, read_time
from progressive.verifier.recorded.events import Event, FinanceEvent
from progressive.verifier.recorded.guard_events import LossAccepted
from progressive.verifier.recorded.house import HouseTerms
from progressive.verifier.recorded.person_events import (
    LinkRetired,
    RetirementProposed,
    RetirementWithdrawn,
)
from progressive.verifier.recorded.table_events import Checkpointed
from progressive.verifier.recorded.values import MeterFlow
from progressive.verifier.rules.differences import flows_differ
from progressive.verifier.rules.people import check_signed, check_two_departments
from progressive.verifier.rules.terms import AuditedMeter
from progressive.verifier.rules.totals import Totals


class Retirement:
    """Whether a link's end is proposed, or has come."""

    def __init__(self) -> None:
        self.proposed: RetirementProposed | None = None
        self.done = False

    def refuse_after(self, event: Event) -> None:
        """Nothing happens on a link that is retired: its last gaming days are closed, a loss of its
        journal may be accepted."""
        if self.done and not isinstance(event, Checkpointed | LossAccepted | FinanceEvent):
            raise DiscrepancyError("a record after the link was retired")

    def propose(self, event: RetirementProposed, house: HouseTerms | None, at: str) -> None:
        """Somebody proposes it, with a date that leaves the notice its time."""
        _check_reasoned(event.by.name, event.reason)
        check_signed("retirement", event.by)
        if self.proposed is not None:
            raise DiscrepancyError("the retirement is proposed a second time")
        if house is None:
            raise DiscrepancyError("the retirement is proposed, and no notice is recorded")
        days = house.meter_changes.retire_notice_days
        if read_time(event.not_before) < days_later(read_time(at), days):
            raise DiscrepancyError(
                f"the retirement is not posted for {days} days: {shown(event.not_before)}"
            )
        self.proposed = event

    def withdraw(self, event: RetirementWithdrawn) -> None:
        """The link stays."""
        _check_reasoned(event.by.name, event.reason)
        check_signed("withdrawal of a retirement", event.by)
        if self.proposed is None:
            raise DiscrepancyError("no retirement is proposed that could be withdrawn")
        self.proposed = None

    def retire(
        self, event: LinkRetired, meters: Sequence[AuditedMeter], totals: Totals, at: str
    ) -> None:
        """All money of all meters is parked, to the microcent."""
        if self.proposed is None:
            raise DiscrepancyError("the link is retired, though nobody proposed it")
        _check_reasoned("retirement", event.reason)
        if len(event.by) != 2 or event.by[0] != self.proposed.by:
            raise DiscrepancyError("retirement: not signed as it was proposed")
        check_signed("retirement", event.by[1])
        check_two_departments("retirement", *event.by)
        if read_time(at) < read_time(self.proposed.not_before):
            raise DiscrepancyError(f"retired before {shown(self.proposed.not_before)}")
        flows = tuple([MeterFlow(m.id, -m.primary, -m.reset, -m.overflow) for m in meters])
        if event.flows != flows:
            raise flows_differ("flows", event.flows, flows)
        parked = sum([m.primary + m.reset + m.overflow for m in meters])
        if event.parked != parked:
            raise differs("parked", stored=event.parked, recomputed=parked)
        for meter, flow in zip(meters, flows, strict=True):
            meter.move(flow)
        totals.parked += parked
        self.proposed, self.done = None, True


def _check_reasoned(what: str, reason: str) -> None:
    if not reason.strip():
        raise DiscrepancyError(f"retirement, {shown(what)}: no reason")
