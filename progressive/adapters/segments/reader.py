"""COLD. One journal out of two parts: closed segments in files, the open part in a store.

What is not behind the newest segment comes from the files, all else from the store, each record
once. Segments are adopted and the open part is trimmed at any moment, so the seam is looked for in
the same view of the store that the open part is then read from. A view is never held while files
are read: a store could not tidy up meanwhile.

Everything here that takes time runs in a few threads of its own, never in the event loop.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Collection, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Generic, TypeVar

from progressive.adapters.segments.confirming import confirm
from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.segments.live_part import LivePart, LiveView
from progressive.adapters.segments.moved import compare_moved
from progressive.adapters.segments.open_acts import Act, OpenActs
from progressive.adapters.segments.rows import KnownRows, SegmentRows
from progressive.adapters.segments.search import SegmentSearch
from progressive.application.journal.confirming import HASHED_AT_START_BYTES
from progressive.application.journal.finding import (
    acts_among,
    finding,
    first_message,
    last_until,
    messages_text,
)
from progressive.application.journal.ports import JournalEnd, StoredSnapshot
from progressive.application.journal.purged import PURGE
from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.application.journal.segments import LANDMARKS, Segment
from progressive.domain.guard_events import SegmentsPurged
from progressive.domain.ids import LinkId, TableId

T = TypeVar("T")
Stop = threading.Event
Chunks = Generator[Sequence[bytes], None, None]

QUESTIONS_AT_ONCE: Final = 4
"""More wait for their turn: the threads that wagers and keys need stay free."""


class SegmentedReader:
    """Implements `JournalReader` on any store's open part."""

    def __init__(
        self,
        live: LivePart,
        files: SegmentFiles,
        *,
        hashed_bytes: int = HASHED_AT_START_BYTES,
    ) -> None:
        """`hashed_bytes`: of the newest files, which `confirm_segments` reads."""
        self._live = live
        self._files = files
        self._hashed_bytes = hashed_bytes
        self._known = KnownRows()
        self._open_acts = OpenActs()
        # Its threads end with this object: there is nothing to close.
        self._threads = ThreadPoolExecutor(QUESTIONS_AT_ONCE, thread_name_prefix="journal-reader")

    async def links(self) -> Sequence[LinkId]:
        """Every link that has a record."""
        return await self._ask_live(lambda view: view.links())

    async def journal_end(self, link: LinkId) -> JournalEnd:
        """Where the journal ends now."""
        return await self._ask_live(lambda view: view.journal_end(link))

    async def segments(self, link: LinkId) -> Sequence[Segment]:
        """The closed segments, as the store holds them at this moment."""

        def segments(view: LiveView) -> Sequence[Segment]:
            self._known.forget(link)
            return view.segments(link)

        return await self._ask_live(segments)

    async def confirm_segments(self, segments: Sequence[Segment]) -> None:
        """The files of a link's segments, the newest of them byte by byte."""
        limit = self._hashed_bytes
        await self._ask(lambda _: confirm(self._files, segments, hashed_bytes=limit))

    async def load_snapshot(
        self, link: LinkId, *, until_seq: int | None = None
    ) -> StoredSnapshot | None:
        """The newest saved state; where the open part has lost its own, that of a segment.

        Without any, a start would have to read the journal from its first record.
        """

        def load_snapshot(stop: Stop) -> StoredSnapshot | None:
            with self._live.view(stop.is_set) as view:
                kept = view.load_snapshot(link, until_seq=until_seq)
                if kept is not None and until_seq is None:
                    return kept
                segments = view.segments(link)
            for segment in reversed(segments):
                if until_seq is not None and segment.last_seq > until_seq:
                    continue
                if kept is not None and kept.seq >= segment.last_seq:
                    break
                if (body := self._files.state(segment)) is not None:
                    return StoredSnapshot(seq=segment.last_seq, body=body)
            return kept

        return await self._ask(load_snapshot)

    async def snapshots(self, link: LinkId) -> Sequence[int]:
        """The records after which a state was saved."""
        return await self._ask_live(lambda view: view.snapshots(link))

    def read(
        self, link: LinkId, *, after_seq: int = 0, until_seq: int | None = None
    ) -> AsyncIterator[Sequence[bytes]]:
        """Chunks of records: a block of a segment, or some batches of the open part."""
        return self._stream(lambda stop: self._chunks(link, after_seq, until_seq, stop))

    def read_back(self, link: LinkId, *, before_seq: int) -> AsyncIterator[Sequence[bytes]]:
        """The same, newest first."""
        return self._stream(lambda stop: self._chunks_back(link, before_seq, stop))

    def compare_moved(self, link: LinkId) -> AsyncIterator[int]:
        """What lies in segments and in the open part too, a piece at a time."""
        return self._stream(
            lambda stop: compare_moved(
                link,
                self._live,
                self._files,
                stopped=stop.is_set,
                search=lambda rows: self._search(rows, stop),
            )
        )

    async def record(self, link: LinkId, seq: int) -> bytes | None:
        """One record."""

        def record(stop: Stop) -> bytes | None:
            with self._live.view(stop.is_set) as view:
                rows = self._known.of(view, link)
                if seq > rows.last_seq:
                    return view.record(link, seq)
            if 1 <= seq <= rows.purged_seq:
                rows, acts = self._of_open_part(link, stop, until_seq=seq)
                for kept in self._kept(rows, acts, stop):
                    if finding(kept).seq == seq:
                        return kept
            return self._search(rows, stop).record(seq) if seq >= 1 else None

        return await self._ask(record)

    async def last_record_until(self, link: LinkId, at: str, *, last_seq: int) -> bytes | None:
        """The last record at or before a time."""

        def last_record_until(stop: Stop) -> bytes | None:
            with self._live.view(stop.is_set) as view:
                rows = self._known.of(view, link)
                first = rows.last_seq + 1
                last = min(last_seq, view.journal_end(link).seq)
                # Most questions are about today.
                if first <= last and finding(_there(view, link, first)).at <= at:
                    return last_until(
                        at, first=first, last=last, record=lambda seq: _there(view, link, seq)
                    )
            return self._search(rows, stop).last_until(at, last_seq=last_seq)

        return await self._ask(last_record_until)

    async def message(
        self, link: LinkId, table: TableId, table_seq: int, *, before_seq: int
    ) -> bytes | None:
        """The record of a table's message: the newest index tells in which part it is."""

        def message(stop: Stop) -> bytes | None:
            looked_at = 0
            while True:
                with self._live.view(stop.is_set) as view:
                    rows = self._known.of(view, link)
                    if rows.newest == looked_at:
                        last = min(before_seq - 1, view.journal_end(link).seq)
                        return _open_message(view, link, table, table_seq, rows.last_seq, last)
                search = self._search(rows, stop)
                if search.last_number(table) >= table_seq:
                    found = search.message(table, table_seq)
                    return found if found and finding(found).seq < before_seq else None
                looked_at = rows.newest

        return await self._ask(message)

    async def acts(
        self,
        link: LinkId,
        *,
        after_seq: int,
        until_seq: int,
        types: Collection[str] = (),
        about: Collection[str] = (),
    ) -> Sequence[bytes]:
        """Acts of a stretch: by the indexes, and by what is known of the open part."""

        def acts(stop: Stop) -> list[bytes]:
            rows, in_open = self._of_open_part(link, stop, until_seq=until_seq)
            kept: list[bytes] = []
            after = after_seq
            if types and LANDMARKS.issuperset(types) and after_seq < rows.purged_seq:
                after = rows.purged_seq
                kept = [
                    each
                    for each in self._kept(rows, in_open, stop)
                    if after_seq < finding(each).seq <= until_seq
                ]
            older = self._search(rows, stop).acts(
                after_seq=after, until_seq=until_seq, types=types, about=about
            )
            newer = [act.stored for act in in_open if after_seq < act.seq <= until_seq]
            return [
                *acts_among(kept, types=types, about_any=about),
                *older,
                *acts_among(newer, types=types, about_any=about),
            ]

        return await self._ask(acts)

    async def landmarks(
        self, link: LinkId, *, after_seq: int, until_seq: int, types: Collection[str]
    ) -> Sequence[int]:
        """Numbers of landmarks: by the last index, and by what is known of the open part."""

        def landmarks(stop: Stop) -> list[int]:
            rows, in_open = self._of_open_part(link, stop, until_seq=until_seq)
            newer = [act.stored for act in in_open if after_seq < act.seq <= until_seq]
            older = self._search(rows, stop).landmarks(
                after_seq=after_seq, until_seq=until_seq, types=types
            )
            return older + [finding(each).seq for each in acts_among(newer, types=types)]

        return await self._ask(landmarks)

    # --- for a program without an event loop ---------------------------------------------------

    def chunks_here(self, link: LinkId, *, after_seq: int, until_seq: int) -> Chunks:
        """As `read`, in the thread that asks."""
        return self._chunks(link, after_seq, until_seq, Stop())

    def segments_here(self, link: LinkId) -> Sequence[Segment]:
        """As `segments`, in the thread that asks."""
        with self._live.view(lambda: False) as view:
            return view.segments(link)

    # --- in threads ----------------------------------------------------------------------------

    def _chunks(self, link: LinkId, after_seq: int, until_seq: int | None, stop: Stop) -> Chunks:
        while True:
            with self._live.view(stop.is_set) as view:
                rows = self._known.of(view, link)
                if after_seq >= rows.last_seq:
                    for chunk in view.stretch(link, after_seq=after_seq, until_seq=until_seq):
                        self._open_acts.note(link, rows, chunk)
                        yield chunk
                    return
            # When these are read there may be more of them, and the open part shorter.
            search = self._search(rows, stop)
            yield from search.stretch(after_seq=after_seq, until_seq=until_seq)
            after_seq = rows.last_seq
            if until_seq is not None and until_seq <= after_seq:
                return

    def _chunks_back(self, link: LinkId, before_seq: int, stop: Stop) -> Chunks:
        with self._live.view(stop.is_set) as view:
            rows = self._known.of(view, link)
            yield from view.stretch_back(link, before_seq=before_seq, after_seq=rows.last_seq)
        search = self._search(rows, stop)
        yield from search.stretch_back(before_seq=min(before_seq, rows.last_seq + 1))

    def _of_open_part(
        self, link: LinkId, stop: Stop, *, until_seq: int
    ) -> tuple[SegmentRows, Sequence[Act]]:
        """The acts of the open part, where they matter, and the segments of the same moment."""
        with self._open_acts.one_at_a_time, self._live.view(stop.is_set) as view:
            rows = self._known.of(view, link)
            if until_seq <= rows.last_seq and not rows.purged_seq:
                return rows, ()
            return rows, self._open_acts.of(view, rows, link)

    def _kept(self, rows: SegmentRows, in_open: Sequence[Act], stop: Stop) -> list[bytes]:
        """The landmarks among the purged records: the newest record of a purge holds them."""
        purges = acts_among([act.stored for act in in_open], types=(PURGE,))
        purges = purges or self._search(rows, stop).acts(
            after_seq=rows.purged_seq, until_seq=rows.last_seq, types=(PURGE,), about=()
        )
        event = decode_record(purges[-1]).event if purges else None
        return [each.encode() for each in event.kept] if isinstance(event, SegmentsPurged) else []

    def _search(self, rows: SegmentRows, stop: Stop) -> SegmentSearch:
        def newest_rows() -> SegmentRows:
            link = rows.segments[0].link
            self._known.forget(link)
            with self._live.view(lambda: False) as view:
                return self._known.of(view, link)

        return SegmentSearch(self._files, rows, stop, newest_rows=newest_rows)

    # --- from the event loop -------------------------------------------------------------------

    async def _ask_live(self, question: Callable[[LiveView], T]) -> T:
        def ask(stop: Stop) -> T:
            with self._live.view(stop.is_set) as view:
                return question(view)

        return await self._ask(ask)

    async def _ask(self, work: Callable[[Stop], T]) -> T:
        """One question, one thread call; whoever is cancelled stops it between two blocks."""
        stop = Stop()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work, stop)
        finally:
            stop.set()

    async def _stream(self, chunks: Callable[[Stop], Generator[T, None, None]]) -> AsyncIterator[T]:
        """One thread call a chunk. What is open is closed in a thread, once no other is in it."""
        loop = asyncio.get_running_loop()
        stream = _Stream(chunks)
        try:
            while (chunk := await loop.run_in_executor(self._threads, stream.next)) is not None:
                yield chunk
        finally:
            if not stream.ended:
                stream.stop.set()
                await asyncio.shield(loop.run_in_executor(self._threads, stream.close))


