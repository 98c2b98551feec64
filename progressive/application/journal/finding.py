"""COLD. What a stored record can be found by, and searches through records that have no index."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.application.journal.segments import CHECKPOINT, TABLE_MESSAGES
from progressive.domain.award_events import AwardVoided, RoundValidated
from progressive.domain.ids import TableId


class _Event(Struct):
    type: str
    table: str = ""
    table_seq: int = 0


class Finding(Struct):
    """The few fields of a record by which it is found; the rest is skipped."""

    seq: int
    at: str
    event: _Event

    @property
    def is_message(self) -> bool:
        """Whether it is a table's."""
        return self.event.type in TABLE_MESSAGES

    @property
    def is_act(self) -> bool:
        """Whether it is neither a table's message nor a checkpoint."""
        return self.event.type not in TABLE_MESSAGES and self.event.type != CHECKPOINT


_decoder: Final = msgspec.json.Decoder(Finding)
_EVENT: Final = b'"event":{"type":"'
_NO_ACTS: Final = tuple(
    _EVENT + each.encode() + b'"' for each in (*sorted(TABLE_MESSAGES), CHECKPOINT)
)


def finding(stored: bytes) -> Finding:
    """What a record is found by; raises JournalBrokenError where it is none."""
    try:
        return _decoder.decode(stored)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise JournalBrokenError(f"a record is unreadable: {error}") from None


def about(stored: bytes) -> tuple[str, ...]:
    """The awards and corrections that an act concerns."""
    event = decode_record(stored).event
    if isinstance(event, RoundValidated):
        return event.awards
    if isinstance(event, AwardVoided):
        return (event.award, *(change.award for change in event.changes))
    one = getattr(event, "award", None) or getattr(event, "correction", None)
    return () if one is None else (str(one),)


def acts_among(
    records: Iterable[bytes], *, types: Collection[str] = (), about_any: Collection[str] = ()
) -> list[bytes]:
    """The acts of a stretch without an index."""
    # Looking for the bytes first spares decoding nearly every record.
    kinds, names = _kinds(types), _names(about_any)
    found = []
    for stored in records:
        if kinds and not any(kind in stored for kind in kinds):
            continue
        if names and not any(name in stored for name in names):
            continue
        if not kinds and stored.startswith(_NO_ACTS, stored.find(_EVENT)):
            continue
        what = finding(stored)
        if not what.is_act or (types and what.event.type not in types):
            continue
        if not about_any or not set(about_any).isdisjoint(about(stored)):
            found.append(stored)
    return found


def _kinds(types: Collection[str]) -> list[bytes]:
    return [b'"type":"%b"' % each.encode() for each in types]


def _names(about_any: Collection[str]) -> list[bytes]:
    return [b'"%b"' % each.encode() for each in about_any]


def message_needle(table: TableId, table_seq: int) -> bytes:
    """A text that the record of a table's message holds."""
    return b'"table":"%b","table_seq":%d,' % (table.encode(), table_seq)


def message_among(records: Iterable[bytes], table: TableId, table_seq: int) -> bytes | None:
    """The record that a table's message led to, in a stretch without an index."""
    needle = message_needle(table, table_seq)
    for stored in records:
        if needle in stored:
            what = finding(stored)
            event = what.event
            if what.is_message and (event.table, event.table_seq) == (table, table_seq):
                return stored
    return None


def messages_text(table: TableId) -> bytes:
    """A text that the records of all messages of a table hold."""
    return b'"table":"%b","table_seq":' % table.encode()


def first_message(records: Iterable[bytes], table: TableId) -> tuple[Finding, bytes] | None:
    """The first message of a table in a stretch without an index."""
    text = messages_text(table)
    for stored in records:
        if text in stored and (what := finding(stored)).is_message and what.event.table == table:
            return what, stored
    return None


def last_until(at: str, *, first: int, last: int, record: Callable[[int], bytes]) -> bytes | None:
    """The last record at or before a time between two numbers, by halving; None: all are later."""
    found: bytes | None = None
    before, after = first - 1, last + 1
    while after - before > 1:
        # First the newest: most questions are about today.
        middle = last if after > last else (before + after) // 2
        stored = record(middle)
        if finding(stored).at <= at:
            before, found = middle, stored
        else:
            after = middle
    return found


def stretch(
    records: Sequence[bytes], first_seq: int, *, after_seq: int, until_seq: int | None
) -> Sequence[bytes]:
    """The part of consecutive records that lies within two numbers."""
    begin = max(0, after_seq + 1 - first_seq)
    end = len(records) if until_seq is None else max(0, until_seq + 1 - first_seq)
    return records[begin:end]
