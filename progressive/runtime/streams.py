"""Standard input, output and error as a command finds them: closed, full, or with nobody reading.

What cannot be written to standard output raises OutputError wherever it happens, so that no
`except OSError` of a command takes it for a fault of a file or a socket.
"""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

import click

from progressive.runtime.plain_errors import CannotRunError

_OUTPUT: Final = 1


class OutputError(Exception):
    """Standard output takes no more."""

    def __init__(self, error: OSError) -> None:
        why = os.strerror(error.errno) if error.errno is not None else str(error)
        super().__init__(f"standard output: {why}")
        self.reader_is_gone = error.errno == errno.EPIPE
        """`| head -1` has what it wanted: nothing to complain about."""


class _Output(io.FileIO):
    """The file of standard output; what it cannot write is an OutputError."""

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - any buffer
        """As `FileIO`."""
        try:
            return super().write(data)
        except OSError as error:
            raise OutputError(error) from None


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Standard streams that a command can rely on, or a CannotRunError.

    A closed standard output ends the command before it does anything: a key that is issued and
    never shown would lock a table out.
    """
    _fill_gaps()
    if sys.stderr is None:
        # Nobody reads it. Logs and progress must have somewhere to go all the same.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for good
    if sys.stdout is None:
        raise CannotRunError("standard output is closed (> /dev/null discards it)")
    given = sys.stdout
    if given is not sys.__stdout__ or not isinstance(given, io.TextIOWrapper):
        # A test's own: it is never full.
        yield
        return
    sys.stdout = _watched(given)
    try:
        yield
        sys.stdout.flush()
    except BaseException:
        # What is left would be written once more as the interpreter ends, and fail once more.
        _discard(sys.stdout)
        raise
    finally:
        sys.stdout = given


def _watched(given: io.TextIOWrapper) -> io.TextIOWrapper:
    given.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Output(_OUTPUT, "wb", closefd=False)),
        encoding=given.encoding,
        # Names of files and people need not be in the terminal's alphabet.
        errors="backslashreplace",
        line_buffering=given.line_buffering,
    )


def _discard(output: io.TextIOWrapper) -> None:
    """Write what can still be written; the rest goes nowhere."""
    try:
        output.flush()
    except (OutputError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, _OUTPUT)
        os.close(nowhere)
        output.flush()


def _fill_gaps() -> None:
    """Occupy closed standard descriptors, so that no database is opened under their numbers."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)


def print_line(line: str) -> None:
    """A line on standard output, whatever alphabet the terminal knows.

    `click.echo` writes UTF-8 to a terminal that knows only ASCII.
    """
    encoding = sys.stdout.encoding or "utf-8"
    click.echo(line.encode(encoding, errors="backslashreplace").decode(encoding))


# --- input --------------------------------------------------------------------------------------


def is_terminal_input() -> bool:
    """Whether a person can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()


def input_bytes(bytes_max: int) -> bytes:
    """Standard input to its end, `bytes_max` at the most."""
    with reading_input() as source:
        return source.read(bytes_max)


@contextmanager
def reading_input() -> Iterator[BinaryIO]:
    """Standard input as bytes; what is wrong with it is a CannotRunError."""
    if sys.stdin is None:
        raise CannotRunError("standard input is closed")
    try:
        yield sys.stdin.buffer
    except OSError as error:
        why = os.strerror(error.errno) if error.errno is not None else str(error)
        raise CannotRunError(f"standard input: {why}") from None
