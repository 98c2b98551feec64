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
from progressive.adapters.day_books import FOLDER as BOOKS_FOLDER
from progressive.adapters.happenings import FOLDER as HAPPENINGS_FOLDER
from progressive.adapters.kept_audits import AUDITED_FOLDER
from progressive.adapters.kept_findings import FINDINGS_FOLDER
from progressive.adapters.seals.files import FOLDER as SEALS_FOLDER
from progressive.adapters.seals.files import NEWEST, TREE
from progressive.adapters.segments.files import FOLDER as SEGMENTS_FOLDER
from progressive.adapters.sqlite import journal_file, people_file, sign_log_file
from progressive.domain.ids import is_id

JOURNAL: Final = journal_file.FILE_NAME
PEOPLE: Final = people_file.FILE_NAME
SIGNS: Final = sign_log_file.FILE_NAME
KEY_FOLDERS: Final = ("keys", "sign-keys", "relay-keys")
FOLDERS: Final = (MARKS_FOLDER, LOSSES_FOLDER, *KEY_FOLDERS, HAPPENINGS_FOLDER)
"""Of small files, each written whole under a temporary name and renamed; what happened is only ever
appended to, and is good up to any byte."""
DATABASES: Final = (JOURNAL, PEOPLE, SIGNS)
HELD: Final = (*DATABASES, *FOLDERS, RESTORES_NAME)
"""What a backup holds besides the segments, by its name in the data directory."""
FOLDERS_OF_LINKS: Final = (SEGMENTS_FOLDER, SEALS_FOLDER)
"""With a folder for each link."""
BESIDE: Final = tuple(f"{name}{end}" for name in DATABASES for end in ("-wal", "-shm", "-journal"))
"""What SQLite puts beside a database: its content is in the copy."""
_TEMPORARY: Final = ".part"


def is_left_out(name: str) -> bool:
    """Whether a name in a data directory is known, and in no backup by itself."""
    return (
        name in (*BESIDE, LOCK_NAME, RESTORING_NAME, *FOLDERS_OF_LINKS)
        # What was found, how far an audit has come, and a cache: made again from the journal.
        or name in (FINDINGS_FOLDER, AUDITED_FOLDER, BOOKS_FOLDER)
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


def seal_folders(data: Path) -> list[str]:
    """The links that have seals."""
    try:
        return sorted(name for name in os.listdir(data / SEALS_FOLDER) if is_id(name))
    except FileNotFoundError:
        return []


def seal_files(folder: Path) -> list[str]:
    """The names in a link's folder of seals, in the order in which they are copied.

    Sealing goes on meanwhile. No note may be larger than the newest, and the tree has to reach as
    far: so the newest is copied behind the other notes, and before the tree.
    """
    names = small_files(folder)
    return sorted(names, key=lambda name: (name.startswith(TREE), name == NEWEST, name))


def replaced_by_restore(data: Path) -> list[str]:
    """What lies in a data directory that a restore moves aside."""
    # What was found is about the journal that goes: the other one was proved.
    ours = {*HELD, *BESIDE, *FOLDERS_OF_LINKS, FINDINGS_FOLDER, AUDITED_FOLDER, BOOKS_FOLDER}
    return sorted(ours.intersection(os.listdir(data)))
