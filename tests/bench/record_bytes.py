"""What the bytes of a journal are spent on: `python -m tests.bench.record_bytes [--records N]`.

A part's price is what a round takes less without it: in the record as it stands, and in the
compressed block of a closed segment, where what repeats costs next to nothing. Rounds are those of
`tests.support.long_journal`: seven wagers each, a lock-out and a settlement, now and then more.
"""

import argparse
import gzip
import lzma
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.console import Console

from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.application.journal.segments import BLOCK_RECORDS
from tests.bench.grids import show_grid
from tests.support.long_journal import make_long_journal

RECORDS: Final = 40_000
LEVEL: Final = 6
RECORDS_A_ROUND: Final = 2

Record = dict[str, Any]
Compress = Callable[[bytes], bytes]


def show_record_bytes(console: Console, *, records: int = RECORDS) -> None:
    """Three tables: the parts of a record, the ways to compress them, the journal file."""
    with tempfile.TemporaryDirectory() as folder:
        made = make_long_journal(Path(folder) / "link", records=records, days=1, schema=1)
        lines = stored_lines(made.data / FILE_NAME)
        live = (made.data / FILE_NAME).stat().st_size
    rounds = sum(b'"type":"wagers_registered"' in line for line in lines)
    _show_parts(console, lines, rounds)
    _show_ways(console, lines, rounds)
    raw = size_raw(lines)
    console.print(
        f"journal file, two to five records a commit: {live / len(lines):.0f} bytes a record, "
        f"of which {raw / len(lines):.0f} are the record; {live / rounds:.0f} a round",
        highlight=False,
    )


def stored_lines(file: Path) -> list[bytes]:
    """Every record of the one link in a journal file, as stored."""
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as db:
        bodies = db.execute("SELECT body FROM batch ORDER BY first_seq")
        return [line for (body,) in bodies for line in body.splitlines()]


def size_raw(lines: Iterable[bytes]) -> int:
    """With the newline after each."""
    return sum(len(line) + 1 for line in lines)


def size_compressed(
    lines: Sequence[bytes], compress: Compress | None = None, block: int = BLOCK_RECORDS
) -> int:
    """In blocks, each compressed by itself as in a closed segment."""
    how = _gzip(LEVEL) if compress is None else compress
    return sum(
        len(how(b"\n".join(lines[begin : begin + block]) + b"\n"))
        for begin in range(0, len(lines), block)
    )


# --- parts of a record --------------------------------------------------------------------------


def _without(*names: str) -> Callable[[Record], Record]:
    """Fields of the record or of its event that are left out."""

    def change(record: Record) -> Record:
        event = {key: value for key, value in record["event"].items() if key not in names}
        return {key: value for key, value in record.items() if key not in names} | {"event": event}

    return change


def _without_keys(record: Record) -> Any:  # noqa: ANN401 - an array of arrays
    return _values(record)


def _values(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, dict):
        return [_values(each) for each in value.values()]
    if isinstance(value, list):
        return [_values(each) for each in value]
    return value


PARTS: Final[tuple[tuple[str, Callable[[Record], Any]], ...]] = (
    ("hash of the record before (`prev`)", _without("prev")),
    ("names of fields, as if records were arrays", _without_keys),
    ("times (`at`, `awarded_at`)", _without("at", "awarded_at")),
    ("names and numbers (`seq`, `table`, `table_seq`, `round`)",
     _without("seq", "table", "table_seq", "round")),
    ("wagers (`plain`, `wagers`, `chips_counted`)", _without("plain", "wagers", "chips_counted")),
    ("what they put where (`stakes`, `flows`, `hold`)", _without("stakes", "flows", "hold")),
    ("meters after it (`meters`)", _without("meters")),
    ("cards and awards (`dealer`, `seats`, `awards`, `money`)",
     _without("dealer", "seats", "awards", "money")),
)  # fmt: skip


def _show_parts(console: Console, lines: list[bytes], rounds: int) -> None:
    raw, packed = size_raw(lines), size_compressed(lines)
    records: list[Record] = [msgspec.json.decode(line) for line in lines]
    rows = [["all of it", f"{raw / rounds:,.0f}", f"{packed / rounds:,.1f}", ""]]
    for name, change in PARTS:
        changed = [msgspec.json.encode(change(record)) for record in records]
        less_raw, less = raw - size_raw(changed), packed - size_compressed(changed)
        rows.append(
            [name, f"{less_raw / rounds:,.0f}", f"{less / rounds:,.1f}", f"{less / packed:.0%}"]
        )
    show_grid(
        console,
        f"bytes a round, and what a part costs (gzip -{LEVEL}, {BLOCK_RECORDS} records a block)",
        ("part", "as written", "in a segment", "of it"),
        rows,
    )


# --- ways to compress ---------------------------------------------------------------------------


def _gzip(level: int) -> Compress:
    return lambda body: gzip.compress(body, level, mtime=0)


def _xz(preset: int) -> Compress:
    return lambda body: lzma.compress(body, preset=preset)


WAYS: Final[tuple[tuple[str, Compress, Callable[[bytes], bytes]], ...]] = (
    ("gzip -1", _gzip(1), gzip.decompress),
    ("gzip -6", _gzip(6), gzip.decompress),
    ("gzip -9", _gzip(9), gzip.decompress),
    ("xz -1", _xz(1), lzma.decompress),
    ("xz -6", _xz(6), lzma.decompress),
)
BLOCKS: Final = (64, 256, 1_024)


def _show_ways(console: Console, lines: list[bytes], rounds: int) -> None:
    rows = []
    for name, compress, inflate in WAYS:
        for block in BLOCKS:
            began = time.process_time()
            packed = size_compressed(lines, compress, block)
            seconds = time.process_time() - began
            one = compress(b"\n".join(lines[:block]) + b"\n")
            began = time.process_time()
            for _ in range(20):
                inflate(one)
            to_read = (time.process_time() - began) / 20
            rows.append(
                [
                    name,
                    str(block),
                    f"{packed / rounds:,.1f}",
                    f"{seconds / len(lines) * 1e6:.1f}",
                    f"{to_read * 1e6:,.0f}",
                ]
            )
    show_grid(
        console,
        "ways to compress a segment",
        ("way", "records a block", "bytes a round", "µs a record", "µs to inflate a block"),
        rows,
    )


def main() -> None:
    """The command line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--records", type=int, default=RECORDS)
    show_record_bytes(Console(width=120), records=options.parse_args().records)


if __name__ == "__main__":
    main()
