"""Named steps of work that must survive a crash or a full disk at each of them.

In production `step` does nothing. A test watches the steps, so that it can end the process or fill
the disk at any one of them; whoever adds a write adds a step before it, and every test that walks
through all steps covers it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Watcher = Callable[[str], None]

_watchers: list[Watcher] = []


def step(name: str) -> None:
    """The work has come to this point."""
    for watcher in _watchers:
        watcher(name)


def watch_steps(watcher: Watcher) -> None:
    """Call this at every step of this process from now on. For tests."""
    _watchers.append(watcher)


@contextmanager
def steps_watched(watcher: Watcher) -> Iterator[None]:
    """The same, until the block is left."""
    watch_steps(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)
