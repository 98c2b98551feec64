"""Hypothesis profiles, and a watch for tasks that a test leaves behind."""

import asyncio
import inspect
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

from progressive.adapters.passwords import Argon2Passwords
from progressive.entry.people import reception

MEMORY_BYTES_MIN = 256 * 2**20
"""Containers have 64 MiB, less than archiving wants to see free."""

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
    cheap = partial(Argon2Passwords, time_cost=1, memory_kib=8)
    monkeypatch.setattr(reception, "Argon2Passwords", cheap)


@pytest.fixture
def memory_path() -> Iterator[Path]:
    """A folder in memory, where there is room: for tests that sync thousands of times.

    A sync to a real disk takes milliseconds; a process that is killed loses the same either way.
    """
    memory = Path("/dev/shm")
    usable = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > MEMORY_BYTES_MIN
    with TemporaryDirectory(dir=memory if usable else None) as folder:
        yield Path(folder)
