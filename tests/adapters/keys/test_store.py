"""Key files behind the port: the loop never waits for a disk, and a broken one is reported."""

import asyncio
import os
import shutil
import threading
from pathlib import Path

import msgspec
import pytest

from progressive.adapters.keys.held import StoredKey, hash_of
from progressive.adapters.keys.signs import RELAY_FOLDER, SIGN_FOLDER, RelayKeys, SignKeys
from progressive.adapters.keys.store import FileKeyStore
from progressive.adapters.keys.tables import FOLDER, TableKeys
from progressive.application.journal.ports import StoreUnavailableError


async def test_loop_goes_on_while_a_disk_takes_its_time(tmp_path: Path) -> None:
    """The key file is a pipe: reading it ends when somebody writes into it."""
    (tmp_path / FOLDER).mkdir()
    pipe = tmp_path / FOLDER / "BJ-01.json"
    os.mkfifo(pipe)
    loop_went_on = threading.Event()
    in_time: list[bool] = []

    def write() -> None:
        in_time.append(loop_went_on.wait(timeout=60))
        pipe.write_bytes(msgspec.json.encode(StoredKey(sha256=hash_of("key"), holder="table")))

    writer = threading.Thread(target=write)
    writer.start()
    asking = asyncio.create_task(FileKeyStore(TableKeys(tmp_path)).fits("BJ-01", "key"))
    for _ in range(3):
        await asyncio.sleep(0)
    assert not asking.done()
    loop_went_on.set()
    assert await asking
    writer.join()
    assert in_time == [True]


async def test_folder_that_cannot_be_used_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("a file where the folder should be")
    keys = FileKeyStore(TableKeys(tmp_path))
    with pytest.raises(StoreUnavailableError):
        await keys.fits("BJ-01", "key")
    with pytest.raises(StoreUnavailableError):
        await keys.issue("BJ-01")
    with pytest.raises(StoreUnavailableError):
        await keys.versions()
    with pytest.raises(StoreUnavailableError):
        await keys.remove("BJ-01")


async def test_damaged_file_is_a_key_that_fits_nothing(tmp_path: Path) -> None:
    keys = FileKeyStore(TableKeys(tmp_path))
    key = await keys.issue("BJ-01")
    (tmp_path / FOLDER / "BJ-01.json").write_bytes(b"{")
    assert not await keys.fits("BJ-01", key)
    assert (await keys.versions()).keys() == {"BJ-01"}


async def test_issue_that_fails_leaves_the_former_key_and_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = FileKeyStore(TableKeys(tmp_path))
    key = await keys.issue("BJ-01")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreUnavailableError, match="No space left"):
        await keys.issue("BJ-01")
    assert await keys.fits("BJ-01", key)
    assert [path.name for path in (tmp_path / FOLDER).iterdir()] == ["BJ-01.json"]


# --- keys that are gone ---------------------------------------------------------------------------


async def test_keys_that_vanish_still_fit_and_are_missing_until_issued_or_removed(
    tmp_path: Path,
) -> None:
    """The folder of the signs' keys was moved away while the service ran: every sign was open."""
    keys = FileKeyStore(SignKeys(tmp_path))
    wall, door = await keys.issue("wall"), await keys.issue("door")
    before = await keys.versions()
    (tmp_path / SIGN_FOLDER).rename(tmp_path / "moved")
    assert await keys.versions() == before
    assert set(keys.missing) == {"door", "wall"}
    assert await keys.fits("wall", wall)
    assert not await keys.fits("wall", door)
    assert not await keys.fits("other", wall)

    newest = await keys.issue("wall")
    assert await keys.remove("door")
    assert set(await keys.versions()) == {"wall"}
    assert keys.missing == frozenset()
    assert await keys.fits("wall", newest)
    assert not await keys.fits("wall", wall)


async def test_key_removed_by_another_process_is_not_missing(tmp_path: Path) -> None:
    keys = FileKeyStore(SignKeys(tmp_path))
    await keys.issue("wall")
    await keys.versions()
    assert SignKeys(tmp_path).remove("wall")
    assert (await keys.versions(), keys.missing) == ({}, frozenset())
    SignKeys(tmp_path).issue("wall")
    assert set(await keys.versions()) == {"wall"}
    # The mark of the former removal is gone: a file that vanishes now is missing.
    (tmp_path / SIGN_FOLDER / "wall.json").unlink()
    assert (set(await keys.versions()), set(keys.missing)) == ({"wall"}, {"wall"})


async def test_without_their_folder_tables_and_relays_are_refused(tmp_path: Path) -> None:
    for held in (TableKeys(tmp_path), RelayKeys(tmp_path)):
        keys = FileKeyStore(held)
        key = await keys.issue("BJ-01")
        assert await keys.fits("BJ-01", key)
        for folder in (FOLDER, RELAY_FOLDER):
            shutil.rmtree(tmp_path / folder, ignore_errors=True)
        assert not await keys.fits("BJ-01", key)
