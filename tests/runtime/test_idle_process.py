"""A process beside the service takes no turn from it, and ends when the service is killed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from progressive.runtime.idle_process import ENDED_WITH_THE_SERVICE

AUTOGROUP = Path("/proc/self/autogroup")
SCRIPT = """
import time
from progressive.runtime.idle_process import be_idle, end_with_the_service
be_idle()
end_with_the_service()
print("ready", flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="only Linux has an idle class")
def test_process_is_idle_and_ends_with_the_service() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == b"ready\n"
        assert os.sched_getscheduler(child.pid) == os.SCHED_IDLE
        assert os.getsid(child.pid) == child.pid != os.getsid(0)
        # What the system does with the pipes of a service that is killed.
        child.stdin.close()
        assert child.wait(timeout=30) == ENDED_WITH_THE_SERVICE
    finally:
        child.kill()
        child.stdout.close()
        child.wait()


def test_command_stays_in_the_session_of_whoever_called_it() -> None:
    """Or a person could not interrupt it, and a whole terminal would get the least weight."""
    script = "import os; from progressive.runtime.idle_process import idle\n"
    script += "before = os.getsid(0)\n"
    script += "with idle(): assert os.getsid(0) == before != os.getpid()"
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.skipif(not AUTOGROUP.exists(), reason="this system shares by priorities alone")
def test_own_session_has_the_least_weight() -> None:
    script = "from progressive.runtime.idle_process import be_idle; be_idle(); "
    script += f"print(open({str(AUTOGROUP)!r}).read())"
    told = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert told.stdout.split()[-2:] == ["nice", "19"]
    assert AUTOGROUP.read_text().split()[-1] != "19"
