"""What a report says of the closed segments of a link: how many, of which days, how large."""

from collections.abc import Sequence

from progressive.verifier.reading.segments import Segment
from progressive.verifier.report import AuditedSegments, PurgedSegments


def told_segments(segments: Sequence[Segment]) -> AuditedSegments:
    """Segments of a link, in one line."""
    sums = [each.index.bytes + (each.state.bytes if each.state else 0) for each in segments]
    sums += [each.records.bytes for each in segments if each.purged is None]
    return AuditedSegments(
        count=len(segments),
        first_day=segments[0].day,
        last_day=segments[-1].day,
        last_seq=segments[-1].last_seq,
        bytes=sum(sums),
    )


def told_purged(purged: Sequence[Segment]) -> PurgedSegments:
    """Those whose records are gone, in one line."""
    return PurgedSegments(
        count=len(purged),
        first_day=purged[0].day,
        last_day=purged[-1].day,
        last_seq=purged[-1].last_seq,
        last_at=purged[-1].last_at,
    )
