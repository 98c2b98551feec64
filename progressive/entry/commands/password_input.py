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
    try:
        text = input_bytes(INPUT_BYTES_MAX).decode()
    except UnicodeDecodeError:
        raise CannotRunError("the password on standard input is not UTF-8 text") from None
    return text.removesuffix("\n").removesuffix("\r")
