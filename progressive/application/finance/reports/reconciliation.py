"""`reconciliation`: every part of every meter from its opening to its closing, by cause, to zero.

The closing is what the journal's last record names (or its flows sum to, for the hidden parts); the
recomputed one is the opening with everything worked out a second time. They must be the same.
"""

from typing import Final

from progressive.application.finance.book.day_book import currency_of
from progressive.application.finance.book.figures import CAUSES, PARTS
from progressive.application.finance.book.hours import Hours
from progressive.application.finance.book.standing import Parts
from progressive.application.finance.report import (
    Chart,
    Mark,
    Report,
    Row,
    Series,
)
from progressive.application.finance.reports.columns import columns
from progressive.application.finance.reports.context import Context, behind, made, ratio_ppm
from progressive.domain.ids import MeterId
from progressive.domain.money import MICROCENTS_PER_CENT, exact_money_text, money_text

KIND: Final = "reconciliation"
TITLE: Final = "Meter reconciliation"
CLAUSES: Final = ("N.J.A.C. 13:69D-1.34", "N.J.A.C. 13:69F-2.28(i)")

COLUMNS: Final = columns("""
    meter                       text             Meter: The meter.
    part                        text             Part: primary (displayed), reset or overflow.
    opening_microcents          microcents, sum  Opening: Before the first record.
    contributions_microcents    microcents, sum  Contributions: What wagers put there.
    void_contra_microcents      microcents, sum  Voided rounds: What voided rounds took back.
    house_initial_microcents    microcents, sum  House, initial: What the house put there when
        the meter began.
    house_reset_microcents      microcents, sum  House, resets: What the house put there at
        resets, less what voids undid.
    reserve_moved_microcents    microcents, sum  From reset meter: Moved between the reset meter
        and the displayed one.
    overflow_moved_microcents   microcents, sum  From overflow: Moved between the overflow meter
        and the displayed one.
    awards_microcents           microcents, sum  Awards: Paid or owed to winners.
    award_void_back_microcents  microcents, sum  Awards voided: Back from awards that were
        voided.
    corrections_microcents      microcents, sum  Corrections: Approved corrections against the
        house.
    transfers_microcents        microcents, sum  Transfers: Approved corrections whose legs sum
        to zero.
    retired_microcents          microcents, sum  Retired: Parked at the end of the link.
    closing_microcents          microcents, sum  Closing: After the last record.
    recomputed_microcents       microcents, sum  Recomputed: The opening with every movement
        worked out again from wagers, rates and awards.
    difference_microcents       microcents, sum, zero  Difference: Closing less recomputed: zero, to
        the microcent.
    breaks                      int, sum, zero         Breaks: Records whose amounts do not follow
        from the record before: none.
    wagers                      int              Wagers: Wagers that fed the meter.
    wager_cents                 cents            Wagered: What these wagers came to.
    rate_versions               text, width 24   Rates: Terms version: rate in ppm, for each
        that was used.
    effective_ppm               percent          Effective: Contributions by wagers, of this
        part.
    bet_effective_ppm           percent          Bet, effective: Contributions to all meters of
        the bet by its wagers.
    floor_ppm                   percent          Floor: The least that all meters of the bet
        must take.
""")


def report(context: Context) -> Report:
    """The reconciliation of a range of days."""
    rows = [_row(context, meter, part) for meter in context.meters for part in PARTS]
    return made(
        context,
        kind=KIND,
        title=TITLE,
        clauses=CLAUSES,
        columns=COLUMNS,
        rows=rows,
        notes=_notes(context, rows),
        charts=_charts(context),
    )


def difference(made_report: Report) -> bool:
    """Whether something does not add up."""
    return any(row["difference_microcents"] or row["breaks"] for row in made_report.rows) or any(
        note.startswith("DIFFERENCE") for note in made_report.notes
    )


