"""COLD. The index of a segment, made from its records one after another, and proved on the way.

Whoever writes a segment and whoever reads it back use the same: two indexes that are equal are of
the same records, and their chain holds.
"""

from collections.abc import Sequence
from typing import Final

from progressive.application.journal.cut import Cut
from progressive.application.journal.finding import Finding, about, finding
from progressive.application.journal.record import ChainCheck, JournalBrokenError
from progressive.application.journal.segments import (
    INDEX_VERSION,
    LANDMARKS,
    TABLE_PLACE_EVERY,
    ActPlace,
    Block,
    FileSum,
    Landmark,
    SegmentIndex,
    TablePlaces,
)


class IndexBuilder:
    """Fed with the blocks of a segment in order; raises JournalBrokenError at a wrong record."""

    def __init__(self, cut: Cut, previous: SegmentIndex | None) -> None:
        self._cut: Final = cut
        self._chain = ChainCheck(seq=cut.first_seq - 1, head=cut.prev)
        self._first_at = ""
        self._last_at = ""
        self._blocks: list[Block] = []
        self._acts: list[ActPlace] = []
        self._landmarks = [] if previous is None else list(previous.landmarks)
        self._newest: dict[str, int] = {}
        if previous is not None:
            self._newest = {table: of.last_table_seq for table, of in previous.tables.items()}
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._messages: dict[str, int] = {}

    @property
    def seq(self) -> int:
        """The newest record."""
        return self._chain.seq

    def add(self, epoch: int, records: Sequence[bytes], *, offset: int, size: int) -> None:
        """The next block: its records, and where they lie once they are compressed."""
        first_seq, first_at = self._chain.seq + 1, ""
        for stored in records:
            self._chain.feed(stored)
            what = finding(stored)
            first_at = first_at or what.at
            self._last_at = what.at
            self._enter(stored, what)
        self._first_at = self._first_at or first_at
        self._blocks.append(Block(first_seq, offset, size, epoch, first_at))

    def index(self, records: FileSum) -> SegmentIndex:
        """The whole index; raises JournalBrokenError where records are missing."""
        cut = self._cut
        if self._chain.seq != cut.last_seq:
            raise JournalBrokenError(f"records {self._chain.seq + 1} to {cut.last_seq} are missing")
        return SegmentIndex(
            version=INDEX_VERSION,
            link=cut.link,
            number=cut.number,
            day=cut.day,
            first_seq=cut.first_seq,
            last_seq=cut.last_seq,
            first_at=self._first_at,
            last_at=self._last_at,
            prev=cut.prev,
            head=self._chain.head,
            records=records,
            blocks=tuple(self._blocks),
            acts=tuple(self._acts),
            landmarks=tuple(self._landmarks),
            tables={
                table: TablePlaces(newest, tuple(self._places.get(table, ())))
                for table, newest in sorted(self._newest.items())
            },
        )

    def _enter(self, stored: bytes, what: Finding) -> None:
        event = what.event
        if what.is_message:
            before = self._messages.get(event.table, 0)
            if before % TABLE_PLACE_EVERY == 0:
                self._places.setdefault(event.table, []).append((event.table_seq, what.seq))
            self._messages[event.table] = before + 1
            self._newest[event.table] = event.table_seq
        elif what.is_act:
            self._acts.append(ActPlace(what.seq, event.type, about(stored)))
            if event.type in LANDMARKS:
                self._landmarks.append(Landmark(what.seq, event.type))
