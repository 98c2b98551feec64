"""`progressive` with small segments, for tests: `python -m tests.support.small_segments serve ...`.

Snapshots every 40 records, segments of 60 to 100; archiving looks all the time. With `NO_TRIMMING`
in its environment the service removes one slice of batches, and then none for an hour.
"""

import functools
import os
from typing import Final

from msgspec import structs

from progressive.application.journal.archiving import TrimPace
from progressive.application.journal.cut import CutLimits
from progressive.application.link import appender
from progressive.entry import bootstrap
from progressive.entry.archives import PastSettings
from progressive.entry.cli import main
from progressive.entry.commands import serve

MODULE: Final = "tests.support.small_segments"
SMALL: Final = PastSettings(
    CutLimits(records=60, records_max=100),
    look_seconds=0.05,
    archive_rest=0,
    verify_rest=0,
    trim_pace=TrimPace(rest=9, pause_seconds=0.002, pause_seconds_max=0.05),
)

UNTRIMMED: Final = structs.replace(
    SMALL, trim_pace=TrimPace(pause_seconds=3_600.0, pause_seconds_max=3_600.0)
)

if __name__ == "__main__":
    appender.CHECKPOINT_EVERY = 40  # type: ignore[misc]
    serve.running = functools.partial(
        bootstrap.running, past=UNTRIMMED if "NO_TRIMMING" in os.environ else SMALL
    )
    main()
