"""`docs/audit-pack.md` says what the program does: options, findings, the rule of the sample."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from progressive.adapters.audit_pack.statement import BESIDE, KEY, RECORDS, STATEMENT, VERIFIER
from progressive.application.finance.pack.sample import RULE, SAMPLE_MAX
from progressive.entry.commands.audit_pack import command
from tests.support.long_journal import make_long_journal
from tests.support.service import ROOT

TEXT: Final = (ROOT / "docs" / "audit-pack.md").read_text("utf-8")


def test_every_option_is_told() -> None:
    for option in command.params:
        if option.name != "data":
            assert any(f"`{name}" in TEXT for name in (*option.opts, *option.secondary_opts))
    assert f"at most {SAMPLE_MAX:,}" in TEXT


def test_every_file_is_told() -> None:
    for name in (BESIDE, KEY, RECORDS, f"{STATEMENT}.pdf", f"{STATEMENT}.txt", VERIFIER):
        assert f"`{name}`" in TEXT


def test_the_rule_of_the_sample_is_the_one_of_the_program() -> None:
    assert "progressive.sample/v2 SEED LINK DAY NUMBER" in TEXT
    assert "progressive.sample/v2 SEED LINK DAY NUMBER" in RULE
    first = RULE.partition(", by the number")[0]
    assert first in TEXT.replace("\n", " ")


@pytest.mark.slow
def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    made = make_long_journal(tmp_path / "made", records=3_000, tables=4, days=5)
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "floor").symlink_to(made.data)
    blocks = re.findall(r"^```sh a-week\n(.*?)^```$", TEXT, re.M | re.S)
    assert len(blocks) == 1
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", blocks[0]],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "pack.zip").read_bytes().startswith(b"PK")
