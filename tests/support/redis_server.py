"""Real Redis servers on loopback, with the settings that the log asks for, or worse ones.

`make test` installs Debian's `redis-server`; the server that all tests of a run share has keys of
its own for each of them (`own_place`).
"""

import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

from progressive.adapters.redis import server
from progressive.adapters.redis.log import RedisLog
from progressive.adapters.redis.place import RedisPlace, redis_place
from progressive.adapters.redis.server import RedisServer

SAFE = {
    "appendonly": "yes",
    "appendfsync": "always",
    "aof-load-truncated": "no",
    "maxmemory-policy": "noeviction",
    "save": "",
}
NODE = "http://127.0.0.1:9"
STARTS_WITHIN_SECONDS = 60
_numbers = itertools.count(1)
# A machine that is busy for seconds is no fault of the server; tests of faults set what they need.
server.CALL_SECONDS = 30.0  # type: ignore[misc]


class RedisProcess:
    """A server with a folder of its own; gone when the block is left."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.port = free_port()
        self._settings = SAFE | {name.replace("_", "-"): value for name, value in settings.items()}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Begin, or begin again on what the folder holds."""
        settings = [word for name, value in self._settings.items() for word in (f"--{name}", value)]
        self._process = subprocess.Popen(
            [
                *("redis-server", "--port", str(self.port), "--bind", "127.0.0.1"),
                *("--dir", str(self.folder), "--logfile", "redis.log", *settings),
            ]
        )
        self._wait_until_it_answers()

    def kill(self) -> None:
        """As a power cut does it, but for the disk's own cache."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        """Let it hang: it takes connections and answers nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def command(self, *words: str) -> str:
        """What `redis-cli` says."""
        done = subprocess.run(
            ["redis-cli", "-h", "127.0.0.1", "-p", str(self.port), *words],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def url(self, options: str = "") -> str:
        return f"redis://127.0.0.1:{self.port}/0{options}"

    def _wait_until_it_answers(self) -> None:
        assert self._process is not None
        ends = time.monotonic() + STARTS_WITHIN_SECONDS
        while time.monotonic() < ends:
            assert self._process.poll() is None, (self.folder / "redis.log").read_text()
            try:
                if self.command("PING") == "PONG":
                    return
            except subprocess.CalledProcessError:
                pass
            time.sleep(0.02)
        raise TimeoutError("redis-server does not answer")


@cache
def shared_server() -> RedisProcess:
    """One for all tests of this process: started by the first, ended with the process."""
    import atexit

    folder = Path(tempfile.mkdtemp(prefix="redis-", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")))
    server = RedisProcess(folder)
    server.start()
    atexit.register(lambda: (server.kill(), shutil.rmtree(folder, ignore_errors=True)))
    return server


def own_place(options: str = "") -> RedisPlace:
    """Keys that no other test has, on the shared server."""
    prefix = f"t{os.getpid()}-{next(_numbers)}"
    return redis_place(shared_server().url(f"?prefix={prefix}{options}"))


def a_log(place: RedisPlace, node: str = NODE) -> RedisLog:
    """A node's view of a log."""
    return RedisLog(RedisServer(place), url=node)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port
