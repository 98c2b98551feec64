"""The process that verifies the past beside the service: `runtime.idle_process` runs it.

`hashes DATA` reads every file of every closed segment, `audit DATA` does what `progressive verify`
does; closed segments that an audit found good before are passed over until the next whole one. What
was found is printed as `PastFindings`; the exit code is then 1. It changes nothing in the data
directory but what it remembers of itself (`adapters.kept_audits`), and ends with the service.
"""

import asyncio
import hashlib
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from progressive.adapters.kept_audits import FileAudits
from progressive.adapters.verify_process import FOUND
from progressive.application.journal.ports import (
    JournalReader,
    StoreCorruptError,
    StoreError,
    StoreUnavailableError,
)
from progressive.application.link.verifying import PastFindings
from progressive.domain.ids import LinkId
from progressive.runtime.idle_process import end_with_the_service

if TYPE_CHECKING:
    from progressive.adapters.segments.files import SegmentFiles
    from progressive.application.journal.segments import Segment
    from progressive.verifier.findings import Problem

# Each part imports what it needs when it runs: with the rests that this process takes, a tenth of a
# second of imports takes ten.

CANNOT: Final = 2
"""Exit code where nothing can be said about the journal."""


def program_digest() -> str:
    """Of the auditor's program: another version may find what this one does not."""
    from progressive.entry.verifier_file import verifier_file

    return hashlib.sha256(verifier_file()).hexdigest()


def _now() -> datetime:
    return datetime.now(UTC)


async def hashes(data: Path) -> PastFindings:
    """Whether every segment file is the one that was written; of each link the first that is not.

    Raises StoreError where the rows cannot be read.
    """
    from progressive.adapters.segments.files import SegmentFiles
    from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
    from progressive.application.journal.confirming import closed_part
    from progressive.application.journal.record import JournalBrokenError

    journal = SqliteJournalReader(data, unchanged=True)
    files = SegmentFiles(data)
    found: dict[LinkId, str] = {}
    for link in await journal.links():
        try:
            closed = closed_part(link, await journal.segments(link))
            # Newest first, as they are asked for most.
            for segment in reversed(closed.segments):
                await _confirm(journal, files, segment)
        except (StoreCorruptError, JournalBrokenError) as error:
            found[link] = str(error)
    return PastFindings(links=found)


async def _confirm(journal: JournalReader, files: "SegmentFiles", segment: "Segment") -> None:
    from progressive.adapters.segments.confirming import confirm_bytes

    try:
        confirm_bytes(files, segment)
    except StoreCorruptError:
        # Its records may have been purged since its row was read.
        rows = await journal.segments(segment.link)
        newer = next((row for row in rows if row.number == segment.number), segment)
        if newer == segment:
            raise
        confirm_bytes(files, newer)


async def audit(data: Path, *, now: Callable[[], datetime] = _now) -> PastFindings:
    """What `verify` finds, in what no audit has found good before."""
    from progressive.entry.commands.past_audits import PastAudits
    from progressive.verifier.reading import errors
    from progressive.verifier.reading.data_directory import How, data_place, verify_data

    audits = PastAudits(FileAudits(data, verifier=program_digest(), now=now))
    try:
        result = verify_data(data_place(data), How(audits=audits))
    except errors.StoreUnavailableError as error:
        raise StoreUnavailableError(str(error)) from None
    for report in result.links:
        audits.ended(report.link, good=report.problem is None)
    links = {
        LinkId(report.link): _in_words(report.problem)
        for report in result.links
        if report.problem is not None
    }
    others = list(result.strays)
    if result.acts is not None and result.acts.problem is not None:
        others.append(f"the act log: {result.acts.problem}")
    of_file = []
    for problem in result.files:
        if problem.about == "link":
            links.setdefault(LinkId(problem.link or ""), problem.message)
        elif problem.about == "people":
            others.append(problem.message)
        else:
            of_file.append(problem.message)
    return PastFindings(
        links=links,
        file="; ".join(of_file) or None,
        others=tuple(others),
    )


def _in_words(problem: "Problem") -> str:
    where = "" if problem.file is None else f"{problem.file}, "
    return f"{where}record {problem.seq:,}: {problem.message}"


def main(arguments: list[str]) -> int:
    """Do one part; the exit code."""
    end_with_the_service()
    part, data = arguments
    try:
        findings = asyncio.run({"hashes": hashes, "audit": audit}[part](Path(data)))
    except (StoreError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return CANNOT
    sys.stdout.buffer.write(msgspec.json.encode(findings))
    sys.stdout.buffer.flush()
    return FOUND if len(findings) else 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    # A thread of a reader that was broken off must not hold the process up.
    os._exit(code)
