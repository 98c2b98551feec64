"""Whether the oldest part of a journal may go: two departments, old enough, nothing open in it."""

from progressive.domain.acts import PurgeSegments
from progressive.domain.decide.locked_in import locked_in
from progressive.domain.decide.retire import DAY_SECONDS
from progressive.domain.guard_events import SegmentsPurged
from progressive.domain.people.names import same_department, same_person
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.signatures import Signature
from progressive.domain.state.link_state import LinkState
from progressive.domain.time_text import Moment, later


def purge_segments(state: LinkState, act: PurgeSegments, when: Moment) -> SegmentsPurged | Refusal:
    """The second person agrees: from this record on, the segments count as removed."""
    if (refusal := too_near_to_purge(*act.by)) is not None:
        return refusal
    allowed_at = later(act.last_at, seconds=act.retention_days * DAY_SECONDS)
    if when.at < allowed_at:
        return Refusal(
            Rejection.WRONG_STATUS,
            f"the records up to {act.last_at} are kept for {act.retention_days} days "
            f"({act.clause}): they may be purged from {allowed_at} on",
        )
    if (why := _needed(state, act.last_seq)) is not None:
        return Refusal(Rejection.WRONG_STATUS, why)
    return SegmentsPurged(
        first_number=act.first_number,
        last_number=act.last_number,
        first_seq=act.first_seq,
        last_seq=act.last_seq,
        prev=act.prev,
        head=act.head,
        days=act.days,
        last_at=act.last_at,
        retention_days=act.retention_days,
        clause=act.clause,
        reason=act.first_reason,
        second_reason=act.reason,
        by=act.by,
        kept=act.kept,
        meters=state.primaries,
    )


def too_near_to_purge(first: Signature, second: Signature) -> Refusal | None:
    """Why the second person cannot complete what the first proposed; None where all is well."""
    if same_person(second, first):
        return Refusal(
            Rejection.SAME_PERSON, f"{second.name} proposed it: it takes a second person"
        )
    if same_department(second, first):
        return Refusal(
            Rejection.SAME_DEPARTMENT, f"{second.name} and {first.name} are of one department"
        )
    return None


def _needed(state: LinkState, last_seq: int) -> str | None:
    """What somebody still has to do with these records, or None."""
    for name, award in state.awards.items():
        if not award.final and award.journal_seq <= last_seq:
            return f"award {name} is {award.status}: pay or void it first"
    for table, at_table in state.tables.items():
        if at_table.round is not None and locked_in(at_table) <= last_seq:
            return f"round {at_table.round.round} is open at {table}: settle or void it first"
    if state.corrections:
        return f"correction {next(iter(state.corrections))} waits: decide about it first"
    if state.terms_proposed is not None:
        return "another floor file is proposed: approve it first, or put the old one back"
    if state.retirement is not None:
        return "the end of the link is proposed: decide about it first"
    return None
