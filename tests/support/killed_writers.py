"""Writers that are killed within a transaction, and what a folder holds before and after."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from tests.support.service import ROOT

# The cache is so small that pages of the open transaction are in the file already: what a real
# crash leaves at its worst. What was committed before stays in the WAL or the file.
_WRITER = """
import json, os, signal, sqlite3, sys
path, mode, before, within, insert = json.loads(sys.argv[1])
db = sqlite3.connect(path, isolation_level=None)
db.execute(f"PRAGMA journal_mode = {mode}")
db.execute("PRAGMA cache_size = 1")
db.execute("PRAGMA wal_autocheckpoint = 0")
for statement in before:
    db.execute(statement)
db.execute("BEGIN IMMEDIATE")
for statement in within:
    db.execute(statement)
for number in range(100, 200):
    db.execute(insert, (number, os.urandom(9000)))
os.kill(os.getpid(), signal.SIGKILL)
"""


def kill_while_writing(
    path: Path, *before: str, mode: str, insert: str, within: Sequence[str] = ()
) -> None:
    """Commit some statements, begin a transaction with others and a hundred inserts, and be killed
    by SIGKILL before its end."""
    orders = json.dumps([str(path), mode, before, within, insert])
    ended = subprocess.run([sys.executable, "-c", _WRITER, orders], cwd=ROOT, check=False)
    assert ended.returncode == -signal.SIGKILL


def contents(folder: Path) -> dict[str, tuple[str, int]]:
    """Every file below a folder: its bytes, and when they were written."""
    return {
        str(path.relative_to(folder)): (
            sha256(path.read_bytes()).hexdigest(),
            path.stat().st_mtime_ns,
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def without_rights(*command: object, cwd: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    """Run a command for which the modes of files count: root may write anywhere, unless it gives
    that right away."""
    as_anyone = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override")
    return subprocess.run(
        [*(as_anyone if os.geteuid() == 0 else ()), *[str(each) for each in command]],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=cwd,
    )
