"""What the auditor's program takes on one core: it walks the whole journal, so its memory must not
grow with it, nor its time for a record."""

import asyncio
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from msgspec import Struct

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.reading import reading
from progressive.entry.verifier_file import verifier_file
from tests.support.long_journal import LongJournal

PYTHON = Path(sys.base_prefix) / "bin" / "python3"
PLAIN_RECORDS = 50_000
TO_PLAIN = 4.0
"""Every rule recomputed may take so many times what hashing and decoding alone take."""
PEAK_GROWTH = 1.2
"""Memory of the oldest to that of one a fraction as old. Not of the youngest: where everything is
in the open part yet, there is no whole segment to hold."""


class Verified(Struct, frozen=True):
    """One run over a whole data directory. Times of the processor, in microseconds a record."""

    record_us: float
    plain_us: float
    """Of a loop that only hashes and decodes each record: what any reading in Python takes."""
    peak_mib: float

    @property
    def to_plain(self) -> float:
        return self.record_us / self.plain_us


async def verify_alone(made: LongJournal) -> Verified:
    """The one file, on a Python without packages, in one process."""
    record_us, peak_mib = await asyncio.to_thread(_run, made)
    return Verified(record_us, await _plain_us(made), peak_mib)


def _run(made: LongJournal) -> tuple[float, float]:
    program = made.data.parent / "verifier.pyz"
    program.write_bytes(verifier_file())
    running = subprocess.Popen(
        [PYTHON, "-I", "-S", program, made.data, "--jobs", "1"], stdout=subprocess.DEVNULL
    )
    # Its own and that of whatever it started.
    _, status, used = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0, f"{made.data} is not good"
    cpu_seconds = used.ru_utime + used.ru_stime
    return cpu_seconds / made.records * 1e6, used.ru_maxrss / 1024


async def _plain_us(made: LongJournal) -> float:
    store = SqliteStore(made.data)
    found: list[bytes] = []
    try:
        after_seq = max(0, made.records - PLAIN_RECORDS)
        async with reading(store.read(made.link, after_seq=after_seq)) as chunks:
            async for records in chunks:
                found += records
    finally:
        await store.close()
    began = time.process_time()
    for record in found:
        hashlib.sha256(record).hexdigest()
        json.loads(record)
    return (time.process_time() - began) / len(found) * 1e6
