"""A backup where it lies: its files against its manifest, and the journal in it like any other.

`PLACE/TIME/` holds one backup, `PLACE/segments/` the closed segments that all backups of a place
share. Nothing is copied or restored.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from progressive.verifier.findings import StoreCorruptError, shown
from progressive.verifier.reading.data_directory import DataPlace, How, verify_data
from progressive.verifier.reading.errors import NotReadableHereError
from progressive.verifier.reading.found import FileProblem, VerifyResult
from progressive.verifier.reading.opened_file import OpenedFile
from progressive.verifier.reading.segment_files import FOLDER
from progressive.verifier.reading.segments import FileSum
from progressive.verifier.record import read_json
from progressive.verifier.recorded.decoder import UnreadableError, reader_of

MANIFEST: Final = "manifest.json"
VERSION: Final = 1
MANIFEST_BYTES_MAX: Final = 256 << 20
PROBLEMS_MAX: Final = 3
_NAMED: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ", re.ASCII)
_PART: Final = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}"
_PATH: Final = re.compile(rf"{_PART}(/{_PART}){{0,2}}", re.ASCII)


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class _Link:
    link: str
    last_seq: int
    head: str


@dataclass(frozen=True, slots=True)
class _Manifest:
    version: int
    links: tuple[_Link, ...]
    files: tuple[_File, ...]


_read: Final = reader_of(_Manifest, exact=False)


def newest_backup(place: Path) -> Path | None:
    """The newest backup in a place; None: it is none."""
    names = sorted([each.name for each in place.iterdir() if _NAMED.fullmatch(each.name)])
    whole = [name for name in names if (place / name / MANIFEST).is_file()]
    return place / whole[-1] if whole else None


def verify_backup(folder: Path, how: How) -> VerifyResult:
    """All of one backup. Raises StoreUnavailableError, NotReadableHereError."""
    manifest = _manifest(folder)
    place = folder.resolve().parent
    problems = _file_problems(folder, place, manifest)
    result = verify_data(DataPlace(folder, place / FOLDER, shared=True), how)
    if not problems and result.ok:
        problems = _other_ends(manifest, result)
    found = [FileProblem("journal", f"backup {folder.name}: {each}") for each in problems]
    return replace(
        result,
        ok=result.ok and not found,
        file_problems=(*[each.message for each in found], *result.file_problems),
        files=(*found, *result.files),
    )


def _manifest(folder: Path) -> _Manifest:
    with OpenedFile(folder / MANIFEST, MANIFEST) as file:
        body = file.read_whole(MANIFEST_BYTES_MAX)
    try:
        manifest: _Manifest = _read(read_json(body or b""))
    except UnreadableError as error:
        raise StoreCorruptError(f"{MANIFEST} cannot be read: {error}") from None
    if manifest.version != VERSION:
        raise NotReadableHereError(
            f"{MANIFEST} is of version {manifest.version}, this program knows {VERSION}"
        )
    return manifest


def _file_problems(folder: Path, place: Path, manifest: _Manifest) -> list[str]:
    """Each file against its length and hash; some are enough to act on."""
    problems: list[str] = []
    for file in manifest.files:
        if not _PATH.fullmatch(file.path):
            problems.append(f"{MANIFEST} names {shown(file.path)}, which no backup holds")
        else:
            source = place if file.path.startswith(f"{FOLDER}/") else folder
            try:
                with OpenedFile(source / file.path, file.path) as opened:
                    if opened.sum() != FileSum(file.bytes, file.sha256):
                        problems.append(f"{file.path} is not the file that was written")
            except StoreCorruptError as error:
                problems.append(str(error))
        if len(problems) == PROBLEMS_MAX:
            break
    return problems


def _other_ends(manifest: _Manifest, result: VerifyResult) -> list[str]:
    said = {each.link: (each.last_seq, each.head) for each in manifest.links}
    found = {each.link: (each.records, each.head) for each in result.links}
    return [
        f"the journal of {shown(link)} does not end where the manifest says"
        for link in sorted({*said, *found})
        if said.get(link) != found.get(link)
    ]
