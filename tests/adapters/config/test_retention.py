"""`[retention]`: no floor keeps its records for less than its jurisdiction asks."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from progressive.adapters.config.files import shipped_config
from progressive.adapters.config.floor import ConfigError, load_floor
from progressive.domain.rulebook.retention import HOUSE_CLAUSE, Retention
from progressive.entry.commands.check import command

FLOOR = (shipped_config() / "floor.toml").read_text("utf-8")
NJ = (shipped_config() / "jurisdictions" / "us-nj.toml").read_text("utf-8")
CLAUSE = "house default of five years: no New Jersey rule is known"


def floor(folder: Path, retention: str, *, jurisdiction: str | None = None) -> Path:
    """The demo floor with a retention section, and maybe a jurisdiction file of its own."""
    file = folder / "floor.toml"
    file.write_text(
        FLOOR.replace("[[payment_approval]]", f"{retention}\n\n[[payment_approval]]", 1), "utf-8"
    )
    if jurisdiction is not None:
        (folder / "jurisdictions").mkdir()
        (folder / "jurisdictions" / "us-nj.toml").write_text(jurisdiction, "utf-8")
    return file


def own_rule(section: str) -> str:
    """New Jersey's file with another `[retention]`."""
    return NJ[: NJ.index("[retention]")] + section


def test_floor_without_the_section_keeps_what_the_jurisdiction_asks(tmp_path: Path) -> None:
    rules = load_floor(floor(tmp_path, "")).rules
    assert rules.retention == Retention(journal_days=1827, clause=CLAUSE)
    assert rules.sign_log_days == 90


def test_floor_may_keep_its_journal_longer(tmp_path: Path) -> None:
    loaded = load_floor(floor(tmp_path, "[retention]\njournal_days = 3653"))
    assert loaded.rules.retention.journal_days == 3653
    # What leaves no record is stored as long, unless the floor says otherwise.
    assert loaded.rules.retention.happenings_days == 3653
    (tmp_path / "other").mkdir()
    other = floor(tmp_path / "other", "[retention]\nhappenings_days = 400")
    assert load_floor(other).rules.retention == Retention(
        journal_days=1827, happenings_days=400, clause=CLAUSE
    )
    assert loaded.warnings == ()


@pytest.mark.parametrize(
    ("retention", "line"),
    [
        (
            "[retention]\njournal_days = 1826",
            f"retention.journal_days: 1826 is below 1827 ({CLAUSE})",
        ),
        ("[retention]\njournal_days = 0", "retention.journal_days: 0 is below 1"),
        ("[retention]\nhappenings_days = 61", "retention.happenings_days: 61 is below 62"),
        ("[retention]\njournal_days = 36526", "retention.journal_days: 36526 is above 36525"),
        (
            '[retention]\njournal_days = "5 years"',
            'retention.journal_days: "5 years" is not a whole number',
        ),
        (
            "[retention]\njournal_day = 2000",
            "retention.journal_day: unknown key: did you mean journal_days?",
        ),
        ("retention = 2000", "retention: 2000 is not a section: it starts with [retention]"),
    ],
)
def test_check_refuses_by_clause(tmp_path: Path, retention: str, line: str) -> None:
    file = floor(tmp_path, retention)
    result = CliRunner().invoke(command, [str(file)])
    assert result.exit_code == 2
    assert result.stdout.splitlines() == [f"{file}: {line}"]


def test_jurisdiction_may_ask_for_the_sign_log_too(tmp_path: Path) -> None:
    rule = '[retention]\nsign_log_min_days = 365\nclause = "Rule 7"\n'
    file = floor(tmp_path, "", jurisdiction=own_rule(rule))
    with pytest.raises(ConfigError, match=r"sign_log_days: 90 is below 365 \(Rule 7\)"):
        load_floor(file)


def test_jurisdiction_file_without_the_section_has_the_house_default(tmp_path: Path) -> None:
    file = floor(tmp_path, "", jurisdiction=own_rule(""))
    assert load_floor(file).rules.retention == Retention(journal_days=1827, clause=HOUSE_CLAUSE)


def test_local_file_that_asks_for_less_is_said(tmp_path: Path) -> None:
    rule = '[retention]\njournal_min_days = 30\nclause = "Ours"\n'
    file = floor(tmp_path, "[retention]\njournal_days = 30", jurisdiction=own_rule(rule))
    rules = load_floor(file).rules
    assert rules.retention == Retention(journal_days=30, happenings_days=62, clause="Ours")
    assert rules.lesser_rules == (f"us-nj: journal_min_days 30, shipped 1827, {CLAUSE}",)


def test_every_shipped_jurisdiction_says_its_minimum() -> None:
    files = sorted((shipped_config() / "jurisdictions").glob("*.toml"))
    assert len(files) == 4
    for file in files:
        assert "[retention]\njournal_min_days = 1827\nclause = " in file.read_text("utf-8")


def test_jurisdiction_file_with_a_bad_minimum_is_refused(tmp_path: Path) -> None:
    rule = '[retention]\njournal_min_days = 0\nclause = "Ours"\n'
    file = floor(tmp_path, "", jurisdiction=own_rule(rule))
    with pytest.raises(ConfigError, match=r"retention\.journal_min_days: 0 is below 1"):
        load_floor(file)
