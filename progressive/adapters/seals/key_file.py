"""A private key as a small text file: a line with the key's name, then PKCS#8 PEM.

`openssl pkey -in FILE` reads it as it is: what stands before the first dashes is passed over. The
file is for its owner only, and is never overwritten. Nothing here signs.
"""

import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from progressive.adapters.durable import FILE_MODE, sync_folder
from progressive.adapters.seals.signing import Signer
from progressive.application.seals.note import NoteError, check_name

_NAME: Final = "name "
FILE_BYTES_MAX: Final = 4096
"""Many times what a key takes."""
NAME_PREFIX: Final = "progressive-"
NAME_DIGITS: Final = 8
CREDENTIALS: Final = "CREDENTIALS_DIRECTORY"
"""systemd: where a unit finds what its LoadCredential= names."""


class KeyFileError(Exception):
    """A key file that cannot be used, in words for whoever gave it."""


def new_signer(name: str | None = None) -> Signer:
    """A new key; without a name it is called after itself. Raises NoteError for a bad name."""
    private = Ed25519PrivateKey.generate()
    if name is None:
        digest = sha256(private.public_key().public_bytes_raw()).hexdigest()
        name = f"{NAME_PREFIX}{digest[:NAME_DIGITS]}"
    return Signer(check_name(name), private)


def encoded(signer: Signer) -> bytes:
    """What the file holds."""
    pem = signer.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return f"{_NAME}{signer.name}\n".encode() + pem


def write_key(path: Path, signer: Signer) -> None:
    """Make the file, synced; raises KeyFileError where there is one, or it cannot be made."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(path, flags, FILE_MODE), "wb") as file:
            # Whatever the umask says.
            os.fchmod(file.fileno(), FILE_MODE)
            file.write(encoded(signer))
            file.flush()
            os.fsync(file.fileno())
        sync_folder(path.parent)
    except FileExistsError:
        raise KeyFileError(
            f"{path} is there already: a key is never overwritten; name another file"
        ) from None
    except OSError as error:
        raise KeyFileError(f"{path} cannot be written: {error.strerror}") from None


def read_signer(path: Path) -> Signer:
    """The key of a file; raises KeyFileError, which never shows what the file holds."""
    content = _read(path)
    line, newline, pem = content.partition(b"\n")
    try:
        name = line.decode().removeprefix(_NAME)
        if not newline or not line.startswith(_NAME.encode()):
            raise KeyFileError(
                f"{path} is not a key that `progressive seal-key` made: its first line is not "
                f"`{_NAME}NAME`"
            )
        private = load_pem_private_key(pem, password=None)
        if not isinstance(private, Ed25519PrivateKey):
            raise KeyFileError(f"{path} holds a key of another kind: Ed25519 is expected")
        return Signer(check_name(name), private)
    except (NoteError, UnicodeDecodeError) as error:
        raise KeyFileError(f"{path}: the name in its first line cannot be used: {error}") from None
    except (ValueError, TypeError):
        raise KeyFileError(f"{path} holds no private key in PEM without a password") from None


def _read(path: Path) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(file, "rb") as reading:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                raise KeyFileError(f"{path} is not a file")
            if exposed := status.st_mode & _exposing(path):
                raise KeyFileError(
                    f"{path} can be read by others (mode {stat.S_IMODE(status.st_mode):04o}, "
                    f"{exposed:04o} too much): a key that others can read seals nothing; "
                    f"`chmod 600 {path}`, or make a new key if somebody may have read it"
                )
            return reading.read(FILE_BYTES_MAX)
    except OSError as error:
        raise KeyFileError(f"{path} cannot be read: {error.strerror}") from None


def _exposing(path: Path) -> int:
    """The bits of a mode that must not be set."""
    credentials = os.environ.get(CREDENTIALS)
    if credentials and path.parent == Path(credentials):
        # systemd lets the unit's user in by an ACL, which shows as the right of a group.
        return stat.S_IRWXO | stat.S_IWGRP
    return stat.S_IRWXG | stat.S_IRWXO
