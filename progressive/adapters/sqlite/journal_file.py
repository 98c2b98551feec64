"""The journal's file: its name, its form, and how a row of records is taken apart."""

from typing import Final

from progressive.adapters.sqlite.file import StoreFile

FILE_NAME: Final = "journal.sqlite3"
CHECKPOINT_PAGES: Final = 4000
"""16 MiB of WAL before it is moved into the file: under load four times fewer syncs."""
FILE: Final = StoreFile(
    name=FILE_NAME,
    called="the journal file",
    # The link's reason already begins with what cannot be done with the journal.
    prefix="",
    scripts="journal",
    pragmas=(
        "journal_mode = WAL",
        # The WAL is synced at every commit, not only when it is moved into the file.
        "synchronous = FULL",
        "foreign_keys = ON",
        f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
        # Debian's SQLite overwrites what is deleted with zeros. What is removed here lies in a
        # segment: not doing that spares 100 MB of writes for each, which wagers would wait for.
        "secure_delete = FAST",
    ),
    busy_seconds=5.0,
)


def unpack(first_seq: int, body: bytes) -> list[bytes]:
    """The records of a batch."""
    records = FILE.as_bytes(body, f"the batch at {first_seq}").split(b"\n")
    if records.pop():
        raise FILE.damaged(f"the batch at {first_seq} does not end with a newline")
    return records


def unpack_whole(first_seq: object, last_seq: object, body: bytes) -> list[bytes]:
    """The same, held against what the row says of them: by its numbers a batch is removed."""
    if type(first_seq) is not int or type(last_seq) is not int:
        raise FILE.damaged(f"a batch is numbered from {first_seq!r} to {last_seq!r}")
    records = unpack(first_seq, body)
    if not records or last_seq != first_seq + len(records) - 1:
        raise FILE.damaged(f"the batch from {first_seq} to {last_seq} holds {len(records)} records")
    return records
