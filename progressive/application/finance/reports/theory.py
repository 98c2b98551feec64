"""What a bet should leave the house by its exact odds, and how far chance may take it from there.

Fractions throughout. Seats of one table share the dealer's cards, so their results are not quite
independent: the standard error is that of independent wagers.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

import msgspec
from msgspec import Struct

from progressive.domain.games.claims import offered_bet
from progressive.domain.money import PPM
from progressive.domain.odds.engines import ENGINES
from progressive.domain.odds.returns import LineOdds, line_odds, paid_line
from progressive.domain.odds.shoe import Shoe
from progressive.domain.rulebook.paytable import ForOne, Paytable, ShareOfMeter, ToOne
from progressive.domain.rulebook.rules import BetRules, LinkTerms


class BetTheory(Struct, frozen=True, kw_only=True):
    """A bet under one version of the terms, for a wager of w cents.

    The house keeps w x `kept` less `extra_cents` of it, on average.
    """

    kept: Fraction
    extra_cents: Fraction
    """The house's part of resets, and the free bonus, a wager on average."""
    variance_of_return: Fraction
    covariance_cents: Fraction
    variance_of_extra: Fraction
    hits: Mapping[tuple[str, int], Fraction]
    """The chance that a wager takes a share of a meter: by meter and percent."""

    def win_cents(self, wagers: int, cents: int) -> Fraction:
        """What so many wagers of together so much should leave."""
        return cents * self.kept - wagers * self.extra_cents

    def variance(self, wagers: int, cents: int, squared_cents: int) -> Fraction:
        """Of it, in square cents."""
        return (
            squared_cents * self.variance_of_return
            + 2 * cents * self.covariance_cents
            + wagers * self.variance_of_extra
        )


def theory_of(terms: LinkTerms, bet: BetRules) -> BetTheory | None:
    """The theory of a bet; None where the deal alone does not decide all of its lines."""
    # Terms hold lists of rules and cannot be looked up by themselves: their bytes can.
    alone = msgspec.structs.replace(terms, bets=(bet,), house=None)
    return _theory(msgspec.json.encode(alone))


@lru_cache(maxsize=64)
def _theory(stored: bytes) -> BetTheory | None:
    terms = msgspec.json.decode(stored, type=LinkTerms)
    (bet,) = terms.bets
    engine = ENGINES.get(bet.reader)
    if engine is None:
        return None
    dealing = offered_bet(terms, bet).dealing
    paytable = Paytable(id=bet.paytable, clause="", lines=bet.lines)
    lines = line_odds(paytable, engine.chances(Shoe(terms.decks), dealing), decided=engine.lines)
    if len(lines) != len(bet.lines):
        return None
    reset_cents = {meter.id: meter.reset_cents for meter in bet.meters}
    mean, mean_square = Fraction(), Fraction()
    reset, reset_square = Fraction(), Fraction()
    hits: dict[tuple[str, int], Fraction] = {}
    for line in lines:
        back = _back(line)
        mean += back * line.probability + (line.push_probability or 0)
        mean_square += back * back * line.probability + (line.push_probability or 0)
        pays = line.line.pays
        if isinstance(pays, ShareOfMeter):
            key = (pays.meter, pays.share_percent)
            hits[key] = hits.get(key, Fraction()) + line.probability
            if pays.share_percent == 100:
                put = reset_cents.get(pays.meter, 0)
                reset += put * line.probability
                reset_square += put * put * line.probability
    bonus, bonus_square = _bonus(bet, engine.with_blackjack, terms, paytable)
    taken = Fraction(sum(meter.rate_ppm + meter.reset_rate_ppm for meter in bet.meters), PPM)
    return BetTheory(
        kept=1 - mean - taken,
        extra_cents=reset + bonus,
        variance_of_return=mean_square - mean * mean,
        covariance_cents=-mean * reset,
        variance_of_extra=reset_square - reset * reset + bonus_square - bonus * bonus,
        hits=hits,
    )


def _back(odds: LineOdds) -> Fraction:
    """What comes back of a wager of 1 without a meter."""
    match odds.line.pays:
        case ForOne(for_one=for_one):
            return Fraction(for_one)
        case ToOne(to=to, per=per):
            return 1 + Fraction(to, per)
        case _:
            return Fraction()


def _bonus(
    bet: BetRules, with_blackjack: object, terms: LinkTerms, paytable: Paytable
) -> tuple[Fraction, Fraction]:
    """What the free bonus costs a wager, and its square: as if every wager earned it."""
    engine = ENGINES[bet.reader]
    if not bet.free_bonus_lines or engine.with_blackjack is None or with_blackjack is None:
        return Fraction(), Fraction()
    cents = {line.id: line.cents for line in bet.free_bonus_lines}
    lines = [line.id for line in paytable.lines]
    mean, square = Fraction(), Fraction()
    dealing = offered_bet(terms, bet).dealing
    for hand, chance in engine.with_blackjack(Shoe(terms.decks), dealing).items():
        paid = cents.get(paid_line(lines, hand) or "", 0)
        mean += paid * chance
        square += paid * paid * chance
    return mean, square
