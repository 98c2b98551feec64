"""How far the audit in the background has come, as small files in the data directory: one a link.

Only the running service uses them, so that a restart goes on and the next look reads what is new.
Removing one does no harm: the link's journal is audited from record 1. Whatever cannot be read, was
changed, or was made by another verifier, counts as removed.
"""

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from progressive.adapters.durable import regular, sync_folder, write_whole

AUDITED_FOLDER: Final = "audited"
VERSION: Final = 1
WHOLE_EVERY: Final = timedelta(days=30)
"""Between two audits from record 1 on. Whoever can write to the data directory could forge one of
these files, with the sums in it, and spare a segment that was rewritten the audit until then."""


class KeptAudit(Struct, frozen=True, kw_only=True):
    """What is kept of a link."""

    verifier: str
    """Digest of the program that has audited: another one audits from record 1 on."""
    whole_at: str = ""
    """When an audit that began at record 1 last came to the end; empty: it is still under way."""
    audited: bytes
    """What the audit knew, in its own form."""


class _Stored(Struct, frozen=True, kw_only=True):
    version: int
    link: str
    sum: str
    """SHA-256 of the rest: against damage, not against people."""
    kept: msgspec.Raw


class FileAudits:
    """The files. Synchronous: for the process that audits."""

    def __init__(self, data: Path, *, verifier: str, now: Callable[[], datetime]) -> None:
        """`verifier`: digest of the program that audits."""
        self._data = data
        self._verifier = verifier
        self._now = now

    def recall(self, link: str) -> KeptAudit | None:
        """What can be used; None: audit from record 1 on."""
        path = self._path(link)
        try:
            with open(path, "rb", opener=regular) as file:
                stored = msgspec.json.decode(file.read(), type=_Stored)
            kept = msgspec.json.decode(stored.kept, type=KeptAudit)
            fresh = self._is_fresh(kept.whole_at)
        except (OSError, msgspec.MsgspecError, ValueError, TypeError, RecursionError):
            # ValueError: not UTF-8, or a time that is none. TypeError: one without its zone.
            return None
        if (stored.version, stored.link) != (VERSION, link) or stored.sum != _sum(stored.kept):
            return None
        return kept if fresh and kept.verifier == self._verifier else None

    def keep(self, link: str, audited: bytes, *, whole_at: str) -> None:
        """Durable when it returns; raises OSError."""
        kept = KeptAudit(verifier=self._verifier, whole_at=whole_at, audited=audited)
        body = msgspec.json.encode(kept)
        stored = _Stored(version=VERSION, link=link, sum=_sum(body), kept=msgspec.Raw(body))
        folder = self._data / AUDITED_FOLDER
        # Not its parents: a data directory that is gone is not made again.
        folder.mkdir(mode=0o700, exist_ok=True)
        write_whole(self._path(link), msgspec.json.encode(stored) + b"\n")
        sync_folder(self._data)

    def drop(self, link: str) -> None:
        """Begin at record 1 the next time; raises OSError."""
        self._path(link).unlink(missing_ok=True)

    @property
    def now(self) -> str:
        """The time, as it is stored."""
        return self._now().isoformat()

    def _is_fresh(self, whole_at: str) -> bool:
        """Not in the future either: a clock that was set back must not put the next one off."""
        return not whole_at or (
            timedelta() <= self._now() - datetime.fromisoformat(whole_at) < WHOLE_EVERY
        )

    def _path(self, link: str) -> Path:
        return self._data / AUDITED_FOLDER / f"{link}.json"


def _sum(kept: bytes | msgspec.Raw) -> str:
    return hashlib.sha256(bytes(kept)).hexdigest()
