"""A password for a command: asked for on a terminal, read from standard input otherwise."""

from typing import Final

import click

from progressive.runtime.plain_errors import CannotRunError
from progressive.runtime.streams import input_bytes, is_terminal_input

INPUT_BYTES_MAX: Final = 4096
"""More than the longest password: the rest of an endless input is not read."""


def read_password(*, new: bool) -> str:
    """The password; a new one is asked for twice. Raises CannotRunError where there is none."""
    if is_terminal_input():
        typed: str = click.prompt("Password", hide_input=True, confirmation_prompt=new, err=True)
        return typed
    return _without_end(_input())


def read_passwords(whose: str, *, new: bool) -> tuple[str, str]:
    """The password of whoever acts, then (where `new`) the one that is to be set.

    On standard input they are two lines.
    """
    if is_terminal_input():
        typed: str = click.prompt(f"Password of {whose}", hide_input=True, err=True)
        return typed, read_password(new=True) if new else ""
    first, _, second = _input().partition("\n")
    return _without_end(first), _without_end(second)


def _input() -> str:
    try:
        return input_bytes(INPUT_BYTES_MAX).decode()
    except UnicodeDecodeError:
        raise CannotRunError("the password on standard input is not UTF-8 text") from None


def _without_end(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")
