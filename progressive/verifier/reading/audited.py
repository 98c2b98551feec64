"""What an audit knows behind a closed segment, so that a later audit can go on from there.

Segments never change, and the same bytes give the same result: who reads them again and again may
pass over those that were found good. `verify` never does; the service does between two whole
audits. What is kept is never trusted further than that: where anything does not fit, or anything at
all is found wrong, the audit begins at record 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.proof.merkle import NotARangeError, Range
from progressive.verifier.reading.handover import Handover, take_over
from progressive.verifier.reading.sealed_tree import LossPlace
from progressive.verifier.reading.segment_walk import SegmentWalk
from progressive.verifier.reading.segments import Segment
from progressive.verifier.reading.stretch_walk import Surroundings, begun_behind, tree_from


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """A journal that was found good up to the end of a segment, and the state behind that."""

    link: str
    number: int
    """Of the segment."""
    last_seq: int
    head: str
    """Hash of its last record."""
    state: str
    """SHA-256 of the state behind it, which was held against the books of the audit."""
    rows: str
    """Digest of the rows of all segments up to it: the hashes of all their files are in them."""
    times_hold_from: int
    """What was remembered beside the journal and counted in the audit."""
    seals: str | None
    """Digest of the seals at the ends of those segments; None: there are none of the link."""
    tree: tuple[bytes, ...]
    """The hash tree over the records, where the link is sealed."""
    losses: tuple[LossPlace, ...]
    found: Handover
    """Without its tree."""


class KeptAudits(Protocol):
    """Where it is kept."""

    def recall(self, link: str) -> Audited | None:
        """What was kept last; None: nothing, or nothing that can be used."""
        ...

    def begins_again(self, link: str) -> None:
        """The audit begins at record 1, whatever was recalled."""
        ...

    def keep(self, audited: Audited) -> None:
        """Another segment was found good. It must never fail: an audit does not depend on it."""
        ...


def tree_of(audited: Audited) -> Range | None:
    """The hash tree behind the segment; None where the hashes are none."""
    try:
        return Range.from_hashes(audited.last_seq, audited.tree)
    except NotARangeError:
        return None


def go_on_behind(
    around: Surroundings, audited: Audited, behind: Segment, purged: Sequence[Segment]
) -> tuple[LinkAudit, SegmentWalk]:
    """The audit as it was behind a segment. Raises as `SegmentWalk.begin_behind` does."""
    audit, walk = begun_behind(around, behind, None)
    found, began_after = audited.found, purged[-1].last_seq if purged else 0
    found.holds_remembered = False
    take_over(audit, found, first_seq=began_after + 1, began_after=began_after)
    walk.go_on_with(found.purges, found.first_epoch)
    if around.seals is not None:
        tree = tree_of(audited)
        walk.tree = None if tree is None else tree_from(around.seals, tree)
        if walk.tree is not None:
            walk.tree.losses = list(audited.losses)
    return audit, walk
