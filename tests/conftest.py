"""Where tests write, how files are spread over workers, and a watch for tasks left behind."""

import asyncio
import inspect
import os
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

MEMORY = Path("/dev/shm")
MEMORY_BYTES_MIN = 256 * 2**20
"""Containers have 64 MiB, less than archiving wants to see free."""
MEMORY_BYTES_FOR_ALL = 4 * 2**30
"""Every test's `tmp_path` takes a part of this, and a failed one keeps its own."""


def _memory_has(free_bytes: int) -> bool:
    return os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > free_bytes


# A sync to a real disk takes milliseconds, and longer the more workers wait for the same disk. What
# a killed process leaves behind is the same in memory; what a power cut leaves, no test can see.
if _memory_has(MEMORY_BYTES_FOR_ALL):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# No deadlines: a busy machine is no bug. `HYPOTHESIS_PROFILE=thorough` for a long look.
settings.register_profile("default", deadline=None, max_examples=60, print_blob=True)
settings.register_profile(
    "thorough",
    deadline=None,
    max_examples=2_000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores, as many tests wait for a timer of some process; no more than
    that: processes at idle priority need a turn, too."""
    return len(os.sched_getaffinity(0)) + 1


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with browser and slow tests first.

    A file stays on one worker: a long one at the end would keep all others waiting.
    """
    browsers = Counter(item.path for item in items if item.get_closest_marker("browser"))
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: (-browsers[item.path], -slow[item.path]))


@pytest.fixture(autouse=True)
def no_task_left_behind(request: pytest.FixtureRequest) -> None:
    """Fails an async test whose tasks outlive it: they would haunt the service at its stop."""
    if inspect.iscoroutinefunction(getattr(request, "function", None)):
        request.getfixturevalue("_tasks_watched")


@pytest.fixture
async def _tasks_watched() -> AsyncIterator[None]:
    # What runs here already belongs to the test runner or to a wider fixture.
    before = asyncio.all_tasks()
    yield
    # Tasks that were told to end get a few turns of the loop to do so.
    for _ in range(10):
        left = asyncio.all_tasks() - before - {asyncio.current_task()}
        if not left:
            return
        await asyncio.sleep(0)
    names = sorted(repr(task.get_coro()) for task in left)
    pytest.fail(f"tasks left behind: {'; '.join(names)}")


@pytest.fixture
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service inside the test hashes passwords for next to nothing."""
    # Here and not above: most tests need none of it, and every slip of test_slips loads this file.
    from progressive.adapters.passwords import Argon2Passwords
    from progressive.entry.people import reception

    cheap = partial(Argon2Passwords, time_cost=1, memory_kib=8)
    monkeypatch.setattr(reception, "Argon2Passwords", cheap)


@pytest.fixture
def memory_path() -> Iterator[Path]:
    """A folder in memory, where there is room: for tests that sync thousands of times.

    A sync to a real disk takes milliseconds; a process that is killed loses the same either way.
    """
    with TemporaryDirectory(dir=MEMORY if _memory_has(MEMORY_BYTES_MIN) else None) as folder:
        yield Path(folder)
