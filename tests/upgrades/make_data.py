"""Makes the upgrade data of a released version, with that version's own program.

    .venv/bin/python -m tests.upgrades.make_data --program PATH/TO/progressive --out FOLDER

PROGRAM is the installed command of the released version, FOLDER its place below
`tests/upgrades/data`. It is driven from outside only: command line, sockets, HTTP, signals. Names,
rounds, cards and amounts are the same in every run; times, keys, tokens and hashes are not.
"""

import argparse
import asyncio
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.upgrades import (
    story_awards,
    story_killed,
    story_opened,
    story_other_games,
    story_plain,
)
from tests.upgrades.program import Program

STORIES = (story_opened, story_plain, story_awards, story_other_games, story_killed)
FLOORS = Path(__file__).parent / "floors"


async def make_all(program: Program, out: Path, only: str | None = None) -> None:
    """Each story, or only one, in a folder of its own."""
    for story in STORIES:
        if only not in (None, story.NAME):
            continue
        with TemporaryDirectory() as scratch:
            folder = Path(scratch) / story.NAME
            shutil.copytree(FLOORS / story.NAME, folder, dirs_exist_ok=True)
            recording = await story.make(program, folder)
            await recording.finish(program, folder, out / story.NAME)
        print(f"{out / story.NAME}: made")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Make the upgrade data of a released version.")
    parser.add_argument("--program", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--only", choices=[story.NAME for story in STORIES])
    options = parser.parse_args()
    asyncio.run(make_all(Program(options.program.resolve()), options.out, options.only))


if __name__ == "__main__":
    main()
