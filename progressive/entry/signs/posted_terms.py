"""What the rule texts want posted beside a table, made from the very terms that decide its awards.

- N.J.A.C. 13:69E-1.10(t)4: "a sign describing the winning wagers and the payouts to be awarded";
  13:69F-2.3(m), 2.28(b) with 8.3: the one accepted amount.
- N.J.A.C. 13:69E-1.10(x)(1), (3), (4): soft 17, the payout odds by the number of cards, the free
  bonus and what entitles to it; 13:69F-2.30(c) with 8.3: the maximum.
- ARSD 20:18:15:30.07(4), (9): the posted pay table, and that of the free bonus.
- WSGC approval of 2014-06-25: the posted pay table, 27 points, the least wager for the free bonus.
- The 101 Casino, Buster Bet and Jack Magic Bonus Bet: the posted pay tables.

Odds are not asked for by any of them; they are exact, and players like to know.
"""

import asyncio
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from msgspec import structs

from progressive.domain.games.claims import offered_bet
from progressive.domain.ids import LinkId
from progressive.domain.odds.engines import ENGINES
from progressive.domain.odds.returns import line_odds
from progressive.domain.odds.shoe import Shoe
from progressive.domain.rulebook.line_names import line_name, line_names
from progressive.domain.rulebook.paytable import (
    ForOne,
    Game,
    GameBet,
    PayLine,
    Paytable,
    ShareOfMeter,
    ToOne,
)
from progressive.domain.rulebook.rules import BetRules, FloorRules, LinkRules, LinkTerms
from progressive.wire.signs import Posted, PostedBet, PostedBonusLine, PostedLine, PostedMeter

_FEW: Final = 100
"""Below it, "one in" is told to a tenth."""


class PostedTerms:
    """Made once for each link, when somebody first asks, away from the loop."""

    def __init__(
        self,
        rules: FloorRules,
        retires_at: Callable[[LinkId], str | None] = lambda _: None,
    ) -> None:
        self._rules = rules
        self._retires_at = retires_at
        self._links = {link.id: link for link in rules.links}
        self._made: dict[LinkId, asyncio.Future[Posted]] = {}

    async def of(self, link_id: LinkId) -> Posted | None:
        """What is posted for a link; None where there is no such link."""
        link = self._links.get(link_id)
        if link is None:
            return None
        if link_id not in self._made:
            work = asyncio.to_thread(posted_of, self._rules, link)
            self._made[link_id] = asyncio.ensure_future(work)
        # Whoever goes away while it is made leaves it to the others.
        posted = await asyncio.shield(self._made[link_id])
        retires_at = self._retires_at(link_id)
        return posted if retires_at is None else structs.replace(posted, retires_at=retires_at)


def posted_of(rules: FloorRules, link: LinkRules) -> Posted:
    """All bets of a link."""
    return Posted(
        link=link.id,
        link_name=link.name,
        floor_name=rules.name,
        currency=rules.currency,
        decks=link.terms.decks,
        soft17=link.terms.soft17,
        bets=[_bet(bet, rules.game(bet.game), link.terms) for bet in link.terms.bets],
    )


def _bet(bet: BetRules, game: Game | None, terms: LinkTerms) -> PostedBet:
    offered = _offered(bet, game)
    paytable = None if offered is None else offered.paytable(bet.paytable)
    odds = _odds(bet, terms)
    fixed = bet.wager_cents is not None
    player_dealer = game is not None and game.player_dealer is not None
    return PostedBet(
        id=bet.id,
        name=bet.id if offered is None else offered.name,
        game=bet.game,
        clause="" if paytable is None else paytable.clause,
        paytable=bet.paytable,
        wager_cents=bet.wager_cents,
        min_cents=None if fixed else bet.min_cents,
        max_cents=None if fixed else bet.max_cents,
        lines=[_line(line, odds.get(line.id), player_dealer=player_dealer) for line in bet.lines],
        meters=[
            PostedMeter(
                id=meter.id,
                name=meter.name,
                reset_cents=meter.reset_cents,
                limit_cents=meter.limit_cents,
                reset_rate_ppm=meter.reset_rate_ppm,
            )
            for meter in bet.meters
        ],
        payment_order=bet.payment_order,
        free_bonus=[
            PostedBonusLine(
                id=line.id,
                name=line_name(line.id, player_dealer=player_dealer),
                bonus_cents=line.cents,
                names=line_names(line.id, player_dealer=player_dealer),
            )
            for line in bet.free_bonus_lines
        ],
        free_bonus_min_cents=bet.free_bonus_min_cents,
        needs_base_wager=bet.needs_base_wager,
        capped_by_base_wager=bet.capped_by_base_wager,
        dealing_option=bet.dealing_option,
        player_points_max=bet.player_points_max,
    )


def _offered(bet: BetRules, game: Game | None) -> GameBet | None:
    """The bet in its rule text: no two bets of a game are read by one reader."""
    bets = () if game is None else game.bets
    return next((each for each in bets if each.reader == bet.reader), None)


def _odds(bet: BetRules, terms: LinkTerms) -> Mapping[str, Fraction]:
    """How likely each line is the one that is paid, as this link deals."""
    engine = ENGINES[bet.reader]
    chances = engine.chances(Shoe(terms.decks), offered_bet(terms, bet).dealing)
    paytable = Paytable(id=bet.paytable, clause="", lines=bet.lines)
    found = line_odds(paytable, chances, decided=engine.lines)
    return {each.line.id: each.probability for each in found}


def _line(line: PayLine, probability: Fraction | None, *, player_dealer: bool) -> PostedLine:
    meter = share = for_one = to_one = None
    per = 1
    match line.pays:
        case ShareOfMeter():
            meter, share = line.pays.meter, line.pays.share_percent
        case ForOne():
            for_one = line.pays.for_one
        case ToOne():
            to_one, per = line.pays.to, line.pays.per
    return PostedLine(
        id=line.id,
        name=line_name(line.id, player_dealer=player_dealer),
        names=line_names(line.id, player_dealer=player_dealer),
        meter=meter,
        share_percent=share,
        for_one=for_one,
        to_one=to_one,
        per=per,
        probability=None if probability is None else str(probability),
        one_in=one_in_text(probability),
    )


def one_in_text(probability: Fraction | None) -> str | None:
    """`250,666` or `13.2`: rounded half up; None where the line has no odds or cannot be made."""
    if not probability:
        return None
    tenths = (20 / probability + 1) // 2
    if tenths < 10 * _FEW:
        whole, tenth = divmod(tenths, 10)
        return f"{whole}.{tenth}" if tenth else f"{whole}"
    return f"{(2 / probability + 1) // 2:,}"
