"""Odds of grown meters under other terms: recorded, and refused where the jurisdiction does.

The chances themselves are taken as recorded: the verifier deals no cards.
"""

from collections.abc import Mapping
from fractions import Fraction

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.recorded.limits import MICROCENTS_PER_CENT
from progressive.verifier.recorded.person_events import MeterOdds, TermsChanged
from progressive.verifier.recorded.terms import BetRules, LinkTerms, MeterRules, ShareOfMeter
from progressive.verifier.rules.terms import AuditedMeter


def check_odds(
    event: TermsChanged, terms: LinkTerms, meters: Mapping[str, AuditedMeter], *, asked: bool
) -> None:
    """Raise where odds are missing, or longer though the jurisdiction refuses that.

    `meters` stand as they did before the change; `asked`: the program that wrote it records odds.
    """
    if not asked and not event.odds:
        return
    expected = {
        (rules.id, share)
        for bet in terms.bets
        for rules in bet.meters
        if _grown(meters[rules.id], rules)
        if (after := _bet_of(event.terms, rules.id)) is not None
        if _basis(terms, bet) != _basis(event.terms, after)
        for share in _shares(bet, rules.id) | _shares(after, rules.id)
    }
    recorded = [(each.meter, each.share_percent) for each in event.odds]
    if set(recorded) != expected or len(recorded) != len(expected):
        raise DiscrepancyError("other terms: the odds of meters that have grown are not recorded")
    houses = [house for house in (terms.house, event.terms.house) if house is not None]
    refused = any(house.meter_changes.longer_odds == "refused" for house in houses)
    for each in event.odds:
        if _chance(each, each.after) < _chance(each, each.before) and refused:
            raise DiscrepancyError(
                f"other terms: {shown(each.share_percent)} percent of {shown(each.meter)} gets "
                "rarer, which the jurisdiction refuses"
            )


def _grown(meter: AuditedMeter, rules: MeterRules) -> bool:
    won = meter.hits > meter.voided_hits
    least_cents = min(rules.initial_cents, rules.reset_cents) if won else rules.initial_cents
    return meter.primary > least_cents * MICROCENTS_PER_CENT


def _chance(odds: MeterOdds, text: str) -> Fraction:
    try:
        chance = Fraction(text)
    except (ValueError, ZeroDivisionError):
        chance = Fraction(-1)
    if not 0 <= chance <= 1:
        raise DiscrepancyError(f"odds of {shown(odds.meter)}: {shown(text)} is not a valid chance")
    return chance


def _bet_of(terms: LinkTerms, meter: str) -> BetRules | None:
    return next((bet for bet in terms.bets if any(m.id == meter for m in bet.meters)), None)


def _basis(terms: LinkTerms, bet: BetRules) -> tuple[object, ...]:
    dealt = (terms.decks, terms.dealer_procedure, terms.soft17)
    return (*dealt, bet.reader, bet.dealing_option, bet.player_points_max, bet.lines)


def _shares(bet: BetRules, meter: str) -> set[int]:
    return {
        line.pays.share_percent
        for line in bet.lines
        if isinstance(line.pays, ShareOfMeter) and line.pays.meter == meter
    }
