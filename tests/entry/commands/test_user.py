"""`progressive user` on a real file."""

import json
import os
import pty
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from progressive.entry.cli import main
from tests.support.people import PASSWORD
from tests.support.service import ROOT, run_command


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def user(*arguments: object, password: str | None = None) -> Result:
    said = None if password is None else f"{password}\n"
    result = CliRunner().invoke(main, ["user", *map(str, arguments)], input=said)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def add(data: Path, name: str = "Ann", password: str = PASSWORD, **changes: str) -> Result:
    options = {"role": "supervisor", "department": "Table games", **changes}
    named = [part for option, value in options.items() for part in (f"--{option}", value)]
    return user("add", name, *named, "--data", data, password=password)


def listed(data: Path) -> list[dict[str, object]]:
    people: list[dict[str, object]] = json.loads(user("list", "--json", "--data", data).stdout)
    return people


@pytest.mark.slow
def test_somebody_is_added_listed_disabled_and_enabled(data: Path) -> None:
    assert add(data).exit_code == 0
    assert add(data, "Bob", role="finance", department="Finance").exit_code == 0
    assert listed(data)[0] == {
        "name": "Ann",
        "role": "supervisor",
        "department": "Table games",
        "disabled": False,
        "origin": "first",
        "unconfirmed": None,
        "slowed_until": None,
    }
    assert user("disable", "ann", "--data", data).exit_code == 0
    assert [each["disabled"] for each in listed(data)] == [True, False]
    table = user("list", "--data", data).stdout.splitlines()
    assert table[0].split() == ["name", "role", "department", "state"]
    assert table[1].split() == ["Ann", "supervisor", "Table", "games", "disabled"]
    assert table[2].split() == ["Bob", "finance", "Finance", "active"]
    assert user("enable", "Ann", "--data", data).exit_code == 0
    assert [each["disabled"] for each in listed(data)] == [False, False]


def test_nothing_secret_is_printed(data: Path) -> None:
    for result in (add(data), user("list", "--data", data), user("list", "--json", "--data", data)):
        assert PASSWORD not in result.output
        assert "argon2" not in result.output


@pytest.mark.parametrize(
    ("name", "password", "changes", "why"),
    [
        ("Ann", "short", {}, "shorter than 12"),
        ("Ann", "", {}, "shorter than 12"),
        ("annannannann", "AnnAnnAnnAnn", {}, "it is the name"),
        ("", PASSWORD, {}, "cannot be a name"),
        ("Ann", PASSWORD, {"department": " "}, "cannot be a department"),
        ("Ann", PASSWORD, {"role": "king"}, "'king' is not one of"),
    ],
)
def test_bad_input_exits_with_2_and_adds_nobody(
    data: Path, name: str, password: str, changes: dict[str, str], why: str
) -> None:
    result = add(data, name, password, **changes)
    assert result.exit_code == 2
    assert why in result.stderr
    assert user("list", "--data", data).exit_code == 2


def test_a_name_that_is_taken_exits_with_2(data: Path) -> None:
    add(data)
    again = add(data, "ANN", role="admin")
    assert again.exit_code == 2
    assert "there is a user 'ANN' already" in again.stderr
    assert [each["role"] for each in listed(data)] == ["supervisor"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["disable", "Ann"], "Ann: disabled; all sessions ended"),
        (["enable", "Ann"], "Ann: enabled"),
        (["password", "Ann"], "Ann: password set; unlocked; all sessions ended"),
        (["role", "Ann", "--role", "finance"], "Ann: now finance, Table games; all sessions ended"),
        (["role", "Ann", "--department", "Cage"], "Ann: now supervisor, Cage; all sessions ended"),
        (["remove", "Ann"], "Ann: removed; all sessions ended"),
    ],
)
def test_every_change_says_in_one_line_what_was_done(
    data: Path, arguments: list[str], told: str
) -> None:
    assert add(data).stdout == "Ann: added as supervisor, Table games\n"
    result = user(*arguments, "--data", data, password=PASSWORD)
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"{told}\n", "")


def test_the_last_admin_is_changed_or_removed_only_by_force(data: Path) -> None:
    add(data, "Eve", role="admin", department="IT")
    for change in (["role", "Eve", "--role", "auditor"], ["remove", "Eve"]):
        result = user(*change, "--data", data)
        assert result.exit_code == 2
        told = "Error: Eve is the last admin who may log in (--force does it all the same)\n"
        assert result.stderr == told
    assert [each["role"] for each in listed(data)] == ["admin"]
    assert user("role", "Eve", "--role", "auditor", "--force", "--data", data).exit_code == 0
    assert user("role", "Eve", "--role", "admin", "--data", data).exit_code == 0
    assert user("remove", "Eve", "--force", "--data", data).exit_code == 0
    assert listed(data) == []


def test_a_change_of_nothing_is_bad_input(data: Path) -> None:
    add(data)
    result = user("role", "Ann", "--data", data)
    assert result.exit_code == 2
    assert "give --role ROLE, --department DEPT, or both" in result.stderr


@pytest.mark.parametrize("change", ["disable", "enable", "password", "remove"])
def test_nobody_cannot_be_changed(data: Path, change: str) -> None:
    add(data)
    result = user(change, "Carol", "--data", data, password=PASSWORD)
    assert result.exit_code == 2
    assert "there is no user 'Carol'" in result.stderr


@pytest.mark.parametrize("change", ["list", "disable", "enable", "password", "remove"])
def test_a_directory_without_people_is_bad_input_and_stays_as_it_is(
    data: Path, change: str
) -> None:
    name = [] if change == "list" else ["Ann"]
    result = user(change, *name, "--data", data, password=PASSWORD)
    assert result.exit_code == 2
    assert "nobody has been added" in result.stderr
    assert not data.exists()


def test_a_broken_file_exits_with_1(data: Path) -> None:
    add(data)
    (data / "people.sqlite3").write_bytes(os.urandom(4096))
    result = user("list", "--data", data)
    assert result.exit_code == 1
    assert "damaged" in result.stderr


def test_the_password_comes_from_standard_input(data: Path) -> None:
    added = run_command(
        *("user", "add", "Ann", "--role", "admin", "--department", "IT", "--data", data),
        input=f"{PASSWORD}\r\n",
    )
    told = "Ann: added as admin, IT\n"
    assert (added.returncode, added.stdout, added.stderr) == (0, told, "")


def test_on_a_terminal_the_password_is_asked_for_twice_and_not_shown(data: Path) -> None:
    command = ["user", "add", "Ann", "--role", "admin", "--department", "IT", "--data", str(data)]
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        os.execv(sys.executable, [sys.executable, "-m", "progressive", *command])
    seen = b""
    for prompt in (b"Password: ", b"Repeat for confirmation: "):
        while not seen.endswith(prompt):
            seen += os.read(terminal, 4096)
        os.write(terminal, f"{PASSWORD}\n".encode())
    _, status = os.waitpid(process, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0
    assert PASSWORD.encode() not in seen
    assert [each["name"] for each in listed(data)] == ["Ann"]