class _Stream(Generic[T]):
    """An iterator that is moved on in threads, one at a time."""

    def __init__(self, chunks: Callable[[Stop], Generator[T, None, None]]) -> None:
        self.stop = Stop()
        self.ended = False
        self._chunks = chunks(self.stop)
        self._one_at_a_time = threading.Lock()

    def next(self) -> T | None:
        with self._one_at_a_time:
            for chunk in self._chunks:
                return chunk
            self.ended = True
            return None

    def close(self) -> None:
        with self._one_at_a_time:
            self._chunks.close()


def _open_message(
    view: LiveView, link: LinkId, table: TableId, table_seq: int, after_seq: int, until_seq: int
) -> bytes | None:
    """A message in a stretch of the open part, by halving: a table's numbers only grow.

    Looking through all of it would take as long as the open part is large.
    """
    text = messages_text(table)
    while after_seq < until_seq:
        middle = (after_seq + until_seq) // 2
        chunks = view.stretch(link, after_seq=middle, until_seq=until_seq, texts=[text])
        hits = (hit for chunk in chunks if (hit := first_message(chunk, table)) is not None)
        first = next(hits, None)
        if first is None or first[0].event.table_seq > table_seq:
            until_seq = middle
        elif first[0].event.table_seq == table_seq:
            return first[1]
        else:
            after_seq = first[0].seq
    return None


def _there(view: LiveView, link: LinkId, seq: int) -> bytes:
    stored = view.record(link, seq)
    if stored is None:
        raise JournalBrokenError(f"record {seq} is missing")
    return stored
