"""The process that verifies the past beside the service: `runtime.idle_process` runs it.

`hashes DATA` reads every file of every closed segment, `audit DATA` does what `progressive verify`
does. What was found is printed as `PastFindings`; the exit code is then 1. It changes nothing in
the data directory and ends with the service.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Final

import msgspec

from progressive.adapters.segments.confirming import confirm_bytes
from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.adapters.verify_process import FOUND
from progressive.application.audit.findings import Problem
from progressive.application.journal.confirming import closed_part
from progressive.application.journal.ports import JournalReader, StoreCorruptError, StoreError
from progressive.application.journal.record import JournalBrokenError
from progressive.application.journal.segments import Segment
from progressive.application.link.verifying import PastFindings
from progressive.domain.ids import LinkId
from progressive.runtime.idle_process import end_with_the_service

CANNOT: Final = 2
"""Exit code where nothing can be said about the journal."""


async def hashes(data: Path) -> PastFindings:
    """Whether every segment file is the one that was written; of each link the first that is not.

    Raises StoreError where the rows cannot be read.
    """
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


async def _confirm(journal: JournalReader, files: SegmentFiles, segment: Segment) -> None:
    try:
        confirm_bytes(files, segment)
    except StoreCorruptError:
        # Its records may have been purged since its row was read.
        rows = await journal.segments(segment.link)
        newer = next((row for row in rows if row.number == segment.number), segment)
        if newer == segment:
            raise
        confirm_bytes(files, newer)


async def audit(data: Path) -> PastFindings:
    """What `verify` finds."""
    # Not above: it imports what a terminal needs.
    from progressive.entry.commands.verify import verify
    from progressive.entry.commands.verify_result import VerifyResult

    result: VerifyResult = verify(data)
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


def _in_words(problem: Problem) -> str:
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
