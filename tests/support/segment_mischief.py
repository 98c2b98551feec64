"""Journals with closed segments, made by the real writer and the real store, and open to mischief.

`Mischief` changes files and rows as a clever thief would: with or without making sums, index and
row fit again.
"""

import gzip
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec

from progressive.adapters.segments import writer
from progressive.adapters.segments.files import INDEX, RECORDS, STATE, SegmentFiles
from progressive.adapters.sqlite.journal_file import FILE
from progressive.adapters.sqlite.journal_segments import adopt, trim
from progressive.application.journal.cut import Cut
from progressive.application.journal.segments import Segment
from progressive.domain.ids import LinkId
from tests.support.journals import JournalFile, Row

CUTS = (4, 7, 10)
"""Of the journal of `write_journal`: three segments, the last at its snapshot; 11 to 15 open."""

PURGED_AT = "2033-01-01T00:00:00.000000Z"


@contextmanager
def small_blocks(records: int = 2) -> Iterator[None]:
    """Blocks of few records, so that a short journal has many."""
    with mock.patch.object(writer, "BLOCK_RECORDS", records):
        yield


def close_segments(
    journal: JournalFile, cuts: Sequence[int] = CUTS, *, trimmed: bool = True, block: int = 2
) -> list[Segment]:
    """Write the segments of these cuts and adopt them, as archiving does."""
    files = SegmentFiles(journal.directory)
    made = segments_of(journal)
    with closing(FILE.open_to_write(journal.directory)) as db, small_blocks(block):
        for last_seq in cuts:
            segment = write_next(journal, files, made[-1] if made else None, last_seq)
            (epoch,) = db.execute("SELECT epoch FROM link WHERE id = ?", (journal.link,)).fetchone()
            adopt(db, segment, epoch)
            made.append(segment)
        while trimmed and trim(db, LinkId(journal.link), 100):
            pass
    return made


def write_next(
    journal: JournalFile, files: SegmentFiles, previous: Segment | None, last_seq: int
) -> Segment:
    """The files of the next segment; no row speaks of them yet."""
    first_seq = 1 if previous is None else previous.last_seq + 1
    batches = []
    for row in journal.rows():
        lines = row.body.splitlines()[max(0, first_seq - row.first_seq) :]
        if row.last_seq >= first_seq:
            batches.append((row.epoch, lines))
    state = journal.execute(
        "SELECT body FROM snapshot WHERE link = ? AND seq = ?", journal.link, last_seq
    )
    cut = Cut(
        link=LinkId(journal.link),
        day=msgspec.json.decode(batches[0][1][0])["at"][:10],
        last_seq=last_seq,
        previous=previous,
    )
    return writer.write_segment(files, cut, batches, state=state[0][0] if state else None)


def segments_of(journal: JournalFile) -> list[Segment]:
    rows = journal.execute("SELECT body FROM segment WHERE link = ? ORDER BY number", journal.link)
    return [msgspec.json.decode(body, type=Segment) for (body,) in rows]


