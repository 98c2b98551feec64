"""Runs the tests of a module against a copy of it with a slip in it, once for each slip.

A process of its own: it loads the test tools once and forks for every slip, so that nothing of the
product is loaded before the slip is in place. Slips come as JSON on standard input; for each, its
place and pytest's exit code go out. The file on disk is never touched.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

# Loaded before the first fork, so that no child has to.
import hypothesis
import msgspec
import pytest
import pytest_asyncio

ROOT: Final = Path(__file__).parents[2]
LOADED: Final = (hypothesis, msgspec, pytest_asyncio)


class _Slipped(importlib.machinery.SourceFileLoader):
    """Loads a module from a text that is not the one in its file."""

    def __init__(self, name: str, file: Path, source: str) -> None:
        super().__init__(name, str(file))
        self._source = source

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._source, self.get_filename(fullname), "exec")


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name: str, loader: _Slipped) -> None:
        self._name = name
        self._loader = loader

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        return importlib.util.spec_from_loader(fullname, self._loader)


def run_slip(file: str, tests: str, source: str) -> int:
    """pytest's exit code for these tests, with that source in place of the file's."""
    name = file.removesuffix(".py").replace("/", ".")
    sys.meta_path.insert(0, _Finder(name, _Slipped(name, ROOT / file, source)))
    # What is loaded already cannot be rewritten for better messages: nobody reads them here.
    quiet = (
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        # Whatever is slow in a quick look counts here too.
        "-m",
        "not browser and not bench",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
    )
    return int(pytest.main([*quiet, tests]))


def _fork(slip: dict[str, str]) -> int:
    """The process id of a child that runs one slip and says nothing."""
    child = os.fork()
    if child:
        return child
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    code = 70
    try:
        code = run_slip(**slip)
    finally:
        os._exit(code)


def main() -> None:
    """As many slips at a time as there are processors."""
    os.chdir(ROOT)
    slips = json.load(sys.stdin)
    waiting = list(enumerate(slips))
    running: dict[int, int] = {}
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            place, slip = waiting.pop(0)
            running[_fork(slip)] = place
        child, status = os.wait()
        print(json.dumps([running.pop(child), os.waitstatus_to_exitcode(status)]), flush=True)


if __name__ == "__main__":
    main()
