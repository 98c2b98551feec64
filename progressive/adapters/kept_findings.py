"""Damage that was found in the past of a journal, as small files in the data directory: one a link.

They keep a link closed over a restart until its past has been verified as whole. Removing one does
no harm: what is still damaged is found again.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from progressive.adapters.durable import regular, sync_folder, write_whole
from progressive.application.link.verifying import Found
from progressive.domain.ids import LinkId, is_id

FINDINGS_FOLDER: Final = "findings"
VERSION: Final = 1
_SUFFIX: Final = ".json"


class _Stored(Struct, frozen=True, kw_only=True):
    version: int
    link: str
    at: str
    reason: str


class FileFindings:
    """`application.link.verifying.KeptFindings` in a data directory."""

    def __init__(self, data: Path) -> None:
        self._data = data

    async def recall(self) -> Mapping[LinkId, Found]:
        """Every link that has a file; one that cannot be read keeps its link closed as well."""
        return await asyncio.to_thread(self._recall)

    async def keep(self, link: LinkId, found: Found) -> None:
        """Durable when it returns; raises OSError."""
        await asyncio.to_thread(self._keep, link, found)

    async def drop(self, link: LinkId) -> None:
        """The link's past is whole; raises OSError."""
        await asyncio.to_thread(self._drop, link)

    # --- in a thread -------------------------------------------------------------------------

    def _recall(self) -> dict[LinkId, Found]:
        kept: dict[LinkId, Found] = {}
        with contextlib.suppress(FileNotFoundError):
            for path in sorted((self._data / FINDINGS_FOLDER).iterdir()):
                link = LinkId(path.name.removesuffix(_SUFFIX))
                if path.name.endswith(_SUFFIX) and is_id(link):
                    kept[link] = _read(path)
        return kept

    def _keep(self, link: LinkId, found: Found) -> None:
        folder = self._data / FINDINGS_FOLDER
        # Not its parents: a data directory that is gone is not made again.
        folder.mkdir(mode=0o700, exist_ok=True)
        stored = _Stored(version=VERSION, link=link, at=found.at, reason=found.reason)
        write_whole(folder / f"{link}{_SUFFIX}", msgspec.json.encode(stored) + b"\n")
        sync_folder(self._data)

    def _drop(self, link: LinkId) -> None:
        (self._data / FINDINGS_FOLDER / f"{link}{_SUFFIX}").unlink(missing_ok=True)


def _read(path: Path) -> Found:
    try:
        with open(path, "rb", opener=regular) as file:
            stored = msgspec.json.decode(file.read(), type=_Stored)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Found("", f"{FINDINGS_FOLDER}/{path.name} says so, and cannot be read")
    return Found(stored.at, stored.reason)
