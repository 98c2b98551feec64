"""All reports of the day, in all formats; the general ledger also for its programs."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from progressive.adapters.reports.ledgers.batch import Batch
from progressive.adapters.reports.ledgers.programs import PROGRAMS
from progressive.adapters.reports.render import FORMATS, TooManyRowsError, file_name, render
from progressive.application.finance.questions.asking import Asked, Surroundings, context_of
from progressive.application.finance.report import Report
from progressive.application.finance.reports.context import Context
from progressive.application.finance.reports.gl import ledger
from progressive.application.finance.reports.kinds import KINDS

_LEDGER: Final = "gl"
_PLAIN_TEXT: Final = ("beancount", "hledger")
"""Ledger programs whose files have their name as ending; all others read CSV."""


async def reports_of(asked: Asked, around: Surroundings) -> dict[str, Report]:
    """One of every kind there is, from one and the same state of the journal."""
    return {
        kind: each.report(await context_of(kind, asked, around)) for kind, each in KINDS.items()
    }


def report_files(
    context: Context, reports: dict[str, Report], printed: datetime, left_out: list[str]
) -> Iterator[tuple[str, bytes]]:
    """Names and contents. What a format cannot hold is told in `left_out`."""
    for kind, report in reports.items():
        for form in FORMATS:
            try:
                body = render(report, form, printed)
            except TooManyRowsError as error:
                left_out.append(f"{kind} as {form}: {error}")
                continue
            yield f"reports/{file_name(report, form)}", body
        if kind == _LEDGER:
            yield from _ledgers(context, report, printed)


def _ledgers(context: Context, report: Report, printed: datetime) -> Iterator[tuple[str, bytes]]:
    batch = Batch(
        days=tuple(ledger(context)),
        accounts=context.accounts,
        currency=report.currency,
        created=printed.date().isoformat(),
        head=report.journal.head,
    )
    stem = file_name(report, "json").removesuffix(".json")
    for program, writer in PROGRAMS.items():
        if program in _PLAIN_TEXT:
            yield f"reports/{stem}.{program}", writer(batch)
        else:
            name = stem.replace(_LEDGER, f"{_LEDGER}-{program}", 1)
            yield f"reports/{name}.csv", writer(batch)
