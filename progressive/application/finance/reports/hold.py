"""`hold`: what each bet left the house, beside what its exact odds say it should.

Awards of meters are paid with what is on the meters, so they are no cost here: what wagers put
there is, and so is the house's part of every reset.
"""

from fractions import Fraction
from math import isqrt
from typing import Final

from msgspec import Struct

from progressive.application.finance.book.award_flows import flows_between
from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import Behind
from progressive.application.finance.book.standing import AwardEntry
from progressive.application.finance.report import (
    Band,
    Chart,
    Report,
    Row,
    Series,
)
from progressive.application.finance.reports.columns import columns
from progressive.application.finance.reports.context import Context, behind, made, ratio_ppm
from progressive.application.finance.reports.hits import NOTE, gap_charts
from progressive.application.finance.reports.theory import BetTheory, theory_of
from progressive.domain.money import MICROCENTS_PER_CENT

KIND: Final = "hold"
TITLE: Final = "Hold against theory"
CLAUSES: Final = ("Mississippi Gaming Commission Regulations, Title 13 Part 7 (by analogy)",)
FLAGGED_FROM_MILLI: Final = 3_000
"""Standard errors, in thousandths, from which a difference is marked."""

COLUMNS: Final = columns("""
    bet                        text             Bet: The side bet.
    paytable                   text             Paytable: By the terms at the end of the range.
    decks                      int              Decks: Of the shoe.
    wagers                     int, sum         Wagers: Less those of voided rounds.
    handle_cents               cents, sum       Handle: What they came to.
    fixed_cents                cents, sum       Fixed pays: Paid by fixed lines and bonuses,
        stakes returned with them.
    contributions_microcents   microcents, sum  To meters: What meters took, net of voids.
    house_reset_microcents     microcents, sum  House, resets: What the house put on meters at
        resets.
    net_win_microcents         microcents, sum  Net win: Handle less all of these.
    hold_ppm                   percent          Hold: Net win by handle.
    theoretical_ppm            percent          Theoretical: What the exact odds say.
    difference_ppm             percent          Difference: Hold less theoretical, in points.
    expected_microcents        microcents       Expected win: Theoretical win of these very
        wagers.
    standard_error_microcents  microcents       Standard error: Of the expected win.
    standard_errors_milli      milli            Errors: The difference in standard errors.
    meter_awards_cents         cents, sum       Meter awards: Paid from meters: players' and
        house's money there; less voids, and with what they changed for others, on their day.
    hits                       int, sum         Hits: Awards of meters, less those that were voided
        on these days.
    hits_expected_milli        milli            Expected hits: Hits that the odds expect.
    flag                       text             Flag: look: three standard errors or more.
""")


class _Bet(Struct, kw_only=True):
    """The figures of one bet over some days."""

    wagers: int = 0
    cents: int = 0
    fixed_cents: int = 0
    contributions: int = 0
    resets: int = 0
    expected: Fraction | None = Fraction()
    variance: Fraction = Fraction()
    hits_expected: Fraction = Fraction()
    hits: int = 0
    meter_cents: int = 0

    @property
    def net(self) -> int:
        return (
            (self.cents - self.fixed_cents) * MICROCENTS_PER_CENT - self.contributions - self.resets
        )

    @property
    def error(self) -> int:
        """The standard error in microcents, rounded down."""
        return isqrt(int(self.variance * MICROCENTS_PER_CENT * MICROCENTS_PER_CENT))


def report(context: Context) -> Report:
    """The hold of a range of days, a row a bet."""
    bets = sorted({bet for book in context.books for bet in _bets(book)})
    rows, notes = [], []
    for bet in bets:
        figures = _figures(context.books, bet)
        rows.append(_row(context, bet, figures))
        notes += _hits(context, bet)
    notes.append(
        "Standard errors are of independent wagers; seats of a round share the dealer's cards."
    )
    gaps = gap_charts(context)
    if gaps:
        notes.append(NOTE)
    return made(
        context, kind=KIND, title=TITLE, clauses=CLAUSES, columns=COLUMNS, rows=rows,
        notes=notes, charts=[*_charts(context, bets), *gaps],
    )  # fmt: skip


def _bets(book: DayBook) -> set[str]:
    """Also those of which nothing but a void of an older award happened on the day."""
    moved = {
        entry.made.bet
        for entry in book.awards.values()
        if flows_between(entry, book.begins, book.ends).records
    }
    return moved | {use.bet for use in book.bets.values()}


def _row(context: Context, bet: str, figures: _Bet) -> Row:
    terms = context.terms
    rules = None if terms is None else terms.bet_by_id.get(bet)
    handle = figures.cents * MICROCENTS_PER_CENT
    expected = None if figures.expected is None else _microcents(figures.expected)
    theoretical = None if expected is None else _signed_ppm(expected, handle)
    hold = _signed_ppm(figures.net, handle)
    error = figures.error
    errors = None
    if expected is not None and error:
        errors = (figures.net - expected) * 1_000 // error
    stands = Behind()
    for book in context.books:
        for use in book.bets.values():
            if use.bet == bet:
                stands.stands_on(use.first_seq, use.last_seq)
        for entry in book.awards.values():
            if entry.made.bet == bet:
                for seq in flows_between(entry, book.begins, book.ends).records:
                    stands.stands_on(seq)
    return {
        "bet": bet,
        "paytable": None if rules is None else rules.paytable,
        "decks": None if terms is None else terms.decks,
        "wagers": figures.wagers,
        "handle_cents": figures.cents,
        "fixed_cents": figures.fixed_cents,
        "contributions_microcents": figures.contributions,
        "house_reset_microcents": figures.resets,
        "net_win_microcents": figures.net,
        "hold_ppm": hold,
        "theoretical_ppm": theoretical,
        "difference_ppm": None if hold is None or theoretical is None else hold - theoretical,
        "expected_microcents": expected,
        "standard_error_microcents": None if expected is None else error,
        "standard_errors_milli": errors,
        "meter_awards_cents": figures.meter_cents,
        "hits": figures.hits,
        "hits_expected_milli": None if expected is None else int(figures.hits_expected * 1_000),
        "flag": "look" if errors is not None and abs(errors) >= FLAGGED_FROM_MILLI else None,
        **behind(stands),
    }


