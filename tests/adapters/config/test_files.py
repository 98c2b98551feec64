"""Files that cannot be read, and where game and jurisdiction files are looked for."""

import os
import shutil
from pathlib import Path

import pytest

from progressive.adapters.config import files as config_files
from progressive.adapters.config.files import FILE_BYTES_MAX, path_text
from progressive.adapters.config.floor import ConfigError, load_floor, shipped_config

GOOD = (shipped_config() / "floor.toml").read_bytes()


def only_problem(file: Path) -> str:
    with pytest.raises(ConfigError) as raised:
        load_floor(file)
    (problem,) = raised.value.problems
    assert problem.key == ""
    assert problem.file == path_text(file)
    assert "\n" not in problem.line()
    return problem.message


def test_missing_file_is_a_problem(tmp_path: Path) -> None:
    assert only_problem(tmp_path / "floor.toml") == "there is no such file"
    assert only_problem(tmp_path / ("x" * 5000)).startswith("cannot be read: ")


def test_folder_is_a_problem(tmp_path: Path) -> None:
    assert only_problem(tmp_path) == "is a folder, not a file"


def test_pipe_is_a_problem_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert only_problem(tmp_path / "pipe") == "cannot be read: not a regular file"


def test_huge_file_is_a_problem(tmp_path: Path) -> None:
    file = tmp_path / "floor.toml"
    file.write_bytes(b"#" * (FILE_BYTES_MAX + 1))
    assert only_problem(file) == f"cannot be read: bigger than {FILE_BYTES_MAX} bytes"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"schema = 1\nname = \n", "is not good TOML: Invalid value (at line 2, column 8)"),
        (b"schema == 1", "is not good TOML: Invalid value (at line 1, column 9)"),
        (b"a = 1\na = 2", "is not good TOML: Cannot overwrite a value (at line 2, column 6)"),
        (b"schema =", "is not good TOML: Invalid value (at line 1, column 9)"),
        (b'name = "Caf\xe9"', "is not UTF-8 text: see line 1"),
        (b"schema = 1\n\n# \xff", "is not UTF-8 text: see line 3"),
        ("name = 1".encode("utf-16"), "is not UTF-8 text: see line 1"),
        (b"a = " + b"[" * 100_000, "is not good TOML: nested too deeply"),
    ],
)
def test_file_that_is_no_toml_is_one_problem_with_its_place(
    tmp_path: Path, content: bytes, expected: str
) -> None:
    file = tmp_path / "floor.toml"
    file.write_bytes(content)
    assert only_problem(file) == expected


def test_endless_key_does_not_make_an_endless_line(tmp_path: Path) -> None:
    header = b"[" + b"a." * 3000 + b"a]\n"
    file = tmp_path / "floor.toml"
    file.write_bytes(header * 2)
    message = only_problem(file)
    assert len(message) < 200
    assert message.endswith("twice (at line 2, column 6003)")


def test_number_with_too_many_digits_is_a_problem(tmp_path: Path) -> None:
    # Python limits how long a decimal number it reads; tomllib lets that error through.
    file = tmp_path / "floor.toml"
    file.write_bytes(b"schema = " + b"1" * 10_000)
    assert only_problem(file).startswith("is not good TOML: Exceeds the limit")


def test_file_name_is_printable_whatever_its_bytes(tmp_path: Path) -> None:
    file = Path(os.fsdecode(bytes(tmp_path) + b"/fl\xff\nor.toml"))
    assert path_text(file).endswith("/fl�?or.toml")
    assert only_problem(file) == "there is no such file"


def test_floor_file_works_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "floor.toml").write_bytes(GOOD)
    assert load_floor(tmp_path / "floor.toml").rules.name == "Boardwalk Casino"


def test_path_is_shown_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "nj-blazing-7s.toml").write_text("nothing")
    (tmp_path / "floor.toml").write_bytes(GOOD.replace(b'"USD"', b'"usd"'))
    with pytest.raises(ConfigError) as raised:
        load_floor(Path("floor.toml"))
    assert [problem.file for problem in raised.value.problems] == [
        "floor.toml",
        "games/nj-blazing-7s.toml",
    ]


def test_file_beside_the_floor_comes_before_the_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "floor.toml").write_bytes(GOOD)
    shutil.copytree(shipped_config() / "games", tmp_path / "games")
    game = tmp_path / "games" / "nj-blazing-7s.toml"
    game.write_text(game.read_text("utf-8").replace("[6, 8]", "[8]"), "utf-8")
    with pytest.raises(ConfigError, match=r"link\.main\.decks: 6 is not 8 "):
        load_floor(tmp_path / "floor.toml")


def test_installed_package_carries_its_own_rule_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a wheel: progressive/config/…, and no config/ next to the package.
    package = tmp_path / "site-packages" / "progressive"
    shutil.copytree(shipped_config(), package / "config")
    monkeypatch.setattr(config_files, "__file__", str(package / "adapters" / "config" / "files.py"))
    assert shipped_config() == package / "config"
    (tmp_path / "floor.toml").write_bytes(GOOD)
    assert load_floor(tmp_path / "floor.toml").warnings == ()
