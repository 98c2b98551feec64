"""Other terms under a meter that has grown: whether its players' odds get longer, and who may.

Those who fed a meter played for it at the odds of that day. Where the jurisdiction refuses longer
ones, not even two people can approve them as long as the meter is above its initial amount, or
above what its last reset put there.
"""

from fractions import Fraction

from progressive.domain.ids import MeterId
from progressive.domain.money import microcents
from progressive.domain.odds.meter_shares import chance_of, chances_by_share
from progressive.domain.person_events import MeterOdds
from progressive.domain.rulebook.house_terms import HouseTerms, MeterChanges
from progressive.domain.rulebook.rules import LinkTerms, MeterRules
from progressive.domain.state.link_state import LinkState


def odds_under(state: LinkState, configured: LinkTerms) -> tuple[MeterOdds, ...]:
    """The chances of each share of each grown meter that other lines or another deal decide now."""
    recorded = state.terms
    odds: list[MeterOdds] = []
    for meter in recorded.meters if recorded else ():
        if recorded is None or meter.id not in configured.meter_by_id:
            continue
        if _grown(state, meter) and _basis(recorded, meter.id) != _basis(configured, meter.id):
            before = chances_by_share(recorded, meter.id)
            after = chances_by_share(configured, meter.id)
            odds += [
                MeterOdds(
                    meter.id,
                    share,
                    str(chance_of(before, share)),
                    str(chance_of(after, share)),
                )
                for share in sorted(before.keys() | after.keys(), reverse=True)
            ]
    return tuple(odds)


def refused_odds(
    odds: tuple[MeterOdds, ...], recorded: HouseTerms | None, configured: HouseTerms | None
) -> str | None:
    """Why these odds cannot be approved, or None. The stricter of the two texts holds: otherwise
    a floor file could bring the permission with it.
    """
    rules: list[MeterChanges] = [
        house.meter_changes for house in (recorded, configured) if house is not None
    ]
    refusing = next((rule for rule in rules if rule.longer_odds == "refused"), None)
    if refusing is None:
        return None
    for each in odds:
        before, after = Fraction(each.before), Fraction(each.after)
        if after < before:
            would_be = f"1 in {1 // after:,}" if after else "no chance"
            return (
                f"{each.share_percent} percent of {each.meter} is 1 in {1 // before:,} now and "
                f"would be {would_be}, and the meter is above what the house put on it "
                f"({refusing.clause})"
            )
    return None


def _grown(state: LinkState, meter: MeterRules) -> bool:
    """Whether players' money is on it: above what the house put there at its opening, or at its
    reset where it was won since.
    """
    counted, least_cents = state.meter_counters[meter.id], meter.initial_cents
    if counted.hits > counted.voided_hits:
        least_cents = min(meter.initial_cents, meter.reset_cents)
    return state.balances["primary", meter.id] > microcents(least_cents)


def _basis(terms: LinkTerms, meter: MeterId) -> tuple[object, ...]:
    """All that the odds of a meter can hang on."""
    bet = next(each for each in terms.bets if any(m.id == meter for m in each.meters))
    dealt = (terms.decks, terms.dealer_procedure, terms.soft17)
    return (*dealt, bet.reader, bet.dealing_option, bet.player_points_max, bet.lines)
