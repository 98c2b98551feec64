"""The file of `progressive export --out`: begun once, and gone on with after whatever stopped it.

A file is only ever added to. What stands at its end must be the journal's own: the last whole line
is one of its records, and a line that was cut off is the beginning of the next one.
"""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

import click

from progressive.application.journal.export import dealers_in
from progressive.application.journal.export_lines import NO_DEALERS, Lines
from progressive.application.journal.ports import JournalReader
from progressive.domain.ids import LinkId
from progressive.runtime.out_file import naming
from progressive.runtime.plain_errors import CannotRunError, FindingError

_BACK_BYTES: Final = 1 << 16
"""Read at a time, from the end of the file backwards, to find its last line."""


@contextmanager
def opened(path: Path, *, resume: bool) -> Iterator[BinaryIO]:
    """The file, for one writer alone; synced when all went well and when it did not."""
    if path.exists() and path.stat().st_size and not resume:
        raise CannotRunError(f"{path} is there already: --resume goes on with it")
    with naming(path), open(path, "a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotRunError(f"{path}: another export writes it") from None
        try:
            yield file
        except BaseException:
            # What went wrong first is what is to be said.
            with suppress(OSError):
                _sync(file)
            raise
        _sync(file)


def _sync(file: BinaryIO) -> None:
    file.flush()
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        os.fsync(file.fileno())


def refuse_another_beginning(file: BinaryIO, path: Path, lines: Lines, first_seq: int) -> None:
    """Where the file holds records, they are those from this one on. Raises FindingError."""
    file.seek(0)
    line = file.readline()
    if line == lines.header:
        line = file.readline()
    # A line that was cut off is compared later, byte for byte.
    if line.endswith(b"\n") and (begins := lines.seq_of(line)) not in (first_seq, None):
        raise FindingError(f"{path} begins with record {begins}, and {first_seq} was asked for")


async def next_seq(
    file: BinaryIO,
    path: Path,
    lines: Lines,
    reader: JournalReader,
    link: LinkId,
    *,
    first_seq: int,
    last_seq: int,
) -> int:
    """With which record the file goes on; a line that was cut off is cut away.

    Raises FindingError, and changes nothing, where the file does not end with this journal's own;
    CannotRunError, where it goes on behind the last record that is wanted.
    """
    last, torn = _end_of(file)
    if last is None or last == lines.header:
        after = 0
    else:
        after = lines.seq_of(last) or 0
        stored = await reader.record(link, after) if after else None
        if stored is None or await _line(lines, reader, link, stored) != last:
            raise FindingError(f"{path} does not end with a record of {link}")
    follows = first_seq if after == 0 else after + 1
    if after and follows + bool(torn) > last_seq + 1:
        raise CannotRunError(
            f"{path} ends with record {after + bool(torn)}, and no more than up to {last_seq} was "
            "asked for: nothing to go on with"
        )
    if torn:
        stored = await reader.record(link, follows)
        begins = lines.header if last is None else b""
        if stored is not None:
            begins += await _line(lines, reader, link, stored)
        if not begins.startswith(torn):
            raise FindingError(f"{path} does not end with the beginning of record {follows}")
        file.truncate(file.seek(0, os.SEEK_END) - len(torn))
        file.seek(0, os.SEEK_END)
        click.echo(f"{path}: a line that was cut off is written again: {follows}", err=True)
    return follows


async def _line(lines: Lines, reader: JournalReader, link: LinkId, stored: bytes) -> bytes:
    dealers = await dealers_in(reader, link, [stored]) if lines.shows_dealers else NO_DEALERS
    return lines.line(stored, dealers)


def _end_of(file: BinaryIO) -> tuple[bytes | None, bytes]:
    """The last whole line with its end, where there is one, and what stands after it."""
    place = file.seek(0, os.SEEK_END)
    tail = b""
    while place and tail.count(b"\n") < 2:
        step = min(_BACK_BYTES, place)
        place = file.seek(place - step)
        tail = file.read(step) + tail
    whole, end, torn = tail.rpartition(b"\n")
    if not end:
        return None, torn
    return whole.rpartition(b"\n")[2] + b"\n", torn
