"""What a data directory remembers of its links outside the journal: `committed/`.

Whoever cuts a journal short, or puts an old one back, has to change these as well.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from progressive.verifier.findings import DiscrepancyError
from progressive.verifier.reading.opened_file import plain_file
from progressive.verifier.record import read_json, read_time
from progressive.verifier.recorded.decoder import UnreadableError, reader_of
from progressive.verifier.recorded.values import JournalPlace
from progressive.verifier.rules.guard import Remembered

MARKS_FOLDER: Final = "committed"
VERSION: Final = 1
NUMBER_MAX: Final = 2**62
MARK_BYTES_MAX: Final = 1 << 20
_SUFFIX: Final = ".json"
_LINK: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
_HASH: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)


class MarkUnreadableError(Exception):
    """What is remembered of a link cannot be read. `cause`: why not, where the system says so."""

    def __init__(self, message: str, cause: OSError | None = None) -> None:
        super().__init__(message)
        self.cause = cause


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    version: int
    link: str
    epoch: int
    seq: int
    head: str
    at: str
    times_hold_from: int = 0


_read: Final = reader_of(_Stored, exact=False)


def marked_links(data: Path) -> list[str]:
    """The links of which something is remembered; raises MarkUnreadableError."""
    try:
        names = os.listdir(data / MARKS_FOLDER)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise MarkUnreadableError(f"{MARKS_FOLDER}/: {error.strerror}", error) from None
    links = [name.removesuffix(_SUFFIX) for name in sorted(names) if name.endswith(_SUFFIX)]
    return [link for link in links if _LINK.fullmatch(link)]


def read_mark(data: Path, link: str) -> Remembered | None:
    """What is remembered of a link; None: nothing. Raises MarkUnreadableError."""
    path = data / MARKS_FOLDER / f"{link}{_SUFFIX}"
    where = f"{MARKS_FOLDER}/{path.name}"
    try:
        with open(path, "rb", opener=plain_file) as file:
            content = file.read(MARK_BYTES_MAX)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MarkUnreadableError(f"{where}: {error.strerror}", error) from None
    if not content:
        raise MarkUnreadableError(f"{where}: the file is empty")
    try:
        stored: _Stored = _read(read_json(content))
        _check(stored)
    except (UnreadableError, DiscrepancyError) as error:
        raise MarkUnreadableError(f"{where}: {error}") from None
    if stored.version != VERSION:
        raise MarkUnreadableError(
            f"{where} is of version {stored.version}, this program knows {VERSION}"
        )
    if stored.link != link:
        raise MarkUnreadableError(f"{where} is about another link, {stored.link[:64]!r}")
    place = JournalPlace(stored.epoch, stored.seq, stored.head, stored.at)
    return Remembered(place, stored.times_hold_from)


def _check(stored: _Stored) -> None:
    for what, number, least in (
        ("epoch", stored.epoch, 1),
        ("seq", stored.seq, 1),
        ("times_hold_from", stored.times_hold_from, 0),
    ):
        if not least <= number <= NUMBER_MAX:
            raise UnreadableError("cannot have been").inside(f".{what}")
    if not _HASH.fullmatch(stored.head):
        raise UnreadableError("is not a SHA-256").inside(".head")
    if not _TIME.fullmatch(stored.at):
        raise UnreadableError("is not a time").inside(".at")
    read_time(stored.at)
