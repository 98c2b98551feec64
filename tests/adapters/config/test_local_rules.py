"""Rule files beside the floor file: recorded by digest, and what they ask less for is said."""

import json
import re
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from progressive.adapters.config.files import shipped_config
from progressive.adapters.config.floor import load_floor
from progressive.entry.commands.check import command

NJ = "jurisdictions/us-nj.toml"
SEVENS = "games/nj-blazing-7s.toml"
BUSTER = "games/nj-buster.toml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(shipped_config() / "floor.toml", tmp_path / "floor.toml")
    return tmp_path


def local(folder: Path, name: str, *edits: tuple[str, str]) -> Path:
    """A copy of a shipped file beside the floor file, edited."""
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    text = (shipped_config() / name).read_text("utf-8")
    for pattern, new in edits:
        text, count = re.subn(pattern, new, text, count=1, flags=re.MULTILINE)
        assert count == 1, pattern
    file.write_text(text, "utf-8")
    return file


def lesser(folder: Path) -> tuple[str, ...]:
    return load_floor(folder / "floor.toml").rules.lesser_rules


def test_shipped_rules_ask_for_no_less_than_themselves(folder: Path) -> None:
    assert lesser(folder) == ()
    house = load_floor(folder / "floor.toml").rules.links[0].terms.house
    assert house is not None
    assert house.rule_files == ()


@pytest.mark.parametrize(
    ("name", "edit", "sentence"),
    [
        (
            NJ,
            ("= 200000$", "= 40000"),
            "us-nj: combined_min_ppm 40000, shipped 200000, N.J.A.C. 13:69F-2.28(i)",
        ),
        (NJ, ('"refused"', '"approved"'), "us-nj: longer_odds approved, shipped refused, "),
        (NJ, ("days = 30", "days = 1"), "us-nj: retire_notice_days 1, shipped 30, "),
        (
            NJ,
            ("least_multiple = 300", "least_multiple = 3000"),
            "us-nj: tax_form from 2026-01-01, least_multiple 3000, shipped 300, IRS",
        ),
        (NJ, (r'"nj-buster"\]', '"nj-buster", "sd-buster"]'), "us-nj: games nj-blazing-7s "),
        (
            SEVENS,
            ("reset_min_cents = 250000", "reset_min_cents = 0"),
            "reset_min_cents 0, shipped 250000, N.J.A.C. 13:69F-2.28(i)",
        ),
        (SEVENS, ("for_one = 200", "for_one = 199"), "199 for 1, shipped 200 for 1, "),
        (BUSTER, ("to_one = 250", "to_one = 100"), "100 to 1, shipped 250 to 1, "),
    ],
)
def test_value_that_asks_for_less_is_said_with_its_clause(
    folder: Path, name: str, edit: tuple[str, str], sentence: str
) -> None:
    local(folder, name, edit)
    (found,) = lesser(folder)
    assert sentence in found


def test_check_says_it_in_plain_words_and_for_machines(folder: Path) -> None:
    local(folder, NJ, ("= 200000$", "= 40000"))
    said = "us-nj: combined_min_ppm 40000, shipped 200000, N.J.A.C. 13:69F-2.28(i)"
    told = CliRunner().invoke(command, [str(folder / "floor.toml")])
    assert told.exit_code == 0
    assert f"{folder / NJ}: warning: {said}\n" in told.output
    answer = CliRunner().invoke(command, [str(folder / "floor.toml"), "--json"])
    (warning,) = json.loads(answer.output)["warnings"]
    assert (warning["key"], warning["value"]) == ("us-nj", "40000")
    assert warning["clause"] == "N.J.A.C. 13:69F-2.28(i)"


def raised(folder: Path) -> None:
    local(folder, NJ, ("= 200000$", "= 210000"))


@pytest.mark.parametrize("make", [lambda folder: local(folder, NJ), raised])
def test_file_that_asks_for_no_less_is_named_all_the_same(
    folder: Path, make: Callable[[Path], object]
) -> None:
    make(folder)
    told = CliRunner().invoke(command, [str(folder / "floor.toml")])
    assert "us-nj: is read instead of the shipped file of this name" in told.output
    assert lesser(folder) == ()


def test_local_file_is_part_of_the_terms_by_its_digest(folder: Path) -> None:
    file = local(folder, BUSTER)
    house = load_floor(folder / "floor.toml").rules.links[0].terms.house
    assert house is not None
    (recorded,) = house.rule_files
    assert (recorded.kind, recorded.name) == ("game", "nj-buster")
    assert recorded.sha256 == sha256(file.read_bytes()).hexdigest()
