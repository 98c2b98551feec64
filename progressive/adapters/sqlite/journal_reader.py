"""COLD. Reads the journals of a data directory: the open part from the journal file, on connections
that cannot write, and closed segments from their files.
"""

from pathlib import Path

from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.segments.reader import SegmentedReader
from progressive.adapters.sqlite.journal_view import JournalFileViews
from progressive.application.journal.confirming import HASHED_AT_START_BYTES


class SqliteJournalReader(SegmentedReader):
    """Implements `JournalReader`: all links of a floor, or none where the file is missing.

    `unchanged`: for a process that does not write. No byte and no name in the data directory
    changes, whether a service runs, has stopped or was killed.
    """

    def __init__(
        self, directory: Path, *, unchanged: bool, hashed_bytes: int = HASHED_AT_START_BYTES
    ) -> None:
        views = JournalFileViews(directory, unchanged=unchanged)
        super().__init__(views, SegmentFiles(directory), hashed_bytes=hashed_bytes)
        self._directory = directory