def _figures(books: tuple[DayBook, ...], bet: str) -> _Bet:
    figures = _Bet()
    for book in books:
        _add_wagers(figures, book, bet)
        for cell in book.cells.values():
            if cell.bet == bet:
                figures.fixed_cents += cell.fixed_cents + cell.returned_cents
                figures.contributions += cell.to_meters
        fed = {
            meter.id
            for terms in book.closing.terms.values()
            for each in terms.bets
            if each.id == bet
            for meter in each.meters
        }
        for meter in fed & book.flows.keys():
            figures.resets += book.flows[meter]["primary"].house_reset
        for entry in book.awards.values():
            if entry.made.bet == bet:
                _add_award(figures, book, entry)
    return figures


def _add_wagers(figures: _Bet, book: DayBook, bet: str) -> None:
    for use in book.bets.values():
        if use.bet != bet:
            continue
        wagers, cents = use.wagers - use.voided, use.cents - use.voided_cents
        figures.wagers += wagers
        figures.cents += cents
        theory = _theory(book, bet, use.terms_version)
        if theory is None:
            figures.expected = None
            continue
        if figures.expected is not None:
            figures.expected += theory.win_cents(wagers, cents)
        squared = use.squared_cents - use.voided_squared_cents
        figures.variance += theory.variance(wagers, cents, squared)
        figures.hits_expected += wagers * sum(theory.hits.values(), start=Fraction())


def _add_award(figures: _Bet, book: DayBook, entry: AwardEntry) -> None:
    flows = flows_between(entry, book.begins, book.ends)
    if entry.made.meter is not None:
        figures.hits += flows.made - flows.voided
        figures.meter_cents += flows.amount_cents
        # A bonus is the house's; what was paid early from the rack, the meter makes good.
        figures.fixed_cents += flows.due_cents - flows.amount_cents
    else:
        # What fixed lines pay stands in the cells of the hour; here is what voids give back.
        figures.fixed_cents -= flows.voided_cents + flows.stake_back_cents


def _theory(book: DayBook, bet: str, version: int) -> BetTheory | None:
    terms = book.closing.terms.get(version)
    rules = None if terms is None else terms.bet_by_id.get(bet)
    return None if terms is None or rules is None else theory_of(terms, rules)


def _hits(context: Context, bet: str) -> list[str]:
    """Hits of every meter against what the odds expect, in words."""
    expected: dict[tuple[str, int], Fraction] = {}
    for book in context.books:
        for use in book.bets.values():
            theory = _theory(book, bet, use.terms_version) if use.bet == bet else None
            for key, chance in ({} if theory is None else theory.hits).items():
                expected[key] = expected.get(key, Fraction()) + (use.wagers - use.voided) * chance
    found: dict[tuple[str, int], int] = {}
    for book in context.books:
        for entry in book.awards.values():
            if entry.made.meter:
                flows = flows_between(entry, book.begins, book.ends)
                key = (entry.made.meter, entry.made.share_percent or 0)
                found[key] = found.get(key, 0) + flows.made - flows.voided
    return [
        f"{meter} {share} %: {found.get((meter, share), 0)} hits, "
        f"{int(number * 1000) // 1000}.{int(number * 1000) % 1000:03} expected."
        for (meter, share), number in expected.items()
    ]


def _charts(context: Context, bets: list[str]) -> list[Chart]:
    """Day by day: the win of each bet with the band that chance explains."""
    if len(context.books) < 2:
        return []
    charts = []
    for bet in bets:
        by_day = [_figures((book,), bet) for book in context.books]
        if any(day.expected is None for day in by_day):
            continue
        expected = [_microcents(day.expected or Fraction()) for day in by_day]
        low = tuple(each - 2 * day.error for each, day in zip(expected, by_day, strict=True))
        high = tuple(each + 2 * day.error for each, day in zip(expected, by_day, strict=True))
        charts.append(
            Chart(
                f"{bet}: win and theory",
                "line",
                tuple(book.day for book in context.books),
                (
                    Series("Win", tuple(day.net for day in by_day)),
                    Series("Theory", tuple(expected)),
                ),
                "microcents",
                (),
                (Band("Two standard errors", low, high),),
            )
        )
    return charts


def _microcents(cents: Fraction) -> int:
    """Half up."""
    return (2 * cents.numerator * MICROCENTS_PER_CENT + cents.denominator) // (
        2 * cents.denominator
    )


def _signed_ppm(part: int, whole: int) -> int | None:
    found = ratio_ppm(abs(part), whole)
    return found if found is None or part >= 0 else -found
