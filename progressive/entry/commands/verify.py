"""`progressive verify`: replay the whole journal, name the first broken record."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from progressive.adapters.committed import read_mark, read_marks
from progressive.adapters.data_directory import refuse_unusable
from progressive.adapters.segments.audit import AuditedFiles
from progressive.adapters.segments.strays import (
    Strays,
    file_without_row,
    names_of_link,
    strays_among_links,
    strays_of_link,
)
from progressive.adapters.sqlite.journal_audit import StoredJournal, open_journal
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.adapters.sqlite.people_audit import StoredActs
from progressive.adapters.sqlite.read_only import ChangedMeanwhileError
from progressive.application.audit.act_log import ActsReport, audit_acts
from progressive.application.audit.findings import FindingError, shown
from progressive.application.audit.guard import Remembered
from progressive.application.audit.journal_walk import audit_journal
from progressive.application.audit.report import LinkReport, StoredLink
from progressive.application.audit.segment_rows import SegmentRows
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError
from progressive.application.journal.segments import FileSum, Segment
from progressive.application.link.memory import MemoryUnreadableError
from progressive.domain.ids import LinkId
from progressive.entry.commands.verify_result import FileProblem, VerifyResult, told
from progressive.runtime.plain_errors import CannotRunError, in_words
from progressive.runtime.streams import print_line

NO_BATCHES: Final = 1 << 62
"""A look behind this record sees no batch."""
PROGRESS_EVERY: Final = 5_000
"""Records between two movements of the bar: drawing must not slow the audit."""


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
        refuse_unusable(data)
        result = verify(data)
    except StoreUnavailableError as error:
        raise CannotRunError(f"the journal cannot be read: {error}") from None
    except OSError as error:
        raise CannotRunError(f"the journal cannot be read: {in_words(error)}") from None
    if as_json:
        click.echo(msgspec.json.encode(result))
    else:
        for line in told(result):
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
        # A service was started on a file that had to be copied: it is read again, beside it.
        return _verified(data)


def _verified(data: Path) -> VerifyResult:
    reports: list[LinkReport] = []
    problems: list[FileProblem] = []
    strays: list[Strays] = []
    # Before the journal: it grows meanwhile, and what is remembered is never ahead of it.
    marks = _remembered(data, problems)
    try:
        if marks and not (data / FILE_NAME).is_file():
            raise StoreCorruptError(f"{FILE_NAME} is gone")
        with open_journal(data) as journal, _progress() as progress:
            checking = progress.add_task("checking the file", total=None)
            problems += [FileProblem("journal", each) for each in journal.damages()]
            progress.remove_task(checking)
            problems += [FileProblem("journal", each) for each in journal.strays()]
            links = journal.links()
            verifying = _Verifying(data, journal, progress, marks)
            for row, stored in links:
                reports.append(verifying.link(row, stored))
                strays.append(verifying.strays(row, stored, reports[-1]))
            strays.append(strays_among_links(data, [stored.link for _, stored in links]))
    except StoreCorruptError as error:
        problems.append(FileProblem("journal", str(error)))
    listed = {report.link for report in reports}
    for link, mark in marks.items():
        if link not in listed:
            was = mark.place
            gone = (
                f"there is no journal of {link}, but this data directory has committed "
                f"{was.seq:,} records of it (the last at {was.at}, hash {was.head})"
            )
            problems.append(FileProblem("link", gone, link))
    with StoredActs(data) as stored_acts:
        acts = _audited_acts(stored_acts, problems)
    stray_problems = tuple([each for found in strays for each in found.problems])
    return VerifyResult(
        ok=not problems
        and not stray_problems
        and all(report.problem is None for report in reports)
        and (acts is None or acts.problem is None),
        links=tuple(reports),
        file_problems=tuple([each.message for each in problems]),
        acts=acts,
        strays=stray_problems,
        warnings=tuple([each for found in strays for each in found.warnings]),
        files=tuple(problems),
    )


def _audited_acts(stored: StoredActs, problems: list[FileProblem]) -> ActsReport | None:
    try:
        if not stored.exists():
            return None
        problems += [FileProblem("people", each) for each in stored.damages()]
        last_seq, head = stored.head()
        return audit_acts(stored.records(), last_seq=last_seq, head=head)
    except StoreCorruptError as error:
        problems.append(FileProblem("people", str(error)))
        return None


def _remembered(data: Path, problems: list[FileProblem]) -> dict[str, Remembered]:
    """What the data directory remembers of its links outside the journal."""
    marks: dict[str, Remembered] = {}
    try:
        remembered = read_marks(data)
    except MemoryUnreadableError as error:
        _refuse_without_rights(error)
        unread = f"what was committed is remembered, and cannot be read: {error}"
        problems.append(FileProblem("journal", unread))
        return marks
    for link in remembered:
        try:
            mark = read_mark(data, link)
        except MemoryUnreadableError as error:
            _refuse_without_rights(error)
            unread = f"what {link} has committed is remembered, and cannot be read: {error}"
            problems.append(FileProblem("link", unread, link))
            continue
        if mark is not None:
            marks[link] = Remembered(mark.place, mark.times_hold_from)
    return marks


def _refuse_without_rights(error: MemoryUnreadableError) -> None:
    """Nothing is wrong with what this user may not read."""
    if isinstance(error.__cause__, PermissionError):
        raise StoreUnavailableError(str(error)) from None


class _Verifying:
    """The links of one data directory, one after another."""

    def __init__(
        self,
        data: Path,
        journal: StoredJournal,
        progress: Progress,
        marks: Mapping[str, Remembered],
    ) -> None:
        self._data = data
        self._journal = journal
        self._progress = progress
        self._marks = marks

    def link(self, row: int, stored: StoredLink) -> LinkReport:
        """The whole audit of a link."""
        total = stored.seq if isinstance(stored.seq, int) else None
        task = self._progress.add_task(f"link {shown(stored.link)}", total=total)
        drawn = 0

        def draw(seq: int) -> None:
            nonlocal drawn
            if seq - drawn >= PROGRESS_EVERY:
                drawn = seq
                self._progress.update(task, completed=seq)

        remembered = self._marks.get(stored.link) if isinstance(stored.link, str) else None
        report = audit_journal(
            self._journal.live(row),
            AuditedFiles(self._data),
            on_progress=draw,
            remembered=remembered,
            other_file=self._whose,
            without_row=partial(file_without_row, self._data, stored.link),
        )
        self._progress.update(task, completed=report.records)
        return report

    def strays(self, row: int, stored: StoredLink, report: LinkReport) -> Strays:
        """Files in the folder of a link that belong to no segment of it."""
        live = self._journal.live(row)
        while True:
            names = names_of_link(self._data, stored.link)
            rows = SegmentRows(stored.link)
            now = live.look(after=NO_BATCHES).segments
            try:
                rows.take(now)
            except FindingError:
                return Strays([], [])
            if rows.is_behind(now):
                # The report says what is wrong with a row: what belongs to it is not known.
                return Strays([], [])
            found = strays_of_link(self._data, LinkId(report.link), names, rows.segments, live)
            if not found.problems or not rows.is_behind(live.look(after=NO_BATCHES).segments):
                return found
            # A segment was adopted while its files were looked at.

    def _whose(self, found: FileSum) -> str | None:
        for body in self._journal.segment_bodies():
            try:
                segment = msgspec.json.decode(body, type=Segment)  # type: ignore[call-overload]
            except (msgspec.DecodeError, TypeError, UnicodeDecodeError):
                continue
            if segment.records == found:
                return f"segment {segment.name} of link {shown(segment.link)}"
        return None


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
