"""An installed `progressive` command and its running service, as an operator uses them.

Imports nothing of the program: the same code drives the version under test and any version before.
"""

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

ANSWER_SECONDS = 60
"""A safety net for a hung run, never a measure of speed."""

Json = dict[str, Any]
Finished = subprocess.CompletedProcess[str]


class Program:
    """One version of the program: the words its command line begins with."""

    def __init__(self, *command: str | Path, cwd: Path | None = None) -> None:
        self._command = [str(word) for word in command]
        self._cwd = cwd

    def run(self, *arguments: str | Path, given: str = "") -> Finished:
        """A command, whatever its exit code; `given` is its standard input."""
        return subprocess.run(
            [*self._command, *map(str, arguments)],
            cwd=self._cwd,
            input=given,
            capture_output=True,
            text=True,
            timeout=ANSWER_SECONDS,
            check=False,
        )

    def output(self, *arguments: str | Path, given: str = "") -> str:
        """What a command prints that must succeed."""
        done = self.run(*arguments, given=given)
        if done.returncode:
            raise AssertionError(f"{arguments}: exit {done.returncode}: {done.stderr}")
        return done.stdout.strip()

    def serve(self, floor: Path, data: Path, *options: str) -> "Service":
        """The service on a free port, ready."""
        listen = ("--listen", "127.0.0.1:0")
        return Service(
            [
                *self._command,
                *("serve", "--floor", str(floor), "--data", str(data), *listen, *options),
            ],
            cwd=self._cwd,
            log=data.parent / f"{data.name}.log",
        )


class Service:
    """A running `progressive serve`."""

    def __init__(self, command: Sequence[str], *, cwd: Path | None, log: Path) -> None:
        self._log = log.open("ab")
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line.startswith("ready "):
            self._process.kill()
            self._process.wait()
            raise AssertionError(f"not ready: {line!r}; {log.read_text()[-2000:]}")
        self.url = line.removeprefix("ready ").split()[0]

    def stop(self) -> int:
        """As an operator stops it; the exit code."""
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(timeout=ANSWER_SECONDS)
        self._close()
        return code

    def kill(self) -> None:
        """As a power cut does."""
        self._process.kill()
        self._process.wait()
        self._close()

    def _close(self) -> None:
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.kill()
