"""What was committed, as small files in the data directory: one a link, beside the journal.

Written whole: a temporary file, synced, renamed, and the folder synced. Whoever copies or restores
the journal file alone leaves these behind, which is what they are for.
"""

import asyncio
import contextlib
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta, Struct

from progressive.adapters.durable import regular, sync_folder, write_whole
from progressive.application.journal.ports import StoreUnavailableError
from progressive.application.link.memory import (
    CommittedMark,
    FirstAcceptance,
    MemoryUnreadableError,
)
from progressive.domain.guard_events import JournalPlace
from progressive.domain.ids import LinkId, is_id
from progressive.domain.signatures import Signature

MARKS_FOLDER: Final = "committed"
LOSSES_FOLDER: Final = "losses"
VERSION: Final = 1
_SUFFIX: Final = ".json"

_Number = Annotated[int, Meta(ge=0, le=2**62)]
_Ordinal = Annotated[int, Meta(ge=1, le=2**62)]
_Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
_Time = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")]


class _Place(Struct, frozen=True):
    epoch: _Ordinal
    seq: _Ordinal
    head: _Hash
    at: _Time

    def __post_init__(self) -> None:
        # The pattern takes the 99th of a month: a record that bears it could not be read.
        datetime.fromisoformat(self.at)

    @property
    def place(self) -> JournalPlace:
        return JournalPlace(self.epoch, self.seq, self.head, self.at)


class _StoredMark(_Place, frozen=True, kw_only=True):
    version: int
    link: str
    times_hold_from: _Number = 0
    retired: bool = False
    sealed_size: _Number = 0


class _StoredLoss(Struct, frozen=True, kw_only=True):
    version: int
    link: str
    remembered: _Place | None
    found_seq: _Number
    found_head: _Hash
    by: Signature
    reason: str
    at: _Time


_Stored = TypeVar("_Stored", _StoredMark, _StoredLoss)


class FileMemory:
    """`application.link.memory.Memory` in a data directory."""

    def __init__(self, data: Path) -> None:
        self._data = data

    async def recall(self, link: LinkId) -> CommittedMark | None:
        """The link's mark."""
        return await asyncio.to_thread(read_mark, self._data, link)

    async def remember(self, mark: CommittedMark, *, instead: bool = False) -> None:
        """A newer mark."""
        await asyncio.to_thread(self._remember, mark, instead)

    async def marks(self) -> Mapping[LinkId, CommittedMark | None]:
        """Every link that is remembered."""
        return await asyncio.to_thread(read_marks, self._data)

    async def acceptance(self, link: LinkId) -> FirstAcceptance | None:
        """Who has accepted a loss first."""
        return await asyncio.to_thread(self._acceptance, link)

    async def keep_acceptance(self, acceptance: FirstAcceptance) -> None:
        """Somebody has accepted a loss."""
        body = msgspec.to_builtins(acceptance)
        await asyncio.to_thread(self._write, LOSSES_FOLDER, acceptance.link, body)

    async def drop_acceptance(self, link: LinkId) -> None:
        """Nobody has."""
        await asyncio.to_thread(self._drop, LOSSES_FOLDER, link)

    # --- in a thread -------------------------------------------------------------------------

    def _remember(self, mark: CommittedMark, instead: bool) -> None:
        if not instead:
            was = read_mark(self._data, mark.link)
            if was is not None and was.place.seq > mark.place.seq:
                return
        body = {
            "link": mark.link,
            **msgspec.to_builtins(mark.place),
            "times_hold_from": mark.times_hold_from,
            "retired": mark.retired,
            "sealed_size": mark.sealed_size,
        }
        self._write(MARKS_FOLDER, mark.link, body)

    def _acceptance(self, link: LinkId) -> FirstAcceptance | None:
        stored = _read(self._data / LOSSES_FOLDER / f"{link}{_SUFFIX}", link, _StoredLoss)
        if stored is None:
            return None
        return FirstAcceptance(
            link=link,
            remembered=None if stored.remembered is None else stored.remembered.place,
            found_seq=stored.found_seq,
            found_head=stored.found_head,
            by=stored.by,
            reason=stored.reason,
            at=stored.at,
        )

    def _write(self, folder: str, link: LinkId, body: dict[str, Any]) -> None:
        where = self._data / folder
        content = msgspec.json.encode({"version": VERSION, **body}) + b"\n"
        try:
            # Not its parents: a data directory that is gone is not made again.
            where.mkdir(mode=0o700, exist_ok=True)
            # No id begins with a dot: a half-written file is never taken for a link's.
            write_whole(where / f"{link}{_SUFFIX}", content)
            sync_folder(self._data)
        except OSError as error:
            raise StoreUnavailableError(
                f"what was committed cannot be remembered in {folder}/: {error.strerror}"
            ) from error

    def _drop(self, folder: str, link: LinkId) -> None:
        with contextlib.suppress(FileNotFoundError):
            (self._data / folder / f"{link}{_SUFFIX}").unlink()


def read_mark(data: Path, link: LinkId) -> CommittedMark | None:
    """What a data directory remembers of a link. Raises MemoryUnreadableError."""
    stored = _read(data / MARKS_FOLDER / f"{link}{_SUFFIX}", link, _StoredMark)
    if stored is None:
        return None
    return CommittedMark(
        link, stored.place, stored.times_hold_from, stored.retired, stored.sealed_size
    )


def read_marks(data: Path) -> dict[LinkId, CommittedMark | None]:
    """Every link that a data directory remembers; None where its mark is unreadable.

    Raises MemoryUnreadableError where it cannot be listed.
    """
    marks: dict[LinkId, CommittedMark | None] = {}
    try:
        names = os.listdir(data / MARKS_FOLDER)
    except FileNotFoundError:
        return marks
    except OSError as error:
        raise MemoryUnreadableError(f"{MARKS_FOLDER}/: {error.strerror}") from error
    for name in sorted(names):
        link = LinkId(name.removesuffix(_SUFFIX))
        if name.endswith(_SUFFIX) and is_id(link):
            try:
                marks[link] = read_mark(data, link)
            except MemoryUnreadableError:
                marks[link] = None
    return marks


def _read(path: Path, link: LinkId, kind: type[_Stored]) -> _Stored | None:
    where = f"{path.parent.name}/{path.name}"
    try:
        with open(path, "rb", opener=regular) as file:
            content = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MemoryUnreadableError(f"{where}: {error.strerror}") from error
    try:
        stored = msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        why = str(error) if content else "the file is empty"
        raise MemoryUnreadableError(f"{where}: {why}") from None
    if stored.version != VERSION:
        raise MemoryUnreadableError(
            f"{where} is of version {stored.version}, this program knows {VERSION}"
        )
    if stored.link != link:
        raise MemoryUnreadableError(f"{where} is about another link, {stored.link[:64]!r}")
    return stored
