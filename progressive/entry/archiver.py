"""The process that writes one segment beside the service: `runtime.idle_process` runs it.

The job is a line on its standard input, the outcome a line on its standard output. It reads the
journal file and never writes it, and ends at once when the service does: that closes its standard
input. It imports little, so that it starts quickly.
"""

import os
import sys
from typing import Final

from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.segments.job import Job, Outcome, decode_job, encode
from progressive.adapters.segments.writer import left_over_cut, write_segment
from progressive.adapters.sqlite.open_part import OpenPartFile
from progressive.application.journal.ports import (
    StoreConflictError,
    StoreError,
    StoreUnavailableError,
)
from progressive.application.journal.segments import Segment
from progressive.runtime.idle_process import end_with_the_service

ROOM_BYTES: Final = 64 * 2**20
"""Free bytes without which nothing is written: the largest segment and as much again. The last room
on a disk is the journal's."""


def archive(job: Job) -> Segment:
    """Write and prove the segment; raises StoreError."""
    cut = job.cut
    _must_have_room(job)
    files = SegmentFiles(job.directory)
    left = left_over_cut(files, cut.link, cut.number)
    if left is not None and left != cut.last_seq:
        if not cut.first_seq <= left <= job.last_seq_max:
            raise StoreConflictError(
                f"segments/{cut.link}/{cut.number:06}-… belongs to no segment of the journal, and "
                f"it ends with record {left}, where the journal can be cut from {cut.first_seq} to "
                f"{job.last_seq_max}: move it away once you know where it comes from"
            )
        # Finished by an attempt that was not adopted: what was cut there is cut there again.
        cut = type(cut)(link=cut.link, day=cut.day, last_seq=left, previous=cut.previous)
    part = OpenPartFile(job.directory, cut.link)
    try:
        state = part.state_after(cut.last_seq)
        batches = part.batches(cut.first_seq)
        return write_segment(files, cut, batches, state=state)
    finally:
        part.close()


def run() -> None:
    """Take a job from standard input and do it."""
    job = decode_job(sys.stdin.buffer.readline())
    end_with_the_service()
    try:
        outcome = Outcome(segment=archive(job))
    except StoreError as error:
        outcome = Outcome.of_error(error)
    sys.stdout.buffer.write(encode(outcome) + b"\n")
    sys.stdout.buffer.flush()


def _must_have_room(job: Job) -> None:
    free = os.statvfs(job.directory)
    free_bytes = free.f_bavail * free.f_frsize
    if free_bytes < ROOM_BYTES:
        raise StoreUnavailableError(
            f"no room to archive: {free_bytes // 2**20} MiB are free, it takes "
            f"{ROOM_BYTES // 2**20} MiB"
        )


if __name__ == "__main__":
    run()
