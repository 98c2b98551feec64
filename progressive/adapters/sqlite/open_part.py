"""COLD. The open part of a journal, for the process that archives it beside the service.

Short questions, each its own transaction: a long one would keep SQLite from reusing its WAL, which
would grow as long as it lasts.
"""

import sqlite3
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec

from progressive.adapters.sqlite.file import DRIVER_ERRORS
from progressive.adapters.sqlite.journal_file import FILE, FILE_NAME, unpack
from progressive.adapters.sqlite.read_only import open_read_only
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError
from progressive.domain.ids import LinkId

ASK_BATCHES: Final = 8
"""Rows a question: a few megabytes at the most."""


class OpenPartFile:
    """One link's batches and snapshots in the journal file, which is only read."""

    def __init__(self, directory: Path, link: LinkId) -> None:
        self._path = directory / FILE_NAME
        self._link = link
        self._db: sqlite3.Connection | None = None

    def close(self) -> None:
        """Let go of the file."""
        if self._db is not None:
            self._db.close()

    def batches(self, first_seq: int) -> Iterator[tuple[int, list[bytes]]]:
        """From a record on: who wrote the records (the epoch), and the records."""
        rows = self._ask(
            "SELECT first_seq, epoch, body FROM batch WHERE link = ? AND first_seq <= ? "
            "ORDER BY first_seq DESC LIMIT 1",
            (self._link, first_seq),
        )
        while rows:
            for begins, epoch, body in rows:
                yield epoch, unpack(begins, body)[max(0, first_seq - begins) :]
            rows = self._ask(
                "SELECT first_seq, epoch, body FROM batch WHERE link = ? AND first_seq > ? "
                "ORDER BY first_seq LIMIT ?",
                (self._link, rows[-1][0], ASK_BATCHES),
            )

    def state_after(self, seq: int) -> bytes | None:
        """The snapshot after a record, as the record that follows confirms it; None: there is none.

        Raises StoreCorruptError where it is another one.
        """
        rows = self._ask("SELECT body FROM snapshot WHERE link = ? AND seq = ?", (self._link, seq))
        if not rows:
            return None
        body = FILE.as_bytes(rows[0][0], "the snapshot")
        digest = _digest(next((records[0] for _, records in self.batches(seq + 1) if records), b""))
        if digest != sha256(body).hexdigest():
            raise StoreCorruptError(
                f"the snapshot after record {seq} is not the one that record {seq + 1} confirms"
            )
        return body

    def _ask(self, query: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        try:
            if self._db is None:
                if not self._path.exists():
                    raise StoreUnavailableError(f"{FILE_NAME} is not there")
                self._db = open_read_only(self._path)
            return self._db.execute(query, values).fetchall()
        except DRIVER_ERRORS as error:
            raise FILE.translated(error) from error


def _digest(stored: bytes) -> str:
    """The digest in a `checkpointed` record; empty where it is another one."""
    try:
        event = msgspec.json.decode(stored)["event"]
        return str(event["state_digest"]) if event["type"] == "checkpointed" else ""
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError, RecursionError):
        return ""
