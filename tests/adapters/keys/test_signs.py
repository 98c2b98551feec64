"""Keys of signs and relays: as those of tables, and they can be taken away."""

from pathlib import Path

import pytest

from progressive.adapters.keys.signs import SIGN_FOLDER, RelayKeys, SignKeys
from progressive.adapters.keys.tables import TableKeys
from progressive.domain.ids import TableId
from tests.support.service import run_command


def test_a_key_fits_its_holder_and_nobody_else(tmp_path: Path) -> None:
    signs, relays = SignKeys(tmp_path), RelayKeys(tmp_path)
    key, relay_key = signs.issue("wall"), relays.issue("wall")
    table_key = TableKeys(tmp_path).issue(TableId("wall"))
    assert signs.fits_name("wall", key)
    assert relays.fits_name("wall", relay_key)
    assert not any(signs.fits_name("wall", other) for other in (relay_key, table_key, ""))
    assert not signs.fits_name("door", key)


def test_a_sign_is_keyed_until_its_key_is_taken_away(tmp_path: Path) -> None:
    keys = SignKeys(tmp_path)
    assert not keys.keyed("wall")
    keys.issue("wall")
    assert keys.keyed("wall")
    assert keys.remove("wall")
    assert not keys.remove("wall")
    assert not keys.keyed("wall")


def test_a_sign_whose_key_file_is_damaged_is_nobodys(tmp_path: Path) -> None:
    keys = SignKeys(tmp_path)
    key = keys.issue("wall")
    (tmp_path / SIGN_FOLDER / "wall.json").write_bytes(b"{")
    assert keys.keyed("wall")
    assert not keys.fits_name("wall", key)


def test_a_replaced_key_is_noticed(tmp_path: Path) -> None:
    keys = SignKeys(tmp_path)
    keys.issue("wall")
    before = keys.versions()
    keys.issue("wall")
    assert keys.versions() != before


@pytest.mark.parametrize("name", ["", "../x", "a b"])
def test_a_name_that_is_no_id_reaches_no_file(tmp_path: Path, name: str) -> None:
    keys = SignKeys(tmp_path)
    with pytest.raises(ValueError, match="sign's id"):
        keys.issue(name)
    assert not keys.remove(name)
    assert not keys.fits_name(name, "key")


@pytest.mark.slow
def test_the_command_issues_and_removes(tmp_path: Path) -> None:
    given = run_command("key", "--sign", "wall", "--data", tmp_path)
    assert SignKeys(tmp_path).fits_name("wall", given.stdout.strip())
    given = run_command("key", "--relay", "north", "--data", tmp_path)
    assert RelayKeys(tmp_path).fits_name("north", given.stdout.strip())
    assert run_command("key", "--sign", "wall", "--remove", "--data", tmp_path).returncode == 0
    assert not SignKeys(tmp_path).keyed("wall")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), 2),
        (("BJ-01", "--sign", "wall"), 2),
        (("--sign", "a b"), 2),
        (("BJ-01", "--remove"), 2),
        (("--sign", "wall", "--remove"), 1),
    ],
)
def test_the_command_refuses_what_it_cannot_do(
    tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    assert run_command("key", *arguments, "--data", tmp_path).returncode == code
