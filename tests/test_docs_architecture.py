"""docs/architecture.md names files, folders and events: each is there, and none is missing."""

import re
from pathlib import Path
from typing import get_args

import pytest

from progressive.domain.events import Event

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
TREE = PAGE[PAGE.index("## The tree") :]
TREE = TREE[TREE.index("```") : TREE.index("```", TREE.index("```") + 3)]
NAMED = sorted(
    set(re.findall(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|js|css|html|md|toml))`", PAGE))
    - {"entry/commands/NAME.py"}
)
FILES = [
    path.relative_to(ROOT).as_posix()
    for top in ("progressive", "display", "docs", "config", "tests")
    for path in (ROOT / top).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
]


@pytest.mark.parametrize("name", NAMED)
def test_every_file_the_page_names_is_there(name: str) -> None:
    assert [file for file in FILES if file == name or file.endswith("/" + name)]


def test_the_page_names_files_at_all() -> None:
    assert len(NAMED) > 60


def test_the_tree_shows_every_folder() -> None:
    folders = {
        path.parent.name
        for path in (ROOT / "progressive").rglob("__init__.py")
        if path.parent != ROOT / "progressive"
    }
    assert len(folders) >= 30
    shown = set(re.findall(r"(\w+)/", TREE))
    assert folders - shown == set()
    there = {path.name for path in ROOT.rglob("*") if path.is_dir()}
    assert shown - there - {"progressive", "display"} == set()


def test_every_event_stands_in_the_table() -> None:
    table = PAGE[PAGE.index("| type | what happened") :]
    table = table[: table.index("\n\n")]
    shown = {
        tag for row in table.splitlines()[2:] for tag in re.findall(r"`(\w+)`", row.split("|")[1])
    }
    tags = {str(event.__struct_config__.tag) for event in get_args(Event)}
    assert shown == tags
    assert len(tags) >= 19
