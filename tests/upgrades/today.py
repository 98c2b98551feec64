"""Today's program at work on stored data, at the moment that was left."""

import contextlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from progressive.adapters.config.floor import shipped_config
from tests.upgrades.clients import Table
from tests.upgrades.comparing import assert_still
from tests.upgrades.program import Program, Service
from tests.upgrades.recording import moment_after
from tests.upgrades.stored import FOLDER, Stored, sources

ROOT = Path(__file__).parents[2]
NAMES = [str(source.relative_to(FOLDER)) for source in sources()]
"""Every data directory, as `VERSION/NAME`."""
BANKED_BY_PLAYERS = "ca-101-blackjack-x"


class Upgraded:
    """A data directory, and today's program with a clock that begins just after it was left."""

    def __init__(self, name: str, folder: Path, *, seconds_later: float = 1) -> None:
        self.stored = Stored(FOLDER / name, folder)
        self.floor = _servable(self.stored.floor, folder)
        self.data = self.stored.data
        moment = moment_after(self.stored["moment"], seconds_later)
        self.program = Program(sys.executable, "-m", "tests.upgrades.at_moment", moment, cwd=ROOT)
        self.url = ""

    @contextlib.contextmanager
    def served(self) -> Iterator[Service]:
        """While the service has it open."""
        with self.program.serve(self.floor, self.data) as service:
            self.url = service.url
            yield service

    def log(self) -> str:
        """What the service wrote on standard error."""
        return self.data.with_name(f"{self.data.name}.log").read_text("utf-8")


def _servable(floor: Path, folder: Path) -> Path:
    """The floor file as it was, or beside a rule file of the house's own where it takes one.

    0.1.0 let the house bank the 101's side bets. `check` refuses that by clause; a floor that has
    such a round open says in a file of its own that it banks the game, to bring it to an end.
    """
    if f'game = "{BANKED_BY_PLAYERS}"' not in floor.read_text("utf-8"):
        return floor
    beside = shutil.copytree(floor.parent, folder / "floor", ignore=shutil.ignore_patterns("data*"))
    shipped = shipped_config() / "games" / f"{BANKED_BY_PLAYERS}.toml"
    text = shipped.read_text("utf-8")
    own = beside / "games" / shipped.name
    own.parent.mkdir()
    own.write_text(text[: text.index("[player_dealer]")], "utf-8")
    return beside / floor.name


async def assert_answers_repeat(table: Table, stored: Stored) -> None:
    """Every message that a table ever sent gets the answer that it got then."""
    said = [each for each in stored["messages"] if each["table"] == table.table]
    for each in said:
        again = await table.ask(each["message"])
        assert_still(again, {**each["answer"], "repeat": True})
