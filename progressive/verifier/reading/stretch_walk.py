"""One stretch of a journal by itself: from the state before it to the state behind it.

The state before is taken as it lies there: whoever walks the stretch before has to prove it. The
state behind is proved here, with the record that confirms it. Runs in a process of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.proof.merkle import Range
from progressive.verifier.reading.handover import Handover, NotProvedError, handover_of
from progressive.verifier.reading.ports import LiveJournal, SegmentSource
from progressive.verifier.reading.sealed_tree import TreeStretch
from progressive.verifier.reading.seals import LinkSeals
from progressive.verifier.reading.segment_walk import SegmentWalk
from progressive.verifier.reading.segments import Segment
from progressive.verifier.reading.side_by_side import Walk
from progressive.verifier.report import StoredLink
from progressive.verifier.rules.guard import Remembered


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every stretch of one link needs; taken at one moment, and never changed."""

    live: LiveJournal
    source: SegmentSource
    stored: StoredLink
    remembered: Remembered | None
    saved: tuple[int, ...]
    """The records after which the journal file holds a state."""
    seals: LinkSeals | None


def tree_from(
    seals: LinkSeals | None, begun: Range, until_seq: int | None = None
) -> TreeStretch | None:
    """The tree from a place on, as far as seals ask for it; None: there are no seals."""
    if seals is None:
        return None
    wanted = [
        size
        for size in seals.sizes
        if size >= begun.end and (until_seq is None or size <= until_seq)
    ]
    return TreeStretch(begun, wanted, seals.folder)


def begun_behind(
    around: Surroundings, segment: Segment, until_seq: int | None
) -> tuple[LinkAudit, SegmentWalk]:
    """An audit that begins in the middle."""
    audit = LinkAudit(around.stored, around.remembered)
    walk = SegmentWalk(audit, around.source)
    walk.begin_behind(segment)
    walk.tree = tree_from(around.seals, Range(segment.last_seq), until_seq)
    return audit, walk


def walks_of(
    around: Surroundings, audit: LinkAudit, walk: SegmentWalk, runs: Sequence[Sequence[Segment]]
) -> list[Walk]:
    """What is to be walked by others: all but the last run. The first goes on with `audit`."""
    walks: list[Walk] = [partial(_walked, around, audit, walk, runs[0], runs[1][0])]
    for before, run, after in zip(runs, runs[1:], runs[2:], strict=False):
        walks.append(partial(_from_the_middle, around, before[-1], run, after[0]))
    return walks


def _from_the_middle(
    around: Surroundings,
    before: Segment,
    run: Sequence[Segment],
    after: Segment,
    on_progress: Callable[[int], None],
) -> Handover:
    audit, walk = begun_behind(around, before, run[-1].last_seq)
    return _walked(around, audit, walk, run, after, on_progress)


def _walked(
    around: Surroundings,
    audit: LinkAudit,
    walk: SegmentWalk,
    run: Sequence[Segment],
    after: Segment,
    on_progress: Callable[[int], None],
) -> Handover:
    begun_at = audit.seq
    for segment in run:
        for seq in [each for each in around.saved if audit.seq <= each < segment.last_seq]:
            if (body := around.live.snapshot(seq)) is not None:
                audit.expect_snapshot(seq, body)
        walk.walk(segment, lambda seq: on_progress(seq - begun_at))
    found = handover_of(audit, first_epoch=walk.first_epoch, purges=walk.purges, tree=walk.tree)
    first = around.source.first_record(after)
    if first is None:
        raise NotProvedError(f"segment {after.number} has no first record")
    # It confirms the state behind the run; it is counted where it stands.
    audit.feed(first)
    return found
