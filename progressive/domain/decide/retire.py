"""The end of a link: proposed by one, posted as long as the jurisdiction asks, done by a second.

Its money does not vanish with it: everything on its meters is parked in an account of its own.
"""

from typing import Final

from progressive.domain.acts import ApproveRetirement, ProposeRetirement, WithdrawRetirement
from progressive.domain.award_events import MeterFlow
from progressive.domain.people.names import same_department, same_person
from progressive.domain.person_events import (
    LinkRetired,
    RetirementProposed,
    RetirementWithdrawn,
)
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.state.link_state import LinkState
from progressive.domain.state.meters import amounts_on
from progressive.domain.time_text import Moment, later

DAY_SECONDS: Final = 86_400

RETIRED: Final = Refusal(Rejection.LINK_INOPERABLE, "the link is retired")


def propose_retirement(
    state: LinkState, act: ProposeRetirement, when: Moment
) -> RetirementProposed | Refusal:
    """One person proposes it; from now on the signs' terms say until when the link is there."""
    if state.terms is None or state.retirement is not None:
        by = "" if state.retirement is None else f" by {state.retirement.by.name}"
        return Refusal(Rejection.WRONG_STATUS, f"the retirement is proposed already{by}")
    house = state.terms.house
    if house is None:
        # A journal of an older program, dropped before this one has recorded the jurisdiction's.
        return Refusal(
            Rejection.WRONG_STATUS,
            "the journal does not say yet how long the end is posted: start once with the link in "
            "the floor file",
        )
    days = house.meter_changes.retire_notice_days
    return RetirementProposed(
        by=act.by,
        reason=act.reason,
        not_before=later(when.at, seconds=days * DAY_SECONDS),
        meters=state.primaries,
    )


def withdraw_retirement(state: LinkState, act: WithdrawRetirement) -> RetirementWithdrawn | Refusal:
    """The link stays."""
    if state.retirement is None:
        return Refusal(Rejection.WRONG_STATUS, "no retirement is proposed")
    return RetirementWithdrawn(by=act.by, reason=act.reason, meters=state.primaries)


def approve_retirement(
    state: LinkState, act: ApproveRetirement, when: Moment
) -> LinkRetired | Refusal:
    """A second person of another department, after the notice, with nothing left to settle."""
    proposed = state.retirement
    if proposed is None or state.terms is None:
        return Refusal(Rejection.WRONG_STATUS, "no retirement is proposed")
    if same_person(act.by, proposed.by):
        return Refusal(Rejection.SAME_PERSON, f"{act.by.name} proposed it: it takes a second one")
    if same_department(act.by, proposed.by):
        return Refusal(
            Rejection.SAME_DEPARTMENT, f"{act.by.name} and {proposed.by.name} are of one department"
        )
    if when.at < proposed.not_before:
        return Refusal(
            Rejection.WRONG_STATUS, f"it is posted until {proposed.not_before}: not before then"
        )
    if (why := _unfinished(state)) is not None:
        return Refusal(Rejection.WRONG_STATUS, why)
    amounts = {meter.id: amounts_on(state, meter.id) for meter in state.terms.meters}
    flows = tuple(
        MeterFlow(meter, -each.primary, -each.reset, -each.overflow)
        for meter, each in amounts.items()
    )
    return LinkRetired(
        by=(proposed.by, act.by),
        reason=act.reason,
        flows=flows,
        parked=-sum(flow.primary + flow.reset + flow.overflow for flow in flows),
        meters=(0,) * len(amounts),
    )


def _unfinished(state: LinkState) -> str | None:
    """What must be over before a link goes, or None."""
    for table, at_table in state.tables.items():
        if at_table.round is not None:
            return f"round {at_table.round.round} is open at {table}: settle or void it first"
    for name, award in state.awards.items():
        if not award.final:
            return f"award {name} is {award.status}: pay or void it first"
    if state.corrections:
        return f"correction {next(iter(state.corrections))} waits: decide about it first"
    return None
