"""`docs/reports.md` says what the program does: every kind and column, in order, with meanings."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

import msgspec
import pytest

from progressive.application.finance.questions.beside import CAGE_DAYS_BACK
from progressive.application.finance.questions.books import SAVED_FROM_RECORDS
from progressive.application.finance.questions.readings import DAYS_BACK
from progressive.application.finance.reports.gl_accounts import GlAccounts
from progressive.application.finance.reports.kinds import KINDS
from progressive.application.finance.reports.readings_then import LAG_SECONDS
from progressive.application.finance.stated.cage_file import (
    FILE_BYTES_MAX,
    PAYMENTS_MAX,
    read_cage_file,
)
from progressive.application.finance.stated.cage_mapping import CageMapping, in_zone, mapping_of
from progressive.entry.commands.report import command
from tests.support.long_journal import make_long_journal
from tests.support.service import ROOT

TEXT: Final = (ROOT / "docs" / "reports.md").read_text("utf-8")
KINDS_PART: Final = TEXT[TEXT.index("## The kinds") :]


def test_the_kinds_are_those_of_the_program_in_its_order() -> None:
    assert re.findall(r"^### (\w+)$", KINDS_PART, re.M) == list(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_order_sums_meanings_and_clauses(kind: str) -> None:
    section = KINDS_PART.split(f"\n### {kind}\n")[1].split("\n### ")[0]
    found = re.findall(r"^\| `(\w+)` \| (\w+) \| (yes)? ?\| (.+) \|$", section, re.M)
    assert found == [
        (column.id, column.kind, "yes" if column.total else "", column.meaning)
        for column in KINDS[kind].columns
    ]
    assert f"{KINDS[kind].title}. Clauses: {'; '.join(KINDS[kind].clauses)}." in section
    assert ("Can be asked for one table." in section) is KINDS[kind].by_table


def test_the_mapping_is_the_default_one() -> None:
    block = TEXT.split("```toml\n")[1].split("```")[0]
    assert msgspec.convert(tomllib.loads(block)["gl"], GlAccounts) == GlAccounts()
    assert list(tomllib.loads(block)["gl"]) == list(GlAccounts.__struct_fields__)


def test_the_mapping_of_the_cage_is_told_key_by_key() -> None:
    section = TEXT.split("\n## Files of the cage\n")[1].split("\n## ")[0]
    keys = [key for row in re.findall(r"^\| (`.+?`) \|", section, re.M) for key in _named(row)]
    assert set(keys) == set(CageMapping.__struct_fields__)
    assert len(keys) == len(set(keys))
    found = mapping_of(section.split("```toml\n")[1].split("```")[0].encode())
    body = "Type,Slip,Document,Paid,Time\nPROGRESSIVE,R-1,D-1,$1.50,10/30/2026 08:14 PM\nFILL,,,,\n"
    (payment,) = read_cage_file(body.encode(), "cage.csv", in_zone(found, "UTC")).payments
    assert (payment.cents, payment.paid_at) == (150, "2026-10-30T20:14:00.000000Z")
    assert f"At most {PAYMENTS_MAX:,} payments and {FILE_BYTES_MAX // 2**20} MiB" in section


def _named(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)


def test_what_is_late_and_how_far_is_looked_back() -> None:
    assert "late from `close_within_hours` after the day's end on" in TEXT
    assert f"since it was read before (up to {DAYS_BACK} days back)" in TEXT
    assert LAG_SECONDS == 30
    assert "from half a minute before the reading until the reading" in TEXT
    assert CAGE_DAYS_BACK == 7
    assert "one day ahead and up to a week back" in TEXT


def test_every_option_is_told() -> None:
    for option in command.params:
        names = [*option.opts, *option.secondary_opts]
        if option.name not in ("kind", "data"):
            assert any(f"`{name}`" in TEXT for name in names), names


def test_from_which_size_on_a_book_is_stored() -> None:
    assert f"days with {SAVED_FROM_RECORDS:,} records and more" in TEXT


@pytest.mark.slow
def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    made = make_long_journal(tmp_path / "made", records=3_000, tables=4, days=5)
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "floor").symlink_to(made.data)
    blocks = re.findall(r"^```sh a-week\n(.*?)^```$", TEXT, re.M | re.S)
    assert len(blocks) == 2
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for block in blocks:
        done = subprocess.run(
            ["bash", "-e", "-c", block],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "february.pdf").read_bytes().startswith(b"%PDF")
