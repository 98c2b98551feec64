"""The file of `--logs`: one public line a log that the witness follows."""

from pathlib import Path

from progressive.application.seals.note import SIGNATURE, NoteError, read_key
from progressive.application.witness.logs import TrustedLogs


class LogsFileError(Exception):
    """A file that cannot be used: which line, and why."""


def read_logs(path: Path) -> TrustedLogs:
    """The logs of a file; empty lines and those that begin with # are passed over."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise LogsFileError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise LogsFileError(f"{path} is not a text in UTF-8") from None
    keys = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            key = read_key(line)
        except NoteError as error:
            raise LogsFileError(f"{path}: line {number}: {error}") from None
        if key.kind != SIGNATURE:
            raise LogsFileError(
                f"{path}: line {number}: the key of {key.name} is a witness's; the line that "
                "`progressive seal-key` printed for the service is expected"
            )
        keys.append(key)
    if not keys:
        raise LogsFileError(
            f"{path} names no log: put the line there that `progressive seal-key --public FILE` "
            "prints for the service's key"
        )
    return TrustedLogs(keys)
