"""`progressive init`: a floor file that a stranger can start with, wherever they are."""

import os
import pty
import re
import select
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from progressive.adapters.config.floor import load_floor, shipped_config
from progressive.adapters.config.new_floor import STARTS
from progressive.entry.bootstrap import running
from progressive.entry.cli import main
from tests.support.service import ROOT

ANSWER_SECONDS = 60
"""A safety net for a hung test, never a measure of speed."""
JURISDICTIONS = sorted(path.stem for path in (shipped_config() / "jurisdictions").glob("*.toml"))
BANKED_BY_THE_HOUSE = [name for name in JURISDICTIONS if name != "us-ca"]


def init(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["init", *map(str, arguments)], prog_name="progressive")


def test_every_shipped_jurisdiction_has_a_start() -> None:
    assert sorted(STARTS) == JURISDICTIONS
    assert len(JURISDICTIONS) >= 4
    for name, start in STARTS.items():
        shipped = tomllib.loads((shipped_config() / f"jurisdictions/{name}.toml").read_text())
        assert start.title == shipped["name"]


def test_jurisdiction_whose_game_a_player_banks_is_refused_by_clause(tmp_path: Path) -> None:
    floor = tmp_path / "floor.toml"
    refused = init(floor, "--jurisdiction", "us-ca")
    assert refused.exit_code == 2
    assert "the house may have no interest in the outcome" in refused.output
    assert "(101 Casino, Type of Game)" in refused.output
    assert not floor.exists()


@pytest.mark.slow
@pytest.mark.parametrize("jurisdiction", BANKED_BY_THE_HOUSE)
async def test_check_accepts_it_and_serve_starts_with_it(tmp_path: Path, jurisdiction: str) -> None:
    floor = tmp_path / "floor.toml"
    assert init(floor, "--jurisdiction", jurisdiction).exit_code == 0
    checked = CliRunner().invoke(main, ["check", str(floor)])
    assert checked.exit_code == 0
    assert re.fullmatch(r"\S+: good: .*, 1 link, 6 tables, \d meters?.*\n", checked.output)
    loaded = load_floor(floor)
    assert loaded.warnings == ()
    data = tmp_path / "data"
    async with running(loaded.rules, data=data, host="127.0.0.1", port=0) as service:
        assert [each.view.state for each in service.floor.workers.values()] == ["live"]


@pytest.mark.parametrize("jurisdiction", BANKED_BY_THE_HOUSE)
def test_every_game_of_the_jurisdiction_is_offered(tmp_path: Path, jurisdiction: str) -> None:
    init(tmp_path / "floor.toml", "--jurisdiction", jurisdiction)
    written = tomllib.loads((tmp_path / "floor.toml").read_text())
    shipped = tomllib.loads((shipped_config() / f"jurisdictions/{jurisdiction}.toml").read_text())
    offered = {bet["game"] for link in written["link"] for bet in link["bet"]}
    assert offered == set(shipped["games"])


def test_options_are_what_the_file_says(tmp_path: Path) -> None:
    floor = tmp_path / "floor.toml"
    name = 'Ann\'s "Lucky" \\ Ünï 7'
    init(
        floor,
        *("--jurisdiction", "us-wa", "--name", name, "--time-zone", "America/Phoenix"),
        *("--tables", 120, "--seats", 5),
    )
    rules = load_floor(floor).rules
    tables = rules.links[0].tables
    assert (rules.name, rules.time_zone, rules.currency) == (name, "America/Phoenix", "USD")
    assert [tables[0].id, tables[-1].id, len(tables)] == ["BJ-01", "BJ-120", 120]
    assert {table.seats for table in tables} == {5}


def test_every_key_is_commented_where_it_is_first_used(tmp_path: Path) -> None:
    text = init("-").output
    plain = ("id", "link", "game", "name", "step", "from", "clause")
    seen: set[str] = set()
    for line in text.splitlines():
        if found := re.match(r"(\w+) = ", line):
            key = found[1]
            assert key in seen or key in plain or "#" in line, line
            seen.add(key)
    assert len(seen) >= 25


def test_the_next_steps_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = init("my floor.toml", "--tables", 1)
    assert result.output == (
        "wrote my floor.toml: New Jersey, 1 table; its amounts are examples\n"
        "next:\n"
        "  progressive check 'my floor.toml'\n"
        "  progressive serve --floor 'my floor.toml' --data var/floor\n"
        "and, while it runs, in another terminal:\n"
        "  progressive key BJ-01 --data var/floor\n"
        "  progressive user add NAME --role supervisor --department 'Table games' "
        "--data var/floor\n"
    )
    commands = [shlex.split(line) for line in result.output.splitlines() if line[:2] == "  "]
    check, key = commands[0][1:], commands[2][1:]
    assert CliRunner().invoke(main, check).exit_code == 0
    assert CliRunner().invoke(main, key).output.startswith("ptk_")


