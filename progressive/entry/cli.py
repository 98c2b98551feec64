"""The `progressive` command: data on stdout, progress on stderr.

Exit codes and error lines are the same for all commands: `runtime/command_line.py` has the rules,
`docs/operations.md` the table. What only this program's own parts raise is given its code here.
"""

import importlib
from typing import Any, Final

import click

from progressive import __version__
from progressive.runtime.command_line import EXIT_CODES, PlainGroup
from progressive.runtime.plain_errors import CannotRunError, FindingError, in_words

_COMMANDS: Final = {
    "accept-loss": "Accept that records are gone: one of the two people it takes.",
    "approve": "Approve another floor file for a link; it takes two people.",
    "audit-pack": "One gaming day for an auditor, in one zip.",
    "backup": "Copy a data directory elsewhere, and verify the copy.",
    "check": "Check a floor file against its rule texts.",
    "demo": "Run a whole demo floor: service, sign and simulated tables.",
    "export": "The records of a journal as they are stored, one a line.",
    "explain": "How a meter came to its amount, to the microcent.",
    "init": "Write a first floor file, commented.",
    "key": "Issue a key for a table, a sign or a relay.",
    "mend-log": "Give a shared log the records that it lost and this node has.",
    "migrate": "Move a link between a data directory and a log that nodes share.",
    "odds": "The exact odds of a bet, and a simulation as a check.",
    "purge": "Remove the oldest records of a journal for ever; it takes two people.",
    "report": "A report of finance over any days, in any format.",
    "restore": "Put a backup in the place of a data directory.",
    "retire": "End a link: its money is parked; it takes two people and a notice.",
    "seal": "The newest seal of a link, or a proof from it, as a file.",
    "seal-key": "Make the key that seals journals, or show its public line.",
    "serve": "Run the meter service.",
    "settle": "Settle rounds given as JSON lines, by the rule books alone.",
    "sign-log": "What a sign read at some moment, and how old that was.",
    "simulate": "Drive a running service as many tables, and check every answer.",
    "user": "Manage user accounts.",
    "verifier": "Write the auditor's verifier as one file.",
    "verify": "Replay the whole journal and prove it.",
    "witness": "Confirm on another machine that sealed journals only grow.",
}


class _LazyGroup(PlainGroup):
    """Loads a command's module when it is called, so that `--help` and `check` start at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module_name = cmd_name.replace("-", "_")
        module = importlib.import_module(f"progressive.entry.commands.{module_name}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as click has it
        """Any command: an error of the store or the data directory is one line with its code."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            if (plain := _in_plain_words(error)) is None:
                raise
            raise plain from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


def _in_plain_words(error: Exception) -> click.ClickException | None:
    """What a command let through that is no bug; None for everything else."""
    if isinstance(error, click.ClickException | click.exceptions.Exit | click.Abort):
        return None
    from progressive.adapters.data_directory import DirectoryInUseError
    from progressive.application.journal.ports import (
        StoreCorruptError,
        StoreError,
        StorePurgedError,
    )
    from progressive.application.journal.record import JournalBrokenError

    match error:
        case StoreCorruptError() | JournalBrokenError() | StorePurgedError():
            # The program works: it is the file that is not as it was written.
            return FindingError(str(error))
        case StoreError(__cause__=OSError() as cause):
            return CannotRunError(in_words(cause))
        case StoreError() | DirectoryInUseError():
            return CannotRunError(str(error))
        case _:
            return None


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)
@click.version_option(__version__, prog_name="progressive")
def main() -> None:
    """Progressive jackpot meters for table games."""
