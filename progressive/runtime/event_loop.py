"""Runs a coroutine on uvloop where it is installed (the `fast` extra), on asyncio otherwise."""

import asyncio
import importlib.util
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Like `asyncio.run`."""
    with asyncio.Runner(loop_factory=_fast_loop()) as runner:
        return runner.run(main)


def _fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if importlib.util.find_spec("uvloop") is None:
        return None
    import uvloop

    return uvloop.new_event_loop