def test_a_file_that_exists_is_overwritten_only_when_asked(tmp_path: Path) -> None:
    floor = tmp_path / "floor.toml"
    floor.write_text("mine\n")
    refused = init(floor)
    assert refused.exit_code == 2
    assert f"{floor} exists (use --force to overwrite it, or name another FILE)" in refused.output
    assert floor.read_text() == "mine\n"
    assert init(floor, "--force").exit_code == 0
    assert load_floor(floor).rules.name == "Boardwalk Casino"
    assert [path.name for path in tmp_path.iterdir()] == ["floor.toml"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--jurisdiction", "us-nv"], "'us-nv' is not one of"),
        (["--tables", "0"], "0 is not in the range"),
        (["--seats", "16"], "16 is not in the range"),
        (["--name", " "], "'--name': \" \" is empty"),
        (["--name", "a\x7f"], "has characters that cannot be shown"),
        (["--time-zone", "Mars/Olympus"], "'--time-zone': \"Mars/Olympus\" is "),
        (["nowhere/floor.toml"], "there is no folder nowhere"),
        (["."], "is a directory"),
    ],
)
def test_bad_input_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = init(*arguments)
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert says in result.output


def test_a_rule_file_beside_it_that_asks_for_more_is_named(tmp_path: Path) -> None:
    (tmp_path / "jurisdictions").mkdir()
    shipped = (shipped_config() / "jurisdictions" / "us-nj.toml").read_text()
    stricter = shipped.replace("combined_min_ppm = 200000", "combined_min_ppm = 300000")
    (tmp_path / "jurisdictions" / "us-nj.toml").write_text(stricter)
    result = init(tmp_path / "floor.toml")
    assert result.exit_code == 2
    assert "N.J.A.C. 13:69F-2.28(i)" in result.output
    assert not (tmp_path / "floor.toml").exists()


# --- on a terminal ------------------------------------------------------------------------------


class Terminal:
    """The command with a keyboard and a screen of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._keyboard, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "progressive", "init", *arguments],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        self.screen = ""

    def reads(self, text: str) -> None:
        """Wait until the screen shows it, after what was waited for before."""
        while text not in self.screen:
            more = self._more()
            assert more, f"no {text!r} in {self.screen!r}"
            self.screen += more
        self.screen = self.screen.partition(text)[2]

    def types(self, text: str) -> None:
        os.write(self._keyboard, text.encode())

    def ends(self) -> int:
        while more := self._more():
            self.screen += more
        os.close(self._keyboard)
        return self.process.wait(ANSWER_SECONDS)

    def _more(self) -> str:
        ready, _, _ = select.select([self._keyboard], [], [], ANSWER_SECONDS)
        assert ready, f"hangs at {self.screen!r}"
        try:
            return os.read(self._keyboard, 4096).decode()
        except OSError:
            # A terminal that nobody holds any more.
            return ""


def test_on_a_terminal_each_question_has_a_default_and_bad_answers_are_asked_again(
    tmp_path: Path,
) -> None:
    terminal = Terminal(tmp_path, "--tables", "3")
    terminal.reads("Jurisdiction (us-nj, us-sd, us-wa, us-ca) [us-nj]: ")
    terminal.types("us-sd\n")
    terminal.reads("Name of the floor [Deadwood Casino]: ")
    terminal.types("Saloon No. 10\n")
    terminal.reads("Time zone [America/Denver]: ")
    terminal.types("Deadwood\n")
    terminal.reads('Error: "Deadwood" is ')
    terminal.reads("Time zone [America/Denver]: ")
    terminal.types("\n")
    # The number of tables was given, and is not asked for.
    terminal.reads("Seats at each table [7]: ")
    terminal.types("5\n")
    terminal.reads("wrote floor.toml: South Dakota, 3 tables; its amounts are examples")
    assert terminal.ends() == 0
    rules = load_floor(tmp_path / "floor.toml").rules
    assert (rules.name, rules.time_zone) == ("Saloon No. 10", "America/Denver")
    assert [table.seats for table in rules.links[0].tables] == [5, 5, 5]


def test_on_a_terminal_giving_up_writes_nothing(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    terminal.reads("[us-nj]: ")
    # Ctrl-D: the end of all answers.
    terminal.types("\x04")
    assert terminal.ends() == 130
    assert list(tmp_path.iterdir()) == []


def test_yes_asks_nothing_on_a_terminal_either(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "--yes")
    terminal.reads("wrote floor.toml: New Jersey, 6 tables")
    assert terminal.ends() == 0


@pytest.mark.parametrize("stdin", [subprocess.DEVNULL, subprocess.PIPE])
def test_without_a_terminal_nothing_is_asked(tmp_path: Path, stdin: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "progressive", "init"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=stdin,
        capture_output=True,
        text=True,
        timeout=ANSWER_SECONDS,
        check=True,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("wrote floor.toml: New Jersey, 6 tables")
    assert "  python -m progressive check floor.toml\n" in done.stdout
