"""COLD. Holds batches that segments hold too against the segments, before they are removed.

A service that was killed between adopting a segment and trimming leaves such batches in its store,
where anybody could have changed them since. They follow one another to the end of the newest
segment, whose hash is known: so no segment is inflated, unless one of them is another one and has
to be named. Synchronous, for threads; the view is held for a piece only.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Generator
from typing import Final, NoReturn

from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.segments.live_part import LivePart, MovedBatch
from progressive.adapters.segments.rows import SegmentRows
from progressive.adapters.segments.search import SegmentSearch
from progressive.application.journal.confirming import described
from progressive.application.journal.ports import StorePurgedError
from progressive.application.journal.record import ChainCheck, JournalBrokenError, decode_place
from progressive.application.journal.segments import Block
from progressive.domain.ids import LinkId

PIECE_RECORDS: Final = 256
"""Compared in one go: about a millisecond of a thread's work."""
_FIRST: Final = -(2**63)
"""Before any number that a forged batch could have."""


def compare_moved(
    link: LinkId,
    live: LivePart,
    files: SegmentFiles,
    *,
    stopped: Callable[[], bool],
    search: Callable[[SegmentRows], SegmentSearch],
) -> Generator[int, None, None]:
    """How many records were compared, piece by piece.

    Raises JournalBrokenError or StoreCorruptError at the first record that does not fit.
    """
    with live.view(stopped) as view:
        rows = SegmentRows(view.segments(link))
    walk = _Walk(rows, files)
    after_seq = _FIRST
    try:
        while True:
            compared = 0
            with live.view(stopped) as view:
                for batch in view.moved(link, after_seq=after_seq, until_seq=rows.last_seq):
                    compared += walk.take(batch)
                    after_seq = batch.first_seq
                    if compared >= PIECE_RECORDS:
                        break
            if not compared:
                break
            yield compared
        walk.finish()
    except _AnotherRecordError as error:
        _name(error, link, live, rows, search(rows))


class _AnotherRecordError(JournalBrokenError):
    """One of some records is not the one that was written; those before the last one are chained,
    so behind the first that differs each of them does."""

    def __init__(self, why: str, first_seq: int, last_seq: int) -> None:
        super().__init__(why)
        self.first_seq = first_seq
        self.last_seq = last_seq


class _Walk:
    """The way along the batches, from the first one that is still there to the seam."""

    def __init__(self, rows: SegmentRows, files: SegmentFiles) -> None:
        self._rows = rows
        self._files = files
        self._first_seq = 0
        self._chain: ChainCheck | None = None
        self._epoch = self._epoch_until = 0
        """Who wrote the records up to one."""

    def take(self, batch: MovedBatch) -> int:
        """The next batch; how many of its records lie in a segment."""
        first, seam = batch.first_seq, self._rows.last_seq
        if first < 1:
            raise JournalBrokenError(f"record 1: a batch begins with {first}")
        if self._chain is None:
            self._chain = self._begun(batch)
        chain = self._chain
        if first > chain.seq + 1:
            _miss(chain.seq + 1)
        if first <= chain.seq:
            raise JournalBrokenError(f"record {first} stands in two batches of the journal file")
        records = batch.records[: seam - first + 1]
        try:
            chain.feed_all(records)
        except JournalBrokenError as error:
            raise _AnotherRecordError(str(error), self._first_seq, chain.seq + 1) from None
        self._check_epoch(batch, chain.seq)
        return len(records)

    def finish(self) -> None:
        """After the last batch: it leads to the end of the newest segment."""
        chain = self._chain
        if chain is None:
            return
        if chain.seq < self._rows.last_seq:
            _miss(chain.seq + 1)
        newest = self._rows.segments[-1]
        if chain.head != newest.head:
            raise _AnotherRecordError(
                f"record {chain.seq} is not the one with which {described(newest)} ends",
                self._first_seq,
                chain.seq,
            )

    def _begun(self, batch: MovedBatch) -> ChainCheck:
        """In the middle of a segment the first record says what came before it: its own bytes are
        in the hash that the next one names."""
        self._first_seq = seq = batch.first_seq
        segment = self._rows.holding(seq)
        if segment.first_seq == seq:
            return ChainCheck(seq=seq - 1, head=segment.prev)
        try:
            prev = decode_place(batch.records[0], seq=seq).prev
        except JournalBrokenError as error:
            raise _AnotherRecordError(str(error), seq, seq) from None
        return ChainCheck(seq=seq - 1, head=prev)

    def _check_epoch(self, batch: MovedBatch, last_seq: int) -> None:
        """No hash covers who wrote a batch; the indexes hold it."""
        seq = batch.first_seq
        while seq <= last_seq:
            if seq > self._epoch_until:
                self._epoch, self._epoch_until = self._written(seq)
            if batch.epoch != self._epoch:
                raise JournalBrokenError(
                    f"record {seq}: its batch has epoch {batch.epoch!r} in the journal file, "
                    f"and {self._epoch} in {described(self._rows.holding(seq))}"
                )
            seq = self._epoch_until + 1

    def _written(self, seq: int) -> tuple[int, int]:
        """Who wrote a record, and up to which one it is the same writer."""
        segment = self._rows.holding(seq)
        blocks = self._files.index(segment).blocks
        place = bisect_right(blocks, seq, key=_first_seq) - 1
        epoch = blocks[place].epoch
        later = [each.first_seq for each in blocks[place:] if each.epoch != epoch]
        return epoch, later[0] - 1 if later else segment.last_seq


def _name(
    error: _AnotherRecordError,
    link: LinkId,
    live: LivePart,
    rows: SegmentRows,
    search: SegmentSearch,
) -> NoReturn:
    """Say which record it is.

    Where one was changed and others behind it were made to fit, all of these differ: the first is
    found by halving, with a few look-ups.
    """

    def differs(seq: int) -> bool:
        with live.view(lambda: False) as view:
            return view.record(link, seq) != search.record(seq)

    chained = range(error.first_seq, error.last_seq)
    try:
        seq = error.first_seq + bisect_left(chained, True, key=differs)
        if seq == error.last_seq and not differs(seq):
            raise JournalBrokenError(str(error))
    except StorePurgedError:
        raise JournalBrokenError(str(error)) from None
    raise JournalBrokenError(
        f"record {seq} is another one in the journal file than in {described(rows.holding(seq))}"
    ) from None


def _miss(seq: int) -> NoReturn:
    raise JournalBrokenError(
        f"record {seq} is missing in the journal file, which holds records before and behind it"
    )


def _first_seq(block: Block) -> int:
    return block.first_seq
