"""The auditor's program as one file: the verifier's modules in a zip that Python runs."""

import io
import zipfile
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

_SHEBANG: Final = b"#!/usr/bin/env python3\n"
_MADE_AT: Final = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip file knows: a clock must not change the bytes."""
_MODE: Final = 0o100644 << 16
_MAIN: Final = b'''"""Runs the verifier."""

import sys

if sys.version_info < (3, 11):
    sys.exit("Python 3.11 or newer is needed")

from progressive.verifier.program.main import main

sys.exit(main())
'''


def verifier_file() -> bytes:
    """The bytes of the file: a zip that Python runs."""
    package = resources.files("progressive")
    files = {"__main__.py": _MAIN, "progressive/__init__.py": b""}
    files |= dict(_modules(package / "verifier", "progressive/verifier"))
    written = io.BytesIO()
    written.write(_SHEBANG)
    with zipfile.ZipFile(written, "a", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _MADE_AT)
            info.external_attr, info.create_system = _MODE, 3
            archive.writestr(info, files[name])
    return written.getvalue()


def _modules(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        path = f"{name}/{entry.name}"
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _modules(entry, path)
        elif entry.name.endswith(".py"):
            yield path, entry.read_bytes()
