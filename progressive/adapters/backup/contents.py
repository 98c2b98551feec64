"""What of a data directory a backup holds, and what it leaves out on purpose."""

import os
from pathlib import Path
from typing import Final

from progressive.adapters.committed import LOSSES_FOLDER, MARKS_FOLDER
from progressive.adapters.data_directory import (
    ASIDE_PREFIX,
    LOCK_NAME,
    RESTORES_NAME,
    RESTORING_NAME,
)
from progressive.adapters.kept_findings import FINDINGS_FOLDER
from progressive.adapters.segments.files import FOLDER as SEGMENTS_FOLDER
from progressive.adapters.sqlite import journal_file, people_file, sign_log_file

JOURNAL: Final = journal_file.FILE_NAME
PEOPLE: Final = people_file.FILE_NAME
SIGNS: Final = sign_log_file.FILE_NAME
KEY_FOLDERS: Final = ("keys", "sign-keys", "relay-keys")
FOLDERS: Final = (MARKS_FOLDER, LOSSES_FOLDER, *KEY_FOLDERS)
"""Of small files, each written whole under a temporary name and renamed."""
DATABASES: Final = (JOURNAL, PEOPLE, SIGNS)
HELD: Final = (*DATABASES, *FOLDERS, RESTORES_NAME)
"""What a backup holds besides the segments, by its name in the data directory."""
BESIDE: Final = tuple(f"{name}{end}" for name in DATABASES for end in ("-wal", "-shm", "-journal"))
"""What SQLite puts beside a database: its content is in the copy."""
_TEMPORARY: Final = ".part"


def is_left_out(name: str) -> bool:
    """Whether a name in a data directory is known, and in no backup by itself."""
    return (
        name in (*BESIDE, LOCK_NAME, RESTORING_NAME, SEGMENTS_FOLDER, FINDINGS_FOLDER)
        or name.startswith((".", ASIDE_PREFIX))
        or name in HELD
    )


def unknown_names(data: Path) -> list[str]:
    """What lies in a data directory and is none of ours: it is in no backup."""
    return sorted(name for name in os.listdir(data) if not is_left_out(name))


def small_files(folder: Path) -> list[str]:
    """The names in a folder of small files; temporary ones are left out."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    return sorted(name for name in names if name[0] != "." and not name.endswith(_TEMPORARY))


def replaced_by_restore(data: Path) -> list[str]:
    """What lies in a data directory that a restore moves aside."""
    # What was found is about the journal that goes: the other one was proved.
    ours = {*HELD, *BESIDE, SEGMENTS_FOLDER, FINDINGS_FOLDER}
    return sorted(ours.intersection(os.listdir(data)))
