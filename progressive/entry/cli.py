"""The `progressive` command: data on stdout, progress on stderr.

Exit 0 when all is well, 1 for a finding, 2 for bad input.
"""

import importlib
from typing import Final

import click

from progressive import __version__

_COMMANDS: Final = {
    "approve": "Approve another floor file for a link; it takes two people.",
    "check": "Check a floor file against its rule texts.",
    "demo": "Run a whole demo floor: service, sign and simulated tables.",
    "init": "Write a first floor file, commented.",
    "key": "Issue a key for a table, a sign or a relay.",
    "odds": "The exact odds of a bet, and a simulation as a check.",
    "serve": "Run the meter service.",
    "settle": "Settle rounds given as JSON lines, by the rule books alone.",
    "sign-log": "What a sign read at some moment, and how old that was.",
    "simulate": "Drive a running service as many tables, and check every answer.",
    "user": "Look after the people who may log in.",
    "verify": "Replay the whole journal and prove it.",
}


class _LazyGroup(click.Group):
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="progressive")
def main() -> None:
    """Progressive jackpot meters for table games."""