def _row(context: Context, meter: MeterId, part: str) -> Row:
    moved = context.flows(meter, part)
    nothing = Parts()
    opening: int = getattr(context.first.opening.meters.get(meter, nothing), part)
    closing: int = getattr(context.last.closing.meters.get(meter, nothing), part)
    recomputed = opening + moved.recomputed
    uses = [use for book in context.books for use in book.rates.values() if use.meter == meter]
    cents = sum(use.wager_cents for use in uses)
    fed = part != "overflow"
    contributed = moved.contributions
    if part == "primary":
        contributed += context.flows(meter, "overflow").contributions
    by_rate = {
        use.terms_version: use.rate_ppm if part == "primary" else use.reset_rate_ppm for use in uses
    }
    return {
        "meter": meter,
        "part": part,
        "opening_microcents": opening,
        **{f"{cause}_microcents": getattr(moved, cause) for cause in CAUSES},
        "closing_microcents": closing,
        "recomputed_microcents": recomputed,
        "difference_microcents": closing - recomputed,
        "breaks": moved.breaks,
        "wagers": sum(use.wagers for use in uses) if fed else None,
        "wager_cents": cents if fed else None,
        "rate_versions": _rates(by_rate) if fed else None,
        "effective_ppm": ratio_ppm(contributed, cents * MICROCENTS_PER_CENT) if fed else None,
        "bet_effective_ppm": _bet_effective(context, meter) if part == "primary" else None,
        "floor_ppm": context.combined_min_ppm if part == "primary" else None,
        **behind(moved),
    }  # fmt: skip


def _rates(by_version: dict[int, int]) -> str:
    return ", ".join(f"{version}: {ppm}" for version, ppm in sorted(by_version.items()))


def _bet_effective(context: Context, meter: MeterId) -> int | None:
    bet = context.bet_of_meter.get(meter)
    uses = [use for book in context.books for use in book.rates.values() if use.bet == bet]
    wagered = sum(use.wager_cents for use in uses if use.meter == meter)
    taken = sum(use.primary + use.reset + use.overflow for use in uses)
    return ratio_ppm(taken, wagered * MICROCENTS_PER_CENT)


def _notes(context: Context, rows: list[Row]) -> list[str]:
    currency = currency_of(context.last)
    notes = [
        f"{use.meter}, terms {use.terms_version}: {money_text(use.wager_cents, currency)} wagered "
        f"x {use.rate_ppm} ppm = {exact_money_text(use.wager_cents * use.rate_ppm, currency)}, x "
        f"{use.reset_rate_ppm} ppm = "
        f"{exact_money_text(use.wager_cents * use.reset_rate_ppm, currency)}."
        for book in context.books
        for use in book.rates.values()
    ]
    notes = notes if len(context.books) == 1 else []
    for row in rows:
        effective, floor = row["bet_effective_ppm"], row["floor_ppm"]
        if isinstance(effective, int) and isinstance(floor, int) and effective < floor:
            clause = context.progression_clause
            notes.append(
                f"BELOW THE FLOOR: {row['meter']}: {effective} ppm, {floor} asked ({clause})."
            )
    return notes


def _charts(context: Context) -> list[Chart]:
    """The displayed meters hour by hour, hits marked."""
    places = [(book, hour) for book in context.books for hour in sorted(book.readings)]
    if len(places) < 2:
        return []
    labels = tuple(f"{book.day} +{hour}h" for book, hour in places)
    series = tuple(
        Series(meter, tuple(book.readings[hour].get(meter) for book, hour in places))
        for meter in context.meters
    )
    marks = tuple(
        Mark(place, f"{entry.made.meter} {entry.made.share_percent} %")
        for place, (book, hour) in enumerate(places)
        for entry in book.awards.values()
        if entry.made.meter is not None and entry.status != "void"
        and book.begins <= entry.at < book.ends and Hours(book.begins).hour_of(entry.at) == hour
    )  # fmt: skip
    return [Chart("Meters", "steps", labels, series, "microcents", marks)] if series else []
