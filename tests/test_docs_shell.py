"""Every `sh` block of the README and of each guide runs, as it stands, in a fresh folder.

A block is marked by a word behind `sh`, which readers do not see:

    sh              runs to its end; every command of it succeeds
    sh server       runs until Ctrl-C, while the blocks after it run; stopped in the end
    sh REASON       is not run: it needs what a test does not have (see NEEDS)

The one thing that is changed are the addresses of `PORTS`, so that documents run side by side.
"""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.support.service import ROOT

ANSWER_SECONDS: Final = 300
"""A safety net for a hung test, never a measure of speed."""
LANGUAGES: Final = {"sh", "json", "toml", "text", "yaml", "python"}
SERVER: Final = "server"
NEEDS: Final = {
    "root": "an administrator's machine, and systemd",
    "serial-line": "a sign on a serial line",
    "another-machine": "other machines of a floor",
    "a-sign": "a sign that hung there at that moment",
    "a-segment": "a journal older than a gaming day (test_docs_journal has one)",
    "a-week": "some days of play (test_docs_reports has them)",
    "redis": "Redis servers (tests/integration/test_cluster.py has them)",
    "suite": "the test suite: this is it",
}
TOOLS: Final = {"sqlite3"}
"""Programs that a block is marked with, and run where they are installed."""
PORTS: Final = (8080, 8090, 8095)
HOSTS: Final = ("127.0.0.1", "0.0.0.0")
READY: Final = re.compile(r"^ready https?://|^(opening|carrying on) at ")
MAKES_OWN: Final = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")
PASSWORD: Final = "a password for nobody\n"

DOCUMENTS: Final = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("deploy/**/*.md"))
)


class Block(NamedTuple):
    """One fenced block."""

    document: str
    line: int
    info: str
    text: str

    @property
    def mark(self) -> str:
        return self.info.removeprefix("sh").strip()

    @property
    def runs(self) -> bool:
        return self.mark in ("", SERVER) or (self.mark in TOOLS and bool(shutil.which(self.mark)))


def blocks(document: str) -> list[Block]:
    found: list[Block] = []
    opened: tuple[int, str] | None = None
    inside: list[str] = []
    for number, line in enumerate((ROOT / document).read_text("utf-8").splitlines(), 1):
        fence = re.fullmatch(r"\s*```+(.*)", line)
        if fence is None:
            inside.append(line)
        elif opened is None:
            opened, inside = (number, fence[1].strip()), []
        else:
            assert not fence[1], f"{document}:{number}: a block in a block"
            found.append(Block(document, *opened, "\n".join(inside) + "\n"))
            opened = None
    assert opened is None, f"{document}: a block without an end"
    return found


BLOCKS: Final = [block for document in DOCUMENTS for block in blocks(document)]
SHELL: Final = [block for block in BLOCKS if block.info.split()[:1] == ["sh"]]
TO_RUN: Final = sorted({block.document for block in SHELL if block.runs})


def test_every_block_says_its_language_and_why_it_is_not_run() -> None:
    known = {"", SERVER, *NEEDS, *TOOLS}
    for block in BLOCKS:
        where = f"{block.document}:{block.line}"
        language = block.info.partition(" ")[0]
        assert language in LANGUAGES, f"{where}: ```{block.info}: one of {sorted(LANGUAGES)}"
        if language == "sh":
            assert block.mark in known, f"{where}: ```{block.info}: one of {sorted(known)}"
        # A command outside an `sh` block would never be run.
        assert language == "sh" or not re.search(
            r"(?m)^(\$ )?(progressive|make|python) ", block.text
        )


def test_blocks_are_where_they_are_looked_for() -> None:
    """A renamed folder or another way to write a fence must not leave nothing to run."""
    marks = Counter(block.mark or "run" for block in SHELL)
    assert len(DOCUMENTS) >= 19
    assert marks["run"] >= 8, marks
    assert marks[SERVER] >= 5, marks
    assert {"README.md", "docs/odds.md", "docs/operations.md", "docs/relay.md"} <= set(TO_RUN)


