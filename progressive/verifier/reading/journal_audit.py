"""The whole audit of one link, whatever happens meanwhile: what is broken, in which file, and why.

A journal of which segments are purged under the walk is walked again; so is one of which stretches
that were walked side by side do not join.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from progressive.verifier.findings import (
    DiscrepancyError,
    FindingError,
    Problem,
    StoreCorruptError,
)
from progressive.verifier.proof.checkpoint import Keyring
from progressive.verifier.reading.audited import KeptAudits
from progressive.verifier.reading.handover import NotProvedError
from progressive.verifier.reading.journal_walk import JournalWalk
from progressive.verifier.reading.ports import LiveJournal, SegmentSource
from progressive.verifier.reading.seals import LinkSeals
from progressive.verifier.reading.segment_rows import SegmentRows
from progressive.verifier.reading.segments import FileSum
from progressive.verifier.reading.side_by_side import can_fork
from progressive.verifier.report import LinkReport
from progressive.verifier.rules.guard import Remembered

RESTARTS_MAX: Final = 3
"""How often segments may be purged under the walk before it gives up."""

OtherFile = Callable[[FileSum], str | None]
"""Whose file has this sum, as a message names it."""
WithoutRow = Callable[[int, int], str | None]
"""The file of a segment of this number that holds this record, though no row speaks of it."""


def audit_journal(
    live: LiveJournal,
    source: SegmentSource,
    *,
    on_progress: Callable[[int], None],
    remembered: Remembered | None = None,
    other_file: OtherFile = lambda _: None,
    without_row: WithoutRow = lambda _, __: None,
    seals: LinkSeals | None = None,
    keys: Keyring | None = None,
    jobs: int = 1,
    kept: KeptAudits | None = None,
) -> LinkReport:
    """The whole audit of a link: all of its segments, and its open part.

    `seals`: as they were read before the journal. `keys`: those that the auditor trusts. `kept`:
    how far audits before this one have come; segments that they found good are passed over.
    """
    restarts, goes_on = 0, True
    if not can_fork():
        jobs = 1
    while True:
        walk = JournalWalk(
            live,
            source,
            remembered=remembered,
            on_progress=on_progress,
            seals=seals,
            keys=keys,
            jobs=jobs,
            kept=kept,
            goes_on=goes_on,
        )
        try:
            walk.run()
            return walk.report(None)
        except NotProvedError:
            jobs, goes_on = 1, False
            continue
        except FindingError as finding:
            problem = finding.problem
        except StoreCorruptError as error:
            problem = Problem(walk.seq + 1, None, None, f"cannot be read: {error}")
        except DiscrepancyError as error:
            # A state that a stretch was to begin with.
            problem = Problem(walk.seq + 1, None, None, str(error))
        finally:
            walk.close()
        if walk.is_split or walk.has_gone_on:
            # In one piece the first broken thing of all is named, whatever was kept.
            jobs, goes_on = 1, False
            continue
        restarts += 1
        if restarts > RESTARTS_MAX or not walk.was_purged_meanwhile():
            problem = _located(problem, walk.rows, source, other_file)
            return walk.report(_explained(problem, walk.rows, without_row))


def _located(
    problem: Problem, rows: SegmentRows, source: SegmentSource, other_file: OtherFile
) -> Problem:
    """With the file it lies in, and what can be said of that file as a whole."""
    if problem.file is not None:
        return problem
    segment = rows.holding(problem.seq)
    if segment is None:
        return problem
    problem = replace(problem, file=source.shown(segment, "records"))
    try:
        found = source.sum(segment)
    except StoreCorruptError:
        return problem
    if found == segment.records:
        return problem
    whose = other_file(found)
    remark = "the file is not the one that was written"
    if whose is not None:
        remark = f"the file is that of {whose}"
    return replace(problem, message=f"{problem.message}; {remark}")


def _explained(problem: Problem, rows: SegmentRows, without_row: WithoutRow) -> Problem:
    """The first record behind the segments is missing: it may lie in one whose row was removed."""
    if problem.file is not None or problem.seq != rows.last_seq + 1:
        return problem
    file = without_row(len(rows.segments) + 1, problem.seq)
    if file is None:
        return problem
    why = f"{file} holds it, and the journal file has no row of that segment that can be read"
    return replace(problem, message=f"{problem.message}; {why}")
