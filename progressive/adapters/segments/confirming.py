"""COLD. Holding the files of segments against what the store holds of them, at a start."""

import os
from collections.abc import Sequence

from progressive.adapters.segments.files import FOLDER, SegmentFiles
from progressive.application.journal.confirming import described
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError
from progressive.application.journal.segments import FileSum, Segment
from progressive.domain.ids import LinkId


def confirm(files: SegmentFiles, segments: Sequence[Segment], *, hashed_bytes: int) -> None:
    """All files are there and as long as they were; the newest ones are the very bytes.

    `segments` are of one link, oldest first. Newest first, up to so many bytes are hashed. Raises
    StoreCorruptError.
    """
    if not segments:
        return
    sizes = _sizes(files, segments[0].link)
    for segment in segments:
        for path, was in files.sums(segment):
            _check_size(segment, path.name, was, sizes.get(path.name))
    left = hashed_bytes
    for segment in reversed(segments):
        left -= sum([was.bytes for _, was in files.sums(segment)])
        if left < 0:
            break
        confirm_bytes(files, segment)


def confirm_bytes(files: SegmentFiles, segment: Segment) -> None:
    """Read every file of a segment; its index must speak of the same segment as its row.

    Raises StoreCorruptError.
    """
    try:
        files.check_hash(segment)
        index = files.index(segment)
    except StoreCorruptError as error:
        raise StoreCorruptError(f"{error} ({_records(segment)})") from None
    if (index.prev, index.head) != (segment.prev, segment.head):
        raise StoreCorruptError(
            f"the journal file's row of {described(segment)} was changed: "
            "its index names other hashes of the chain"
        )


def _sizes(files: SegmentFiles, link: LinkId) -> dict[str, int]:
    """Listing the folder once is several times faster than asking for each file."""
    try:
        with os.scandir(files.of_link(link)) as entries:
            return {entry.name: entry.stat().st_size for entry in entries}
    except FileNotFoundError:
        raise StoreCorruptError(f"the folder {FOLDER}/{link} is missing") from None
    except OSError as error:
        raise StoreUnavailableError(
            f"the folder {FOLDER}/{link} cannot be read: {error.strerror}"
        ) from None


def _check_size(segment: Segment, name: str, was: FileSum, size: int | None) -> None:
    where = f"{FOLDER}/{segment.link}/{name}"
    if size is None:
        raise StoreCorruptError(f"{where} is missing ({_records(segment)})")
    if size != was.bytes:
        raise StoreCorruptError(
            f"{where} is damaged: it has {size:,} bytes, and {was.bytes:,} were written "
            f"({_records(segment)})"
        )


def _records(segment: Segment) -> str:
    return f"records {segment.first_seq:,} to {segment.last_seq:,}"
