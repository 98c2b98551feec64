"""How an interpreter is asked to run a module beside the service without being in its way."""

from typing import Final

RUNNER: Final = "progressive.runtime.idle_process"


def idle_command(module: str, *arguments: str, rest: int = 0) -> tuple[str, ...]:
    """What the interpreter is to be given.

    `rest`: after each short piece of work, so many times as long as it took; 0: none.
    """
    return ("-m", RUNNER, str(rest), module, *arguments)
