"""`progressive` that seals all the time: `python -m tests.support.small_seals serve ...`.

Seals every tenth of a second and without rests, on small segments. `FAULTY_SEALER`: how the process
that seals ends, at which step, the how manieth of that name (see `faulty_sealer`); it is started
again without the fault.
"""

import functools
import os
from typing import Any, Final

from msgspec import structs

from progressive.application.link import appender
from progressive.entry import bootstrap
from progressive.entry.cli import main
from progressive.entry.commands import serve
from progressive.entry.seals import SealSettings
from tests.support import faulty_sealer
from tests.support.small_segments import SMALL

MODULE: Final = "tests.support.small_seals"
FAULT: Final = "FAULTY_SEALER"


def quick(*given: Any) -> SealSettings:  # noqa: ANN401 - as the command gives them
    """The settings that were asked for, in a hurry."""
    fault = os.environ.get(FAULT)
    command = faulty_sealer.command(*fault.split("|")) if fault else SealSettings().command
    return structs.replace(_given(*given), period_seconds=0.1, rest=0, command=command)


if __name__ == "__main__":
    appender.CHECKPOINT_EVERY = 40  # type: ignore[misc]
    serve.running = functools.partial(bootstrap.running, past=SMALL)
    _given = serve.seal_settings
    serve.seal_settings = quick
    main()
