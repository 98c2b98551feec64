"""The manifest of an audit pack: every file is as it was packed, and there is none besides."""

import os
import re
from hashlib import sha256
from pathlib import Path
from typing import Final

from progressive.verifier.findings import shown
from progressive.verifier.reading.errors import NotReadableHereError
from progressive.verifier.reading.opened_file import plain_file

SUMS: Final = "SHA256SUMS"
SUMS_BYTES_MAX: Final = 8 << 20
CHUNK_BYTES: Final = 1 << 20
_SUM: Final = re.compile(r"([0-9a-f]{64}) [ *](.+)")


def check_sums(folder: Path, problems: list[str]) -> int:
    """How many files it names; what is wrong with them is added to the problems."""
    path = folder / SUMS
    if path.stat().st_size > SUMS_BYTES_MAX:
        raise NotReadableHereError(f"{SUMS} has more than {SUMS_BYTES_MAX:,} bytes")
    named: set[str] = set()
    for line in path.read_text("utf-8", "replace").splitlines():
        found = _SUM.fullmatch(line)
        if found is None or found[2].startswith("/") or ".." in found[2].split("/"):
            problems.append(f"{SUMS}: {shown(line)} is not a hash and a name")
            continue
        named.add(found[2])
        if (digest := _hash_of(folder / found[2])) != found[1]:
            why = "is missing" if digest is None else "is not the file that was packed"
            problems.append(f"{found[2]} {why}")
    there = {
        (Path(at) / name).relative_to(folder).as_posix()
        for at, _, names in os.walk(folder)
        for name in names
    }
    problems += [f"{name} is not in {SUMS}" for name in sorted(there - named - {SUMS})]
    return len(named)


def _hash_of(path: Path) -> str | None:
    digest = sha256()
    try:
        with open(path, "rb", opener=plain_file) as file:
            while chunk := file.read(CHUNK_BYTES):
                digest.update(chunk)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    return digest.hexdigest()
