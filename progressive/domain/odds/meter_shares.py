"""How likely a wager takes so much of a meter: what a player who fed it plays for."""

from fractions import Fraction

from progressive.domain.games.claims import offered_bet
from progressive.domain.ids import MeterId
from progressive.domain.odds.engines import ENGINES
from progressive.domain.odds.returns import line_odds
from progressive.domain.odds.shoe import Shoe
from progressive.domain.rulebook.paytable import Paytable, ShareOfMeter
from progressive.domain.rulebook.rules import BetRules, LinkTerms


def chances_by_share(terms: LinkTerms, meter: MeterId) -> dict[int, Fraction]:
    """For each share of the meter in percent that a line pays: the chance of exactly that share."""
    bet = next((each for each in terms.bets if any(m.id == meter for m in each.meters)), None)
    chances: dict[int, Fraction] = {}
    for line, probability in {} if bet is None else _line_chances(terms, bet).items():
        pays = next(each.pays for each in bet.lines if each.id == line) if bet else None
        if isinstance(pays, ShareOfMeter) and pays.meter == meter:
            share = pays.share_percent
            chances[share] = chances.get(share, Fraction()) + probability
    return chances


def chance_of(chances: dict[int, Fraction], share_percent: int) -> Fraction:
    """The chance of at least so much of the meter."""
    return sum(
        (chance for share, chance in chances.items() if share >= share_percent), start=Fraction()
    )


def _line_chances(terms: LinkTerms, bet: BetRules) -> dict[str, Fraction]:
    engine = ENGINES[bet.reader]
    chances = engine.chances(Shoe(terms.decks), offered_bet(terms, bet).dealing)
    paytable = Paytable(id=bet.paytable, clause="", lines=bet.lines)
    found = line_odds(paytable, chances, decided=engine.lines)
    return {each.line.id: each.probability for each in found}
