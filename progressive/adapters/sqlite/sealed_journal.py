"""COLD. The records of one link for the process that seals them: read beside the service, in this
thread, in short questions.

A long question would keep SQLite from reusing its WAL, which would grow as long as it lasts.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.journal.segments import Segment
from progressive.domain.ids import LinkId

QUESTION_RECORDS: Final = 2_048
"""Records a question: about a megabyte."""


class SqliteSealedJournal:
    """`application.seals.ports.SealedJournal` in a data directory, which is not changed."""

    def __init__(self, data: Path, link: LinkId) -> None:
        self._reader = SqliteJournalReader(data, unchanged=True)
        self._link = link

    def stretch(self, after_seq: int, until_seq: int) -> Iterator[Sequence[bytes]]:
        """Records in order."""
        while after_seq < until_seq:
            until = min(until_seq, after_seq + QUESTION_RECORDS)
            yield from self._reader.chunks_here(self._link, after_seq=after_seq, until_seq=until)
            after_seq = until

    def segments(self) -> Sequence[Segment]:
        """The closed segments."""
        return self._reader.segments_here(self._link)
