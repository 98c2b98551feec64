"""One question about a bet's odds, answered whole: lines, return, edge, break-even, free bonus."""

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct

from progressive.domain.games.reading import Dealing
from progressive.domain.ids import MeterId
from progressive.domain.odds.engine import Engine
from progressive.domain.odds.engines import ENGINES
from progressive.domain.odds.returns import (
    LineOdds,
    break_even_cents,
    fixed_return,
    line_odds,
    meter_return,
    paid_line,
)
from progressive.domain.odds.shoe import Shoe
from progressive.domain.rulebook.paytable import BonusLine, FreeBonus, Game, GameBet, Paytable


class Question(Struct, frozen=True, kw_only=True):
    """A bet, how it is dealt, and what is wagered."""

    game: Game
    bet: GameBet
    paytable: Paytable
    shoe: Shoe
    dealing: Dealing
    wager_cents: int
    meters_cents: Mapping[MeterId, int] | None = None
    """What lies on the meters; None: not said. A meter that is left out is empty."""
    free_bonus: FreeBonus | None = None

    @property
    def engine(self) -> Engine:
        """Who knows the odds of this bet."""
        return ENGINES[self.bet.reader]


class BonusLineOdds(Struct, frozen=True, kw_only=True):
    """How likely the bonus of a line is paid: the line and the player's blackjack together."""

    line: BonusLine
    probability: Fraction


class BonusOdds(Struct, frozen=True, kw_only=True):
    """What a free bonus adds to the bet."""

    paytable: str
    lines: tuple[BonusLineOdds, ...]
    worth_cents: Fraction
    """A round, on average."""
    house_edge_with_bonus: Fraction | None


class Odds(Struct, frozen=True, kw_only=True):
    """The answer."""

    lines: tuple[LineOdds, ...]
    fixed_return: Fraction | None
    """None where lines are left out."""
    house_edge: Fraction | None
    """None where it hangs on meters that were not told, or where lines are left out."""
    break_even_cents: dict[MeterId, int | None]
    free_bonus: BonusOdds | None
    assumptions: tuple[str, ...]


def answer(question: Question) -> Odds:
    """All that can be said exactly."""
    engine, paytable = question.engine, question.paytable
    chances = engine.chances(question.shoe, question.dealing)
    lines = line_odds(paytable, chances, decided=engine.lines)
    whole = len(lines) == len(paytable.lines)
    edge = _house_edge(question, lines) if whole else None
    return Odds(
        lines=lines,
        fixed_return=fixed_return(lines) if whole else None,
        house_edge=edge,
        break_even_cents={
            meter.id: break_even_cents(lines, meter.id, wager_cents=question.wager_cents)
            for meter in paytable.meters
        },
        free_bonus=_bonus_odds(question, edge),
        assumptions=(*engine.assumptions(question.dealing), *_remarks(question)),
    )


def _house_edge(question: Question, lines: tuple[LineOdds, ...]) -> Fraction | None:
    if not question.paytable.meters:
        return 1 - fixed_return(lines)
    if question.meters_cents is None:
        return None
    from_meters = meter_return(lines, question.meters_cents, wager_cents=question.wager_cents)
    return 1 - fixed_return(lines) - from_meters


def _bonus_odds(question: Question, edge: Fraction | None) -> BonusOdds | None:
    bonus, engine = question.free_bonus, question.engine
    if bonus is None or engine.with_blackjack is None:
        return None
    found = {line.id: Fraction() for line in question.paytable.lines}
    for hand, chance in engine.with_blackjack(question.shoe, question.dealing).items():
        paid = paid_line(found, hand)
        if paid is not None:
            found[paid] += chance
    lines = tuple(
        BonusLineOdds(line=line, probability=found.get(line.id, Fraction())) for line in bonus.lines
    )
    worth = Fraction()
    if not _below_bonus_minimum(question):
        worth = sum((each.line.cents * each.probability for each in lines), start=Fraction())
    return BonusOdds(
        paytable=bonus.id,
        lines=lines,
        worth_cents=worth,
        house_edge_with_bonus=None if edge is None else edge - worth / question.wager_cents,
    )


def _below_bonus_minimum(question: Question) -> bool:
    minimum = question.bet.free_bonus_minimum
    return minimum is not None and question.wager_cents < minimum.cents


# --- remarks ------------------------------------------------------------------------------------


def _remarks(question: Question) -> list[str]:
    """What the rule text would not have, and what the answer took for granted."""
    bet, wager_cents = question.bet, question.wager_cents
    decks, accepted, least = question.game.decks, bet.wager_cents, bet.least_wager
    remarks = []
    if question.shoe.decks not in decks.accepted:
        remarks.append(f"not offered: {decks.clause} asks for {_either(decks.accepted)} decks")
    if accepted is not None and wager_cents not in accepted.accepted:
        amounts = _either(accepted.accepted)
        remarks.append(f"not offered: {accepted.clause} asks for a wager of {amounts} cents")
    if least is not None and wager_cents < least.cents:
        remarks.append(f"not offered: {least.clause} asks for at least {least.cents} cents")
    minimum = bet.free_bonus_minimum
    if question.free_bonus is not None and minimum is not None and _below_bonus_minimum(question):
        remarks.append(
            f"the free bonus is worth nothing: it needs a wager of {minimum.cents} cents "
            f"({minimum.clause})"
        )
    if question.meters_cents is not None:
        empty = [m.id for m in question.paytable.meters if m.id not in question.meters_cents]
        remarks += [f"the {meter} meter is taken as empty" for meter in empty]
    return remarks


def _either(numbers: tuple[int, ...]) -> str:
    """`6 or 8`, `1 to 8`."""
    ordered = sorted(numbers)
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{ordered[0]} to {ordered[-1]}"
    return " or ".join(map(str, ordered))
