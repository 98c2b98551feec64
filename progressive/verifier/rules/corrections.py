"""Corrections of meters: proposed by one, approved by another, entered to the microcent."""

from collections.abc import Mapping

from progressive.verifier.findings import DiscrepancyError, differs, shown
from progressive.verifier.recorded.person_events import (
    CorrectionApproved,
    CorrectionLeg,
    CorrectionProposed,
    CorrectionRefused,
)
from progressive.verifier.recorded.values import MeterFlow
from progressive.verifier.rules.differences import flows_differ
from progressive.verifier.rules.people import check_signed, check_two_departments
from progressive.verifier.rules.terms import AuditedMeter
from progressive.verifier.rules.totals import Totals


class Corrections:
    """The proposals that nobody has decided about, and the number of those that were entered."""

    def __init__(self, link: str) -> None:
        self.proposed: dict[str, CorrectionProposed] = {}
        self.approved = 0
        self._link = link

    def propose(
        self, event: CorrectionProposed, meters: Mapping[str, AuditedMeter], *, seq: int
    ) -> None:
        """Somebody says what is wrong and by how much; nothing moves."""
        expected = f"{self._link}.{seq}"
        if event.correction != expected:
            raise differs("correction", stored=event.correction, recomputed=expected)
        of = f"correction {expected}"
        check_signed(of, event.by)
        if not event.reason.strip():
            raise DiscrepancyError(f"{of} has no reason")
        parts = [(leg.meter, leg.part) for leg in event.legs]
        if not parts or len(set(parts)) != len(parts):
            raise DiscrepancyError(f"{of} has no legs, or names a part of a meter twice")
        for leg in event.legs:
            if not leg.microcents:
                raise DiscrepancyError(f"{of}: a leg that moves nothing")
            _check_fit(of, meters, leg)
        self.proposed[expected] = event

    def refuse(self, event: CorrectionRefused) -> None:
        """It will not be made."""
        of = f"refusal of correction {shown(event.correction)}"
        check_signed(of, event.by)
        if not event.reason.strip():
            raise DiscrepancyError(f"{of} has no reason")
        self._decided(event.correction)

    def approve(
        self, event: CorrectionApproved, meters: Mapping[str, AuditedMeter], totals: Totals
    ) -> None:
        """The legs are entered, against the house."""
        proposed = self._decided(event.correction)
        of = f"correction {event.correction}"
        check_signed(of, event.by)
        check_two_departments(of, proposed.by, event.by)
        before = tuple([_check_fit(of, meters, leg) for leg in proposed.legs])
        if event.before != before:
            raise differs(f"{of}, before", stored=event.before, recomputed=before)
        if event.flows != (flows := _flows(proposed)):
            raise flows_differ("flows", event.flows, flows)
        corrected = sum([leg.microcents for leg in proposed.legs])
        if event.corrected != corrected:
            raise differs(f"{of}, corrected", stored=event.corrected, recomputed=corrected)
        for flow in flows:
            meters[flow.meter].move(flow)
        totals.corrections += corrected
        self.approved += 1

    def _decided(self, correction: str) -> CorrectionProposed:
        proposed = self.proposed.pop(correction, None)
        if proposed is None:
            raise DiscrepancyError(f"no correction {shown(correction)} waits to be decided")
        return proposed


def _check_fit(of: str, meters: Mapping[str, AuditedMeter], leg: CorrectionLeg) -> int:
    """What stands on the leg's part of its meter; raises where the leg would break the meter."""
    meter = meters.get(leg.meter)
    if meter is None:
        raise DiscrepancyError(f"{of}: the terms have no meter {shown(leg.meter)}")
    parts = {"primary": meter.primary, "reset": meter.reset, "overflow": meter.overflow}
    before = parts[leg.part]
    after = before + leg.microcents
    if after < 0:
        raise DiscrepancyError(f"{of} takes {leg.meter}, {leg.part}, to {shown(after)}")
    if leg.part == "primary" and leg.microcents > 0 and 0 < meter.limit < after:
        raise DiscrepancyError(f"{of} takes {leg.meter} above its limit, to {shown(after)}")
    return before


def _flows(proposed: CorrectionProposed) -> tuple[MeterFlow, ...]:
    """The legs by meter, each in the order in which it was first named."""
    by_meter = {leg.meter: {"primary": 0, "reset": 0, "overflow": 0} for leg in proposed.legs}
    for leg in proposed.legs:
        by_meter[leg.meter][leg.part] = leg.microcents
    return tuple([MeterFlow(meter, **parts) for meter, parts in by_meter.items()])
