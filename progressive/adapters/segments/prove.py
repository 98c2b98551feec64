"""COLD. Reads the files of a new segment back from the disk and proves them."""

import hashlib
import zlib
from pathlib import Path
from typing import Final

from progressive.adapters.segments.index_builder import IndexBuilder
from progressive.application.journal.cut import Cut
from progressive.application.journal.ports import StoreUnavailableError
from progressive.application.journal.record import JournalBrokenError
from progressive.application.journal.segments import FileSum, SegmentIndex, decode_index

GZIP: Final = 31
"""What zlib calls a gzip header with the largest window. It writes no time into it."""


def prove_records(path: Path, cut: Cut, index: SegmentIndex, previous: SegmentIndex | None) -> None:
    """Make the index a second time from what is read.

    An index that is the same was made of records with the same numbers, hashes and places.
    """
    builder = IndexBuilder(cut, previous)
    digest, size = hashlib.sha256(), 0
    try:
        with open(path, "rb") as file:
            for block in index.blocks:
                body = file.read(block.bytes)
                digest.update(body)
                records = inflated(path, body).split(b"\n")
                records.pop()
                builder.add(block.epoch, records, offset=size, size=len(body))
                size += len(body)
            behind = file.read(1)
        again = builder.index(FileSum(size, digest.hexdigest()))
    except JournalBrokenError:
        raise _not_as_written(path) from None
    if behind or again != index:
        raise _not_as_written(path)


def prove_index(path: Path, index: SegmentIndex, sum_: FileSum) -> None:
    """The index is read as it was written."""
    try:
        again = decode_index(_read_back(path, sum_))
    except JournalBrokenError:
        raise _not_as_written(path) from None
    if again != index:
        raise _not_as_written(path)


def prove_state(path: Path, state: bytes, sum_: FileSum) -> None:
    """The state is inflated to what it was."""
    if inflated(path, _read_back(path, sum_)) != state:
        raise _not_as_written(path)


def _read_back(path: Path, sum_: FileSum) -> bytes:
    body = path.read_bytes()
    if FileSum(len(body), hashlib.sha256(body).hexdigest()) != sum_:
        raise _not_as_written(path)
    return body


def inflated(path: Path, body: bytes) -> bytes:
    """One gzip member, whole, and nothing behind it."""
    inflate = zlib.decompressobj(GZIP)
    try:
        plain = inflate.decompress(body)
    except zlib.error:
        raise _not_as_written(path) from None
    if not inflate.eof or inflate.unused_data:
        raise _not_as_written(path)
    return plain


def _not_as_written(path: Path) -> StoreUnavailableError:
    return StoreUnavailableError(
        f"{path.parent.name}/{path.name} read back is not what was written: check the disk"
    )
