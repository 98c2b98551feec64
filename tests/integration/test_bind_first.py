"""A server that cannot have its address says so in one line and has touched nothing."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from progressive.adapters.data_directory import DirectoryInUseError, DirectoryLock
from progressive.entry.bootstrap import running
from progressive.runtime.listening import CannotListenError
from tests.support.service import FLOOR, ROOT, ServiceProcess, shipped_rules


@pytest.fixture
def taken() -> Iterator[str]:
    """An address that another program has."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def program(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def is_empty(folder: Path) -> bool:
    return list(folder.iterdir()) == []


PROGRAMS = {
    "serve": ("progressive", "serve", "--floor", FLOOR),
    "demo": ("progressive", "demo"),
    "relay": ("display", "--upstream", "http://127.0.0.1:1"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("host", ["taken", "unknown"])
def test_one_line_exit_2_and_no_data(tmp_path: Path, taken: str, name: str, host: str) -> None:
    listen = taken if host == "taken" else "no-such-host.invalid:8080"
    data = tmp_path / "deep" / "data"
    where = () if name == "relay" else ("--data", data)
    ended = program(*PROGRAMS[name], *where, "--listen", listen)
    said = {
        "taken": f"Error: {listen} is in use (use --listen for another port)\n",
        "unknown": f"Error: cannot listen on {listen}: unknown host (use --listen HOST:PORT)\n",
    }
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", said[host])
    assert is_empty(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["serve", "demo"])
def test_a_journal_that_is_there_is_not_touched(tmp_path: Path, taken: str, name: str) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        assert service.terminate() == 0
    before = files(data)
    ended = program(*PROGRAMS[name], "--data", data, "--listen", taken)
    assert ended.returncode == 2
    assert files(data) == before
    assert len(before) >= 3


async def test_a_service_whose_port_is_taken_creates_no_folder(tmp_path: Path, taken: str) -> None:
    host, _, port = taken.rpartition(":")
    with pytest.raises(CannotListenError):
        async with running(shipped_rules(), data=tmp_path / "data", host=host, port=int(port)):
            pass
    assert is_empty(tmp_path)


async def test_a_folder_in_use_gives_the_address_back(tmp_path: Path) -> None:
    # An address of this machine that no other test listens on.
    host = "127.9.8.7"
    with socket.create_server((host, 0)) as probe:
        port = probe.getsockname()[1]
    lock = DirectoryLock(tmp_path)
    rules = shipped_rules()
    with pytest.raises(DirectoryInUseError):
        async with running(rules, data=tmp_path, host=host, port=port):
            pass
    lock.release()
    async with running(rules, data=tmp_path, host=host, port=port) as service:
        assert service.url == f"http://{host}:{port}"
