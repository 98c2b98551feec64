"""Whether the records of an inflated block follow each other, hash by hash.

A block is looked at only when somebody asks for what is in it. A record that was changed there is
not to be served until the audit of the whole past comes by: each record names the hash of the one
before, and the record behind the block names that of its last one. 256 records take 0.2 to 0.3 ms.
"""

import zlib
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

HEAD_BYTES: Final = 512
"""Of a compressed block: enough to inflate the beginning of its first record."""
_PREV: Final = b'"prev":"'
_PREV_WITHIN: Final = 160
"""Number and time of a record stand before its `prev`, and take a part of that."""
_DIGITS: Final = 64
_GZIP: Final = 16 + zlib.MAX_WBITS


def first_not_followed(records: Sequence[bytes], *, head: bytes) -> int | None:
    """The place of the first record that is not the one that its successor names; None: all are.

    `head`: the hash that the last one must have; empty where it is not known.
    """
    expected = b""
    for place, record in enumerate(records):
        if expected and prev_of(record) != expected:
            return place - 1
        expected = sha256(record).hexdigest().encode()
    return len(records) - 1 if head and expected != head else None


def prev_of(record: bytes) -> bytes:
    """The hash that a record, or the beginning of one, names; empty where it names none."""
    at = record.find(_PREV, 0, _PREV_WITHIN)
    return b"" if at < 0 else record[at + len(_PREV) : at + len(_PREV) + _DIGITS]


def prev_in(block: bytes) -> bytes:
    """The hash that the first record of a compressed block names; empty where it cannot be told."""
    try:
        return prev_of(zlib.decompressobj(_GZIP).decompress(block[:HEAD_BYTES], 2 * _PREV_WITHIN))
    except zlib.error:
        # It is the next block that is damaged: whoever asks for that one is told.
        return b""
