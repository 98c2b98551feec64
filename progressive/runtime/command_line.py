"""What every command of ours has in common: one line for one error, one exit code for one cause.

Exit 0 when all is well, 1 for a finding, 2 for bad input and bad surroundings; 130 after Ctrl-C,
141 when the reader of standard output has closed it.
"""

import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import click

from progressive.runtime.plain_errors import (
    BAD_SURROUNDINGS,
    INTERRUPTED,
    READER_GONE,
    CannotRunError,
    in_words,
)
from progressive.runtime.streams import OutputError, guarded_streams

EXIT_CODES: Final = (
    "Exit codes: 0 all is well; 1 a finding; 2 bad input, or bad surroundings such as a full disk, "
    "a busy port or a server that cannot be reached."
)


class PlainCommand(click.Command):
    """A command whose errors are one line each. Also the base of groups."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,  # noqa: ANN401 - as click has it
    ) -> Any:  # noqa: ANN401 - as click has it
        """As click's, with our own ending."""

        def run() -> Any:  # noqa: ANN401 - as click has it
            return super(PlainCommand, self).main(
                args, prog_name, complete_var, standalone_mode=False, **extra
            )

        if not standalone_mode:
            return run()
        _end(run)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as click has it
        """As click's; errors of the machine become errors of the command."""
        try:
            return super().invoke(ctx)
        except OSError as error:
            raise CannotRunError(in_words(error)) from None


class PlainGroup(PlainCommand, click.Group):
    """A group of such commands; they need not know."""


def _end(run: Any) -> NoReturn:  # noqa: ANN401 - a closure
    """Run a command and exit."""
    try:
        with guarded_streams():
            # A number is the code of a `ctx.exit`; our commands return nothing.
            code = run()
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        _show(error)
        sys.exit(error.exit_code)
    except OutputError as error:
        if error.reader_is_gone:
            sys.exit(READER_GONE)
        _show(CannotRunError(str(error)))
        sys.exit(BAD_SURROUNDINGS)
    except click.Abort:
        _print("Interrupted")
        sys.exit(INTERRUPTED)


def _show(error: click.ClickException) -> None:
    """One line. Only where the command line itself is unclear is its usage shown before it."""
    unclear = isinstance(error, click.UsageError) and (
        isinstance(error, click.MissingParameter) or not isinstance(error, click.BadParameter)
    )
    if unclear:
        error.show()
    else:
        _print(f"Error: {' '.join(error.format_message().split())}")


def _print(line: str) -> None:
    try:
        click.echo(line, err=True)
    except OSError:
        # Standard error is full or closed: the exit code has to say it alone.
        return
