"""`progressive report`: any report over any days, in any format, beside a running service."""

import asyncio
import shutil
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from progressive import __version__
from progressive.adapters.clock import SystemClock
from progressive.adapters.data_directory import refuse_unusable
from progressive.adapters.day_books import FileBookCache
from progressive.adapters.happenings import FileHappenings
from progressive.adapters.reports.render import TABLE_WIDTH, TooManyRowsError
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.adapters.sqlite.sign_log_reader import open_sign_log
from progressive.application.finance.questions.asking import Question, Surroundings, context_for
from progressive.application.finance.refusals import FinanceRefusedError
from progressive.application.finance.report import Report
from progressive.application.finance.reports.context import Context
from progressive.application.finance.reports.gl_accounts import GlAccounts
from progressive.application.finance.reports.kinds import KINDS
from progressive.application.finance.reports.reconciliation import difference
from progressive.application.finance.stated.cage_file import FILE_BYTES_MAX, read_cage_file
from progressive.application.finance.stated.cage_mapping import CageMapping, in_zone, mapping_of
from progressive.application.journal.times import as_journal_time
from progressive.domain.finance_events import CageFile
from progressive.entry.finance.printing import (
    FORMATS,
    LEDGER_KIND,
    formats_of,
    printed,
    read_accounts,
    shipped_jurisdiction,
)
from progressive.runtime.out_file import naming
from progressive.runtime.plain_errors import CannotRunError, FindingError


@click.command("report")
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The service's data directory, or one that a backup was restored into.",
)
@click.option("--day", metavar="DAY", help="One gaming day, like 2026-11-17.")
@click.option("--from", "from_day", metavar="DAY", help="The first gaming day of a range …")
@click.option("--to", "to_day", metavar="DAY", help="… and the last.")
@click.option("--month", metavar="MONTH", help="All gaming days of a month so far, like 2026-11.")
@click.option("--link", help="Which link, where there are several.")
@click.option("--table", help="Only this table, where the report can be asked for one.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="The last six are for ledger programs, of `gl` only.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file; else standard output.",
)
@click.option(
    "--printed-at", metavar="TIME", help="RFC 3339; the same time gives the same bytes. Now."
)
@click.option(
    "--accounts",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file with a [gl] section: accounts of the general ledger.",
)
@click.option(
    "--cage",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Of `cage`: a CSV file of the cage's payments of --day, compared without being entered.",
)
@click.option(
    "--cage-mapping",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file with a [cage] section: which column is what. Else by the columns' names.",
)
@click.option("--fresh", is_flag=True, help="Use no stored day book: fold every record again.")
def command(
    kind: str,
    data: Path,
    day: str | None,
    from_day: str | None,
    to_day: str | None,
    month: str | None,
    link: str | None,
    table: str | None,
    form: str,
    out: Path | None,
    printed_at: str | None,
    accounts: Path | None,
    cage: Path | None,
    cage_mapping: Path | None,
    fresh: bool,
) -> None:
    """Report KIND over a gaming day, a range of days or a month, computed from the journal.

    Reads beside a running service. What was folded of a long day is stored in the data directory,
    where that can be written, so that the next report is quick; nothing else is written there.

    Exit 1 where a reconciliation does not come to zero, a day is not what was closed, or the
    journal is broken.
    """
    if form not in formats_of(kind):
        raise click.UsageError(f"--format {form} is for `{LEDGER_KIND}` only")
    if cage is not None and (kind != "cage" or day is None):
        raise click.UsageError("--cage is for `cage` of one --day only")
    if cage_mapping is not None and cage is None:
        raise click.UsageError("--cage-mapping says how --cage is to be read: give both")
    question = Question(
        kind=kind, day=day, from_day=from_day, to_day=to_day, month=month, link=link, table=table
    )
    at = printed_time(printed_at)
    refuse_unusable(data)
    around = Surroundings(
        reader=SqliteJournalReader(data, unchanged=True),
        now=SystemClock().now(),
        program=__version__,
        cache=None if fresh else FileBookCache(data),
        jurisdiction=shipped_jurisdiction,
        accounts=accounts_of(accounts),
        happenings=FileHappenings(data),
        sign_log=partial(open_sign_log, data),
        cage_file=None if cage is None else partial(_cage_file, cage, cage_mapping),
        confirming=True,
    )
    try:
        context = asyncio.run(context_for(question, around))
        report = KINDS[kind].report(context)
        body = _rendered(context, report, form, at, wide=out is None)
    except (FinanceRefusedError, TooManyRowsError) as error:
        raise CannotRunError(str(error)) from None
    if out is None:
        sys.stdout.buffer.write(body)
    else:
        with naming(out):
            out.write_bytes(body)
        click.echo(f"{out}: {len(body):,} bytes", err=True)
    _tell_findings(context)
    if kind == "reconciliation" and difference(report):
        raise FindingError(f"{report.link}: the reconciliation does not come to zero")


def _tell_findings(context: Context) -> None:
    """What is not as two people closed it, each in a line; raises FindingError."""
    findings = [*context.not_as_closed, *context.set_aside]
    for each in findings[:-1]:
        click.echo(f"{context.link}: {each}", err=True)
    if findings:
        raise FindingError(f"{context.link}: {findings[-1]}")


def accounts_of(path: Path | None) -> GlAccounts:
    """Accounts of the general ledger, as a file has them."""
    try:
        return GlAccounts() if path is None else read_accounts(path)
    except FinanceRefusedError as error:
        raise CannotRunError(str(error)) from None


def _rendered(context: Context, report: Report, form: str, at: datetime, *, wide: bool) -> bytes:
    width = TABLE_WIDTH
    if wide and sys.stdout.isatty():
        width = shutil.get_terminal_size((TABLE_WIDTH, 24)).columns
    return printed(context, report, form, at, table_width=width).body


def _cage_file(path: Path, mapping_path: Path | None, time_zone: str) -> CageFile:
    """The payments of a file; raises FinanceRefusedError."""
    mapping = CageMapping()
    if mapping_path is not None:
        mapping = mapping_of(mapping_path.read_bytes(), mapping_path.name)
    with path.open("rb") as file:
        # One more than may be: whatever is longer is refused without being read.
        body = file.read(FILE_BYTES_MAX + 1)
    return read_cage_file(body, path.name, in_zone(mapping, time_zone))


def printed_time(text: str | None) -> datetime:
    """When something is printed, as it was asked for; None: now."""
    if text is None:
        return datetime.now(UTC).replace(microsecond=0)
    at = as_journal_time(text)
    if at is None:
        raise click.BadParameter(
            f"{text!r} is not a time with its offset, like 2026-11-18T09:00:00-05:00",
            param_hint="--printed-at",
        )
    return datetime.fromisoformat(at)
