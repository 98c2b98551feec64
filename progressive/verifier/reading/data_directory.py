"""Everything that can be found out about a data directory: journals, act log, what is remembered.

Nothing there is changed: no byte of a file, and no file more or less. Files of a backup lie in two
places; they are read where they lie.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from progressive.verifier.findings import FindingError, StoreCorruptError, shown
from progressive.verifier.proof.checkpoint import Keyring
from progressive.verifier.reading.audited import KeptAudits
from progressive.verifier.reading.errors import ChangedMeanwhileError, StoreUnavailableError
from progressive.verifier.reading.found import FileProblem, Progress, Unwatched, VerifyResult
from progressive.verifier.reading.journal_audit import audit_journal
from progressive.verifier.reading.journal_file import FILE_NAME, StoredJournal, open_journal
from progressive.verifier.reading.marks import MarkUnreadableError, marked_links, read_mark
from progressive.verifier.reading.people_file import StoredActs
from progressive.verifier.reading.seals import StoredSeal, of_no_link, read_seals, sealed_links
from progressive.verifier.reading.segment_files import FOLDER, SegmentFiles
from progressive.verifier.reading.segment_rows import SegmentRows
from progressive.verifier.reading.segments import FileSum, decode_segment
from progressive.verifier.reading.strays import (
    Strays,
    file_without_row,
    names_of_link,
    strays_among_links,
    strays_of_link,
)
from progressive.verifier.recorded.decoder import UnreadableError
from progressive.verifier.report import LinkReport, StoredLink
from progressive.verifier.rules.act_log import ActsReport, audit_acts
from progressive.verifier.rules.guard import Remembered

NO_BATCHES: Final = 1 << 62
"""A look behind this record sees no batch."""


@dataclass(frozen=True, slots=True)
class DataPlace:
    """Where the files of a data directory lie."""

    folder: Path
    segments: Path
    shared: bool = False
    """Whether the folder of segments holds those of other backups too: strays mean nothing then."""


def data_place(folder: Path) -> DataPlace:
    """A data directory itself."""
    return DataPlace(folder, folder / FOLDER)


@dataclass(frozen=True, slots=True)
class How:
    """How a place is verified."""

    keys: Keyring | None = None
    """Those that the auditor trusts; None: signatures are not checked."""
    kept: tuple[StoredSeal, ...] = ()
    """Seals that the auditor took away at some time: the journal must still be the one of then."""
    jobs: int = 1
    """Processes."""
    progress: Progress = field(default_factory=Unwatched)
    audits: KeptAudits | None = None
    """How far earlier audits have come; None: every record is read. Only for the service."""


def verify_data(place: DataPlace, how: How) -> VerifyResult:
    """The whole audit. Raises StoreUnavailableError, OSError where something cannot be read."""
    try:
        return _verified(place, how)
    except ChangedMeanwhileError:
        # A service was started on a file that had to be copied: it is read again, beside it.
        return _verified(place, how)


def _verified(place: DataPlace, how: How) -> VerifyResult:
    reports: list[LinkReport] = []
    problems: list[FileProblem] = []
    strays: list[Strays] = []
    # Before the journal: it grows meanwhile, and what is remembered is never ahead of it.
    marks = _remembered(place.folder, problems)
    sealed = sealed_links(place.folder)
    try:
        if not (place.folder / FILE_NAME).is_file():
            if (place.folder / FILE_NAME).exists():
                raise StoreCorruptError(f"{FILE_NAME} is no file")
            if marks:
                raise StoreCorruptError(f"{FILE_NAME} is gone")
        with open_journal(place.folder) as journal:
            how.progress.begin("checking the file", None)
            problems += [FileProblem("journal", each) for each in journal.damages()]
            problems += [FileProblem("journal", each) for each in journal.strays()]
            links = journal.links()
            verifying = _Verifying(place, journal, how, marks)
            for row, stored in links:
                reports.append(verifying.link(row, stored))
                if not place.shared:
                    strays.append(verifying.strays(row, stored, reports[-1]))
            if not place.shared:
                strays.append(strays_among_links(place.segments, [each.link for _, each in links]))
    except StoreCorruptError as error:
        problems.append(FileProblem("journal", str(error)))
    listed = {report.link for report in reports}
    problems += [_gone(link, mark) for link, mark in marks.items() if link not in listed]
    problems += [
        FileProblem(
            "link", f"there is no journal of {shown(link)}, but seals of it lie there", link
        )
        for link in sealed
        if link not in listed
    ]
    problems += [FileProblem("link", each) for each in of_no_link(how.kept, listed)]
    with StoredActs(place.folder) as stored_acts:
        acts = _audited_acts(stored_acts, problems)
    return _result(reports, problems, strays, acts)


def _result(
    reports: list[LinkReport],
    problems: list[FileProblem],
    strays: list[Strays],
    acts: ActsReport | None,
) -> VerifyResult:
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


def _gone(link: str, mark: Remembered) -> FileProblem:
    was = mark.place
    message = (
        f"there is no journal of {link}, but this data directory has committed "
        f"{was.seq:,} records of it (the last at {was.at}, hash {was.head})"
    )
    return FileProblem("link", message, link)


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
        links = marked_links(data)
    except MarkUnreadableError as error:
        _refuse_without_rights(error)
        unread = f"what was committed is remembered, and cannot be read: {error}"
        problems.append(FileProblem("journal", unread))
        return marks
    for link in links:
        try:
            mark = read_mark(data, link)
        except MarkUnreadableError as error:
            _refuse_without_rights(error)
            unread = f"what {link} has committed is remembered, and cannot be read: {error}"
            problems.append(FileProblem("link", unread, link))
            continue
        if mark is not None:
            marks[link] = mark
    return marks


def _refuse_without_rights(error: MarkUnreadableError) -> None:
    """Nothing is wrong with what this user may not read."""
    if isinstance(error.cause, PermissionError):
        raise StoreUnavailableError(str(error)) from None


class _Verifying:
    """The links of one data directory, one after another."""

    def __init__(
        self,
        place: DataPlace,
        journal: StoredJournal,
        how: How,
        marks: Mapping[str, Remembered],
    ) -> None:
        self._place = place
        self._journal = journal
        self._how = how
        self._marks = marks

    def link(self, row: int, stored: StoredLink) -> LinkReport:
        """The whole audit of a link."""
        total = stored.seq if isinstance(stored.seq, int) else None
        remembered = self._marks.get(stored.link) if isinstance(stored.link, str) else None
        # Before the journal, as it grows meanwhile.
        seals = read_seals(self._place.folder, stored.link, self._how.kept)
        return audit_journal(
            self._journal.live(row),
            SegmentFiles(self._place.segments),
            on_progress=self._how.progress.begin(f"link {shown(stored.link)}", total),
            remembered=remembered,
            other_file=self._whose,
            without_row=partial(file_without_row, self._place.segments, stored.link),
            seals=seals,
            keys=self._how.keys,
            jobs=self._how.jobs,
            kept=self._how.audits,
        )

    def strays(self, row: int, stored: StoredLink, report: LinkReport) -> Strays:
        """Files in the folder of a link that belong to no segment of it."""
        live, folder = self._journal.live(row), self._place.segments
        while True:
            names = names_of_link(folder, stored.link)
            rows = SegmentRows(stored.link)
            now = live.look(after=NO_BATCHES).segments
            try:
                rows.take(now)
            except FindingError:
                return Strays([], [])
            if rows.is_behind(now):
                # The report says what is wrong with a row: what belongs to it is not known.
                return Strays([], [])
            found = strays_of_link(folder, report.link, names, rows.segments, live)
            if not found.problems or not rows.is_behind(live.look(after=NO_BATCHES).segments):
                return found
            # A segment was adopted while its files were looked at.

    def _whose(self, found: FileSum) -> str | None:
        for body in self._journal.segment_bodies():
            try:
                segment = decode_segment(body)
            except UnreadableError:
                continue
            if segment.records == found:
                return f"segment {segment.name} of link {shown(segment.link)}"
        return None
