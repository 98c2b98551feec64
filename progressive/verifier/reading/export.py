"""An export: records of one link, one a line, as they are stored.

From the first record on, all sums are done, and seals that the auditor brought along are held
against the records. From a later one on, only what needs no past: every
record is readable and canonical, numbers and hashes join. Whether the journal goes on, nobody can
tell from an export.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from progressive.verifier.findings import (
    DiscrepancyError,
    FindingError,
    Problem,
    StoreCorruptError,
    shown,
)
from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.proof.merkle import Range
from progressive.verifier.reading.data_directory import How
from progressive.verifier.reading.errors import NotReadableHereError
from progressive.verifier.reading.found import VerifyResult
from progressive.verifier.reading.opened_file import OpenedFile, members
from progressive.verifier.reading.seal_check import Sealable, SealCheck
from progressive.verifier.reading.seals import LinkSeals, of_no_link, seals_of, untried
from progressive.verifier.reading.stretch_walk import tree_from
from progressive.verifier.record import GENESIS, glimpse, read_record, read_time
from progressive.verifier.recorded.table_events import LinkOpened
from progressive.verifier.report import LinkReport, StoredLink
from progressive.verifier.seals_report import SealsReport

LINE_BYTES_MAX: Final = 32 << 20
GZIP_MAGIC: Final = b"\x1f\x8b"
PROGRESS_EVERY: Final = 1000
"""Records between two reports."""
BEGINNING: Final = b'{"seq":'


def verify_export(path: Path, how: How) -> VerifyResult:
    """All records of a file, which may be compressed."""
    on_progress = how.progress.begin(path.name, None)
    with OpenedFile(path, path.name) as file:
        lines = _lines(file)
        first = next(lines, None)
        if first is None or not first.startswith(BEGINNING):
            raise NotReadableHereError(f"{path} holds no record")
        if first.endswith(b"\r"):
            raise NotReadableHereError(
                f"{path} has been through a program that changed its bytes (lines that end with "
                "CR LF): take the file as it was made"
            )
        walk = _Walk(first, how)
        if how.kept and not walk.whole:
            raise NotReadableHereError(
                f"--seal is about the first records of a journal: {path} begins with a later one"
            )
        report = walk.run(_watched(lines, on_progress))
    others = tuple(of_no_link(how.kept, {report.link}))
    ok = report.problem is None and not others
    report = replace(
        report, apart=True, untried=untried(how.keys) if report.seals is None else None
    )
    return VerifyResult(ok=ok, links=(report,), file_problems=others)


class _Walk:
    """One link; its name stands in its first record."""

    def __init__(self, first: bytes, how: How) -> None:
        self._first = first
        self._how = how
        self._seq, self._link = 0, "?"
        self.whole = False
        """Whether it begins with the first record of its journal."""
        try:
            record = read_record(first)
        except DiscrepancyError:
            # Whoever walks says what is wrong with it.
            self.whole = first.startswith(BEGINNING + b"1,")
        else:
            self._seq = record.seq - 1
            if record.seq == 1 and isinstance(record.event, LinkOpened):
                self._link, self.whole = record.event.link, True

    def run(self, lines: Iterator[bytes]) -> LinkReport:
        """Name the first break."""
        return self._audited(lines) if self.whole else self._chained(lines)

    def _audited(self, lines: Iterator[bytes]) -> LinkReport:
        audit = LinkAudit(StoredLink(self._link, 1, 0, GENESIS))
        kept = LinkSeals(self._link, None, tuple(seals_of(self._link, self._how.kept)))
        tree = tree_from(kept, Range()) if kept.seals else None
        sealed: SealsReport | None = None
        try:
            audit.feed(self._first)
            if tree is not None:
                tree.feed(self._first + b"\n")
            for line in lines:
                audit.feed(line)
                if tree is not None:
                    tree.feed(line + b"\n")
            # What is kept beside a journal is not in an export: it ends where it ends.
            audit.look_again(StoredLink(self._link, 1, audit.seq, audit.head))
            audit.finish()
            if tree is not None:
                books = audit.books
                journal = Sealable(audit.seq, (), 0, books.purged, books.losses, tree)
                sealed = SealCheck(kept, journal, self._how.keys).run()
        except FindingError as finding:
            return audit.report(finding.problem)
        except StoreCorruptError as error:
            return audit.report(Problem(audit.seq + 1, None, None, str(error)))
        return replace(audit.report(None), open_records=audit.seq, seals=sealed)

    def _chained(self, lines: Iterator[bytes]) -> LinkReport:
        chain = _Chain(self._seq)
        try:
            chain.feed(self._first)
            for line in lines:
                chain.feed(line)
        except FindingError as finding:
            return chain.report(finding.problem)
        except StoreCorruptError as error:
            return chain.report(Problem(chain.seq + 1, None, None, str(error)))
        return chain.report(None)


class _Chain:
    """Records from the middle of a journal: form, numbers, times and hashes."""

    def __init__(self, seq: int) -> None:
        self.seq = seq
        self._began = seq
        self._head: str | None = None
        self._first_at: str | None = None
        self._last_at: str | None = None

    def feed(self, stored: bytes) -> None:
        """The next record."""
        seq = self.seq + 1
        try:
            record = read_record(stored)
            read_time(record.at)
            if record.seq != seq:
                raise DiscrepancyError(f"missing: record {shown(record.seq)} stands in its place")
            if self._head is not None and record.prev != self._head:
                raise DiscrepancyError(
                    f"does not follow record {self.seq}: one of the two has been changed"
                )
        except DiscrepancyError as error:
            at, kind = glimpse(stored)
            raise FindingError(Problem(seq, at, kind, str(error))) from None
        self.seq, self._head = seq, sha256(stored).hexdigest()
        self._first_at = self._first_at or record.at
        self._last_at = record.at

    def report(self, problem: Problem | None) -> LinkReport:
        """Without sums: the past that they need is not here."""
        return LinkReport(
            link=f"records from {self._began + 1:,} on",
            records=self.seq - self._began,
            head=self._head or "",
            rounds=0,
            voided=0,
            open=0,
            wagers=0,
            first_at=self._first_at,
            last_at=self._last_at,
            clock_steps_back=0,
            meters=(),
            totals=None,
            awards=None,
            problem=problem,
        )


def _watched(lines: Iterator[bytes], on_progress: Callable[[int], None]) -> Iterator[bytes]:
    for number, line in enumerate(lines, 2):
        yield line
        if not number % PROGRESS_EVERY:
            on_progress(number)


def _lines(file: OpenedFile) -> Iterator[bytes]:
    """Lines without their newlines; raises StoreCorruptError where the last one is cut off."""
    rest = b""
    for piece in _pieces(file):
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > LINE_BYTES_MAX:
            raise StoreCorruptError(f"a line has more than {LINE_BYTES_MAX:,} bytes")
        yield from lines
    if rest:
        raise StoreCorruptError("does not end with a newline: the file was cut off")


def _pieces(file: OpenedFile) -> Iterator[bytes]:
    if file.again(0, 2) == GZIP_MAGIC:
        for member in members(file):
            yield member.body
            if member.trouble is not None:
                raise StoreCorruptError(member.trouble)
        return
    while chunk := file.read():
        yield chunk
