"""A folder of closed segments by itself, without the journal file that has their rows.

The indexes stand in for the rows: they say where each segment begins and ends. All sums are done,
from the first record on, or from the state behind the last segment that is not there any more.
Whether these are the files that the journal file speaks of, only the journal file can tell.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from progressive.verifier.chain import JournalBrokenError
from progressive.verifier.findings import (
    DiscrepancyError,
    FindingError,
    Problem,
    StoreCorruptError,
    shown,
)
from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.reading.data_directory import How
from progressive.verifier.reading.errors import NotReadableHereError
from progressive.verifier.reading.found import FileProblem, VerifyResult
from progressive.verifier.reading.handover import NotProvedError
from progressive.verifier.reading.opened_file import OpenedFile
from progressive.verifier.reading.seals import untried
from progressive.verifier.reading.segment_files import (
    INDEX,
    INDEX_BYTES_MAX,
    RECORDS,
    STATE,
    SegmentFiles,
)
from progressive.verifier.reading.segment_walk import SegmentWalk
from progressive.verifier.reading.segments import FileSum, Segment, decode_index
from progressive.verifier.record import GENESIS
from progressive.verifier.report import AuditedSegments, StoredLink

NEWEST_EPOCH = 1 << 62
"""Who wrote last is not known here."""


def verify_segments(folder: Path, how: How) -> VerifyResult:
    """The segments of one link."""
    try:
        segments = [_as_row(folder, path) for path in sorted(folder.glob(f"*{INDEX}"))]
    except (StoreCorruptError, JournalBrokenError) as error:
        problem = FileProblem("journal", str(error))
        return VerifyResult(ok=False, links=(), file_problems=(str(error),), files=(problem,))
    if not segments:
        raise NotReadableHereError(f"{folder} holds no index of a segment")
    total = segments[-1].last_seq
    on_progress = how.progress.begin(f"segments of {shown(segments[0].link)}", total)
    audit = LinkAudit(StoredLink(segments[0].link, NEWEST_EPOCH, total, segments[-1].head))
    # The folder of the link may have another name than the link has here.
    walk = SegmentWalk(audit, _OneFolder(folder))
    try:
        there = _begun(walk, segments, folder)
        _check_rows(segments)
        for segment in there:
            walk.walk(segment, on_progress)
        audit.books.check_balance()
        report = audit.report(None)
    except FindingError as finding:
        report = audit.report(_located(finding.problem, segments))
    except (DiscrepancyError, NotProvedError) as error:
        report = audit.report(Problem(audit.seq + 1, None, None, str(error)))
    report = replace(
        report,
        segments=_told(segments),
        open_records=0,
        apart=True,
        untried=untried(how.keys),
    )
    return VerifyResult(ok=report.problem is None, links=(report,), file_problems=())


def _located(problem: Problem, segments: Sequence[Segment]) -> Problem:
    """With the file it lies in."""
    for segment in segments:
        if problem.file is None and segment.first_seq <= problem.seq <= segment.last_seq:
            return replace(problem, file=f"{segment.name}{RECORDS}")
    return problem


class _OneFolder(SegmentFiles):
    """The files of one link, in whatever folder they lie."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._only = folder

    def _path(self, segment: Segment, part: str) -> Path:
        ending = {"records": RECORDS, "index": INDEX, "state": STATE}[part]
        return self._only / f"{segment.name}{ending}"


def _begun(walk: SegmentWalk, segments: Sequence[Segment], folder: Path) -> Sequence[Segment]:
    """Begin behind segments whose records are not there; those that are."""
    there = [each for each in segments if (folder / f"{each.name}{RECORDS}").exists()]
    if not there:
        raise FindingError(Problem(1, None, None, "no file with records is there"))
    place = segments.index(there[0])
    if place:
        walk.begin_behind(segments[place - 1])
    return segments[place:]


def _check_rows(segments: Sequence[Segment]) -> None:
    before: Segment | None = None
    for segment in segments:
        number, seq, head = (
            (segment.number, segment.first_seq, segment.prev)
            if before is None
            else (before.number + 1, before.last_seq + 1, before.head)
        )
        if before is None and segment.number == 1:
            seq, head = 1, GENESIS
        if (segment.number, segment.first_seq, segment.prev) != (number, seq, head):
            why = f"segment {number} from record {seq} on is missing, or is another one"
            raise FindingError(Problem(seq, None, None, why))
        before = segment


def _as_row(folder: Path, path: Path) -> Segment:
    with OpenedFile(path, path.name) as file:
        body = file.read_whole(INDEX_BYTES_MAX)
        index = decode_index(body or b"")
        index_sum = file.sum()
    name = path.name.removesuffix(INDEX)
    state: FileSum | None = None
    if (folder / f"{name}{STATE}").exists():
        with OpenedFile(folder / f"{name}{STATE}", f"{name}{STATE}") as file:
            state = file.sum()
    segment = Segment(
        link=index.link,
        number=index.number,
        day=index.day,
        first_seq=index.first_seq,
        last_seq=index.last_seq,
        first_at=index.first_at,
        last_at=index.last_at,
        prev=index.prev,
        head=index.head,
        records=index.records,
        index=index_sum,
        state=state,
    )
    if segment.name != name:
        raise StoreCorruptError(f"{path.name} is the index of segment {shown(segment.name)}")
    return segment


def _told(segments: Sequence[Segment]) -> AuditedSegments:
    return AuditedSegments(
        count=len(segments),
        first_day=segments[0].day,
        last_day=segments[-1].day,
        last_seq=segments[-1].last_seq,
        bytes=sum([each.records.bytes + each.index.bytes for each in segments]),
    )


def is_segment_folder(folder: Path) -> bool:
    """Whether indexes of segments lie there."""
    return next(folder.glob(f"*{INDEX}"), None) is not None
