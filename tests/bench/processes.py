"""The processes under test: started on a core of their own, watched through /proc, killed after."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from tests.bench.measured import CpuSeconds

SERVER_CORE = 0
FILES_MAX = 16_384
"""Five thousand sockets and room to spare, for a server and for the load."""


class Server(Struct, frozen=True):
    """A server under test."""

    port: int
    pid: int

    def cpu(self) -> CpuSeconds:
        threads = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        total_ns = sum(int(thread.read_text().split()[0]) for thread in threads)
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return CpuSeconds(total_ns / 1e9, int(fields[12]) / os.sysconf("SC_CLK_TCK"))

    def resident_bytes(self) -> int:
        pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize()


@contextmanager
def process(command: Sequence[str], **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A process that shares its core with nothing of the load."""
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
        preexec_fn=lambda: os.sched_setaffinity(0, {SERVER_CORE}),
    )
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


@contextmanager
def beside_the_load(command: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """A process of the load, on the load's core."""
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


@contextmanager
def telling_its_port(command: Sequence[str], **environment: str) -> Iterator[Server]:
    with process(command, **environment) as running:
        assert running.stdout is not None
        told = running.stdout.readline()
        assert told, f"{command[0]} did not start"
        yield Server(port=int(told), pid=running.pid)


@contextmanager
def python_server(module: str, name: str, folder: Path, *more: str) -> Iterator[Server]:
    command = [sys.executable, "-m", f"tests.bench.{module}", name, str(folder), *more]
    with telling_its_port(command) as server:
        yield server


def keep_off_the_servers_core() -> None:
    others = set(range(os.cpu_count() or 1)) - {SERVER_CORE}
    os.sched_setaffinity(0, others or {SERVER_CORE})


def allow_many_files() -> int:
    """For this process and those it starts; how many they may open."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = FILES_MAX if most == resource.RLIM_INFINITY else min(FILES_MAX, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    return allowed
