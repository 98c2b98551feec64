"""Day books as files: `DATA/finance/LINK/DAY.book`, gzipped. A cache, so every failure is silent.

Nothing but a report reads them; a backup leaves them out. Who may not write here simply folds the
day again.
"""

import contextlib
import gzip
import os
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from progressive.adapters.durable import FILE_MODE, FOLDER_MODE
from progressive.domain.ids import LinkId

FOLDER: Final = "finance"
ENDING: Final = ".book"
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


class FileBookCache:
    """Implements `BookCache` in a data directory."""

    def __init__(self, directory: Path) -> None:
        self._folder = directory / FOLDER

    def load(self, link: LinkId, day: str) -> bytes | None:
        """The bytes of a book."""
        try:
            return gzip.decompress(self._path(link, day).read_bytes())
        except (OSError, EOFError, zlib.error):
            return None

    def save(self, link: LinkId, day: str, stored: bytes) -> None:
        """Under another name first: a reader never sees half a book."""
        path = self._path(link, day)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            for folder in (self._folder, path.parent):
                folder.mkdir(exist_ok=True, mode=FOLDER_MODE)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with open(os.open(temporary, flags, FILE_MODE), "wb") as writing:
                writing.write(gzip.compress(stored, 1, mtime=0))
            temporary.replace(path)
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)

    def days(self, link: LinkId) -> Sequence[str]:
        """The days that have a file."""
        try:
            names = [path.stem for path in (self._folder / link).glob(f"*{ENDING}")]
        except OSError:
            return []
        return sorted(name for name in names if _DAY.fullmatch(name))

    def _path(self, link: LinkId, day: str) -> Path:
        return self._folder / link / f"{day}{ENDING}"
