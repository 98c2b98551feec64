"""Approved corrections and transfers.

Beside awards and the contra entries of void rounds, this is all that lowers a meter, and it takes
two people of two departments. No act sets a meter: a correction says how much, not to what.
"""

from collections.abc import Sequence

from progressive.domain.acts import (
    ApproveCorrection,
    ProposeCorrection,
    RefuseCorrection,
)
from progressive.domain.award_events import MeterFlow
from progressive.domain.ids import CorrectionId, MeterId
from progressive.domain.money import CENTS_MAX, microcents
from progressive.domain.people.names import same_department, same_person
from progressive.domain.person_events import (
    CorrectionApproved,
    CorrectionLeg,
    CorrectionProposed,
    CorrectionRefused,
)
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.state.link_state import LinkState
from progressive.domain.state.meters import primaries_after

LEGS_MAX = 8
CORRECTIONS_OPEN_MAX = 100


def propose_correction(state: LinkState, act: ProposeCorrection) -> CorrectionProposed | Refusal:
    """One person says what is wrong and by how much."""
    if not act.legs or len(act.legs) > LEGS_MAX:
        return Refusal(Rejection.BAD_MESSAGE, f"a correction has 1 to {LEGS_MAX} legs")
    if len({(leg.meter, leg.part) for leg in act.legs}) != len(act.legs):
        return Refusal(Rejection.BAD_MESSAGE, "a correction names a part of a meter once")
    if len(state.corrections) >= CORRECTIONS_OPEN_MAX:
        return Refusal(Rejection.WRONG_STATUS, "too many corrections wait to be decided about")
    for leg in act.legs:
        if not leg.microcents or abs(leg.microcents) > microcents(CENTS_MAX):
            return Refusal(Rejection.WRONG_AMOUNT, "a leg moves something, a billion at the most")
    if act.day and not state.days.is_closed(act.day):
        return Refusal(Rejection.BAD_MESSAGE, f"day: {act.day!r} is not a closed gaming day")
    if (refusal := _unfit_leg(state, act.legs)) is not None:
        return refusal
    return CorrectionProposed(
        correction=CorrectionId(f"{state.link}.{state.seq + 1}"),
        by=act.by,
        reason=act.reason,
        legs=act.legs,
        day=act.day,
        meters=state.primaries,
    )


def refuse_correction(state: LinkState, act: RefuseCorrection) -> CorrectionRefused | Refusal:
    """Anyone who may approve one, and whoever proposed it, may end it."""
    if act.correction not in state.corrections:
        return _unknown(act.correction)
    return CorrectionRefused(
        correction=act.correction, by=act.by, reason=act.reason, meters=state.primaries
    )


def approve_correction(state: LinkState, act: ApproveCorrection) -> CorrectionApproved | Refusal:
    """A second person, of another department, agrees: the legs are entered."""
    proposed = state.corrections.get(act.correction)
    if proposed is None:
        return _unknown(act.correction)
    if same_person(act.by, proposed.by):
        return Refusal(Rejection.SAME_PERSON, f"{act.by.name} proposed it: it takes a second one")
    if same_department(act.by, proposed.by):
        return Refusal(
            Rejection.SAME_DEPARTMENT, f"{act.by.name} and {proposed.by.name} are of one department"
        )
    if (refusal := _unfit_leg(state, proposed.legs)) is not None:
        return refusal
    flows: dict[MeterId, list[int]] = {}
    for leg in proposed.legs:
        place = ("primary", "reset", "overflow").index(leg.part)
        flows.setdefault(leg.meter, [0, 0, 0])[place] += leg.microcents
    entered = tuple(MeterFlow(meter, *amounts) for meter, amounts in flows.items())
    return CorrectionApproved(
        correction=act.correction,
        by=act.by,
        before=tuple(state.balances[leg.part, leg.meter] for leg in proposed.legs),
        flows=entered,
        corrected=sum(leg.microcents for leg in proposed.legs),
        meters=primaries_after(state, entered),
    )


def _unknown(correction: CorrectionId) -> Refusal:
    return Refusal(Rejection.UNKNOWN_CORRECTION, f"no correction {correction} waits to be decided")


def _unfit_leg(state: LinkState, legs: Sequence[CorrectionLeg]) -> Refusal | None:
    """A leg of a meter that is not there (any more), or that would take one out of its range."""
    meters = state.terms.meter_by_id if state.terms else {}
    for leg in legs:
        if leg.meter not in meters:
            return Refusal(Rejection.UNKNOWN_METER, f"there is no meter {leg.meter!r}")
        stands = state.balances[leg.part, leg.meter]
        if stands + leg.microcents < 0:
            return Refusal(
                Rejection.METER_TOO_LOW,
                f"the {leg.part} amount of {leg.meter} is {stands} microcents: less than that",
            )
        above = stands + leg.microcents - microcents(meters[leg.meter].limit_cents)
        limited = leg.part == "primary" and meters[leg.meter].limit_cents > 0
        if limited and leg.microcents > 0 and above > 0:
            return Refusal(
                Rejection.METER_TOO_HIGH,
                f"{leg.meter} would pass its limit: correct its overflow amount instead",
            )
    return None
