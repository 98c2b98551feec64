"""The data directory belongs to one process at a time."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from progressive.adapters.data_directory import LOCK_NAME, DirectoryInUseError, DirectoryLock

HOLD = """
import pathlib, signal, sys
from progressive.adapters.data_directory import DirectoryLock
lock = DirectoryLock(pathlib.Path(sys.argv[1]))
print("held", flush=True)
signal.pause()
"""


def test_second_service_is_refused_and_told_who_is_there(tmp_path: Path) -> None:
    lock = DirectoryLock(tmp_path)
    with pytest.raises(DirectoryInUseError, match=rf"in use .* \(process {os.getpid()}\)"):
        DirectoryLock(tmp_path)
    lock.release()


def test_released_directory_can_be_taken_again(tmp_path: Path) -> None:
    DirectoryLock(tmp_path).release()
    lock = DirectoryLock(tmp_path)
    assert (tmp_path / LOCK_NAME).read_text() == f"{os.getpid()}\n"
    lock.release()


def test_refusal_leaves_the_holder_in_place(tmp_path: Path) -> None:
    lock = DirectoryLock(tmp_path)
    for _ in range(3):
        with pytest.raises(DirectoryInUseError):
            DirectoryLock(tmp_path)
    assert (tmp_path / LOCK_NAME).read_text() == f"{os.getpid()}\n"
    lock.release()


def test_missing_directory_is_made_and_private(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "data"
    lock = DirectoryLock(folder)
    assert folder.stat().st_mode & 0o077 == 0
    lock.release()


def test_longer_former_process_number_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).write_text("99999999999999\n")
    lock = DirectoryLock(tmp_path)
    assert (tmp_path / LOCK_NAME).read_text() == f"{os.getpid()}\n"
    lock.release()


def test_process_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(DirectoryInUseError, match=rf"process {holder.pid}"):
            DirectoryLock(tmp_path)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    DirectoryLock(tmp_path).release()
