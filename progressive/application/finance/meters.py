"""Every part of every meter from one consistent state: for those who reconcile."""

from progressive.domain.rounding import floor_cents
from progressive.domain.state.link_state import LinkState
from progressive.domain.views import FullMeter


def full_meters(state: LinkState) -> list[FullMeter]:
    """Every meter of a link from one consistent state."""
    terms = state.terms
    return [
        FullMeter(
            id=meter.id,
            name=meter.name,
            cents=floor_cents(state.balances["primary", meter.id]),
            microcents=state.balances["primary", meter.id],
            reset_cents=floor_cents(state.balances["reset", meter.id]),
            reset_microcents=state.balances["reset", meter.id],
            overflow_cents=floor_cents(state.balances["overflow", meter.id]),
            overflow_microcents=state.balances["overflow", meter.id],
            wagers_in_cents=state.bet_counters[bet.id].wagers_cents,
            wagers_voided_cents=state.bet_counters[bet.id].voided_cents,
            hits=state.meter_counters[meter.id].hits,
            wins_cents=state.meter_counters[meter.id].wins_cents,
            voided_hits=state.meter_counters[meter.id].voided_hits,
            voided_cents=state.meter_counters[meter.id].voided_cents,
        )
        for bet in (terms.bets if terms is not None else ())
        for meter in bet.meters
    ]
