"""Keeps how far the audit of a link has come, and says where a later one may go on.

Kept is what the audit itself has arrived at, once the record behind a segment has confirmed the
state there. What is recalled must be of this very journal: of these rows, these seals, and what is
remembered beside them.
"""

from hashlib import sha256
from typing import Final

from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.reading.audited import Audited, KeptAudits, tree_of
from progressive.verifier.reading.handover import handover_of
from progressive.verifier.reading.sealed_tree import TreeStretch
from progressive.verifier.reading.seals import LinkSeals
from progressive.verifier.reading.segment_rows import SegmentRows
from progressive.verifier.reading.segment_walk import SegmentWalk
from progressive.verifier.reading.segments import Segment
from progressive.verifier.report import StoredLink
from progressive.verifier.rules.guard import Remembered

KEPT_EVERY: Final = 4
"""Segments: what is walked again where the process is ended in between."""


class LinkProgress:
    """Keeps how far the audit of one link has come, and knows where it may go on."""

    def __init__(
        self,
        kept: KeptAudits,
        stored: StoredLink,
        *,
        remembered: Remembered | None,
        seals: LinkSeals | None,
        rows: SegmentRows,
    ) -> None:
        self._kept = kept
        self._stored = stored
        self._remembered = remembered
        self._seals = seals
        self._rows = rows
        self._last = 0
        """The newest segment to be kept: seals are known up to the first look only."""
        self._done = 0
        self._pending: Audited | None = None

    def begin(self) -> None:
        """Once the segments of the first look are known."""
        self._last = len(self._rows.segments)

    # --- where to go on ----------------------------------------------------------------------

    def known(self, purged: int, *, goes_on: bool) -> Audited | None:
        """What was kept, where it is of this very journal. `purged`: how many segments are.

        `goes_on`: False where it must not be used.
        """
        link = self._stored.link
        if not isinstance(link, str):
            return None
        audited = self._kept.recall(link) if goes_on else None
        if audited is None or not self._fits(audited, purged):
            self._kept.begins_again(link)
            return None
        self._done = audited.number
        return audited

    def _fits(self, audited: Audited, purged: int) -> bool:
        if not purged < audited.number <= len(self._rows.segments):
            return False
        behind = self._rows.segments[audited.number - 1]
        state = None if behind.state is None else behind.state.sha256
        newest = self._stored.epoch
        return (
            (audited.link, audited.last_seq, audited.head, audited.state)
            == (behind.link, behind.last_seq, behind.head, state)
            and audited.rows == self._rows.digest(audited.number)
            # What the records before it were held against, and where they were to hold more.
            and audited.times_hold_from == self._times_hold_from
            and self._remembers_behind(audited.last_seq)
            and isinstance(newest, int)
            and audited.found.epoch <= newest
            and audited.seals == self._seals_of(audited.number, None)
            and (audited.seals is None or tree_of(audited) is not None)
        )

    @property
    def _times_hold_from(self) -> int:
        return 0 if self._remembered is None else self._remembered.times_hold_from

    def _remembers_behind(self, seq: int) -> bool:
        """Whether the record that is remembered beside the journal is still to come."""
        return self._remembered is None or self._remembered.place.seq > seq

    # --- what is kept ------------------------------------------------------------------------

    def ended(self, segment: Segment, audit: LinkAudit, walk: SegmentWalk) -> None:
        """A segment was walked. The record behind it has still to confirm the state."""
        number, state = segment.number, segment.state
        due = number == self._last or number - self._done >= KEPT_EVERY
        if number > self._last or not due or state is None or audit.seq != segment.last_seq:
            return
        tree = walk.tree
        if self._seals is not None and (tree is None or tree.other_subtree is not None):
            return
        self._done = number
        found = handover_of(
            audit, first_epoch=walk.first_epoch, purges=list(walk.purges), tree=None
        )
        self._pending = Audited(
            link=segment.link,
            number=number,
            last_seq=segment.last_seq,
            head=segment.head,
            state=state.sha256,
            rows=self._rows.digest(number),
            times_hold_from=self._times_hold_from,
            seals=self._seals_of(number, tree),
            tree=() if tree is None else tuple(tree.tree.hashes),
            losses=() if tree is None else tuple(tree.losses),
            found=found,
        )

    def confirm(self, audit: LinkAudit) -> None:
        """Keep what was found, once a good record has confirmed the state behind it."""
        pending = self._pending
        if pending is not None and audit.has_confirmed(pending.last_seq):
            self._pending = None
            self._kept.keep(pending)

    def _seals_of(self, number: int, tree: TreeStretch | None) -> str | None:
        """Sizes and roots of the seals at the ends of segments: those of the records, where the
        tree over them was worked out, else those that the seals say."""
        if self._seals is None:
            return None
        ends = {segment.last_seq for segment in self._rows.segments[:number]}
        found = {
            (each.checkpoint.size, each.checkpoint.root.hex())
            for each in self._seals.seals
            if each.checkpoint is not None and each.checkpoint.size in ends
        }
        if tree is not None:
            found = {
                (size, tree.at[size].root().hex() if size in tree.at else root)
                for size, root in found
            }
        return sha256(repr(sorted(found)).encode()).hexdigest()
