"""What one stretch of a journal hands over to the next, where stretches are walked side by side.

Money, rounds, awards and tables are in the state that lies between two segments: the stretch before
proves it against its own books, the stretch after begins with it. What a state does not hold is
here, and is joined in order. Whatever a walk in one piece would have refused at a seam is refused
here; nothing here says what is wrong, as the journal is then walked again in one piece.
"""

from dataclasses import dataclass, field

from progressive.verifier.findings import DiscrepancyError
from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.reading.sealed_tree import TreeStretch
from progressive.verifier.record import Record
from progressive.verifier.recorded.guard_events import ClockStepped, LossAccepted, SegmentsPurged
from progressive.verifier.rules.closed_days import Positions
from progressive.verifier.rules.purge import check_purge


class NotProvedError(Exception):
    """Stretches do not join, or one of them is not good."""


@dataclass(slots=True, kw_only=True)
class Handover:
    """A stretch that was found good, up to the record before the next one."""

    first_epoch: int
    """Of its first record; 0: it has none."""
    epoch: int
    times_hold_after: int | None
    clock_steps_back: int
    first_at: str | None
    last_at: str | None
    holds_remembered: bool
    rounds: int
    voided: int
    wagers: int
    awards_made: int
    awards_from_rack: int
    paid: int
    void: int
    corrections: int
    losses: list[LossAccepted] = field(default_factory=list)
    clock_steps: list[ClockStepped] = field(default_factory=list)
    purges: list[Record] = field(default_factory=list)
    positions: Positions = field(default_factory=Positions)
    tree: TreeStretch | None = None


def handover_of(
    audit: LinkAudit, *, first_epoch: int, purges: list[Record], tree: TreeStretch | None
) -> Handover:
    """What an audit has found so far."""
    books = audit.books
    return Handover(
        first_epoch=first_epoch,
        epoch=audit.epoch,
        times_hold_after=audit.times_hold_after,
        clock_steps_back=audit.clock_steps_back,
        first_at=audit.first_at,
        last_at=audit.last_at,
        holds_remembered=audit.holds_remembered,
        rounds=books.rounds,
        voided=books.voided,
        wagers=books.wagers,
        awards_made=books.awards_made,
        awards_from_rack=books.awards_from_rack,
        paid=books.register.paid,
        void=books.register.void,
        corrections=books.corrections.approved,
        losses=list(books.losses),
        clock_steps=list(books.clock_steps),
        purges=purges,
        positions=books.days.positions.copy(),
        tree=tree,
    )


def joined(before: Handover, after: Handover) -> Handover:
    """Two stretches as one; raises NotProvedError where they do not join."""
    if after.first_epoch and after.first_epoch < before.epoch:
        raise NotProvedError("an older epoch follows a newer one")
    if before.times_hold_after is not None and after.clock_steps_back:
        raise NotProvedError("a time goes back after it was promised that none does")
    if before.tree is not None and after.tree is not None:
        before.tree.join(after.tree)
    try:
        positions = before.positions.joined(
            after.positions, rounds=before.rounds, wagers=before.wagers, voided=before.voided
        )
    except DiscrepancyError as error:
        raise NotProvedError(str(error)) from None
    return Handover(
        first_epoch=before.first_epoch or after.first_epoch,
        epoch=max(before.epoch, after.epoch),
        times_hold_after=after.times_hold_after
        if before.times_hold_after is None
        else before.times_hold_after,
        clock_steps_back=before.clock_steps_back + after.clock_steps_back,
        first_at=before.first_at or after.first_at,
        last_at=after.last_at or before.last_at,
        holds_remembered=before.holds_remembered or after.holds_remembered,
        rounds=before.rounds + after.rounds,
        voided=before.voided + after.voided,
        wagers=before.wagers + after.wagers,
        awards_made=before.awards_made + after.awards_made,
        awards_from_rack=before.awards_from_rack + after.awards_from_rack,
        paid=before.paid + after.paid,
        void=before.void + after.void,
        corrections=before.corrections + after.corrections,
        losses=before.losses + after.losses,
        clock_steps=before.clock_steps + after.clock_steps,
        purges=before.purges + after.purges,
        positions=positions,
        tree=before.tree,
    )


def take_over(audit: LinkAudit, whole: Handover, *, first_seq: int, began_after: int) -> None:
    """Put the joined stretches into the audit of the last one, which looks at the end.

    Raises NotProvedError where purges do not follow one another.
    """
    books = audit.books
    audit.epoch, audit.times_hold_after = whole.epoch, whole.times_hold_after
    audit.clock_steps_back = whole.clock_steps_back
    audit.first_at, audit.last_at = whole.first_at, whole.last_at
    audit.holds_remembered, audit.first_seq = whole.holds_remembered, first_seq
    books.rounds, books.voided, books.wagers = whole.rounds, whole.voided, whole.wagers
    books.awards_made, books.awards_from_rack = whole.awards_made, whole.awards_from_rack
    books.register.paid, books.register.void = whole.paid, whole.void
    books.corrections.approved = whole.corrections
    books.days.positions = whole.positions
    books.losses, books.clock_steps = whole.losses, whole.clock_steps
    books.began_after = began_after
    books.purged = _newest_purge(whole.purges, began_after)


def _newest_purge(purges: list[Record], began_after: int) -> SegmentsPurged | None:
    newest: SegmentsPurged | None = None
    for record in purges:
        event = record.event
        assert isinstance(event, SegmentsPurged)  # noqa: S101 - for the type checker
        try:
            check_purge(event, record, newest, began_after=began_after)
        except DiscrepancyError:
            raise NotProvedError("a purge does not follow the one before it") from None
        newest = event
    return newest
