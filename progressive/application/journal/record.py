"""The record format: one JSON line per event, chained by hash.

`{"seq":…,"at":…,"prev":…,"event":{"type":…,…}}`. `prev` is the SHA-256 of the bytes of the record
before; the bytes hashed are the bytes stored, so that anyone can check the chain with a shell.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from progressive.domain.events import Event, WagersRegistered

GENESIS: Final = "0" * 64
"""What the first record of a journal names as the one before it."""


class Record(Struct, frozen=True):
    """An event with its place in the journal."""

    seq: int
    at: str
    prev: str
    event: Event


class RecordLink(Struct, frozen=True):
    """Only what chains a record to the one before; decoding skips the rest."""

    seq: int
    prev: str


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Record)
_link_decoder = msgspec.json.Decoder(RecordLink)


class JournalBrokenError(Exception):
    """The journal is not what was written."""


def encode_record(seq: int, at: str, prev: str, event: Event) -> bytes:
    """The bytes to store."""
    return _encoder.encode(Record(seq, at, prev, event))


def decode_record(stored: bytes, *, seq: int | None = None) -> Record:
    """A stored record; raises JournalBrokenError, naming `seq`, where the bytes are none."""
    which = "a record" if seq is None else f"record {seq}"
    try:
        record = _decoder.decode(stored)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise JournalBrokenError(f"{which} is unreadable: {error}") from error
    event = record.event
    if type(event) is WagersRegistered and event.plain is not None and not event.plain.whole:
        raise JournalBrokenError(f"{which} is unreadable: seats and base wagers are not as many")
    return record


def decode_place(stored: bytes, *, seq: int) -> RecordLink:
    """What a stored record says of its place; raises JournalBrokenError where it says nothing."""
    try:
        return _link_decoder.decode(stored)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise JournalBrokenError(f"record {seq} is unreadable: {error}") from error


def hash_record(stored: bytes) -> str:
    """What the next record will name as `prev`."""
    return sha256(stored).hexdigest()


class RecordMissingError(JournalBrokenError):
    """Another record stands where one should be."""


class ChainCheck:
    """Walks records in order and raises at the first that does not follow."""

    def __init__(self, *, seq: int = 0, head: str = GENESIS) -> None:
        self.seq = seq
        self.head = head

    def feed(self, stored: bytes) -> None:
        """The next record as stored."""
        link = decode_place(stored, seq=self.seq + 1)
        self.follow(link.seq, link.prev, stored)

    def follow(self, seq: int, prev: str, stored: bytes) -> None:
        """The next record, of which is known already what it says of its place."""
        expected = self.seq + 1
        if seq != expected:
            raise RecordMissingError(f"record {expected} is missing: {seq} stands there")
        if prev != self.head:
            raise JournalBrokenError(
                f"record {expected} does not follow record {self.seq}: "
                "one of the two has been changed"
            )
        self.seq = expected
        self.head = hash_record(stored)

    def feed_all(self, records: Iterable[bytes]) -> None:
        """HOT at a start. Many records, of which nothing but their place is asked.

        Most of the time is the hash: comparing the first bytes in place of decoding saves a tenth.
        """
        seq, head, decode = self.seq, self.head, _link_decoder.decode
        for stored in records:
            try:
                link = decode(stored)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                link = None
            if link is None or link.seq != seq + 1 or link.prev != head:
                # Says what is wrong.
                self.seq, self.head = seq, head
                self.feed(stored)
            seq, head = seq + 1, sha256(stored).hexdigest()
        self.seq, self.head = seq, head
