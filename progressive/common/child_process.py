"""Ending a process that asyncio has started."""

import asyncio
import contextlib
import os
import signal


def kill(child: asyncio.subprocess.Process) -> None:
    """End a process at once; whoever waits for it is told its real exit code.

    `Process.kill` looks whether the process still runs before it sends anything. Where it has just
    ended, that look takes its exit code from the event loop, which then reports 255.
    """
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGKILL)
