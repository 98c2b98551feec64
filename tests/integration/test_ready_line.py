"""What `serve` says when it is ready: one line for machines, what is missing for people."""

import contextlib
import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from progressive.entry.seals import NOT_SEALED
from tests.support.service import FLOOR, ROOT, run_command

pytestmark = pytest.mark.slow

ANSWER_SECONDS = 60
"""A safety net for a hung test, never a measure of speed."""
PASSWORD = "long enough for anybody"


class Served:
    """`progressive serve` with standard error on a terminal or in a file, as a user has it."""

    def __init__(self, data: str, folder: Path, *, listen: str, terminal: bool) -> None:
        self._screen, theirs = pty.openpty() if terminal else os.pipe()
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "progressive", "serve"),
                *("--floor", str(FLOOR), "--data", data, "--listen", listen),
            ],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT), "XDG_RUNTIME_DIR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
        )
        os.close(theirs)

        assert self.process.stdout is not None
        self.ready = self.process.stdout.readline().rstrip("\n")

    def stop(self) -> tuple[list[str], list[str]]:
        """All lines of standard output and of standard error."""
        assert self.process.stdout is not None
        out = [self.ready]
        self.process.send_signal(signal.SIGTERM)
        err = b""
        with contextlib.suppress(OSError):
            while more := os.read(self._screen, 4096):
                err += more
        os.close(self._screen)
        out += self.process.stdout.readlines()
        assert self.process.wait(ANSWER_SECONDS) == 0
        self.process.stdout.close()
        return [line.rstrip("\n") for line in out], err.decode().splitlines()


def start(
    folder: Path, data: str = "var/floor", *, listen: str = "127.0.0.1:0", terminal: bool = True
) -> tuple[list[str], list[str]]:
    """Standard output, and what standard error says besides the log and that nothing is sealed."""
    out, err = Served(data, folder, listen=listen, terminal=terminal).stop()
    said = [line for line in err if not line.startswith("{")]
    said += [
        entry["message"]
        for line in err
        if line.startswith("{")
        and (entry := json.loads(line))["from"].endswith((".next_steps", ".serve"))
    ]
    assert said.pop(0) == NOT_SEALED
    return out, said


KEY = "no table has a key yet; in another terminal: python -m progressive key BJ-01 --data "
USER = (
    "nobody can log in yet; in another terminal: python -m progressive user add NAME "
    "--role supervisor --department 'Table games' --data "
)


@pytest.mark.parametrize("terminal", [True, False])
def test_a_new_floor_is_told_what_it_lacks_and_a_whole_one_nothing(
    tmp_path: Path, terminal: bool
) -> None:
    out, said = start(tmp_path, terminal=terminal)
    assert len(out) == 1
    assert out[0].startswith("ready http://127.0.0.1:")
    assert said == [KEY + "var/floor", USER + "var/floor"]

    data = tmp_path / "var" / "floor"
    run_command(*add_user("ann", "supervisor"), "--data", data, input=PASSWORD)
    assert start(tmp_path, terminal=terminal)[1] == [KEY + "var/floor"]

    run_command("key", "BJ-07", "--data", data)
    assert start(tmp_path, terminal=terminal)[1] == []


def test_a_floor_of_panels_needs_no_key(tmp_path: Path) -> None:
    data = tmp_path / "var" / "floor"
    data.mkdir(parents=True)
    added = run_command(*add_user("dee", "dealer"), "--data", data, input=PASSWORD)
    assert added.returncode == 0
    assert start(tmp_path)[1] == []
    # Who is disabled deals nowhere.
    run_command("user", "disable", "dee", "--data", data)
    assert start(tmp_path)[1] == [KEY + "var/floor", USER + "var/floor"]


def test_the_commands_are_right_for_any_data_folder(tmp_path: Path) -> None:
    data = tmp_path / "Ann's $HOME; floor"
    _, said = start(tmp_path, str(data))
    commands = [line.partition("in another terminal: ")[2] for line in said]
    assert [shlex.split(command)[-1] for command in commands] == [str(data)] * 2
    done = subprocess.run(
        commands[0].replace("python", shlex.quote(sys.executable), 1),
        shell=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("ptk_")
    assert (data / "keys" / "BJ-01.json").is_file()


@pytest.mark.parametrize(
    ("listen", "opened", "everywhere"),
    [("0.0.0.0:0", "http://127.0.0.1:", "0.0.0.0:"), ("[::]:0", "http://[::1]:", "[::]:")],
)
def test_the_ready_line_can_be_opened_where_every_address_is_listened_on(
    tmp_path: Path, listen: str, opened: str, everywhere: str
) -> None:
    served = Served("data", tmp_path, listen=listen, terminal=True)
    assert served.ready.startswith(f"ready {opened}")
    with urllib.request.urlopen(f"{served.ready.removeprefix('ready ')}/healthz") as answer:
        assert answer.status == 200
    _, err = served.stop()
    port = served.ready.rpartition(":")[2]
    assert f"listening on {everywhere}{port}: every address of this machine" in err


def add_user(name: str, role: str) -> tuple[str, ...]:
    return ("user", "add", name, "--role", role, "--department", "Table games")
