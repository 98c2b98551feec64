"""The data directories that released versions left: where they lie and how they are packed.

A directory is one archive. Opening a database file where it lies would change it (SQLite moves a
WAL into the file, rolls a journal back), and git keeps neither the modes of files nor empty ones.
"""

import gzip
import io
import json
import tarfile
from pathlib import Path
from typing import Any

from tests.upgrades.program import Json

FOLDER = Path(__file__).parent / "data"
FLOOR, DATA, EXPECTED, ARCHIVE = "floor.toml", "data", "expected.json", "data.tar.gz"


class Stored:
    """One data directory of one version, unpacked into a folder of the test."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.expected = recorded(source)
        self.floor = source / FLOOR
        self.data = folder / DATA
        unpack(source / ARCHIVE, self.data)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - JSON
        return self.expected[name]


def recorded(source: Path) -> Json:
    """What the version that made it said of it."""
    found: Json = json.loads((source / EXPECTED).read_text("utf-8"))
    return found


def versions() -> list[str]:
    """Released versions with data, oldest first."""
    found = [each.name for each in FOLDER.iterdir() if each.is_dir()]
    return sorted(found, key=lambda name: [int(part) for part in name.split(".")])


def sources() -> list[Path]:
    """Every data directory of every version."""
    return [
        source.parent
        for version in versions()
        for source in sorted((FOLDER / version).glob(f"*/{ARCHIVE}"))
    ]


def pack(data: Path, archive: Path) -> None:
    """Every file with its mode; nothing of who made it, or when."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(data.rglob("*")):
            entry = tar.gettarinfo(path, str(path.relative_to(data)))
            entry.uid = entry.gid = entry.mtime = 0
            entry.uname = entry.gname = ""
            if entry.isfile():
                with path.open("rb") as file:
                    tar.addfile(entry, file)
            else:
                tar.addfile(entry)
    archive.write_bytes(gzip.compress(raw.getvalue(), mtime=0))


def unpack(archive: Path, data: Path) -> None:
    """As it was left."""
    data.mkdir(parents=True, mode=0o700)
    with tarfile.open(archive) as tar:
        # The strictest filter that leaves the modes as they were: keys are for their owner only.
        tar.extractall(data, filter="tar")
