"""A note where the service on a port keeps its data, for the same user on the same machine.

It spares `progressive simulate` a `--data`; nothing depends on it. A note is believed only where
nobody else can have written it: the folder and the file belong to this user, and no one else may
write to them. The note holds no secret.
"""

import contextlib
import ipaddress
import logging
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

log = logging.getLogger(__name__)

NOTE_BYTES_MAX: Final = 16 * 1024
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_HTTP_PORT: Final = 80
_SUFFIX: Final = ".json"


class _Note(msgspec.Struct, frozen=True):
    pid: int
    url: str
    data: str


class _UntrustedError(OSError):
    """Somebody else could have put this there."""


def write(url: str, data: Path) -> Path | None:
    """Note that the service at `url` keeps its data in `data`; None where that cannot be done.

    The service runs all the same without a note, so nothing here raises.
    """
    note = _Note(pid=os.getpid(), url=url, data=str(data.resolve()))
    folder = _folders()[0]
    name = _name(_port(url))
    try:
        folder.mkdir(parents=False, exist_ok=True, mode=0o700)
        with _trusted_folder(folder) as directory:
            # Whole or not at all, and never through a link that someone laid there.
            part = f"{name}.{os.getpid()}.part"
            with contextlib.suppress(FileNotFoundError):
                os.unlink(part, dir_fd=directory)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with open(os.open(part, flags, 0o600, dir_fd=directory), "wb") as file:
                file.write(msgspec.json.encode(note))
            os.replace(part, name, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError as error:
        log.info("no service note", extra={"folder": str(folder), "reason": str(error)})
        return None
    return folder / name


def find(url: str) -> Path | None:
    """The data directory of the running service at a loopback address, or None."""
    if not _is_here(url):
        return None
    port = _port(url)
    for folder in _folders():
        note = _read(folder, _name(port))
        if note is not None and _is_alive(note.pid) and _port(note.url) == port:
            return Path(note.data)
    return None


def address_of(data: Path) -> str | None:
    """The address of the running service that works on a data directory, or None."""
    # Not `Path.resolve`, which raises a RuntimeError for a symbolic link that leads to itself.
    wanted = os.path.realpath(data)
    for folder in _folders():
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(_SUFFIX))
        except OSError:
            continue
        for name in names:
            note = _read(folder, name)
            if note is not None and note.data == wanted and _is_alive(note.pid):
                return note.url
    return None


def remove(path: Path | None) -> None:
    """Take back a note that `write` made, unless a later service has put its own there."""
    if path is None:
        return
    note = _read(path.parent, path.name)
    if note is not None and note.pid == os.getpid():
        with contextlib.suppress(OSError):
            path.unlink()


@contextlib.contextmanager
def noted(url: str, data: Path) -> Iterator[None]:
    """A note for as long as the block runs."""
    path = write(url, data)
    try:
        yield
    finally:
        remove(path)


def _folders() -> list[Path]:
    """Where notes can be: the first is written to, a service started otherwise uses the second."""
    name = f"progressive-{os.geteuid()}"
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    bases = [runtime] if os.path.isabs(runtime) and os.path.isdir(runtime) else []
    return [Path(base) / name for base in (*bases, tempfile.gettempdir())]


def _name(port: int) -> str:
    return f"{port}{_SUFFIX}"


@contextlib.contextmanager
def _trusted_folder(folder: Path) -> Iterator[int]:
    """The folder, opened: what is checked is what is used, whatever is renamed meanwhile."""
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _require_own(directory, folder)
        yield directory
    finally:
        os.close(directory)


def _require_own(descriptor: int, path: Path) -> None:
    found = os.fstat(descriptor)
    if found.st_uid != os.geteuid():
        raise _UntrustedError(f"{path} belongs to another user")
    if found.st_mode & _OTHERS_WRITE:
        raise _UntrustedError(f"{path} can be written by others")


def _read(folder: Path, name: str) -> _Note | None:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with (
            _trusted_folder(folder) as directory,
            open(os.open(name, flags, dir_fd=directory), "rb") as file,
        ):
            _require_own(file.fileno(), folder / name)
            return msgspec.json.decode(file.read(NOTE_BYTES_MAX), type=_Note)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        log.info("service note not used", extra={"folder": str(folder), "reason": str(error)})
        return None


def _is_alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        # Another user's process: then it is not the one that wrote this user's note.
        return False
    except OverflowError:
        return False
    return True


def _port(url: str) -> int:
    return urlsplit(url).port or _HTTP_PORT


def _is_here(url: str) -> bool:
    """Whether an address is this very machine's loopback: notes say nothing of others."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
