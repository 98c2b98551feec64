"""Work on many things, a slice of them in each turn of the event loop."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def in_slices(things: Sequence[T], work: Callable[[T], None], *, size: int) -> None:
    """The first slice at once, the others in the next turns; others have theirs in between."""
    for thing in things[:size]:
        work(thing)
    if len(things) > size:
        loop = asyncio.get_running_loop()
        loop.call_soon(lambda: in_slices(things[size:], work, size=size))
