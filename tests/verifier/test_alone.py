"""The rules run with the standard library alone, in a Python that sees no installed package."""

import json
import subprocess
import sys
from pathlib import Path

from tests.support.journals import JournalShelf

ROOT = Path(__file__).parents[2]

JUDGE = """
import json, sys
root, lines, head = sys.argv[1:]
sys.path.insert(0, root)
from progressive.verifier.findings import FindingError
from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.report import StoredLink
stored = open(lines, "rb").read().splitlines()
audit = LinkAudit(StoredLink("main", 9, len(stored), head))
problem = None
try:
    for line in stored:
        audit.feed(line)
    audit.finish()
except FindingError as finding:
    problem = [finding.problem.seq, finding.problem.message]
strangers = [
    name
    for name in sys.modules
    if name.startswith(("progressive.", "msgspec", "aiohttp"))
    and not name.startswith("progressive.verifier")
]
print(json.dumps([problem, audit.report(None).wagers, strangers]))
"""

NOWHERE = """
import sys, zoneinfo
sys.path.insert(0, sys.argv[1])
zoneinfo.reset_tzpath(to=())
from progressive.verifier.findings import MachineError
from progressive.verifier.recorded.house import HouseTerms
from progressive.verifier.rules.treatment import zone_of
try:
    zone_of(HouseTerms(time_zone="America/New_York"))
except MachineError as error:
    print(error)
"""


def alone(script: str, *arguments: str) -> str:
    """What a Python prints that knows nothing but its own library."""
    command = [sys.executable, "-I", "-S", "-c", script, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_journal_is_judged_with_the_standard_library_alone(tmp_path: Path) -> None:
    journal = JournalShelf(tmp_path / "data").journal
    head = str(journal.execute("SELECT head FROM link")[0][0])
    lines = tmp_path / "lines"
    lines.write_bytes(b"\n".join(journal.lines()))
    assert json.loads(alone(JUDGE, str(ROOT), str(lines), head)) == [None, 22, []]
    lines.write_bytes(lines.read_bytes().replace(b'"hold":2729996500', b'"hold":2729996501'))
    problem, _, _ = json.loads(alone(JUDGE, str(ROOT), str(lines), head))
    assert problem == [6, "hold: stored 2729996501, recomputed 2729996500"]


def test_computer_without_time_zones_is_not_blamed_on_the_journal() -> None:
    said = alone(NOWHERE, str(ROOT))
    assert "install its package tzdata" in said
    # What pip installs is hidden by the very options that the documents name.
    assert "run the verifier without -I -S, which hide such packages" in said
