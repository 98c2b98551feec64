"""What was found, as lines for people: one page, the first broken thing named."""

from collections.abc import Iterator
from typing import Final

from progressive.verifier.findings import Problem
from progressive.verifier.program.seals_text import seals_told, untried_told
from progressive.verifier.reading.found import VerifyResult
from progressive.verifier.report import LinkReport, warnings_in

_MICROCENTS_PER_CENT: Final = 1_000_000


def told(result: VerifyResult) -> Iterator[str]:
    """A result as lines for people."""
    for problem in result.file_problems:
        yield f"the store: {problem}"
    for stray in result.strays:
        yield f"the store: {stray}"
    for warning in result.warnings:
        yield f"warning: {warning}"
    if result.ok and not result.links:
        yield "the journal is empty: no link has been opened yet"
    for report in result.links:
        if report.problem is None:
            yield from _good(report)
        else:
            yield _broken(report.link, report.problem)
    if result.acts is not None:
        found = result.acts.problem
        yield f"act log: {found or f'{result.acts.records:,} records, chain ok'}"
    elif result.ok and any(not report.apart for report in result.links):
        yield "act log: none is here"


def _broken(link: str, problem: Problem) -> str:
    what = ", ".join(part for part in (problem.at, problem.type) if part)
    of = f" ({what})" if what else ""
    within = f", {problem.file}" if problem.file else ""
    return f"link {link}, record {problem.seq}{of}{within}: {problem.message}"


def _good(report: LinkReport) -> Iterator[str]:
    if report.records and report.totals is None:
        yield from _chained(report)
        return
    yield (
        f"link {report.link}: {report.records:,} records, {report.rounds:,} rounds "
        f"({report.voided:,} voided, {report.open:,} open), {report.wagers:,} wagers"
    )
    if report.records == 0 or report.totals is None:
        yield "  nothing has been recorded yet"
        return
    yield f"  from {report.first_at} to {report.last_at}"
    yield from _segments(report)
    for warning in warnings_in(report):
        yield f"  warning: {warning}"
    rows = [
        ("meter", "primary", "reset", "overflow"),
        *[
            (
                meter.id,
                exact(meter.primary_microcents),
                exact(meter.reset_microcents),
                exact(meter.overflow_microcents),
            )
            for meter in report.meters
        ],
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows if report.meters else ():
        amounts = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        yield "  ".join(["", row[0].ljust(widths[0]), *amounts])
    totals = report.totals
    yield (
        f"  in:  wagers {exact(totals.wagers_chip)} in chips, {exact(totals.wagers_coupon)} in "
        f"coupons, funding {exact(totals.funding)}"
    )
    yield (
        f"  now: meters {exact(totals.meters)}, hold {exact(totals.hold)}, refunds "
        f"{exact(totals.refunds_chip)} in chips, {exact(totals.refunds_coupon)} in coupons"
    )
    yield from _awards(report)
    if (days := report.closed_days) is not None:
        again = f", {days.restated:,} stated again" if days.restated else ""
        yield f"  days: closed from {days.first} to {days.last}{again}; totals fit the records"
    if totals.parked:
        yield f"  retired: {exact(totals.parked)} are parked"
    yield f"  chain ok, books balance to {totals.came_in - totals.lies}"
    yield f"  head {report.head}"
    yield from seals_told(report)


def _chained(report: LinkReport) -> Iterator[str]:
    """Records from the middle of a journal."""
    yield f"{report.link}: {report.records:,} records"
    yield f"  from {report.first_at} to {report.last_at}"
    yield "  chain ok; no sums are done: they need the records from the first one on"
    yield f"  head {report.head}"
    yield from untried_told(report)


def _segments(report: LinkReport) -> Iterator[str]:
    """Where the records lie, once some lie in segments."""
    segments, purged = report.segments, report.purged
    if segments is None:
        return
    yield (
        f"  {segments.count:,} {'segment' if segments.count == 1 else 'segments'} from "
        f"{segments.first_day} to {segments.last_day}, {segments.bytes:,} bytes; "
        f"{report.open_records:,} records are open"
    )
    if purged is not None:
        yield (
            f"  purged: the first {purged.count:,}, with {purged.last_seq:,} records until "
            f"{purged.last_at}; rounds, wagers and awards are counted from there on"
        )


def _awards(report: LinkReport) -> Iterator[str]:
    """What was won, and what has become of it; nothing where nobody has won yet."""
    totals, awards = report.totals, report.awards
    if totals is None or awards is None or not (awards.made or awards.corrections):
        return
    yield (
        f"  won: awards paid {exact(totals.paid)}, pending {exact(totals.pending)}, stakes "
        f"returned {exact(totals.returned)}; corrections {exact(totals.corrections)}"
    )
    yield (
        f"  awards: {awards.made:,} made, {awards.from_rack:,} of them from the rack; "
        f"{awards.pending:,} pending, {awards.validated:,} validated, {awards.paid:,} paid, "
        f"{awards.void:,} void; corrections approved: {awards.corrections:,}"
    )
    hits = [
        f"{meter.id} {meter.hits:,}" + (f" ({meter.voided_hits:,} void)" * bool(meter.voided_hits))
        for meter in awards.meters
        if meter.hits
    ]
    yield f"  hits: {', '.join(hits) or 'none'}"


def exact(amount_microcents: int) -> str:
    """An amount with all its digits: `100,000.60000000` is a hundred thousand and sixty cents.

    No currency sign: the journal holds none.
    """
    whole, fraction = divmod(abs(amount_microcents), 100 * _MICROCENTS_PER_CENT)
    return f"{'-' if amount_microcents < 0 else ''}{whole:,}.{fraction:08}"
