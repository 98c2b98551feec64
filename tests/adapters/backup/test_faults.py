"""kill -9 and a full disk at every step of a backup and of a restore, with the real commands."""

from collections.abc import Callable
from pathlib import Path

import pytest

from progressive.adapters.backup.layout import check_hashes
from progressive.adapters.backup.place import backup_names, read_backup
from progressive.adapters.data_directory import RESTORING_NAME
from tests.support.backed_up import (
    Ended,
    fill_disk_at,
    kill_at,
    laid_by,
    lay,
    no_watcher,
    run_watched,
    write_directory,
)

Fault = Callable[[int], Callable[[int, str], None]]


async def a_pit(folder: Path) -> tuple[Path, Path]:
    """A data directory, and a place with one verified backup of it when it was younger."""
    data, place = folder / "data", folder / "place"
    await write_directory(data)
    (data / "in-use").touch()
    assert ran(folder, "backup", "--data", data, "--to", place).code == 0
    return data, place


def ran(folder: Path, *arguments: object) -> Ended:
    return run_watched(folder, no_watcher, *arguments)


def segment_files(data: Path) -> list[Path]:
    return list((data / "segments" / "main").iterdir())


def verified(place: Path) -> list[str]:
    return [name for name in backup_names(place) if read_backup(place / name).stamp is not None]


@pytest.mark.slow
@pytest.mark.parametrize("fault", [kill_at, fill_disk_at])
@pytest.mark.parametrize("keep", [1, 2])
async def test_a_backup_that_is_cut_off_anywhere_harms_nothing(
    memory_path: Path, fault: Fault, keep: int
) -> None:
    """With 1, the backup before it is removed too, and a segment that no backup speaks of."""
    data, place = await a_pit(memory_path)
    shared = place / "segments" / "main"
    (shared / "000009-2026-01-01.jsonl.gz").write_bytes(b"of a backup that was removed")
    before, whole = laid_by(data), laid_by(place)
    options = ("backup", "--data", data, "--to", place, "--keep", keep)
    counted = ran(memory_path, *options)
    assert len(verified(place)) == keep
    steps = counted.steps
    assert steps > (30 if keep == 1 else 20)
    for target in range(1, steps + 1):
        lay(place, whole)
        ended = run_watched(memory_path, fault(target), *options)
        assert "Traceback" not in ended.said, (target, ended.said)
        if fault is kill_at:
            assert ended.code == -9, (target, ended.said)
        else:
            # Where nothing was left to write, it has done its work.
            assert ended.code in (0, 2), (target, ended.said)
        assert laid_by(data) == before, target
        # One that was verified is whole, and whatever else bears a name too.
        first, *_ = verified(place)
        for name in backup_names(place):
            check_hashes(read_backup(place / name))
        later = ran(memory_path, *options)
        assert later.code == 0, (target, later.said)
        assert len(verified(place)) == keep
        assert first <= verified(place)[0]
        assert len(list(shared.iterdir())) == len(segment_files(data))
        assert not [path.name for path in place.iterdir() if path.name.startswith(".")]


@pytest.mark.slow
@pytest.mark.parametrize("fault", [kill_at, fill_disk_at])
async def test_a_restore_that_is_cut_off_anywhere_is_undone_or_finished(
    memory_path: Path, fault: Fault
) -> None:
    data, place = await a_pit(memory_path)
    before = laid_by(data)
    options = ("restore", "--from", place, "--data", data)
    steps = ran(memory_path, *options).steps
    assert steps > 20
    began_to_move = 0
    for target in range(1, steps + 1):
        lay(data, before)
        ended = run_watched(memory_path, fault(target), *options)
        assert "Traceback" not in ended.said, (target, ended.said)
        if fault is kill_at:
            assert ended.code == -9, (target, ended.said)
        else:
            # Where nothing was left to write, it has done its work.
            assert ended.code in (0, 2), (target, ended.said)
        if (data / RESTORING_NAME).exists():
            began_to_move += 1
            for refused in ("verify", "backup"):
                to = ("--to", place) if refused == "backup" else ()
                told = ran(memory_path, refused, "--data", data, *to)
                assert told.code == 2, (target, told.said)
                assert "progressive restore` again" in told.said
        elif not list(data.glob("before-restore-*")):
            now = laid_by(data)
            assert {name: now[name] for name in before if name != "in-use"} == {
                name: before[name] for name in before if name != "in-use"
            }, target
        later = ran(memory_path, *options)
        assert later.code == 0, (target, later.said)
        assert ran(memory_path, "verify", "--data", data).code == 0, target
        assert not (data / RESTORING_NAME).exists()
        assert not (data / ".restore-new").exists()
        aside = sorted(data.glob("before-restore-*"))
        moved = laid_by(aside[0])
        for name in before:
            if name != "in-use":
                assert moved[name] == before[name], (target, name)
    assert began_to_move > 5 or fault is fill_disk_at
