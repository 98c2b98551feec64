"""An installed wheel works from any folder, with the rule data and the pages inside it."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.service import FLOOR, ROOT


@pytest.mark.slow
def test_the_wheel_brings_all_it_needs(tmp_path: Path) -> None:
    built = tmp_path / "built"
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = built.glob("progressive_meters-*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    packaged = [
        path.relative_to(ROOT)
        for top in ("progressive", "display")
        for path in (ROOT / top).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    rules = [Path("progressive") / path.relative_to(ROOT) for path in FLOOR.parent.rglob("*.toml")]
    assert {
        Path("display/web/sign.html"),
        Path("progressive/adapters/sqlite/sql/journal/0001_journal.sql"),
    } <= set(packaged)
    for path in (*packaged, *rules):
        assert (installed / path).is_file(), path
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "my-floor.toml").write_bytes(FLOOR.read_bytes())
    for arguments in (("check", "my-floor.toml"), ("init", "new.toml"), ("check", "new.toml")):
        done = subprocess.run(
            [
                *(sys.executable, "-c"),
                "import progressive.entry.cli as c, sys; print(c.__file__); c.main()",
                *arguments,
            ],
            cwd=elsewhere,
            env={"PYTHONPATH": str(installed), "PATH": ""},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.startswith(str(installed)), "the checkout answered, not the wheel"
