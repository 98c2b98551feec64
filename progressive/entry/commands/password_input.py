"""A password for a command: asked for on a terminal, read from standard input otherwise."""

import sys

import click


def read_password(*, new: bool) -> str:
    """The password; a new one is asked for twice."""
    if sys.stdin.isatty():
        typed: str = click.prompt("Password", hide_input=True, confirmation_prompt=new, err=True)
        return typed
    return sys.stdin.read().removesuffix("\n").removesuffix("\r")
