"""The records of an audit pack: those of the day, and those beside it, which must join them."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from progressive.verifier.findings import DiscrepancyError, StoreCorruptError
from progressive.verifier.reading.opened_file import plain_file
from progressive.verifier.record import Record, read_record
from progressive.verifier.recorded.finance_events import DayClosed, DayPrepared

RECORDS: Final = "records.jsonl"
BESIDE: Final = "beside.jsonl"


@dataclass(slots=True)
class DayRecords:
    """Where the day begins and ends in the journal."""

    first_seq: int = 0
    """0: the day has no record."""
    last_seq: int = 0
    prev: str = ""
    """What the first record names as the one before it."""
    head: str = ""
    stored: dict[int, bytes] = field(default_factory=dict)
    """Records that a proof or a sample speaks of."""


def day_records(folder: Path, wanted: Collection[int], size: int | None) -> DayRecords:
    """The ends of the day, its newest sealed record, and the ones that are asked for.

    The chain between them is another's to follow. Raises StoreCorruptError.
    """
    found, last = DayRecords(), b""
    for stored in lines(folder / RECORDS):
        if not found.first_seq:
            record = _read(stored)
            found.first_seq, found.prev = record.seq, record.prev
            found.last_seq = record.seq - 1
        found.last_seq += 1
        last = stored
        if found.last_seq in wanted or found.last_seq == size:
            found.stored[found.last_seq] = stored
    if last:
        found.head = sha256(last).hexdigest()
        found.stored[found.last_seq] = last
    return found


def beside_the_day(folder: Path) -> dict[int, bytes]:
    """The record before, the one after, and what finance stated; raises StoreCorruptError."""
    found: dict[int, bytes] = {}
    for stored in lines(folder / BESIDE):
        seq = _read(stored).seq
        if found and seq <= max(found):
            raise StoreCorruptError(f"{BESIDE}: its records are not in their order")
        found[seq] = stored
    return found


def joins(day: DayRecords, beside: dict[int, bytes]) -> Iterator[str]:
    """What does not fit between the day and the records beside it."""
    if not day.first_seq:
        first, *rest = beside
        if rest and rest[0] == first + 1 and _read(beside[rest[0]]).prev != _hash(beside[first]):
            yield f"record {rest[0]:,} does not follow record {first:,}"
        return
    before, after = beside.get(day.first_seq - 1), beside.get(day.last_seq + 1)
    if before is not None and _hash(before) != day.prev:
        yield f"record {day.first_seq:,} does not follow record {day.first_seq - 1:,}"
    if after is not None and _read(after).prev != day.head:
        yield f"record {day.last_seq + 1:,} does not follow record {day.last_seq:,}"
    for seq, stored in beside.items():
        event = _read(stored).event
        if not isinstance(event, DayPrepared | DayClosed):
            continue
        totals = event.totals
        place = (totals.first_seq, totals.last_seq, totals.head)
        if place != (day.first_seq, day.last_seq, day.head):
            yield (
                f"record {seq:,} is about records {totals.first_seq:,} to {totals.last_seq:,}, "
                f"and the day here has {day.first_seq:,} to {day.last_seq:,}"
            )


def lines(path: Path) -> Iterator[bytes]:
    """Without their newlines; raises StoreCorruptError where the last one has none."""
    try:
        with open(path, "rb", opener=plain_file) as file:
            for line in file:
                if not line.endswith(b"\n"):
                    raise StoreCorruptError(f"{path.name} was cut off")
                yield line[:-1]
    except FileNotFoundError:
        raise StoreCorruptError(f"{path.name} is missing") from None


def _read(stored: bytes) -> Record:
    try:
        return read_record(stored)
    except DiscrepancyError as error:
        raise StoreCorruptError(str(error)) from None


def _hash(stored: bytes) -> str:
    return sha256(stored).hexdigest()
