"""Today's program at work on stored data, at the moment that was left."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.upgrades.clients import Table
from tests.upgrades.comparing import assert_still
from tests.upgrades.program import Program, Service
from tests.upgrades.recording import moment_after
from tests.upgrades.stored import FOLDER, Stored, sources

ROOT = Path(__file__).parents[2]
NAMES = [str(source.relative_to(FOLDER)) for source in sources()]
"""Every data directory, as `VERSION/NAME`."""


class Upgraded:
    """A data directory, and today's program with a clock that begins just after it was left."""

    def __init__(self, name: str, folder: Path, *, seconds_later: float = 1) -> None:
        self.stored = Stored(FOLDER / name, folder)
        self.data = self.stored.data
        moment = moment_after(self.stored["moment"], seconds_later)
        self.program = Program(sys.executable, "-m", "tests.upgrades.at_moment", moment, cwd=ROOT)
        self.url = ""

    @contextlib.contextmanager
    def served(self) -> Iterator[Service]:
        """While the service has it open."""
        with self.program.serve(self.stored.floor, self.data) as service:
            self.url = service.url
            yield service

    def log(self) -> str:
        """What the service wrote on standard error."""
        return self.data.with_name(f"{self.data.name}.log").read_text("utf-8")


async def assert_answers_repeat(table: Table, stored: Stored) -> None:
    """Every message that a table ever sent gets the answer that it got then."""
    said = [each for each in stored["messages"] if each["table"] == table.table]
    for each in said:
        again = await table.ask(each["message"])
        assert_still(again, {**each["answer"], "repeat": True})
