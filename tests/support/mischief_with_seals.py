"""What whoever owns the machine may do to a journal and to all that is remembered beside it."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from progressive.application.journal.record import GENESIS, hash_record
from progressive.domain.ids import LinkId

MAIN = LinkId("main")


def records_of(data: Path) -> list[bytes]:
    with closing(sqlite3.connect(data / "journal.sqlite3")) as db:
        rows = db.execute("SELECT body FROM batch WHERE link = 'main' ORDER BY first_seq")
        return [line for (body,) in rows for line in body.splitlines()]


def replace_journal(data: Path, records: list[bytes], *, mark: bool = True) -> None:
    """One batch in place of all; what the store says of its end, and the mark, fit it."""
    head = hash_record(records[-1])
    with closing(sqlite3.connect(data / "journal.sqlite3")) as db, db:
        (epoch,) = db.execute("SELECT epoch FROM link WHERE id = 'main'").fetchone()
        db.execute("DELETE FROM batch WHERE link = 'main'")
        db.execute("DELETE FROM snapshot WHERE link = 'main' AND seq >= ?", (len(records),))
        db.execute(
            "INSERT INTO batch (link, first_seq, last_seq, epoch, body) VALUES (?, ?, ?, ?, ?)",
            ("main", 1, len(records), epoch, b"\n".join(records) + b"\n"),
        )
        db.execute("UPDATE link SET seq = ?, head = ? WHERE id = 'main'", (len(records), head))
    if mark:
        path = data / "committed" / "main.json"
        stored = json.loads(path.read_bytes())
        at = json.loads(records[-1])["at"]
        stored |= {"seq": len(records), "head": head, "at": at, "sealed_size": 0}
        path.write_text(json.dumps(stored))


def cut_tail(data: Path, records: int) -> None:
    """The last records are gone, from everywhere that this program looks but the seals."""
    replace_journal(data, records_of(data)[:-records])


def rewrite(data: Path, seq: int) -> None:
    """One record is changed, and the chain made again from there on."""
    prev, made = GENESIS, []
    for number, stored in enumerate(records_of(data), 1):
        changed = re.sub(rb'"prev":"[0-9a-f]{64}"', b'"prev":"%s"' % prev.encode(), stored, count=1)
        if number == seq:
            changed = re.sub(rb'"at":"(.*?)\.\d{6}Z"', rb'"at":"\1.000001Z"', changed, count=1)
            assert changed != stored
        made.append(changed)
        prev = hash_record(changed)
    replace_journal(data, made)
