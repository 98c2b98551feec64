"""A zip whose bytes depend on its contents alone: order, times and permissions are fixed.

Large files are written piece by piece. Of every file the SHA-256 is taken on the way, for the
manifest that ends the pack.
"""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import BinaryIO, Final, Protocol

SUMS: Final = "SHA256SUMS"
_MADE_AT: Final = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip file knows: a clock must not change the bytes."""
_MODE: Final = 0o100644 << 16
_UNIX: Final = 3
_COMPRESSED: Final = (".pdf", ".xlsx", ".pyz")
"""Of these, another compression would save nothing; and a verifier is to be seen as it is."""


class Piecewise(Protocol):
    """A file of the pack while it is written."""

    def write(self, piece: bytes, /) -> object:
        """More of it."""
        ...


class PackArchive:
    """Files below one folder, in the order in which they are added."""

    def __init__(self, out: BinaryIO, folder: str) -> None:
        """`out` must be seekable: in a stream, a zip is written otherwise, and has other bytes."""
        if not out.seekable():
            raise ValueError("a pack needs a file that can be sought in")
        self._zip = zipfile.ZipFile(out, "w")
        self._folder = folder
        self.hashes: dict[str, str] = {}
        """Of every file so far, by its name."""

    def __enter__(self) -> "PackArchive":
        return self

    def __exit__(self, *_: object) -> None:
        # Also after an error: whoever opened the file drops it then.
        self._zip.close()

    def add(self, name: str, content: bytes) -> None:
        """One file, whole."""
        with self.adding(name) as file:
            file.write(content)

    @contextmanager
    def adding(self, name: str) -> Iterator[Piecewise]:
        """One file, piece by piece."""
        if name in self.hashes:
            raise ValueError(f"{name} is in the pack already")
        info = zipfile.ZipInfo(f"{self._folder}/{name}", _MADE_AT)
        info.external_attr, info.create_system = _MODE, _UNIX
        stored = name.endswith(_COMPRESSED)
        info.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
        with self._zip.open(info, "w", force_zip64=True) as to:
            hashed = _Hashed(to)
            yield hashed
        self.hashes[name] = hashed.digest()

    def finish(self) -> None:
        """The manifest, as `sha256sum -c` reads it: the last file."""
        lines = [f"{digest}  {name}\n" for name, digest in sorted(self.hashes.items())]
        self.add(SUMS, "".join(lines).encode())


class _Hashed:
    """Passes pieces on, and hashes them."""

    def __init__(self, to: Piecewise) -> None:
        self._to = to
        self._sum = sha256()

    def write(self, piece: bytes) -> None:
        self._sum.update(piece)
        self._to.write(piece)

    def digest(self) -> str:
        return self._sum.hexdigest()
