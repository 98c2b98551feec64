"""A process beside the service takes no turn from it, and ends when the service is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from progressive.common.idle_command import idle_command, nice_command
from progressive.runtime.idle_process import ENDED_WITH_THE_SERVICE, NICE, idle, piece_seconds
from tests.support.service import ROOT

WAITS = """
import time
from progressive.runtime.idle_process import end_with_the_service
end_with_the_service()
print("ready", flush=True)
time.sleep(600)
"""
WORKS = """
import json, os, sys, time
began, worked = time.monotonic(), time.process_time()
total = 0
while time.process_time() - worked < 0.05:
    total += sum(range(50))
spent = time.process_time() - worked
print(json.dumps([sys.argv, spent, time.monotonic() - began]))
"""


def script(folder: Path, text: str) -> dict[str, str]:
    """The environment in which this is the module `beside`."""
    (folder / "beside.py").write_text(text)
    return os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="only Linux has an idle class")
def test_process_is_idle_and_ends_with_the_service(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, *idle_command("beside")],
        env=script(tmp_path, WAITS),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == b"ready\n"
        assert os.sched_getscheduler(child.pid) == os.SCHED_IDLE
        # What the system does with the pipes of a service that is killed.
        child.stdin.close()
        assert child.wait(timeout=30) == ENDED_WITH_THE_SERVICE
    finally:
        child.kill()
        child.stdout.close()
        child.wait()


@pytest.mark.slow
def test_process_rests_as_long_as_it_is_told_and_gets_its_arguments(tmp_path: Path) -> None:
    """A busy machine can only make it take longer."""
    done = subprocess.run(
        [sys.executable, *idle_command("beside", "one", "two", rest=9)],
        env=script(tmp_path, WORKS),
        check=True,
        capture_output=True,
    )
    arguments, worked, took = json.loads(done.stdout)
    assert arguments[1:] == ["one", "two"]
    # The last pieces may end without their rest.
    assert took >= worked * 8


@pytest.mark.slow
def test_process_rests_less_at_first_where_it_is_told(tmp_path: Path) -> None:
    """With the long rest from its start it would take twenty minutes."""
    command = idle_command("beside", rest=10_000, first=9)
    done = subprocess.run(
        [sys.executable, *command], env=script(tmp_path, WORKS), check=True, capture_output=True
    )
    _, worked, took = json.loads(done.stdout)
    assert worked * 8 <= took < worked * 10_000 / 2
    later = WORKS.replace("began,", "while time.process_time() < 2.1: pass\nbegan,").replace(
        "0.05", "0.02"
    )
    command = idle_command("beside", rest=99, first=0)
    done = subprocess.run(
        [sys.executable, *command], env=script(tmp_path, later), check=True, capture_output=True
    )
    _, worked, took = json.loads(done.stdout)
    assert took >= worked * 80


def test_pieces_are_longer_only_where_hardly_an_answer_meets_one() -> None:
    assert [piece_seconds(rest) for rest in (9, 19, 49)] == [0.000_5] * 3
    assert piece_seconds(99) == 0.001
    assert piece_seconds(199) == 0.000_25


def test_command_rests_only_as_long_as_it_says_and_leaves_no_timer() -> None:
    before = os.sched_getscheduler(0)
    began, worked = time.monotonic(), time.process_time()
    with idle(rest=9):
        while time.process_time() - worked < 0.02:
            pass
        spent, took = time.process_time() - worked, time.monotonic() - began
    assert took >= spent * 8
    assert os.sched_getscheduler(0) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_a_process_that_is_still_starting_ends_with_the_service(tmp_path: Path) -> None:
    """It reads its questions itself, and has not come to that: on a busy machine it took minutes,
    and those of services that were killed one after the other piled up."""
    child = subprocess.Popen(
        [sys.executable, *nice_command("beside")],
        env=script(tmp_path, 'import time\nprint("ready", flush=True)\ntime.sleep(600)\n'),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == b"ready\n"
        assert os.getpriority(os.PRIO_PROCESS, child.pid) == NICE
        # Orders that nobody has read yet.
        child.stdin.write(b"orders")
        child.stdin.close()
        assert child.wait(timeout=30) == ENDED_WITH_THE_SERVICE
    finally:
        child.kill()
        child.stdout.close()
        child.wait()
