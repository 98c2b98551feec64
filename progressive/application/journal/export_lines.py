"""COLD. A record as a line of an export: as it is stored, or as a row of a table."""

import csv
import io
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol

import msgspec
from msgspec import Struct

from progressive.application.journal.record import decode_record, hash_record
from progressive.domain.award_events import AwardMade, AwardPaid, RoundValidated
from progressive.domain.events import (
    Event,
    LinkOpened,
    RoundSettled,
    RoundVoided,
    SettledEarly,
    WagersRegistered,
)
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.signatures import Signature

COLUMNS: Final = (
    "seq",
    "at",
    "type",
    "table",
    "round",
    "wagers_cents",
    "amount_cents",
    "meters_cents",
    "by",
    "award",
    "document",
    "prev",
    "hash",
    "event",
)
"""Of a row. Columns are only added, before `prev`; none is renamed or given another unit."""
NO_DEALERS: Final[Mapping[int, Signature]] = MappingProxyType({})
FORMULA_MARKS: Final = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a text that begins so for a formula."""


class Lines(Protocol):
    """A form that records are written in, a line each."""

    header: bytes
    """Before the first line, with its own end."""
    shows_dealers: bool
    """Whether a line of a settlement names the dealer, whom its record may not."""

    def line(self, stored: bytes, dealers: Mapping[int, Signature] = NO_DEALERS) -> bytes:
        """A record, with the end of its line; raises JournalBrokenError where it is none.

        `dealers` says who signed on by the records that settlements name.
        """
        ...

    def seq_of(self, line: bytes) -> int | None:
        """Which record a whole line is of; None where it is of none."""
        ...


class _Place(Struct):
    seq: int


class JsonLines:
    """The bytes as they are stored: what the hashes are of."""

    header = b""
    shows_dealers = False

    def line(self, stored: bytes, dealers: Mapping[int, Signature] = NO_DEALERS) -> bytes:
        """The record itself."""
        return stored + b"\n"

    def seq_of(self, line: bytes) -> int | None:
        """Its own number."""
        try:
            return msgspec.json.decode(line, type=_Place).seq
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None


class _Raw(Struct):
    prev: str
    event: msgspec.Raw


class CsvLines:
    """A row a record (RFC 4180), the whole event as JSON in its last cell."""

    header = ",".join(COLUMNS).encode() + b"\r\n"
    shows_dealers = True

    def line(self, stored: bytes, dealers: Mapping[int, Signature] = NO_DEALERS) -> bytes:
        """The record's row."""
        record = decode_record(stored)
        raw = msgspec.json.decode(stored, type=_Raw)
        event = record.event
        cells = (
            record.seq,
            record.at,
            _guarded(msgspec.to_builtins(event)["type"]),
            _guarded(getattr(event, "table", "")),
            _guarded(getattr(event, "round", "")),
            _wagers_cents(event),
            _amount_cents(event),
            _meters_cents(event),
            _guarded(_by(event, dealers)),
            _guarded(_awards(event)),
            _guarded(getattr(event, "document", "")),
            raw.prev,
            hash_record(stored),
            bytes(raw.event).decode("utf-8"),
        )
        return _row(cells)

    def seq_of(self, line: bytes) -> int | None:
        """The first cell."""
        first = line.partition(b",")[0]
        return int(first) if first.isdigit() and len(first) < 20 else None


def lines_of(form: str) -> Lines:
    """By the name of the form, `jsonl` or `csv`."""
    return CsvLines() if form == "csv" else JsonLines()


def _row(cells: Iterable[object]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue().encode("utf-8")


def _guarded(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA_MARKS) else text


def _wagers_cents(event: Event) -> int | str:
    """Chips and coupons that a lock-out took, or that a void gave back."""
    if not isinstance(event, WagersRegistered | RoundVoided):
        return ""
    return sum([stake.chip_cents + stake.coupon_cents for stake in event.stakes])


def _amount_cents(event: Event) -> int | str:
    """What awards are owed as they are made, and what was paid."""
    match event:
        case AwardPaid() | RoundValidated():
            return event.cents
        case RoundSettled() | SettledEarly() if event.awards:
            return sum([award.due_cents for award in event.awards])
        case _:
            return ""


def _meters_cents(event: Event) -> str:
    """The displayed meters after it, whole cents, in the order of the terms."""
    microcents: tuple[int, ...] = (
        tuple([flow.primary for flow in event.funding])
        if isinstance(event, LinkOpened)
        else event.meters
    )
    return _guarded(" ".join([str(each // MICROCENTS_PER_CENT) for each in microcents]))


def _by(event: Event, dealers: Mapping[int, Signature]) -> str:
    """Who did it; for a settled round, who dealt it."""
    by: Any = getattr(event, "by", None) or getattr(event, "dealt_by", None)
    by = by or dealers.get(getattr(event, "dealt_seq", 0)) or getattr(event, "dealer", None)
    people = by if isinstance(by, tuple) else (by,)
    return "; ".join(
        [f"{each.name} ({each.department})" for each in people if isinstance(each, Signature)]
    )


def _awards(event: Event) -> str:
    if (one := getattr(event, "award", None)) is not None:
        return str(one)
    several: tuple[AwardMade | str, ...] = getattr(event, "awards", ())
    return " ".join([each.award if isinstance(each, AwardMade) else each for each in several])
