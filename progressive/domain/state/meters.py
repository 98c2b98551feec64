"""Meters of a link as they stand, and what leads from one reading to the next."""

from collections.abc import Sequence

from progressive.domain.award_events import MeterFlow
from progressive.domain.awards.meter_payouts import MeterAmounts
from progressive.domain.ids import MeterId
from progressive.domain.state.link_state import LinkState


def amounts_on(state: LinkState, meter: MeterId) -> MeterAmounts:
    """A meter as it stands."""
    return MeterAmounts(
        primary=state.balances["primary", meter],
        reset=state.balances["reset", meter],
        overflow=state.balances["overflow", meter],
    )


def flow_between(meter: MeterId, before: MeterAmounts, after: MeterAmounts) -> MeterFlow:
    """What it takes to get from one to the other."""
    return MeterFlow(
        meter,
        after.primary - before.primary,
        after.reset - before.reset,
        after.overflow - before.overflow,
    )


def primaries_after(state: LinkState, flows: Sequence[MeterFlow]) -> tuple[int, ...]:
    """The displayed meters once the flows are entered, in the order of the terms."""
    if not flows or state.terms is None:
        return state.primaries
    after = list(state.primaries)
    place = state.terms.place_of_meter
    for flow in flows:
        after[place[flow.meter]] += flow.primary
    return tuple(after)
