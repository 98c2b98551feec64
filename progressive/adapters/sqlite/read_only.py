"""COLD. Ways to read a SQLite file without changing one byte or one name in its folder.

`mode=ro` alone does not promise that. To read a WAL file SQLite wants its index `-shm` beside it:
it makes `-wal` and `-shm` where there are none and leaves them there, and after a crash it writes
the index again. A file with a hot rollback journal (`-journal`, left by a writer that was killed)
it refuses to read, because a reader that may not write cannot roll back. So, by what lies there:

- nothing beside the file, or only empty remains: nobody has it open. It is read with `immutable`,
  which makes no file and takes no lock. If it was written meanwhile, `ChangedMeanwhileError`.
- `-wal` and `-shm`: the service runs or was killed. With `readonly_shm` SQLite reads the index
  without writing it, or, after a kill, builds one in memory. A reader holds its place by a lock, so
  a service that runs or starts meanwhile leaves it its view.
- a `-wal` without its index, or a hot `-journal`: the files are copied into a private folder, and
  SQLite recovers the copy there. SQLite's own code does it, so that what is read is what the next
  writer would find. The folder lies where the system puts temporary files (`TMPDIR`), and is
  removed at the end.
"""

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from progressive.adapters.sqlite.file import DRIVER_ERRORS, StoreFile
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError

BUSY_SECONDS: Final = 5.0
"""How long a reader waits where its file says nothing else."""
COPY_TRIES: Final = 3
"""A file that is written each time it is copied has a writer: it can be read in place."""

_BESIDE: Final = ("-wal", "-journal")
"""Files that hold content. A `-shm` holds none: it is made from the `-wal`."""


class ChangedMeanwhileError(StoreUnavailableError):
    """A file that nobody had open was written while it was read: what was read means nothing."""


def open_read_only(
    path: Path, *, how: str = "mode=ro", busy_seconds: float = BUSY_SECONDS
) -> sqlite3.Connection:
    """A connection that can never write into the database, for readers beside a running service.

    With the plain `mode=ro` SQLite may leave `-wal` and `-shm` beside a WAL file.
    """
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?{how}",
        uri=True,
        isolation_level=None,
        timeout=busy_seconds,
        check_same_thread=False,
    )


@contextlib.contextmanager
def open_wal_unchanged(file: StoreFile, directory: Path) -> Iterator[sqlite3.Connection]:
    """One view of a WAL file, within a read transaction; the folder stays as it is.

    Raises the driver's errors, and ChangedMeanwhileError at the end of the block, also in place of
    a finding within it. Not for a process that has the file open itself, as `private_copy`.
    """
    path = directory / file.name
    before = _marks(path)
    with contextlib.ExitStack() as stack:
        immutable = False
        if _at_rest(path):
            db = _begun(file, path, "mode=ro&immutable=1")
            immutable = True
        elif path.with_name(f"{path.name}-shm").exists():
            db = _begun(file, path, "mode=ro&readonly_shm=1")
        else:
            db = _begun(file, stack.enter_context(private_copy(path)), "mode=rw")
        stack.enter_context(contextlib.closing(db))
        try:
            yield db
        except (StoreCorruptError, *DRIVER_ERRORS):
            if immutable:
                _must_be_unchanged(file, path, before)
            raise
        if immutable:
            _must_be_unchanged(file, path, before)


@contextlib.contextmanager
def open_wal_beside_writer(file: StoreFile, directory: Path) -> Iterator[sqlite3.Connection]:
    """One view of a WAL file, within a read transaction, in the process that writes it.

    Plain `mode=ro`: the writer's own `-wal` and `-shm` are there. Only where SQLite can make none,
    in a folder that takes no files, is a file at rest read as it is: nobody can be writing it.
    """
    path = directory / file.name
    try:
        db = _begun(file, path, "mode=ro")
    except sqlite3.OperationalError:
        if not _at_rest(path):
            raise
        db = _begun(file, path, "mode=ro&immutable=1")
    with contextlib.closing(db):
        yield db


@contextlib.contextmanager
def private_copy(path: Path) -> Iterator[Path]:
    """The file with its `-wal` and `-journal`, in a folder that only this user can enter.

    Raises StoreUnavailableError where there is no room for it. Not for a process that has the file
    open itself: closing any descriptor of a file drops the locks that SQLite holds on it in that
    process (POSIX).
    """
    with tempfile.TemporaryDirectory(prefix="progressive-copy-") as folder:
        copy = Path(folder) / path.name
        try:
            copied = any(_copied(path, copy) for _ in range(COPY_TRIES))
        except OSError as error:
            raise StoreUnavailableError(
                f"{path.name} has to be copied to be read, and {folder} cannot hold it: {error}"
            ) from None
        if not copied:
            raise ChangedMeanwhileError(f"{path.name} was written while it was copied: run again")
        yield copy


def _copied(path: Path, copy: Path) -> bool:
    """Whether the copy is of one moment.

    A writer that came meanwhile has recovered the file itself: half of each would be neither.
    """
    before = _marks(path)
    shutil.copyfile(path, copy)
    for suffix in _BESIDE:
        beside = copy.with_name(f"{copy.name}{suffix}")
        beside.unlink(missing_ok=True)
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(path.with_name(beside.name), beside)
    return _marks(path) == before


def _at_rest(path: Path) -> bool:
    wal, journal = (_size(path.with_name(f"{path.name}{suffix}")) for suffix in _BESIDE)
    if journal:
        return False
    return wal is None or (wal == 0 and not path.with_name(f"{path.name}-shm").exists())


def _begun(file: StoreFile, path: Path, how: str) -> sqlite3.Connection:
    """A connection within a read transaction, which it never leaves."""
    db = open_read_only(path, how=how, busy_seconds=file.busy_seconds)
    try:
        db.execute("BEGIN")
        # SQLite opens nothing before the first question.
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        db.close()
        raise
    return db


_Marks = list[tuple[int, int, int] | None]


def _marks(path: Path) -> _Marks:
    """What changes when a file or one beside it is written, made or removed."""
    marks: _Marks = []
    for suffix in ("", *_BESIDE):
        try:
            status = path.with_name(f"{path.name}{suffix}").stat()
        except FileNotFoundError:
            marks.append(None)
        else:
            marks.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return marks


def _must_be_unchanged(file: StoreFile, path: Path, before: _Marks) -> None:
    if _marks(path) != before:
        raise ChangedMeanwhileError(f"{file.called} was written while it was read: run again")


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None
