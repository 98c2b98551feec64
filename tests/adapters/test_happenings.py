"""The log of happenings as real files: torn lines, a full disk, limits of a day, retention."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from progressive.adapters.happenings import FileHappenings
from progressive.application.journal.ports import StoreUnavailableError
from progressive.common.steps import steps_watched
from progressive.domain.happenings import HappeningLine, Noted
from tests.support.happened import BEGAN, DAY, after, alive, line, lines_of, said

A_DAY = 86_400
REFUSED = line(1, Noted.REFUSED, kind="BAD_CARD", about="BJ-01", link="main", times=3)


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """The kernel writes up to this size and refuses what is beyond, as a full disk does."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, hard))


def the_file(data: Path) -> Path:
    return data / "happenings" / f"{DAY}.jsonl"


def test_what_was_appended_is_read(tmp_path: Path) -> None:
    log = FileHappenings(tmp_path)
    assert log.append([line(0, Noted.STARTED), REFUSED]) == 0
    assert log.append([*alive(60, 120)]) == 0
    assert lines_of(tmp_path)[:2] == [
        f'{{"at":"{BEGAN}","what":"started"}}',
        f'{{"at":"{after(1)}","what":"refused","kind":"BAD_CARD","link":"main",'
        '"about":"BJ-01","times":3}',
    ]
    then = log.read(BEGAN, after(150))
    assert said(then.happened) == [("BAD_CARD", "BJ-01", after(1), "", 3)]
    assert (then.begins, then.problems) == (BEGAN, ())
    assert log.last() == line(120, Noted.ALIVE)
    for path in (the_file(tmp_path), the_file(tmp_path).parent):
        assert path.stat().st_mode & 0o077 == 0


def test_nothing_is_there_before_the_first_line(tmp_path: Path) -> None:
    log = FileHappenings(tmp_path)
    assert log.last() is None
    assert log.read(BEGAN, after(60)).happened == ()
    assert log.read(BEGAN, after(60)).begins == ""
    log.drop_before(DAY)
    assert not list(tmp_path.iterdir())


def test_each_line_lies_in_the_file_of_its_day(tmp_path: Path) -> None:
    log = FileHappenings(tmp_path)
    log.append([line(each * A_DAY, Noted.ALIVE) for each in range(3)])
    names = sorted(path.name for path in (tmp_path / "happenings").iterdir())
    assert names == ["2026-01-02.jsonl", "2026-01-03.jsonl", "2026-01-04.jsonl"]
    log.drop_before("2026-01-04")
    assert [path.name for path in (tmp_path / "happenings").iterdir()] == ["2026-01-04.jsonl"]
    assert log.read(BEGAN, after(60)).begins == after(2 * A_DAY)


@pytest.mark.parametrize("kept_bytes", [1, 20, 50])
def test_a_torn_last_line_costs_itself_only_and_is_said(tmp_path: Path, kept_bytes: int) -> None:
    log = FileHappenings(tmp_path)
    log.append([line(0, Noted.STARTED), REFUSED])
    body = the_file(tmp_path).read_bytes()
    end = body.index(b"\n") + 1 + kept_bytes
    the_file(tmp_path).write_bytes(body[:end])
    then = log.read(BEGAN, after(150))
    assert then.happened == ()
    problem = f"happenings/{DAY}.jsonl: 1 line cannot be read"
    assert then.problems == (problem,)
    assert log.last() == line(0, Noted.STARTED)
    # The next line does not hang on to the torn one.
    log.append([REFUSED])
    then = log.read(BEGAN, after(150))
    assert said(then.happened) == [("BAD_CARD", "BJ-01", after(1), "", 3)]
    assert then.problems == (problem,)
    # Read twice, nothing changes.
    assert log.read(BEGAN, after(150)) == then


