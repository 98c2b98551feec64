"""Probabilities and a paytable to money: what comes back of a wager, in the long run.

Fractions only. A return counts all that reaches the player, the stake of a "to 1" line included;
the house edge is what is missing to the whole wager.
"""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import ceil

from msgspec import Struct

from progressive.domain.ids import MeterId
from progressive.domain.odds.engine import Chances, Hand
from progressive.domain.rulebook.paytable import ForOne, PayLine, Paytable, ShareOfMeter, ToOne


class LineOdds(Struct, frozen=True, kw_only=True):
    """How likely a line is the one that is paid."""

    line: PayLine
    probability: Fraction
    push_probability: Fraction | None = None
    """Of making the line and getting only the wager back; None where a line cannot push."""


def line_odds(
    paytable: Paytable, chances: Chances, *, decided: Collection[str]
) -> tuple[LineOdds, ...]:
    """The lines of a paytable, highest first, as far as the deal decides them."""
    wins = {line.id: Fraction() for line in paytable.lines if line.id in decided}
    pushes: dict[str, Fraction] = {}
    for hand, chance in chances.items():
        paid = paid_line(wins, hand)
        if paid is not None:
            sums = pushes if hand.pushes else wins
            sums[paid] = sums.get(paid, Fraction()) + chance
    return tuple(
        LineOdds(line=line, probability=wins[line.id], push_probability=pushes.get(line.id))
        for line in paytable.lines
        if line.id in wins
    )


def paid_line(lines: Collection[str], hand: Hand) -> str | None:
    """The highest of a paytable's lines that the hand makes: only that one is paid."""
    return next((line for line in lines if line in hand.lines), None)


def fixed_return(lines: Sequence[LineOdds]) -> Fraction:
    """The part of a wager that comes back without any meter."""
    return sum(
        (_back(odds.line) * odds.probability + (odds.push_probability or 0) for odds in lines),
        start=Fraction(),
    )


def meter_return(
    lines: Sequence[LineOdds], meters_cents: Mapping[MeterId, int], *, wager_cents: int
) -> Fraction:
    """The part of a wager that comes back from meters with so much on them."""
    won_cents = sum(
        (_won_of(lines, meter) * cents for meter, cents in meters_cents.items()), start=Fraction()
    )
    return won_cents / wager_cents


def break_even_cents(lines: Sequence[LineOdds], meter: MeterId, *, wager_cents: int) -> int | None:
    """The least on this meter, the others being empty, at which the bet is even.

    None where the meter cannot be won: no amount on it would do.
    """
    won = _won_of(lines, meter)
    if not won:
        return None
    missing_cents = wager_cents * (1 - fixed_return(lines))
    return max(0, ceil(missing_cents / won))


def _won_of(lines: Sequence[LineOdds], meter: MeterId) -> Fraction:
    """The part of a meter that a wager wins on average, over all the lines that pay it."""
    return sum(
        (
            Fraction(odds.line.pays.share_percent, 100) * odds.probability
            for odds in lines
            if isinstance(odds.line.pays, ShareOfMeter) and odds.line.pays.meter == meter
        ),
        start=Fraction(),
    )


def _back(line: PayLine) -> Fraction:
    """What comes back of a wager of 1 on a line that is paid; nothing where a meter pays."""
    match line.pays:
        case ForOne(for_one=for_one):
            return Fraction(for_one)
        case ToOne(to=to, per=per):
            return 1 + Fraction(to, per)
        case ShareOfMeter():
            return Fraction()
