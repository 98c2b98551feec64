"""Puts a backup in the place of what a data directory holds: all of it, or nothing.

1. The backup is laid out in `.restore-new/`, synced and proved. Until here the directory is as it
   was, and a restore that was cut off begins again.
2. `restoring.json` says what is about to be moved. From here on no other command touches the
   directory, and a restore that was cut off is finished by the next one.
3. What was there moves to `before-restore-TIME/`, the new files move in: renames on one disk.
4. `restoring.json` goes.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from progressive.adapters.backup.check import Prove, prove_folder
from progressive.adapters.backup.compare import Replaced, replaced
from progressive.adapters.backup.contents import replaced_by_restore
from progressive.adapters.backup.databases import acts_missing
from progressive.adapters.backup.layout import DamagedBackupError, lay_out
from progressive.adapters.backup.place import Backup
from progressive.adapters.backup.room import must_fit
from progressive.adapters.committed import MARKS_FOLDER
from progressive.adapters.data_directory import (
    ASIDE_PREFIX,
    LOCK_NAME,
    RESTORES_NAME,
    RESTORING_NAME,
)
from progressive.adapters.durable import (
    copy_file,
    make_folder,
    remove_tree,
    rename,
    sync_folder,
    write_whole,
)
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError
from progressive.common.steps import step

NEW_FOLDER: Final = ".restore-new"
VERSION: Final = 1
RESTORE_ACT: Final = "restore"
"""What a restore is called in the act log."""


class RestoredLink(Struct, frozen=True):
    """One link before and after."""

    link: str
    from_seq: int
    to_seq: int
    head: str
    at: str


class RestoreNote(Struct, frozen=True, kw_only=True):
    """A line of `restores.jsonl`."""

    at: str
    by: str
    """The system's user."""
    source: str
    backup: str
    verified: bool
    lost: bool
    aside: str
    """Where what was there before lies now; empty where there was nothing."""
    links: tuple[RestoredLink, ...]
    acts_missing: int = 0
    """Acts of people that were in the directory and are not in the backup."""


class _Marker(Struct, frozen=True, kw_only=True):
    version: int
    note: RestoreNote
    old: tuple[str, ...]
    new: tuple[str, ...]


class HalfDoneError(Exception):
    """`restoring.json` cannot be used."""


def restore(
    backup: Backup,
    data: Path,
    *,
    at: str,
    by: str,
    lost: bool,
    prove: Prove,
    record: Callable[[Path, RestoreNote], None],
) -> RestoreNote:
    """Restore into a directory that this process holds the lock of.

    `record` enters the restore into the act log of a folder. Raises DamagedBackupError,
    NewerMoneyError, NoRoomError; the directory is then as it was.
    """
    new = data / NEW_FOLDER
    remove_tree(new)
    must_fit(data, backup.manifest.bytes, "the restore")
    make_folder(new)
    try:
        lay_out(backup, new)
        found = replaced(data, new, lost=lost)
        note = _note(backup, data, found, at=at, by=by, lost=lost)
        note = msgspec.structs.replace(note, acts_missing=_acts_missing(data, new))
        if problems := prove_folder(backup, new, prove):
            raise DamagedBackupError(f"backup {backup.name}: {problems[0]}")
        step("record the act")
        record(new, note)
        _keep_marks(data, new, found)
        _log(data, new, note)
        _own(data, new)
        # The lock's file is this process's, and the service has to open it.
        _own(data, data / LOCK_NAME)
        for folder in sorted({new, *(path for path in new.rglob("*") if path.is_dir())}):
            sync_folder(folder)
        marker = _Marker(
            version=VERSION,
            note=note,
            old=tuple(replaced_by_restore(data)),
            new=tuple(sorted(os.listdir(new))),
        )
        write_whole(data / RESTORING_NAME, msgspec.json.encode(marker) + b"\n")
    except BaseException:
        # Once the marker bears its name, the next restore needs what lies here.
        if not (data / RESTORING_NAME).exists():
            remove_tree(new)
        raise
    _move(data, marker)
    return note


def finish(data: Path) -> RestoreNote:
    """Finish a restore that was cut off while it moved files."""
    content = (data / RESTORING_NAME).read_bytes()
    try:
        marker = msgspec.json.decode(content, type=_Marker)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HalfDoneError(f"{data / RESTORING_NAME} cannot be read: {error}") from None
    _move(data, marker)
    return marker.note


def _move(data: Path, marker: _Marker) -> None:
    """From any point on. Nothing new moves in before all that is old has moved out."""
    new, aside = data / NEW_FOLDER, data / marker.note.aside
    if marker.old and not aside.is_dir():
        make_folder(aside)
        _own(data, aside)
        sync_folder(data)
    for name in marker.old:
        moved_in = name in marker.new and not (new / name).exists()
        if not moved_in and (data / name).exists():
            rename(data / name, aside / name)
    if marker.old:
        sync_folder(aside)
    sync_folder(data)
    for name in marker.new:
        if (new / name).exists():
            rename(new / name, data / name)
    sync_folder(data)
    remove_tree(new)
    step("remove the marker")
    (data / RESTORING_NAME).unlink()
    sync_folder(data)


def _note(
    backup: Backup, data: Path, found: Replaced, *, at: str, by: str, lost: bool
) -> RestoreNote:
    links = {each.link: each for each in backup.manifest.links}
    return RestoreNote(
        at=at,
        by=by,
        source=str(backup.place),
        backup=backup.name,
        verified=backup.stamp is not None,
        lost=lost,
        aside=_free_aside(data, at) if replaced_by_restore(data) else "",
        links=tuple(
            RestoredLink(
                link=link,
                from_seq=found.ends[link].seq if link in found.ends else 0,
                to_seq=each.last_seq,
                head=each.head,
                at=each.at,
            )
            for link, each in links.items()
        ),
    )


def _acts_missing(data: Path, new: Path) -> int:
    try:
        # A restore is an act of the machine: nobody has to do it again.
        return sum(act.act != RESTORE_ACT for act in acts_missing(data, new))
    except (StoreCorruptError, StoreUnavailableError):
        # A people file that is damaged here is a reason to restore.
        return 0


def _free_aside(data: Path, at: str) -> str:
    name = f"{ASIDE_PREFIX}{at[:19].replace(':', '-')}Z"
    number = 1
    while (data / name).exists():
        number += 1
        name = f"{name.partition('Z')[0]}Z.{number}"
    return name


def _keep_marks(data: Path, new: Path, found: Replaced) -> None:
    """What was committed and is lost stays remembered: the service asks two people about it."""
    for link in found.marks_to_keep:
        (new / MARKS_FOLDER).mkdir(mode=0o700, exist_ok=True)
        target = new / MARKS_FOLDER / f"{link}.json"
        target.unlink(missing_ok=True)
        copy_file(data / MARKS_FOLDER / f"{link}.json", target)


def _log(data: Path, new: Path, note: RestoreNote) -> None:
    """The restores that either knows of, and this one."""
    lines: list[bytes] = []
    for log in (new / RESTORES_NAME, data / RESTORES_NAME):
        if log.is_file():
            lines += [line for line in log.read_bytes().splitlines() if line not in lines]
    lines.append(msgspec.json.encode(note))
    write_whole(new / RESTORES_NAME, b"".join(line + b"\n" for line in lines))


def _own(data: Path, made: Path) -> None:
    """What root restores belongs to whoever the directory belongs to: the service's user."""
    if os.geteuid() != 0:
        return
    owner = data.stat()
    for path in (made, *made.rglob("*")):
        shutil.chown(path, owner.st_uid, owner.st_gid)