class Mischief:
    """The hand that tampers with the files and rows of one journal's segments."""

    def __init__(self, journal: JournalFile) -> None:
        self.journal = journal
        self.folder = journal.directory / "segments" / journal.link

    def path(self, number: int, ending: str) -> Path:
        (found,) = self.folder.glob(f"{number:06}-*{ending}")
        return found

    def name(self, number: int, ending: str) -> str:
        return f"segments/{self.journal.link}/{self.path(number, ending).name}"

    # --- rows --------------------------------------------------------------------------------

    def row(self, number: int) -> Row:
        ((body,),) = self.journal.execute(
            "SELECT body FROM segment WHERE link = ? AND number = ?", self.journal.link, number
        )
        row: Row = msgspec.json.decode(body)
        return row

    def edit_row(self, number: int, change: Callable[[Row], object]) -> None:
        row = self.row(number)
        change(row)
        self.journal.execute(
            "UPDATE segment SET body = ?, last_seq = ? WHERE link = ? AND number = ?",
            msgspec.json.encode(row),
            row["last_seq"],
            self.journal.link,
            number,
        )

    def fit_row(self, number: int) -> None:
        """Length and hash of each file as it is now."""

        def fit(row: Row) -> None:
            for name, ending in (("records", RECORDS), ("index", INDEX), ("state", STATE)):
                if row.get(name) is not None:
                    row[name] = sum_of(self.path(number, ending))

        self.edit_row(number, fit)

    # --- records -----------------------------------------------------------------------------

    def blocks(self, number: int) -> list[list[bytes]]:
        """The records, block by block."""
        body = self.path(number, RECORDS).read_bytes()
        return [
            gzip.decompress(body[block[1] : block[1] + block[2]]).splitlines()
            for block in self.index(number)["blocks"]
        ]

    def rewrite(
        self, number: int, change: Callable[[list[list[bytes]]], object], *, fit: str = ""
    ) -> None:
        """Change records and compress them again; `fit` makes "index" and "row" fit again."""
        blocks = self.blocks(number)
        change(blocks)
        members = [gzip.compress(_text(lines), 6, mtime=0) for lines in blocks]
        self.path(number, RECORDS).write_bytes(b"".join(members))
        if "index" in fit:
            self.edit_index(number, lambda index: _fit_index(index, blocks, members))
            self.edit_index(
                number, lambda index: index.update(records=sum_of(self.path(number, RECORDS)))
            )
        if "row" in fit:
            last = blocks[-1][-1]
            ends = {
                "head": sha256(last).hexdigest(),
                "first_at": msgspec.json.decode(blocks[0][0])["at"],
                "last_at": msgspec.json.decode(last)["at"],
            }
            self.edit_row(number, lambda row: row.update(ends))
            if "index" in fit:
                self.edit_index(number, lambda index: index.update(ends))
            self.fit_row(number)

    def swap_files(self, one: int, other: int, ending: str) -> None:
        first, second = self.path(one, ending), self.path(other, ending)
        bodies = first.read_bytes(), second.read_bytes()
        first.write_bytes(bodies[1])
        second.write_bytes(bodies[0])

    # --- index and state ---------------------------------------------------------------------

    def index(self, number: int) -> Row:
        index: Row = msgspec.json.decode(self.path(number, INDEX).read_bytes())
        return index

    def edit_index(self, number: int, change: Callable[[Row], object]) -> None:
        index = self.index(number)
        change(index)
        self.path(number, INDEX).write_bytes(msgspec.json.encode(index) + b"\n")

    def edit_state(self, number: int, change: Callable[[Row], object]) -> None:
        path = self.path(number, STATE)
        state = msgspec.json.decode(gzip.decompress(path.read_bytes()))
        change(state)
        path.write_bytes(gzip.compress(msgspec.json.encode(state), mtime=0))

    def purge(self, until: int, *, recorded: bool = True, **changes: object) -> None:
        """Remove the records of the oldest segments, as their rows and a last record say."""
        if recorded:
            self._record_purge(until, changes)
        for number in range(1, until + 1):
            self.edit_row(number, lambda row: row.update(purged=PURGED_AT))
            self.path(number, RECORDS).unlink()

    def _record_purge(self, last_number: int, changes: dict[str, object]) -> None:
        first, last = self.row(1), self.row(last_number)
        lines = [line for n in range(1, last_number + 1) for b in self.blocks(n) for line in b]
        marks = [seq for seq, _ in self.index(last_number)["landmarks"]]
        newest = self.journal.rows()[-1]
        before = newest.body.splitlines()[-1]
        event = {
            "type": "segments_purged",
            "first_number": 1,
            "last_number": last_number,
            "first_seq": 1,
            "last_seq": last["last_seq"],
            "prev": first["prev"],
            "head": last["head"],
            "days": [first["day"], last["day"]],
            "last_at": last["last_at"],
            "retention_days": 1_826,
            "clause": "N.J.A.C. 13:69D-1.8",
            "reason": "five years are over",
            "second_reason": "checked",
            "by": [
                {"name": "Sue", "department": "pit"},
                {"name": "Fay", "department": "finance"},
            ],
            "kept": [lines[seq - 1].decode() for seq in marks],
            "meters": msgspec.json.decode(before)["event"]["meters"],
        }
        record = msgspec.json.encode(
            {
                "seq": newest.last_seq + 1,
                "at": PURGED_AT,
                "prev": sha256(before).hexdigest(),
                "event": event | changes,
            }
        )
        seq = newest.last_seq + 1
        self.journal.execute(
            "INSERT INTO batch VALUES (?, ?, ?, ?, ?)",
            *(self.journal.link, seq, seq, newest.epoch, record + b"\n"),
        )
        self.journal.execute(
            "UPDATE link SET seq = ?, head = ? WHERE id = ?",
            *(seq, sha256(record).hexdigest(), self.journal.link),
        )


def sum_of(path: Path) -> dict[str, Any]:
    body = path.read_bytes()
    return {"bytes": len(body), "sha256": sha256(body).hexdigest()}


def _text(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _fit_index(index: Row, blocks: list[list[bytes]], members: list[bytes]) -> None:
    offset = 0
    entries = []
    for place, (lines, member) in enumerate(zip(blocks, members, strict=True)):
        first = msgspec.json.decode(lines[0])
        epoch = index["blocks"][min(place, len(index["blocks"]) - 1)][3]
        entries.append([first["seq"], offset, len(member), epoch, first["at"]])
        offset += len(member)
    index["blocks"] = entries