@pytest.mark.parametrize(
    "bad",
    [
        b"\x00\x00\x00\x00",
        b"{}",
        b'{"at":"yesterday","what":"alive"}',
        b'{"at":"2026-01-99T00:00:00.000000Z","what":"alive"}',
        b'{"at":"2026-01-02T04:00:00.000000Z","what":"refused","times":-1}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_a_damaged_line_is_passed_over(tmp_path: Path, bad: bytes) -> None:
    log = FileHappenings(tmp_path)
    log.append([line(0, Noted.STARTED)])
    with the_file(tmp_path).open("ab") as file:
        file.write(bad + b"\n" + bad + b"\n")
    log.append([REFUSED])
    then = log.read(BEGAN, after(150))
    assert [each.code for each in then.happened] == ["BAD_CARD"]
    assert then.problems == (f"happenings/{DAY}.jsonl: 2 lines cannot be read",)


def test_a_full_disk_at_any_step_leaves_whole_lines(tmp_path: Path) -> None:
    steps: list[str] = []
    with steps_watched(steps.append):
        FileHappenings(tmp_path).append([REFUSED])
    assert len(steps) >= 4, steps
    before = lines_of(tmp_path)
    log = FileHappenings(tmp_path)
    for failing in range(3):
        count = 0

        def fail(name: str, failing: int = failing) -> None:
            nonlocal count
            count += 1
            if count > failing:
                raise OSError(28, "No space left on device")

        with (
            pytest.raises(StoreUnavailableError, match="happenings/: No space left on device"),
            steps_watched(fail),
        ):
            log.append([REFUSED, *alive(60, 600)])
        assert lines_of(tmp_path) == before, failing
    assert log.append([line(60, Noted.ALIVE)]) == 0
    assert len(lines_of(tmp_path)) == len(before) + 1


def test_a_disk_that_takes_half_of_what_is_written_takes_nothing(tmp_path: Path) -> None:
    log = FileHappenings(tmp_path)
    log.append([REFUSED])
    size = the_file(tmp_path).stat().st_size
    lines = alive(60, 6_000)
    with file_size_limit(size + 100), pytest.raises(StoreUnavailableError, match="File too large"):
        log.append(lines)
    assert the_file(tmp_path).stat().st_size == size
    assert log.append(lines) == 0
    assert log.read(BEGAN, after(6_000)).problems == ()


def test_a_day_has_room_for_so_much_and_refusals_for_half_of_it(tmp_path: Path) -> None:
    log = FileHappenings(tmp_path, bytes_a_day=4_000, refusals_bytes_a_day=2_000)
    assert log.append([REFUSED] * 100) > 70
    assert the_file(tmp_path).stat().st_size < 2_000
    raised = line(60, Noted.RAISED, kind="sign_stale", about="wall", name="n")
    assert log.append([raised]) == 0
    assert log.append([raised] * 100) > 70
    assert the_file(tmp_path).stat().st_size < 4_000
    # That the service was there is written in any case.
    assert log.append([*alive(120, 180), line(180, Noted.LOST, times=9)]) == 0
    # The next day has room of its own.
    tomorrow = HappeningLine(at=after(A_DAY), what=Noted.REFUSED, kind="BAD_CARD")
    assert log.append([tomorrow, REFUSED]) == 1


def test_an_outage_over_days_is_read_from_the_next_file_there_is(tmp_path: Path) -> None:
    log = FileHappenings(tmp_path)
    started = line(3 * A_DAY, Noted.STARTED, since=after(60))
    log.append([*alive(0, 60), started, REFUSED])
    for first in (0, A_DAY, 2 * A_DAY):
        then = log.read(after(first + 60), after(first + A_DAY))
        assert said(then.happened)[-1:] == [("outage", "", after(60), after(3 * A_DAY), 1)]


def test_a_service_that_is_down_is_known_from_the_last_file_there_is(tmp_path: Path) -> None:
    log = FileHappenings(tmp_path)
    log.append([*alive(0, 60), line(70, Noted.STOPPED)])
    then = log.read(after(5 * A_DAY), after(6 * A_DAY))
    assert said(then.happened) == [("outage", "", after(70), "", 1)]


def test_what_lasts_over_midnight_is_read_from_the_day_alone(tmp_path: Path) -> None:
    log = FileHappenings(tmp_path)
    midnight = "2026-01-03T00:00:00.500000Z"
    stale = {"kind": "sign_stale", "about": "wall", "name": "n"}
    log.append([line(0, Noted.RAISED, **stale), *alive(60, 75_360)])
    log.append([HappeningLine(at=midnight, what=Noted.STANDS, since=BEGAN, **stale)])
    log.append([HappeningLine(at=after(60, midnight), what=Noted.ALIVE)])
    then = log.read("2026-01-03T00:00:00.000000Z", after(120, midnight))
    assert said(then.happened) == [("sign_stale", "wall", BEGAN, "", 1)]


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "happenings").write_text("somebody's file")
    log = FileHappenings(tmp_path)
    with pytest.raises(StoreUnavailableError, match="happenings/"):
        log.append([REFUSED])
    with pytest.raises(StoreUnavailableError, match="happenings/"):
        log.last()
    then = log.read(BEGAN, after(60))
    assert then.happened == ()
    assert then.problems == ("happenings/ cannot be read: Not a directory",)


def test_a_data_directory_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match="No such file"):
        FileHappenings(tmp_path / "gone").append([REFUSED])
    assert os.listdir(tmp_path) == []
