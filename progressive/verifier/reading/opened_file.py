"""A file that is read once from its first byte to its last, and hashed on the way.

Nothing in it is trusted, not even a length, and nothing is inflated without a limit.
"""

import errno
import hashlib
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from progressive.verifier.findings import StoreCorruptError
from progressive.verifier.reading.errors import StoreUnavailableError
from progressive.verifier.reading.ports import Member
from progressive.verifier.reading.segments import FileSum

MEMBER_BYTES_MAX: Final = 32 << 20
"""What a block may inflate to: 256 records of 128 KiB, hundreds of times more than they have."""
CHUNK_BYTES: Final = 1 << 17
_GZIP: Final = 31
"""What zlib calls a gzip header with the largest window."""


_FLAGS: Final = (
    os.O_RDONLY
    # A pipe that somebody put there must not hold up the reader.
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    # Windows would change the ends of lines.
    | getattr(os, "O_BINARY", 0)
)
"""Not every system has all of them."""


NOT_FILES: Final = (errno.EISDIR, errno.ELOOP, errno.EINVAL)
"""What `plain_file` and the system say of what is no file at all, whoever asks."""


def plain_file(path: str, flags: int) -> int:
    """An `opener` for `open`: a pipe or a device in the place of a file holds up nobody.

    A pipe without a writer would be waited for, and a device such as /dev/zero never ends.
    """
    fd = os.open(path, flags | _FLAGS)
    mode = os.fstat(fd).st_mode
    if stat.S_ISREG(mode):
        return fd
    os.close(fd)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory", path)
    raise OSError(errno.EINVAL, "it is a pipe or a device", path)


class OpenedFile:
    """Opened for the time of a `with`; raises StoreCorruptError where there is no such file."""

    def __init__(self, path: Path, shown: str) -> None:
        """`shown`: how a message names it."""
        self._path = path
        self._shown = shown
        self._digest = hashlib.sha256()
        self._bytes = 0
        self._fd = -1

    def __enter__(self) -> "OpenedFile":
        try:
            self._fd = plain_file(str(self._path), 0)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            # ValueError: the name of a forged link is none.
            raise StoreCorruptError(f"{self._shown} is missing") from None
        except OSError as error:
            if error.errno == errno.EISDIR or self._path.is_dir():
                # Windows opens no folder at all.
                raise StoreCorruptError(f"{self._shown} is a folder") from None
            if error.errno in NOT_FILES:
                raise StoreCorruptError(f"{self._shown} is no file: {error.strerror}") from None
            raise self._unreadable(error) from None
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def read(self) -> bytes:
        """The next piece; nothing at the end."""
        try:
            chunk = os.read(self._fd, CHUNK_BYTES)
        except OSError as error:
            raise self._unreadable(error) from None
        self._digest.update(chunk)
        self._bytes += len(chunk)
        return chunk

    def read_whole(self, limit: int) -> bytes | None:
        """All of it; None where it has more bytes than that."""
        pieces: list[bytes] = []
        while self._bytes <= limit and (chunk := self.read()):
            pieces.append(chunk)
        return b"".join(pieces) if self._bytes <= limit else None

    def sum(self) -> FileSum:
        """Of the whole file: what was not read yet is read now."""
        while self.read():
            pass
        return FileSum(self._bytes, self._digest.hexdigest())

    def again(self, offset: int, size: int) -> bytes:
        """A stretch of it, wherever the reading stands."""
        try:
            return _read_at(self._fd, size, offset)
        except OSError as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: OSError) -> StoreUnavailableError:
        return StoreUnavailableError(f"{self._shown} cannot be read: {error.strerror}")


def _read_at(fd: int, size: int, offset: int) -> bytes:
    """A stretch of a file, whose own place stays where it is."""
    if hasattr(os, "pread"):
        return os.pread(fd, size, offset)
    # Windows. Whoever opened the file is the only one that reads it: there are no threads here, and
    # no process that shares the place, since processes are only forked where `pread` is.
    place = os.lseek(fd, 0, os.SEEK_CUR)
    try:
        os.lseek(fd, offset, os.SEEK_SET)
        return os.read(fd, size)
    finally:
        os.lseek(fd, place, os.SEEK_SET)


def members(file: OpenedFile, *, limit: int = MEMBER_BYTES_MAX) -> Iterator[Member]:
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


def inflated(block: bytes, *, limit: int = MEMBER_BYTES_MAX) -> bytes | None:
    """One whole gzip member; None where it is none, or inflates to more."""
    inflate = zlib.decompressobj(_GZIP)
    try:
        body = inflate.decompress(block, limit + 1)
    except zlib.error:
        return None
    return body if inflate.eof and len(body) <= limit and not inflate.unused_data else None


def _salvaged(file: OpenedFile, offset: int, limit: int) -> bytes:
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
