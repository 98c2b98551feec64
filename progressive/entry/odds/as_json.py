"""An answer about odds as `progressive odds --json` prints it: fractions as text, nothing lost."""

from fractions import Fraction

from msgspec import UNSET, Struct, UnsetType

from progressive.domain.odds.answer import BonusOdds, Odds, Question
from progressive.domain.odds.engine import Choice
from progressive.domain.odds.returns import LineOdds
from progressive.montecarlo.score import Observed

INFINITE = "infinite"


class JsonLine(Struct, kw_only=True):
    """A line and how likely it is the one paid."""

    line: str
    probability: str
    one_in: float | None
    """None: the line cannot be made."""
    push_probability: str | UnsetType = UNSET
    """Only where a line can push."""


class JsonBonusLine(Struct, kw_only=True):
    """A line of the free bonus: the bust and the player's blackjack together."""

    line: str
    cents: int
    probability: str
    one_in: float | None


class JsonBonus(Struct, kw_only=True):
    """The free bonus."""

    paytable: str
    lines: list[JsonBonusLine]
    worth_cents: str
    house_edge_with_bonus: str | None


class JsonSimulation(Struct, kw_only=True):
    """A simulation beside the exact answer."""

    hands: int
    seed: int
    lines: tuple[Observed, ...]


class JsonOdds(Struct, kw_only=True):
    """The whole object."""

    game: str
    bet: str
    paytable: str
    decks: int | str
    dealing_option: int | None
    dealer_procedure: str | None
    soft17: str | None
    wager_cents: int
    lines: list[JsonLine]
    fixed_return: str | None
    house_edge: str | None
    break_even_cents: dict[str, int | None]
    meters_cents: dict[str, int] | UnsetType = UNSET
    free_bonus: JsonBonus | UnsetType = UNSET
    assumptions: tuple[str, ...]
    simulation: JsonSimulation | UnsetType = UNSET


def json_odds(question: Question, odds: Odds) -> JsonOdds:
    """The answer in its contract's words. What has no bearing on the bet is null."""
    dealing, meters = question.dealing, question.meters_cents
    return JsonOdds(
        game=question.game.id,
        bet=question.bet.id,
        paytable=question.paytable.id,
        decks=question.shoe.decks or INFINITE,
        dealing_option=dealing.option if _heeded(question, "option") else None,
        dealer_procedure=dealing.procedure if _heeded(question, "procedure") else None,
        soft17=dealing.soft17 if _heeded(question, "soft17") else None,
        wager_cents=question.wager_cents,
        lines=[_line(each) for each in odds.lines],
        fixed_return=_text(odds.fixed_return),
        house_edge=_text(odds.house_edge),
        break_even_cents={str(meter): cents for meter, cents in odds.break_even_cents.items()},
        meters_cents=UNSET if meters is None else {str(m): cents for m, cents in meters.items()},
        free_bonus=UNSET if odds.free_bonus is None else _bonus(odds.free_bonus),
        assumptions=odds.assumptions,
    )


def one_in(probability: Fraction) -> float | None:
    """How many hands to one of these, on average; None where there is none at all."""
    return float(1 / probability) if probability else None


def _line(odds: LineOdds) -> JsonLine:
    push = odds.push_probability
    return JsonLine(
        line=odds.line.id,
        probability=str(odds.probability),
        one_in=one_in(odds.probability),
        push_probability=UNSET if push is None else str(push),
    )


def _bonus(bonus: BonusOdds) -> JsonBonus:
    return JsonBonus(
        paytable=bonus.paytable,
        lines=[
            JsonBonusLine(
                line=each.line.id,
                cents=each.line.cents,
                probability=str(each.probability),
                one_in=one_in(each.probability),
            )
            for each in bonus.lines
        ],
        worth_cents=str(bonus.worth_cents),
        house_edge_with_bonus=_text(bonus.house_edge_with_bonus),
    )


def _heeded(question: Question, choice: Choice) -> bool:
    return choice in question.engine.heeds


def _text(fraction: Fraction | None) -> str | None:
    return None if fraction is None else str(fraction)
