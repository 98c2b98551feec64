"""Files are there whole, or as they were before; all for their owner only."""

import os
from hashlib import sha256
from pathlib import Path

import pytest

from progressive.adapters.durable import (
    FILE_MODE,
    NotRegularError,
    copy_file,
    remove_tree,
    sum_of,
    write_whole,
)
from progressive.common.steps import steps_watched

OLD, NEW = b"old", b"a newer and longer text"


def steps_of_writing(path: Path) -> list[str]:
    names: list[str] = []
    with steps_watched(names.append):
        write_whole(path, NEW)
    return names


def test_a_failure_at_any_step_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    steps = steps_of_writing(tmp_path / "text")
    assert len(steps) == 5, steps
    path = tmp_path / "text"
    for failing in steps:
        path.write_bytes(OLD)

        def fail(name: str, failing: str = failing) -> None:
            if name == failing:
                raise OSError(28, "No space left on device")

        with pytest.raises(OSError, match="No space"), steps_watched(fail):
            write_whole(path, NEW)
        # The last step makes the new name durable: the old file is gone by then.
        assert path.read_bytes() == (NEW if failing == steps[-1] else OLD), failing
        # What a crash left is not in the way.
        write_whole(path, NEW)
        assert path.read_bytes() == NEW
        assert os.listdir(tmp_path) == ["text"]


def test_files_are_for_their_owner_only(tmp_path: Path) -> None:
    write_whole(tmp_path / "text", NEW)
    copy_file(tmp_path / "text", tmp_path / "copy")
    for name in ("text", "copy"):
        assert (tmp_path / name).stat().st_mode & 0o777 == FILE_MODE


def test_a_copy_has_the_length_and_hash_of_what_was_copied(tmp_path: Path) -> None:
    body = os.urandom(3 << 20) + b"x"
    (tmp_path / "source").write_bytes(body)
    copied = copy_file(tmp_path / "source", tmp_path / "copy")
    assert (copied.bytes, copied.sha256) == (len(body), sha256(body).hexdigest())
    assert sum_of(tmp_path / "copy") == copied
    assert (tmp_path / "copy").read_bytes() == body


def test_a_copy_never_takes_the_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(NEW)
    (tmp_path / "there").write_bytes(OLD)
    with pytest.raises(FileExistsError):
        copy_file(tmp_path / "source", tmp_path / "there")
    assert (tmp_path / "there").read_bytes() == OLD


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotRegularError):
        copy_file(tmp_path / "pipe", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_link_is_removed_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "text").write_bytes(OLD)
    (tmp_path / "link").symlink_to("folder")
    remove_tree(tmp_path / "link")
    remove_tree(tmp_path / "nothing")
    assert (tmp_path / "folder" / "text").read_bytes() == OLD
    remove_tree(tmp_path / "folder")
    assert os.listdir(tmp_path) == []
