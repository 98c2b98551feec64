"""Long chains of records, made without a link: for what looks at places, not at money."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import msgspec

from progressive.application.journal.record import GENESIS
from progressive.domain.ids import LinkId

CHAIN_LINK = LinkId("bj-x")
BEGAN = datetime(2026, 11, 17, 14, 0, tzinfo=UTC)

Batches = list[tuple[int, list[bytes]]]


def a_time(seconds: float) -> str:
    """So many seconds after the first record."""
    return (BEGAN + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def a_chain(
    count: int,
    *,
    first_seq: int = 1,
    prev: str = GENESIS,
    seconds: float = 1.0,
    acts: Sequence[int] = (),
) -> list[bytes]:
    """Lock-outs of seven tables in turn, one record every so many seconds; some of the records
    are acts of people."""
    records = []
    for seq in range(first_seq, first_seq + count):
        event: dict[str, object] = {
            "type": "wagers_registered",
            "table": f"BJ-{seq % 7:02}",
            "table_seq": (seq + 6) // 7,
            "round": f"r{seq}",
            "meters": [seq * 17, seq * 19 % 977],
        }
        if seq in acts:
            event = {
                "type": "award_validated",
                "award": f"A-{seq}",
                "by": {"name": "ann", "department": "tables"},
                "meters": [seq],
            }
        stored = msgspec.json.encode(
            {"seq": seq, "at": a_time((seq - 1) * seconds), "prev": prev, "event": event}
        )
        prev = sha256(stored).hexdigest()
        records.append(stored)
    return records


def in_batches(records: Sequence[bytes], size: int, *, epoch: int = 1) -> Batches:
    """As a store holds them."""
    return [(epoch, list(records[place : place + size])) for place in range(0, len(records), size)]


def lines_of(blocks: Iterator[tuple[object, list[bytes]]]) -> list[bytes]:
    """The records of blocks."""
    return [record for _, records in blocks for record in records]
