"""Ending processes: the exit code that is reported is the one that the process had."""

import asyncio

from progressive.common.child_process import kill

CHILDREN = 40
"""The event loop was beaten to the exit code in three of ten."""


async def ended(script: str) -> int:
    child = await asyncio.create_subprocess_exec(
        *("sh", "-c", script),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert child.stdout is not None
    await child.stdout.read()
    kill(child)
    return await child.wait()


async def test_process_that_has_just_ended_keeps_its_exit_code() -> None:
    assert [await ended("exit 7") for _ in range(CHILDREN)] == [7] * CHILDREN


async def test_process_that_runs_is_ended() -> None:
    assert await ended("exec >&-; exec sleep 3600") == -9


async def test_process_that_was_waited_for_is_left_alone() -> None:
    child = await asyncio.create_subprocess_exec("true")
    assert await child.wait() == 0
    kill(child)
