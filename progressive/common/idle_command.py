"""How an interpreter is asked to run a module beside the service without being in its way."""

from typing import Final

RUNNER: Final = "progressive.runtime.idle_process"


def idle_command(
    module: str, *arguments: str, rest: int = 0, first: int | None = None
) -> tuple[str, ...]:
    """What the interpreter is to be given.

    `rest`: after each short piece of work, so many times as long as it took; 0: none. `first`: less
    of it in the first seconds of work, so that a short one is over soon.
    """
    rests = str(rest) if first is None else f"{min(first, rest)}/{rest}"
    return ("-m", RUNNER, rests, module, *arguments)


def nice_command(module: str) -> tuple[str, ...]:
    """The same for a module that somebody waits for: no rests, the lowest priority."""
    return ("-m", RUNNER, "nice", module)
