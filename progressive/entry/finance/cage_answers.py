"""COLD. A cage's file to the payments in it, in the bookkeeper's process. Writes nothing."""

import re
from pathlib import Path
from typing import Final

import msgspec

from progressive.application.finance.days import LinkDays
from progressive.application.finance.desk.asked import (
    BAD_FILE,
    UNKNOWN_MAPPING,
    Answer,
    CageAsked,
)
from progressive.application.finance.refusals import FinanceRefusedError
from progressive.application.finance.stated.cage_file import read_cage_file
from progressive.application.finance.stated.cage_mapping import CageMapping, in_zone, mapping_of
from progressive.application.journal.ports import JournalReader
from progressive.domain.ids import LinkId

USUAL: Final = "default"
"""The mapping that counts where none is named, if it is there."""
ENDING: Final = ".toml"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)


async def cage_answer(
    asked: CageAsked, link: LinkId, reader: JournalReader, mappings: Path | None
) -> Answer:
    """The file as it is entered, or what is wrong with it. Raises StoreError."""
    zone = (await LinkDays.load(reader, link)).zone.key
    try:
        mapping = _mapping(asked.mapping, mappings)
    except LookupError:
        known = ", ".join(_names(mappings)) or "none"
        message = f"no mapping {asked.mapping[:64]!r} (there are: {known})"
        return Answer(code=UNKNOWN_MAPPING, message=message)
    except FinanceRefusedError as error:
        return Answer(code=BAD_FILE, message=str(error))
    try:
        file = read_cage_file(asked.body, asked.file, in_zone(mapping, zone))
    except FinanceRefusedError as error:
        return Answer(code=BAD_FILE, message=str(error))
    return Answer(parts=(msgspec.json.encode(file),))


def _mapping(name: str, folder: Path | None) -> CageMapping:
    """Raises LookupError for one that is not there, FinanceRefusedError for a bad one."""
    if not name and USUAL not in _names(folder):
        return CageMapping()
    name = name or USUAL
    if folder is None or name not in _names(folder):
        raise LookupError(name)
    path = folder / f"{name}{ENDING}"
    try:
        return mapping_of(path.read_bytes(), path.name)
    except OSError as error:
        raise FinanceRefusedError(f"{path.name}: {error.strerror}") from None


def _names(folder: Path | None) -> list[str]:
    if folder is None:
        return []
    try:
        return sorted(each.stem for each in folder.glob(f"*{ENDING}") if _NAME.fullmatch(each.stem))
    except OSError:
        return []
