"""The commands of docs/journal.md run as they stand, on a journal with closed segments."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.long_journal import make_long_journal
from tests.support.service import ROOT

PAGE = (ROOT / "docs" / "journal.md").read_text("utf-8")
BLOCKS = re.findall(r"^```sh a-segment\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
TOOLS = {tool for tool in ("sqlite3", "jq", "zcat", "sha256sum") if shutil.which(tool)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A floor of two days, archived, where the page has it."""
    made = make_long_journal(tmp_path_factory.mktemp("made"), records=2_000, tables=5, days=2.0)
    folder = tmp_path_factory.mktemp("floor")
    shutil.copytree(made.data, folder / "var" / "floor")
    return folder


def shell(folder: Path, block: str) -> list[str]:
    missing = {tool for tool in ("sqlite3", "jq") if tool in block} - TOOLS
    if missing:
        pytest.skip(f"not installed: {missing}")
    done = subprocess.run(
        ["bash", "-e", "-c", block], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    return done.stdout.splitlines()


def test_the_page_has_its_commands() -> None:
    assert len(BLOCKS) == 5


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS[:3])
def test_records_are_shown(folder: Path, block: str) -> None:
    assert all(line[0] in "{[" for line in shell(folder, block) if line)


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS[3:])
def test_hashes_agree(folder: Path, block: str) -> None:
    computed, stored = shell(folder, block)
    assert computed.split()[0] == stored.split()[0]
    assert len(stored) == 64
