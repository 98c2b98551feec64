"""The upgrade data of the next release can be made: the stories still play on today's program."""

import sys
from pathlib import Path

import pytest

from tests.upgrades import story_killed
from tests.upgrades.comparing import assert_still
from tests.upgrades.make_data import STORIES, make_all
from tests.upgrades.program import Program
from tests.upgrades.recording import verified
from tests.upgrades.stored import Stored
from tests.upgrades.today import ROOT

# Not the killed service: how many kills it takes is a matter of luck.
SURE = [story.NAME for story in STORIES if story is not story_killed]


@pytest.mark.slow
@pytest.mark.parametrize("name", SURE)
async def test_story_plays_on_the_program_of_today(name: str, tmp_path: Path) -> None:
    program = Program(sys.executable, "-m", "progressive", cwd=ROOT)
    await make_all(program, tmp_path / "made", name)
    stored = Stored(tmp_path / "made" / name, tmp_path / "unpacked")
    assert stored["messages"]
    assert_still(verified(program, stored.data), stored["verified"])
