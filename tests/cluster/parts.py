"""What `make cluster` runs: programs with a name, which are started again when they end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final, Protocol

from tests.support.redis_fleet import ENVIRONMENT, DeployedProcess, RedisFleet
from tests.support.service import FLOOR, ROOT

READY_SECONDS: Final = 60
STOPS_WITHIN_SECONDS: Final = 30


class Runs(Protocol):
    """A process that is known and can be started."""

    @property
    def pid(self) -> int: ...

    @property
    def ended(self) -> bool: ...

    def start(self) -> None: ...


class NamedPart:
    """A program and what it is called."""

    def __init__(self, name: str, runs: Runs) -> None:
        self.name = name
        self.runs = runs


class Command:
    """A program of ours in a process of its own; what it says goes into a file."""

    def __init__(self, log: Path, *words: str | Path) -> None:
        self._log = log
        self._words = [sys.executable, "-m", *map(str, words)]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def ended(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    def start(self) -> None:
        """Returns once it is ready; raises RuntimeError with its last words where it ends."""
        said = self._log.stat().st_size if self._log.exists() else 0
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._words,
                cwd=ROOT,
                stdout=log,
                stderr=log,
                env={**os.environ, **ENVIRONMENT},
                # Ctrl-C is for the cluster, which stops its parts in order.
                start_new_session=True,
            )
        ends = time.monotonic() + READY_SECONDS
        while "\nready " not in "\n" + self._log.read_bytes()[said:].decode("utf-8", "replace"):
            if self.ended or time.monotonic() > ends:
                raise RuntimeError(self._log.read_text("utf-8", "replace")[-2000:])
            time.sleep(0.05)

    def stop(self) -> None:
        """As an operator would; killed where it does not end."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOPS_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def node(data: Path, port: int, fleet: RedisFleet) -> Command:
    """`progressive serve` on the shared log."""
    return Command(
        data.with_suffix(".log"),
        *("progressive", "serve", "--floor", FLOOR, "--data", data),
        *("--listen", f"127.0.0.1:{port}", "--store", fleet.store(replicas=1)),
    )


def relay(folder: Path, port: int, upstreams: list[str]) -> Command:
    """Signs that outlive a node."""
    named = [word for url in upstreams for word in ("--upstream", url)]
    return Command(folder / "relay.log", "display", "--listen", f"127.0.0.1:{port}", *named)


def redis_parts(fleet: RedisFleet) -> list[tuple[str, DeployedProcess]]:
    """By name."""
    return [(each.folder.name, each) for each in (*fleet.servers, *fleet.sentinels)]
