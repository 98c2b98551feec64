"""Table keys: shown once, kept only as a hash."""

import stat
from pathlib import Path

import pytest

from progressive.adapters.keys.tables import FOLDER, PREFIX, TableKeys
from progressive.domain.ids import TableId

BJ1, BJ2 = TableId("BJ-01"), TableId("BJ-02")


@pytest.fixture
def keys(tmp_path: Path) -> TableKeys:
    return TableKeys(tmp_path)


def test_issued_key_fits_its_table_only(keys: TableKeys) -> None:
    key = keys.issue(BJ1)
    keys.issue(BJ2)
    assert keys.fits(BJ1, key)
    assert not keys.fits(BJ2, key)


def test_new_key_replaces_the_former(keys: TableKeys) -> None:
    former, newest = keys.issue(BJ1), keys.issue(BJ1)
    assert former != newest
    assert not keys.fits(BJ1, former)
    assert keys.fits(BJ1, newest)


def test_key_is_seen_by_a_service_already_running(keys: TableKeys, tmp_path: Path) -> None:
    assert not keys.fits(BJ1, "anything")
    key = TableKeys(tmp_path).issue(BJ1)
    assert keys.fits(BJ1, key)


def test_key_itself_is_kept_nowhere(keys: TableKeys, tmp_path: Path) -> None:
    key = keys.issue(BJ1)
    kept = b"".join(path.read_bytes() for path in (tmp_path / FOLDER).iterdir())
    assert key.encode() not in kept
    assert key.removeprefix(PREFIX).encode() not in kept


def test_keys_are_long_and_recognisable(keys: TableKeys) -> None:
    issued = {keys.issue(BJ1) for _ in range(20)}
    assert len(issued) == 20
    assert all(key.startswith(PREFIX) and len(key) >= len(PREFIX) + 43 for key in issued)


def test_key_files_are_private(keys: TableKeys, tmp_path: Path) -> None:
    keys.issue(BJ1)
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode)
        for path in (tmp_path / FOLDER, tmp_path / FOLDER / "BJ-01.json")
    }
    assert modes == {FOLDER: 0o700, "BJ-01.json": 0o600}
    assert [path.name for path in (tmp_path / FOLDER).iterdir()] == ["BJ-01.json"]


@pytest.mark.parametrize(
    "wrong", ["", " ", PREFIX, "x" * 10_000, "schlüssel", "\udc80\udcff", "\x00"]
)
def test_wrong_key_of_any_form_does_not_fit(keys: TableKeys, wrong: str) -> None:
    key = keys.issue(BJ1)
    assert not keys.fits(BJ1, wrong)
    assert not keys.fits(BJ1, key + wrong if wrong else key[:-1])


@pytest.mark.parametrize("name", ["../../etc/passwd", "", ".", "a/b", "BJ 01", "x" * 65, "BJ-01\n"])
def test_name_that_is_no_id_reaches_no_file(keys: TableKeys, name: str) -> None:
    with pytest.raises(ValueError, match="table's id"):
        keys.issue(TableId(name))
    assert not keys.fits(TableId(name), "key")
    assert keys.holder(TableId(name)) is None


@pytest.mark.parametrize("name", ["a.b", "a.json", "a.part", "A", "0", "x" * 64])
def test_every_id_can_have_a_key(keys: TableKeys, name: str) -> None:
    keys.issue(TableId("a"))
    key = keys.issue(TableId(name))
    assert keys.fits(TableId(name), key)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b'{"sha256":1,"holder":"table"}',
        b'{"sha256":"abc","holder":"table"}',
        '{"sha256":"ü","holder":"table"}'.encode(),
        b'{"sha256":"\xff\xfe","holder":"table"}',
        b"[" * 100_000,
    ],
    ids=["empty", "cut", "null", "number", "short", "non-ascii", "not utf-8", "deep"],
)
def test_damaged_key_file_fits_nothing(keys: TableKeys, tmp_path: Path, content: bytes) -> None:
    key = keys.issue(BJ1)
    (tmp_path / FOLDER / "BJ-01.json").write_bytes(content)
    assert not keys.fits(BJ1, key)
    # And it can be replaced.
    assert keys.fits(BJ1, keys.issue(BJ1))


def test_holder_says_whom_the_key_was_made_for(keys: TableKeys) -> None:
    keys.issue(BJ1, holder="simulator")
    keys.issue(BJ2)
    assert (keys.holder(BJ1), keys.holder(BJ2)) == ("simulator", "table")
    assert keys.holder(TableId("BJ-03")) is None
