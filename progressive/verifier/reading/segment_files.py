"""The files of segments, wherever their folder lies. Nothing in them is trusted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from progressive.verifier.chain import JournalBrokenError
from progressive.verifier.findings import StoreCorruptError
from progressive.verifier.reading.opened_file import OpenedFile, inflated, members
from progressive.verifier.reading.ports import Member, ReadFile, SegmentPart
from progressive.verifier.reading.segments import Block, FileSum, Segment, decode_index

FOLDER: Final = "segments"
RECORDS: Final = ".jsonl.gz"
INDEX: Final = ".index.json"
STATE: Final = ".state.json.gz"
STATE_BYTES_MAX: Final = 256 << 20
"""What a state may inflate to: a link has megabytes of it at most."""
INDEX_BYTES_MAX: Final = 256 << 20
"""What is read of an index: one of a day has some hundred kilobytes."""
_ENDINGS: Final[dict[SegmentPart, str]] = {"records": RECORDS, "index": INDEX, "state": STATE}


class SegmentFiles:
    """Implements `SegmentSource` on a folder that has a folder for each link."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sums: dict[Path, FileSum] = {}

    def shown(self, segment: Segment, part: SegmentPart) -> str:
        """The path within a data directory."""
        return f"{FOLDER}/{segment.link}/{segment.name}{_ENDINGS[part]}"

    def members(self, segment: Segment) -> Iterator[Member]:
        """Block by block; the sum of the file is known at its end."""
        self._sums.clear()
        with self._opened(segment, "records") as file:
            yield from members(file)
            self._sums[self._path(segment, "records")] = file.sum()

    def sum(self, segment: Segment) -> FileSum:
        """As it was read just now, or read for this."""
        known = self._sums.get(self._path(segment, "records"))
        if known is None:
            with self._opened(segment, "records") as file:
                known = file.sum()
        return known

    def index(self, segment: Segment) -> ReadFile:
        """Not inflated: it lies there as it is."""
        with self._opened(segment, "index") as file:
            body = file.read_whole(INDEX_BYTES_MAX)
            if body is None:
                return ReadFile(file.sum(), b"", f"it has more than {INDEX_BYTES_MAX:,} bytes")
            return ReadFile(file.sum(), body)

    def state(self, segment: Segment) -> ReadFile:
        """One gzip member, and nothing behind it."""
        with self._opened(segment, "state") as file:
            found = members(file, limit=STATE_BYTES_MAX)
            first = next(found, None)
            trouble = "it is empty" if first is None else first.trouble
            if trouble is None and next(found, None) is not None:
                trouble = "something follows its state"
            return ReadFile(file.sum(), b"" if first is None else first.body, trouble)

    def first_record(self, segment: Segment) -> bytes | None:
        """Of a segment that was not walked yet: its first line, if there is one."""
        with self._opened(segment, "records") as file:
            first = next(members(file), None)
        line, newline, _ = (b"" if first is None else first.body).partition(b"\n")
        return line if newline else None

    def stretch(self, segment: Segment, first_seq: int) -> Iterator[tuple[int, bytes]]:
        """Of a segment that was walked before: by its index."""
        index = self.index(segment)
        try:
            blocks = decode_index(index.body).blocks
        except JournalBrokenError:
            blocks = ()
        if index.sum != segment.index or not blocks:
            raise StoreCorruptError(f"{self.shown(segment, 'index')} was changed meanwhile")
        ends = [*[block.first_seq for block in blocks[1:]], segment.last_seq + 1]
        for block, end in zip(blocks, ends, strict=True):
            if end > first_seq:
                records = self._records(segment, block, end)
                for seq, record in enumerate(records, block.first_seq):
                    if seq >= first_seq:
                        yield block.epoch, record

    def _records(self, segment: Segment, block: Block, end: int) -> list[bytes]:
        with self._opened(segment, "records") as file:
            body = inflated(file.again(block.offset, block.bytes))
        lines = [] if body is None else body.split(b"\n")[:-1]
        if len(lines) != end - block.first_seq:
            raise StoreCorruptError(f"{self.shown(segment, 'records')} was changed meanwhile")
        return lines

    def _opened(self, segment: Segment, part: SegmentPart) -> OpenedFile:
        return OpenedFile(self._path(segment, part), self.shown(segment, part))

    def _path(self, segment: Segment, part: SegmentPart) -> Path:
        return self._folder / segment.link / f"{segment.name}{_ENDINGS[part]}"
