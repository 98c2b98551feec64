"""`progressive verify`: replay the whole journal, name the first broken record."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from progressive.adapters.committed import read_mark, read_marks
from progressive.adapters.sqlite.journal_audit import StoredJournal, open_journal
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.adapters.sqlite.people_audit import StoredActs
from progressive.adapters.sqlite.read_only import ChangedMeanwhileError
from progressive.application.audit.act_log import ActsReport, audit_acts
from progressive.application.audit.findings import Problem, shown
from progressive.application.audit.guard import Remembered
from progressive.application.audit.link import audit_link
from progressive.application.audit.report import LinkReport, StoredLink
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError
from progressive.application.link.memory import MemoryUnreadableError
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.runtime.plain_errors import CannotRunError, in_words
from progressive.runtime.streams import print_line

PROGRESS_EVERY: Final = 5_000
"""Records between two movements of the bar: drawing must not slow the audit."""


class VerifyResult(msgspec.Struct, frozen=True):
    """What `--json` prints."""

    ok: bool
    links: tuple[LinkReport, ...]
    file_problems: tuple[str, ...]
    """What is wrong with the store itself rather than with one link's records."""
    acts: ActsReport | None = None
    """The act log, where there is one."""


@click.command("verify")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="The service's data directory.",
)
@click.option(
    "--store",
    default="sqlite",
    show_default=True,
    help="sqlite: the file in the data directory.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for machines.")
def command(data: Path | None, store: str, as_json: bool) -> None:
    """Replay the whole journal and prove it: hash chain, numbering, every amount, every award.

    Only reads: no file in the data directory is changed, made or removed. May run beside the
    service. All sums are done again from the recorded terms, wagers and cards, by code that the
    service does not use. Exits with 0, or with 1 and the first broken record of each link and of
    the act log.
    """
    if store != "sqlite":
        raise click.BadParameter(f"unknown store {store!r} (use sqlite)", param_hint="--store")
    if data is None:
        raise click.UsageError("the data directory is missing: --data DIR")
    try:
        if not data.is_dir():
            raise click.BadParameter(f"{data} is not a directory", param_hint="--data")
        result = verify(data)
    except StoreUnavailableError as error:
        raise CannotRunError(f"the journal cannot be read: {error}") from None
    except OSError as error:
        raise CannotRunError(f"the journal cannot be read: {in_words(error)}") from None
    if as_json:
        click.echo(msgspec.json.encode(result))
    else:
        for line in _told(result):
            print_line(line)
    if not result.ok:
        raise SystemExit(1)


def verify(data: Path) -> VerifyResult:
    """Everything that can be found out about the journal in a data directory.

    Changes nothing there: no byte of a file, and no file more or less.
    """
    try:
        return _verified(data)
    except ChangedMeanwhileError:
        # A service was started on files that lay still: they are read again, beside it.
        return _verified(data)


def _verified(data: Path) -> VerifyResult:
    reports: list[LinkReport] = []
    problems: list[str] = []
    # Before the journal: it grows meanwhile, and what is remembered is never ahead of it.
    marks = _remembered(data, problems)
    try:
        if marks and not (data / FILE_NAME).is_file():
            raise StoreCorruptError(f"{FILE_NAME} is gone")
        with open_journal(data) as journal, _progress() as progress:
            checking = progress.add_task("checking the file", total=None)
            problems += journal.damages()
            progress.remove_task(checking)
            problems += journal.strays()
            for row, stored in journal.links():
                reports.append(_audited(journal, row, stored, progress, marks))
    except StoreCorruptError as error:
        problems.append(str(error))
    listed = {report.link for report in reports}
    for link, mark in marks.items():
        if link not in listed:
            was = mark.place
            problems.append(
                f"there is no journal of {link}, but this data directory has committed "
                f"{was.seq:,} records of it (the last at {was.at}, hash {was.head})"
            )
    with StoredActs(data) as stored_acts:
        acts = _audited_acts(stored_acts, problems)
    return VerifyResult(
        ok=not problems
        and all(report.problem is None for report in reports)
        and (acts is None or acts.problem is None),
        links=tuple(reports),
        file_problems=tuple(problems),
        acts=acts,
    )


