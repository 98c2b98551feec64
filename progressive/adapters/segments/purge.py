"""COLD. Removes the records of purged segments; their indexes and states stay.

The only place that removes a finished file of a segment: its row is marked before.
"""

from progressive.adapters.durable import sync_folder
from progressive.adapters.segments.files import RECORDS, SegmentFiles
from progressive.application.journal.ports import StoreUnavailableError
from progressive.application.journal.segments import Segment


def remove_records(files: SegmentFiles, segments: list[Segment]) -> int:
    """Remove the records of those that are marked as purged; how many were still there."""
    removed = 0
    try:
        for segment in segments:
            path = files.path(segment, RECORDS)
            if segment.purged is not None and path.exists():
                path.unlink()
                removed += 1
        if removed:
            sync_folder(files.of_link(segments[0].link))
    except OSError as error:
        raise StoreUnavailableError(
            f"purged records cannot be removed: {error.filename}: {error.strerror}"
        ) from error
    return removed
