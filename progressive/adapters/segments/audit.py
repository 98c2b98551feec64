"""COLD. The files of segments, read for an audit: nothing in them is trusted, not even a length.

A file is read once from its first byte to its last, without its index, and nothing is inflated
without a limit.
"""

import hashlib
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from progressive.adapters.segments.files import INDEX, RECORDS, STATE, SegmentFiles
from progressive.application.audit.ports import Member, ReadFile, SegmentPart
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError
from progressive.application.journal.segments import FileSum, Segment

MEMBER_BYTES_MAX: Final = 32 << 20
"""What a block may inflate to: 256 records of 128 KiB, hundreds of times more than they have."""
STATE_BYTES_MAX: Final = 256 << 20
"""What a state may inflate to: a link has megabytes of it at most."""
INDEX_BYTES_MAX: Final = 256 << 20
"""What is read of an index: one of a day has some hundred kilobytes."""
CHUNK_BYTES: Final = 1 << 17
_GZIP: Final = 31
"""What zlib calls a gzip header with the largest window."""
_ENDINGS: Final[dict[SegmentPart, str]] = {"records": RECORDS, "index": INDEX, "state": STATE}


class AuditedFiles:
    """Implements `SegmentSource` on a data directory."""

    def __init__(self, data: Path) -> None:
        self._files = SegmentFiles(data)
        self._sums: dict[Path, FileSum] = {}

    def shown(self, segment: Segment, part: SegmentPart) -> str:
        """The path within the data directory."""
        return _shown(self._path(segment, part))

    def members(self, segment: Segment) -> Iterator[Member]:
        """Block by block; the sum of the file is known at its end."""
        path = self._path(segment, "records")
        self._sums.clear()
        with _Opened(path) as file:
            yield from _members(file)
            self._sums[path] = file.sum()

    def sum(self, segment: Segment) -> FileSum:
        """As it was read just now, or read for this."""
        path = self._path(segment, "records")
        if (known := self._sums.get(path)) is None:
            with _Opened(path) as file:
                known = file.sum()
        return known

    def index(self, segment: Segment) -> ReadFile:
        """Not inflated: it lies there as it is."""
        with _Opened(self._path(segment, "index")) as file:
            body = b""
            while len(body) <= INDEX_BYTES_MAX and (chunk := file.read()):
                body += chunk
            if len(body) > INDEX_BYTES_MAX:
                return ReadFile(file.sum(), b"", f"it has more than {INDEX_BYTES_MAX:,} bytes")
            return ReadFile(file.sum(), body)

    def state(self, segment: Segment) -> ReadFile:
        """One gzip member, and nothing behind it."""
        with _Opened(self._path(segment, "state")) as file:
            members = _members(file, limit=STATE_BYTES_MAX)
            first = next(members, None)
            trouble = "it is empty" if first is None else first.trouble
            if trouble is None and next(members, None) is not None:
                trouble = "something follows its state"
            return ReadFile(file.sum(), b"" if first is None else first.body, trouble)

    def stretch(self, segment: Segment, first_seq: int) -> Iterator[tuple[int, bytes]]:
        """Of a segment that was walked before: by its index."""
        for block, records in self._files.blocks(segment, after_seq=first_seq - 1):
            for seq, record in enumerate(records, block.first_seq):
                if seq >= first_seq:
                    yield block.epoch, record

    def _path(self, segment: Segment, part: SegmentPart) -> Path:
        return self._files.path(segment, _ENDINGS[part])


class _Opened:
    """A file that is read once, and hashed on the way."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digest = hashlib.sha256()
        self._bytes = 0
        self._fd = -1

    def __enter__(self) -> "_Opened":
        try:
            self._fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            # ValueError: the name of a forged link is none.
            raise StoreCorruptError(f"{_shown(self._path)} is missing") from None
        except OSError as error:
            raise self._unreadable(error) from None
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def read(self) -> bytes:
        """The next piece; nothing at the end."""
        try:
            chunk = os.read(self._fd, CHUNK_BYTES)
        except IsADirectoryError:
            raise StoreCorruptError(f"{_shown(self._path)} is a folder") from None
        except OSError as error:
            raise self._unreadable(error) from None
        self._digest.update(chunk)
        self._bytes += len(chunk)
        return chunk

    def sum(self) -> FileSum:
        """Of the whole file: what was not read yet is read now."""
        while self.read():
            pass
        return FileSum(self._bytes, self._digest.hexdigest())

    def again(self, offset: int, size: int) -> bytes:
        """A stretch that was read before."""
        return os.pread(self._fd, size, offset)

    def _unreadable(self, error: OSError) -> StoreUnavailableError:
        return StoreUnavailableError(f"{_shown(self._path)} cannot be read: {error.strerror}")


def _members(file: _Opened, *, limit: int = MEMBER_BYTES_MAX) -> Iterator[Member]:
    """Gzip members behind each other, up to the end of the file or to the first trouble."""
    offset, data = 0, file.read()
    while data:
        inflate = zlib.decompressobj(_GZIP)
        body, taken = b"", 0
        trouble: str | None = None
        while not inflate.eof:
            if not data and not (data := file.read()):
                trouble = f"the file ends within the block at byte {offset:,}"
                break
            try:
                body += inflate.decompress(data, limit + 1 - len(body))
            except zlib.error as error:
                body, why = _salvaged(file, offset, limit), str(error).partition(": ")[2]
                trouble = f"the block at byte {offset:,} is damaged: {why or error}"
                break
            left = inflate.unused_data or inflate.unconsumed_tail
            taken += len(data) - len(left)
            data = left
            if len(body) > limit:
                body = b""
                trouble = f"the block at byte {offset:,} inflates to more than {limit:,} bytes"
                break
        yield Member(offset, taken, body, trouble)
        if trouble is not None:
            return
        offset += taken
        data = data or file.read()


def _salvaged(file: _Opened, offset: int, limit: int) -> bytes:
    """What can be inflated before the damage. Byte by byte: an error takes its output with it."""
    inflate = zlib.decompressobj(_GZIP)
    body = bytearray()
    try:
        for byte in file.again(offset, CHUNK_BYTES):
            body += inflate.decompress(bytes((byte,)), limit)
            if inflate.eof or len(body) > limit:
                break
    except zlib.error:
        pass
    return bytes(body)


def _shown(path: Path) -> str:
    return f"segments/{path.parent.name}/{path.name}"
