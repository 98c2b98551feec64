"""Where the files of a segment lie, and how a stretch of one is read. Nothing is written here."""

import functools
import gzip
import hashlib
import os
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from progressive.adapters.segments.block_chain import HEAD_BYTES, first_not_followed, prev_in
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError
from progressive.application.journal.record import JournalBrokenError
from progressive.application.journal.segments import (
    Block,
    FileSum,
    Segment,
    SegmentIndex,
    decode_index,
)
from progressive.domain.ids import LinkId

FOLDER: Final = "segments"
RECORDS: Final = ".jsonl.gz"
INDEX: Final = ".index.json"
STATE: Final = ".state.json.gz"
INDEXES_KEPT: Final = 64
"""Indexes held in memory: a question about the past looks at a handful."""
_CHUNK_BYTES: Final = 1 << 20
_SHARED: Final = (
    *("link", "number", "day", "first_seq", "last_seq", "first_at", "last_at", "records"),
)
"""What a segment and its index both say of its place; whether it follows is the chain's matter."""


class SegmentFiles:
    """The segments of a data directory. Synchronous: for threads and other processes."""

    def __init__(self, data: Path) -> None:
        self.folder = data / FOLDER
        self._index = functools.lru_cache(maxsize=INDEXES_KEPT)(self._read_index)

    def of_link(self, link: LinkId) -> Path:
        """The folder of a link."""
        return self.folder / link

    def path(self, segment: Segment, ending: str) -> Path:
        """One file of a segment."""
        return self.of_link(segment.link) / f"{segment.name}{ending}"

    def index(self, segment: Segment) -> SegmentIndex:
        """The index of a segment; raises StoreCorruptError where it is not the one it was."""
        return self._index(segment)

    def block(self, segment: Segment, block: Block) -> list[bytes]:
        """The records of one block, as stored; raises StoreCorruptError where they are others."""
        blocks = self.index(segment).blocks
        place = bisect_right(blocks, block.first_seq, key=lambda each: each.first_seq)
        path = self.path(segment, RECORDS)
        with _reading(path), open(path, "rb") as file:
            body = os.pread(file.fileno(), block.bytes + HEAD_BYTES, block.offset)
        # The block behind it names the hash of its last record.
        body, behind = body[: block.bytes], body[block.bytes :]
        records = _inflated(path, body, block, _last_seq(segment, blocks, place))
        head = segment.head.encode() if place == len(blocks) else prev_in(behind)
        if (other := first_not_followed(records, head=head)) is not None:
            seq = block.first_seq + other
            raise _damaged(path, f"record {seq:,} is not the one that the record after it names")
        return records

    def blocks(
        self, segment: Segment, *, after_seq: int = 0
    ) -> Iterator[tuple[Block, list[bytes]]]:
        """The blocks that reach behind a record, in order."""
        blocks = self.index(segment).blocks
        for place, block in enumerate(blocks, 1):
            if _last_seq(segment, blocks, place) > after_seq:
                yield block, self.block(segment, block)

    def state(self, segment: Segment) -> bytes | None:
        """The link's state after the segment's last record, where it was kept."""
        if segment.state is None:
            return None
        path = self.path(segment, STATE)
        body = _read_whole(path, segment.state)
        try:
            return gzip.decompress(body)
        except (OSError, EOFError, zlib.error) as error:
            raise _damaged(path, f"it cannot be inflated: {error}") from None

    def check_size(self, segment: Segment) -> None:
        """Raise StoreCorruptError where a file of the segment is missing or of another length."""
        for path, sum_ in self.sums(segment):
            with _reading(path):
                size = path.stat().st_size
            if size != sum_.bytes:
                raise _damaged(path, f"it has {size:,} bytes, and {sum_.bytes:,} were written")

    def check_hash(self, segment: Segment) -> None:
        """Raise StoreCorruptError where a file of the segment is not the one that was written."""
        for path, sum_ in self.sums(segment):
            with _reading(path), open(path, "rb") as file:
                digest = hashlib.sha256()
                while chunk := file.read(_CHUNK_BYTES):
                    digest.update(chunk)
            if digest.hexdigest() != sum_.sha256:
                raise _damaged(path, "its hash is not the one that the journal file holds of it")

    def sums(self, segment: Segment) -> list[tuple[Path, FileSum]]:
        """The files that must be there, with what they must be."""
        files = [(self.path(segment, INDEX), segment.index)]
        if segment.purged is None:
            files.insert(0, (self.path(segment, RECORDS), segment.records))
        if segment.state is not None:
            files.append((self.path(segment, STATE), segment.state))
        return files

    def damaged(self, segment: Segment, ending: str, why: str) -> StoreCorruptError:
        """The error for a file that does not hold what was written."""
        return _damaged(self.path(segment, ending), why)

    def _read_index(self, segment: Segment) -> SegmentIndex:
        path = self.path(segment, INDEX)
        try:
            index = decode_index(_read_whole(path, segment.index))
        except JournalBrokenError as error:
            raise _damaged(path, str(error)) from None
        if any(getattr(index, name) != getattr(segment, name) for name in _SHARED):
            raise _damaged(
                path, "it is not the index of the segment that the journal file has a row of"
            )
        if not index.blocks or index.blocks[0].first_seq != segment.first_seq:
            raise _damaged(path, "its first block is not that of the first record")
        return index


def _last_seq(segment: Segment, blocks: Sequence[Block], after: int) -> int:
    """The last record of the block before a place."""
    return blocks[after].first_seq - 1 if after < len(blocks) else segment.last_seq


def _inflated(path: Path, body: bytes, block: Block, last_seq: int) -> list[bytes]:
    try:
        records = gzip.decompress(body).split(b"\n")
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(path, f"the block of record {block.first_seq:,}: {error}") from None
    records.pop()
    count = last_seq + 1 - block.first_seq
    if len(records) != count:
        raise _damaged(
            path,
            f"the block of record {block.first_seq:,} holds {len(records)} records, "
            f"and {count} were written",
        )
    for seq, record in enumerate(records, block.first_seq):
        if not record.startswith(b'{"seq":%d,' % seq):
            raise _damaged(path, f"another record stands where record {seq:,} was")
    return records


def _read_whole(path: Path, sum_: FileSum) -> bytes:
    with _reading(path):
        body = path.read_bytes()
    if len(body) != sum_.bytes:
        raise _damaged(path, f"it has {len(body):,} bytes, and {sum_.bytes:,} were written")
    if hashlib.sha256(body).hexdigest() != sum_.sha256:
        raise _damaged(path, "its hash is not the one that the journal file holds of it")
    return body


def _damaged(path: Path, why: str) -> StoreCorruptError:
    return StoreCorruptError(f"{_shown(path)} is damaged: {why}")


def _shown(path: Path) -> str:
    return f"{FOLDER}/{path.parent.name}/{path.name}"


class _reading:  # noqa: N801 - reads like the statement it is
    """An unreadable file in the port's terms: a missing one is damage, anything else is not."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, FileNotFoundError):
            raise StoreCorruptError(f"{_shown(self._path)} is missing") from None
        if isinstance(error, OSError):
            raise StoreUnavailableError(
                f"{_shown(self._path)} cannot be read: {error.strerror}"
            ) from None