def _audited_acts(stored: StoredActs, problems: list[str]) -> ActsReport | None:
    try:
        if not stored.exists():
            return None
        problems += stored.damages()
        last_seq, head = stored.head()
        return audit_acts(stored.records(), last_seq=last_seq, head=head)
    except StoreCorruptError as error:
        problems.append(str(error))
        return None


def _remembered(data: Path, problems: list[str]) -> dict[str, Remembered]:
    """What the data directory remembers of its links outside the journal."""
    marks: dict[str, Remembered] = {}
    try:
        remembered = read_marks(data)
    except MemoryUnreadableError as error:
        problems.append(f"what was committed is remembered, and cannot be read: {error}")
        return marks
    for link in remembered:
        try:
            mark = read_mark(data, link)
        except MemoryUnreadableError as error:
            problems.append(f"what {link} has committed is remembered, and cannot be read: {error}")
            continue
        if mark is not None:
            marks[link] = Remembered(mark.place, mark.times_hold_from)
    return marks


def _audited(
    journal: StoredJournal,
    row: int,
    stored: StoredLink,
    progress: Progress,
    marks: Mapping[str, Remembered],
) -> LinkReport:
    total = stored.seq if isinstance(stored.seq, int) else None
    task = progress.add_task(f"link {shown(stored.link)}", total=total)
    drawn = 0

    def draw(seq: int) -> None:
        nonlocal drawn
        if seq - drawn >= PROGRESS_EVERY:
            drawn = seq
            progress.update(task, completed=seq)

    remembered = marks.get(stored.link) if isinstance(stored.link, str) else None
    report = audit_link(stored, journal.batches(row), on_progress=draw, remembered=remembered)
    progress.update(task, completed=report.records)
    return report


@contextmanager
def _progress() -> Iterator[Progress]:
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as progress:
        yield progress


# --- for people -------------------------------------------------------------------------------


def _told(result: VerifyResult) -> Iterator[str]:
    for problem in result.file_problems:
        yield f"the store: {problem}"
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


def _broken(link: str, problem: Problem) -> str:
    what = ", ".join(part for part in (problem.at, problem.type) if part)
    of = f" ({what})" if what else ""
    return f"link {link}, record {problem.seq}{of}: {problem.message}"


def _good(report: LinkReport) -> Iterator[str]:
    yield (
        f"link {report.link}: {report.records:,} records, {report.rounds:,} rounds "
        f"({report.voided:,} voided, {report.open:,} open), {report.wagers:,} wagers"
    )
    if report.records == 0 or report.totals is None:
        yield "  nothing has been recorded yet"
        return
    yield f"  from {report.first_at} to {report.last_at}"
    if report.clock_steps_back:
        times = "time" if report.clock_steps_back == 1 else "times"
        yield f"  warning: the clock went back {report.clock_steps_back:,} {times}"
    for loss in report.losses:
        first, second = loss.by
        was = "an unknown number of" if loss.remembered is None else f"{loss.remembered.seq:,}"
        yield (
            f"  warning: records are gone: {loss.found_seq:,} were found where {was} had been "
            f"committed, as {first.name} and {second.name} accepted ({loss.reason})"
        )
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
    if totals.parked:
        yield f"  retired: {exact(totals.parked)} are parked"
    yield f"  chain ok, books balance to {totals.came_in - totals.lies}"
    yield f"  head {report.head}"


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
    whole, fraction = divmod(abs(amount_microcents), 100 * MICROCENTS_PER_CENT)
    return f"{'-' if amount_microcents < 0 else ''}{whole:,}.{fraction:08}"
