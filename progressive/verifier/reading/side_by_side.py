"""Stretches of a journal walked side by side, a process each, and joined in order.

A process is forked for one stretch and ends with it: what it works on it has inherited, what it
found it sends back. Without `fork` (Windows), or with one job, there are no processes.
"""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Final

from progressive.verifier.reading.handover import Handover, NotProvedError, joined
from progressive.verifier.reading.segments import Segment

STRETCH_RECORDS: Final = 20_000
"""At least, in a stretch: a fifth of a second, many times what it takes to begin one."""
STRETCHES_A_JOB: Final = 4
"""So that no process has to wait for the one that got the longest."""
PROGRESS_RECORDS: Final = 5_000
"""Between two reports of a process."""

OnProgress = Callable[[int], None]
Walk = Callable[[OnProgress], Handover]


def can_fork() -> bool:
    """Whether processes can be made that inherit what this one has read."""
    return hasattr(os, "fork") and "fork" in multiprocessing.get_all_start_methods()


def stretches(segments: Sequence[Segment], jobs: int) -> list[list[Segment]]:
    """Runs of segments; each but the first begins behind one that has left a state."""
    total = sum([each.last_seq - each.first_seq + 1 for each in segments])
    least = max(STRETCH_RECORDS, total // (jobs * STRETCHES_A_JOB))
    runs: list[list[Segment]] = [[]]
    records = 0
    for segment in segments:
        if records >= least and runs[-1][-1].state is not None:
            runs.append([])
            records = 0
        runs[-1].append(segment)
        records += segment.last_seq - segment.first_seq + 1
    return runs


class SideBySide:
    """Some walks, each in a process of its own; whoever made it walks the last stretch itself."""

    def __init__(self, walks: Sequence[Walk], jobs: int) -> None:
        self._waiting = deque(enumerate(walks))
        self._running: dict[Connection, tuple[int, BaseProcess]] = {}
        self._found: dict[int, Handover] = {}
        self._walked = [0] * len(walks)
        self._jobs = jobs
        # One of them is whoever made this.
        self._start(jobs - 1)

    @property
    def walked(self) -> int:
        """Records that were walked by all of them so far."""
        while self._running and self._receive(seconds=0):
            pass
        return sum(self._walked)

    def result(self) -> Handover:
        """Wait for all; raises NotProvedError where one of them found anything."""
        while self._running or self._waiting:
            self._start(self._jobs)
            self._receive(seconds=None)
        whole = self._found[0]
        for number in range(1, len(self._walked)):
            whole = joined(whole, self._found[number])
        return whole

    def close(self) -> None:
        """End those that still run."""
        self._waiting.clear()
        for connection, (_, process) in self._running.items():
            process.kill()
            process.join()
            connection.close()
        self._running.clear()

    def _start(self, at_most: int) -> None:
        context = multiprocessing.get_context("fork")
        while self._waiting and len(self._running) < at_most:
            number, walk = self._waiting.popleft()
            receiving, sending = context.Pipe(duplex=False)
            process = context.Process(target=_walk, args=(walk, sending), daemon=True)
            process.start()
            sending.close()
            self._running[receiving] = number, process

    def _receive(self, *, seconds: float | None) -> bool:
        """What some of them have sent; whether there was anything."""
        ready = wait(list(self._running), seconds)
        for connection in ready:
            assert isinstance(connection, Connection)  # noqa: S101 - for the type checker
            number, process = self._running[connection]
            try:
                sent: Handover | int | str = connection.recv()
            except EOFError:
                sent = "the process has ended"
            if isinstance(sent, int):
                self._walked[number] = sent
                continue
            if isinstance(sent, str):
                raise NotProvedError(sent)
            self._found[number] = sent
            process.join()
            connection.close()
            del self._running[connection]
            self._start(self._jobs - 1)
        return bool(ready)


def _walk(walk: Walk, sending: Connection) -> None:
    # Ctrl-C is for whoever made this process, who ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    told = 0

    def on_progress(walked: int) -> None:
        nonlocal told
        if walked - told >= PROGRESS_RECORDS:
            told = walked
            sending.send(walked)

    try:
        sending.send(walk(on_progress))
    except BrokenPipeError:
        # Nobody waits for it any more.
        return
    except Exception as error:  # noqa: BLE001 - whatever it is: walked again in one piece
        sending.send(f"{type(error).__name__}: {error}")
