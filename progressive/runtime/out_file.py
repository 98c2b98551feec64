"""Files that a command writes for a person: what is wrong with one is said with its name."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from progressive.runtime.plain_errors import CannotRunError, in_words


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Whatever the system says meanwhile is of this file; raises CannotRunError.

    A full disk comes without any name, and a file that is made first under another one with that.
    """
    try:
        yield
    except OSError as error:
        error.filename = os.fspath(path)
        raise CannotRunError(in_words(error)) from None


def refuse_not_a_file(path: Path) -> None:
    """A file that is put in the place of another must not take that of a device or a pipe."""
    if path.exists() and not path.is_file():
        raise CannotRunError(f"{path}: is there already, and is not a file: name another one")
