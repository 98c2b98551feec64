"""How many wagers lie between two hits of a meter, against the law of the exact odds.

If every wager hits with the same chance p, a hit comes within x wagers with 1 - (1 - p)^x. What was
seen is drawn beside it, with the band that so few hits would hardly leave.
"""

from decimal import Context as Digits
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from typing import Final

from progressive.application.finance.book.register import wagers_so_far
from progressive.application.finance.report import Band, Chart, Series
from progressive.application.finance.reports.context import Context
from progressive.application.finance.reports.theory import theory_of
from progressive.domain.ids import MeterId
from progressive.domain.money import PPM

PLACES: Final = 48
"""Places of the law on the axis, besides those of the gaps."""
_BAND_SQUARED: Final = 1_844_439_727_056
"""ln(2 / 0.05) / 2, in square ppm: Dvoretzky, Kiefer and Wolfowitz, for 95 percent of samples."""
_DIGITS: Final = Digits(prec=40)

NOTE: Final = (
    "Wagers between hits: those locked out from one hit's settlement to the next one's, less those "
    "voided by then; the law is that of the terms at the end."
)


def gaps_of(context: Context, meter: MeterId, bet: str) -> list[int]:
    """Wagers on the bet from each hit of the meter to the next one, in their order."""
    hits: list[int] = []
    # As they stand at the end of the range: a void may have come days later.
    stand = {award: entry for book in context.books for award, entry in book.awards.items()}
    before = 0
    for book in context.books:
        hits += sorted(
            before + wagers
            for award, wagers in book.hits.items()
            if stand[award].made.meter == meter and stand[award].status != "void"
        )
        before += wagers_so_far(book, bet)
    return [later - earlier for earlier, later in pairwise(hits)]


def gap_charts(context: Context) -> list[Chart]:
    """A chart for each meter that was hit twice and more in the range."""
    charts = []
    for meter, bet in context.bet_of_meter.items():
        chance = _chance(context, meter, bet)
        gaps = gaps_of(context, MeterId(meter), bet)
        if gaps and chance:
            charts.append(_chart(meter, sorted(gaps), chance))
    return charts


def _chance(context: Context, meter: str, bet: str) -> Fraction | None:
    """That one wager takes any share of the meter."""
    terms = context.terms
    rules = None if terms is None else terms.bet_by_id.get(bet)
    theory = None if terms is None or rules is None else theory_of(terms, rules)
    if theory is None:
        return None
    chances = [each for (of, _), each in theory.hits.items() if of == meter]
    return sum(chances, start=Fraction()) or None


def _chart(meter: str, gaps: list[int], chance: Fraction) -> Chart:
    last = max(gaps[-1], 2 * chance.denominator // chance.numerator)
    step = max(1, last // PLACES)
    places = {0, last, *range(0, last, step), *gaps, *(max(0, gap - 1) for gap in gaps)}
    x = tuple(sorted(places))
    seen = tuple(sum(gap <= at for gap in gaps) * PPM // len(gaps) for at in x)
    law = tuple(law_ppm(chance, at) for at in x)
    off = isqrt(_BAND_SQUARED // len(gaps))
    return Chart(
        f"{meter}: wagers between hits",
        "line",
        x,
        (Series(f"Seen ({len(gaps)})", seen), Series("Exact law", law)),
        "percent",
        bands=(
            Band(
                "95 percent of samples",
                tuple(max(0, each - off) for each in law),
                tuple(min(PPM, each + off) for each in law),
            ),
        ),
        x_title="Wagers since the hit before",
    )


def law_ppm(chance: Fraction, wagers: int) -> int:
    """The chance of a hit within so many wagers, in parts per million, rounded down."""
    missed = _DIGITS.divide(
        Decimal(chance.denominator - chance.numerator), Decimal(chance.denominator)
    )
    none = _DIGITS.power(missed, Decimal(wagers))
    return int(_DIGITS.multiply(_DIGITS.subtract(Decimal(1), none), Decimal(PPM)))