@pytest.mark.parametrize("block", SHELL, ids=lambda block: f"{block.document}:{block.line}")
def test_a_block_can_be_pasted(block: Block) -> None:
    # zsh takes `#` at a prompt for an argument; `…` stands for something that the reader lacks.
    assert " #" not in block.text
    assert "…" not in block.text
    if block.mark == SERVER:
        # The only command: what is pasted behind it would be lost on the server's input.
        assert block.text.count("\n") == 1
        assert block.text.startswith("make run") or "--listen " in block.text


# --- running them -------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout that nothing was started in yet; the environment is the one of this test."""
    fresh = tmp_path / "progressive"
    fresh.mkdir()
    for path in ROOT.iterdir():
        if path.name not in (".git", ".venv", "var", "floor.toml"):
            (fresh / path.name).symlink_to(path)
    (fresh / ".venv").mkdir()
    (fresh / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    # Newer than pyproject.toml: `make` finds everything installed.
    for stamp in ("installed-run", "installed-dev"):
        (fresh / ".venv" / stamp).touch()
    return fresh


@pytest.fixture
def ports() -> Iterator[dict[int, int]]:
    """Free ports for the documented ones, held until the end: bound, but not listened on."""
    with contextlib.ExitStack() as held:
        free: dict[int, int] = {}
        for port in PORTS:
            holder = held.enter_context(socket.socket())
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holder.bind(("127.0.0.1", 0))
            free[port] = holder.getsockname()[1]
        yield free


class Server:
    """A block that runs until Ctrl-C, in a terminal of its own."""

    def __init__(self, block: Block, text: str, folder: Path, env: dict[str, str]) -> None:
        self._where = f"{block.document}:{block.line}"
        self._stopped = False
        self.said = ""
        self._ready = threading.Event()
        self._process = subprocess.Popen(
            ["bash", "-c", text],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        if not self._ready.wait(ANSWER_SECONDS) or self._process.poll() is not None:
            self.stop()
            pytest.fail(f"{self._where} did not start:\n{self.said}")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.said += line
            if READY.search(line):
                self._ready.set()
        self._ready.set()

    def stop(self) -> None:
        """Ctrl-C, once."""
        if self._stopped:
            return
        self._stopped = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGINT)
        try:
            code = self._process.wait(ANSWER_SECONDS)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._reader.join()
            assert self._process.stdout is not None
            self._process.stdout.close()
        # make itself ends by the signal, once the demo has stopped.
        assert code in (0, -signal.SIGINT), f"{self._where} ended with {code}:\n{self.said}"
        assert "Traceback" not in self.said, self.said


def run(block: Block, text: str, folder: Path, env: dict[str, str]) -> None:
    """A block, as somebody pastes it; the first command that fails ends it."""
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", text],
        cwd=folder,
        env=env,
        input=PASSWORD,
        capture_output=True,
        text=True,
        timeout=ANSWER_SECONDS,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, f"{block.document}:{block.line} failed:\n{text}\n{said}"
    assert not re.search(r'Traceback|"error":', said), said


@pytest.mark.slow
@pytest.mark.parametrize("document", TO_RUN)
def test_every_block_runs(document: str, folder: Path, ports: dict[int, int]) -> None:
    # Not as a part of the `make` that may run this test.
    inherited = {key: value for key, value in os.environ.items() if key not in MAKES_OWN}
    env = inherited | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "XDG_RUNTIME_DIR": str(folder.parent),
        # `make run` takes its port from here, as the README says.
        "PORT": str(ports[8080]),
    }
    addresses = {f"{host}:{port}": f"127.0.0.1:{ports[port]}" for host in HOSTS for port in PORTS}
    ran = 0
    with contextlib.ExitStack() as stack:
        servers: dict[int, Server] = {}
        for block in (block for block in SHELL if block.document == document and block.runs):
            text = block.text
            for documented, ours in addresses.items():
                text = text.replace(documented, ours)
            if block.mark == SERVER:
                # The reader has stopped what ran on this port before.
                listen = re.search(r"--listen \S+:(\d+)", block.text)
                port = PORTS[0] if listen is None else int(listen[1])
                if port in servers:
                    servers[port].stop()
                servers[port] = Server(block, text, folder, env)
                stack.callback(servers[port].stop)
            else:
                run(block, text, folder, env)
            ran += 1
    print(f"{document}: {ran} blocks ran")
    assert ran == sum(block.document == document and block.runs for block in SHELL)
