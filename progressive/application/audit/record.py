"""COLD. One stored line to a record: readable, canonical, and at a real moment."""

import re
from datetime import datetime
from typing import Any, Final

import msgspec

from progressive.application.audit.findings import DiscrepancyError, shown
from progressive.application.journal.record import JournalBrokenError, Record, decode_record

_RFC3339_UTC: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|\+00:00)", re.ASCII)

_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_encoder = msgspec.json.Encoder()


class _Glimpse(msgspec.Struct):
    """What may still be legible of a record that is no good."""

    at: str | None = None
    event: dict[str, Any] | None = None


def read_record(stored: bytes) -> Record:
    """The record of a line; raises where it is none, or not written as this format writes it."""
    try:
        record = decode_record(stored)
    except JournalBrokenError as error:
        raise DiscrepancyError(shown_error(str(error))) from None
    # Written otherwise, a line could tell another reader another story: a key twice, an unknown
    # key, a number in another notation.
    if _encoder.encode(record) != stored and not _written_with_fewer_fields(record, stored):
        raise DiscrepancyError("the record is not in canonical form")
    return record


def read_time(at: str) -> datetime:
    """The moment of a record; raises where it is not RFC 3339 UTC."""
    if _RFC3339_UTC.fullmatch(at):
        try:
            return datetime.fromisoformat(at)
        except ValueError:
            pass
    raise DiscrepancyError(f"{shown(at)} is not a time in RFC 3339 UTC")


def glimpse(stored: bytes) -> tuple[str | None, str | None]:
    """Time and type of a record, as far as they can be made out."""
    try:
        seen = msgspec.json.decode(stored, type=_Glimpse)
    except _UNREADABLE:
        return None, None
    kind = None if seen.event is None else seen.event.get("type")
    return seen.at and shown(seen.at), shown(kind) if isinstance(kind, str) else None


def shown_error(text: str) -> str:
    """A decoder's complaint, which may quote what it met: longer than a value, still one line."""
    return " ".join([shown(word) for word in text.split()])[:300]


def _written_with_fewer_fields(record: Record, stored: bytes) -> bool:
    """Whether it is canonical but older than fields that have been added, with a default, since."""
    try:
        plain = msgspec.json.decode(stored)
    except _UNREADABLE:
        # A decoder that knows the fields skips what it does not know, whatever that is.
        return False
    return _encoder.encode(plain) == stored and _within(plain, msgspec.to_builtins(record))


def _within(part: object, whole: object) -> bool:
    if isinstance(part, dict) and isinstance(whole, dict):
        return list(part) == [key for key in whole if key in part] and all(
            _within(value, whole[key]) for key, value in part.items()
        )
    if isinstance(part, list) and isinstance(whole, list | tuple):
        return len(part) <= len(whole) and all(
            _within(one, other) for one, other in zip(part, whole, strict=False)
        )
    return type(part) is type(whole) and part == whole
