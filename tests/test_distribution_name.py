"""What we tell people to install is this project: `progressive` on PyPI is somebody else's."""

import re
import tomllib
from pathlib import Path
from typing import Final

from tests.support.service import ROOT

SAYS_WHAT_TO_INSTALL: Final = re.compile(r"pip3? install (?:-\S+ )*['\"]?([A-Za-z][\w.-]*)")
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def texts() -> list[Path]:
    """Everything that gives advice: the program, its pages, the guides."""
    folders = [ROOT / name for name in ("progressive", "display", "docs", "deploy")]
    found = [path for folder in folders for path in folder.rglob("*")]
    return [
        *(path for path in found if path.suffix in (".py", ".md", ".html", ".sh", ".service")),
        *ROOT.glob("*.md"),
    ]


def test_every_hint_names_our_distribution() -> None:
    hints = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in texts()
        for name in SAYS_WHAT_TO_INSTALL.findall(path.read_text(encoding="utf-8"))
    }
    assert {name for _, name in hints} == {PROJECT["name"]}, sorted(hints)
    assert len(hints) >= 2, "the odds and their guide: did the hint change its form?"


def test_import_and_command_keep_their_name() -> None:
    assert PROJECT["scripts"] == {"progressive": "progressive.entry.cli:main"}
