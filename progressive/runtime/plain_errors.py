"""What the operating system and the network report, as one line for a person.

No error numbers, no `_ssl.c`: which file, address or host it is about, and what is wrong with it.
"""

import os
import socket
import ssl
from typing import Final

import click

FINDING: Final = 1
BAD_SURROUNDINGS: Final = 2
"""Bad input, and everything around the program that does not work: one code for both."""
INTERRUPTED: Final = 130
"""Ctrl-C, as a shell counts it: 128 and the number of the signal."""
READER_GONE: Final = 141
"""Whoever read standard output has closed it: 128 and the number of SIGPIPE."""


class CannotRunError(click.ClickException):
    """Bad input or bad surroundings: one line on standard error."""

    exit_code = BAD_SURROUNDINGS


class FindingError(click.ClickException):
    """The command ran, and what it looked at is not in order: one line on standard error."""

    exit_code = FINDING


def in_words(error: OSError) -> str:
    """What failed and why: `keys/BJ-01.part: Permission denied`."""
    if isinstance(error, ssl.SSLError):
        return tls_in_words(error)
    if error.filename is None:
        return _why(error)
    name = error.filename
    return f"{os.fsdecode(name) if isinstance(name, str | bytes) else name}: {_why(error)}"


def _why(error: OSError) -> str:
    if isinstance(error, socket.gaierror):
        # Its numbers are those of the resolver: `os.strerror` does not know them.
        return error.strerror or "unknown host"
    if error.errno is not None:
        return os.strerror(error.errno)
    return str(error) or type(error).__name__


def tls_in_words(error: ssl.SSLError) -> str:
    """What OpenSSL found, without where in its source: `wrong version number`."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message or "the certificate cannot be verified"
    return (error.reason or "unknown TLS error").replace("_", " ").lower()
