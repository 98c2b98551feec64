"""What a table must not forget: its message that has no answer yet, and how far it was answered.

One small file, replaced as a whole (`common/whole_files`): after a crash at any moment it holds
what it held before or what it was to hold, never half of it.
"""

from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from progressive.common.whole_files import write_whole
from progressive.domain.commands import TableCommand
from progressive.wire.codec import UNDECODABLE, encode

FORMAT: Final = 1


class OutboxError(Exception):
    """The file cannot be read or written, or is not this table's."""


class Kept(Struct, frozen=True):
    """The table's place in its own numbers."""

    answered: int | None = None
    """The last number that is used up, as far as this table was told; None: it knows of none."""
    message: TableCommand | None = None
    """The last message. Its number is behind `answered` as long as it has no answer."""

    @property
    def under_way(self) -> TableCommand | None:
        """The message without an answer."""
        message = self.message
        if message is None or (self.answered is not None and message.seq <= self.answered):
            return None
        return message


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    format: Literal[1]
    table: str
    answered: int | None
    message: TableCommand | None


class Outbox:
    """The file of one table."""

    def __init__(self, path: Path, table: str) -> None:
        self.path: Final = path
        self._table = table

    def read(self) -> Kept:
        """What it holds; nothing where there is no file yet. Raises OutboxError."""
        try:
            file = msgspec.json.decode(self.path.read_bytes(), type=_File)
        except FileNotFoundError:
            return Kept()
        except OSError as error:
            raise OutboxError(f"outbox {self.path} cannot be read: {error.strerror}") from None
        except UNDECODABLE as error:
            raise OutboxError(
                f"outbox {self.path} is not one of this version: {error}; look at the table's "
                "open round, then move the file away"
            ) from None
        if file.table != self._table:
            raise OutboxError(f"outbox {self.path} is {file.table}'s, not {self._table}'s")
        return Kept(file.answered, file.message)

    def write(self, kept: Kept) -> None:
        """On the disk when this returns. Raises OutboxError: then it holds what it held before."""
        content = encode(_File(FORMAT, self._table, kept.answered, kept.message))
        try:
            write_whole(self.path, content + b"\n")
        except OSError as error:
            raise OutboxError(f"outbox {self.path} cannot be written: {error.strerror}") from None
