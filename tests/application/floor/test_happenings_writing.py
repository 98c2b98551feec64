"""Writing beside the tables: signs of life, starts and stops, a disk that takes nothing."""

import asyncio
import logging
from pathlib import Path

import pytest

from progressive.adapters.happenings import FileHappenings
from progressive.application.floor.happenings import Happenings
from progressive.application.floor.happenings_writing import ALIVE_SECONDS, HappeningsWriting
from progressive.common.steps import steps_watched
from progressive.domain.happenings import HappeningLine
from progressive.domain.ids import LinkId, TableId
from progressive.domain.rejections import Rejection
from progressive.domain.views import LinkView
from tests.support.fake_clock import FakeClock
from tests.support.happened import BEGAN, after, lines_of, said

MAIN, BJ1 = LinkId("main"), TableId("BJ-01")
AN_HOUR, A_DAY = 3_600, 86_400


class Service:
    """What of a service has to do with the log; its clock is turned by the test."""

    def __init__(self, data: Path, clock: FakeClock, *, days: int = 1_827) -> None:
        self.data, self.clock = data, clock
        self.log = Happenings(clock, {BJ1: MAIN})
        self.writing = HappeningsWriting(self.log, FileHappenings(data), clock=clock, days=days)

    async def goes_on(self, seconds: int, *, step: int = int(ALIVE_SECONDS)) -> None:
        """A minute at a time; days in longer steps, as every write is synced."""
        for _ in range(0, seconds, step):
            self.clock.advance(step)
            await self.writing.write()

    def refuse(self, times: int = 1) -> None:
        for _ in range(times):
            self.log.table_refused(BJ1, Rejection.BAD_CARD)

    def link(self, state: str) -> None:
        self.log.link_state(
            LinkView(link=MAIN, epoch=1, seq=1, at=BEGAN, state=state, reason=None, meters=())
        )

    def whats(self) -> list[str]:
        return [text.split('"what":"')[1].partition('"')[0] for text in lines_of(self.data)]

    def read(self, to_seconds: float) -> list[tuple[str, str, str, str, int]]:
        return said(FileHappenings(self.data).read(BEGAN, after(to_seconds), MAIN).happened)


async def test_a_start_minutes_and_a_stop(tmp_path: Path) -> None:
    service = Service(tmp_path, FakeClock())
    await service.writing.begin()
    service.clock.advance(1)
    await service.writing.write()
    await service.goes_on(120)
    service.refuse()
    await service.writing.stop()
    assert service.whats() == ["started", "alive", "alive", "refused", "stopped"]
    assert service.writing.lost == 0


async def test_the_first_refusal_is_on_the_disk_at_once_and_many_are_two_lines(
    tmp_path: Path,
) -> None:
    service = Service(tmp_path, FakeClock())
    await service.writing.begin()
    for second in range(30):
        service.clock.advance(1)
        service.refuse(times=100)
        await service.writing.write()
        assert service.whats() == ["started", "refused"], second
    await service.goes_on(60)
    assert service.whats() == ["started", "refused", "refused", "alive"]
    assert [each[4] for each in service.read(120)] == [100, 2_900]


@pytest.mark.parametrize("killed", [True, False])
async def test_the_next_start_says_how_long_the_service_was_down(
    tmp_path: Path, killed: bool
) -> None:
    clock = FakeClock()
    before = Service(tmp_path, clock)
    await before.writing.begin()
    await before.goes_on(300)
    clock.advance(20)
    if not killed:
        await before.writing.stop()
    clock.advance(1_000)
    again = Service(tmp_path, clock)
    await again.writing.begin()
    await again.goes_on(60)
    assert again.read(1_400) == [("outage", "", after(300 if killed else 320), after(1_320), 1)]


async def test_a_new_day_begins_with_what_lasts(tmp_path: Path) -> None:
    service = Service(tmp_path, FakeClock())
    await service.writing.begin()
    service.link("inoperable")
    await service.goes_on(A_DAY, step=AN_HOUR)
    first, second = sorted((tmp_path / "happenings").iterdir())
    lines = second.read_text().splitlines()
    assert '"what":"stands"' in lines[0]
    assert all('"what":"alive"' in line for line in lines[1:])
    first.unlink()
    assert service.read(A_DAY)[:1] == [("link_inoperable", "main", BEGAN, "", 1)]


async def test_old_days_are_removed_at_a_start_and_at_midnight(tmp_path: Path) -> None:
    clock = FakeClock()
    service = Service(tmp_path, clock, days=2)
    await service.writing.begin()
    await service.goes_on(3 * A_DAY, step=AN_HOUR)
    names = [path.name for path in sorted((tmp_path / "happenings").iterdir())]
    assert names == ["2026-01-03.jsonl", "2026-01-04.jsonl", "2026-01-05.jsonl"]
    clock.advance(A_DAY)
    await Service(tmp_path, clock, days=2).writing.begin()
    names = [path.name for path in sorted((tmp_path / "happenings").iterdir())]
    assert names == ["2026-01-04.jsonl", "2026-01-05.jsonl", "2026-01-06.jsonl"]


async def test_a_full_disk_is_said_once_and_what_was_lost_is_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    service = Service(tmp_path, FakeClock())
    await service.writing.begin()

    def fail(name: str) -> None:
        raise OSError(28, "No space left on device")

    with steps_watched(fail), caplog.at_level(logging.ERROR):
        service.link("inoperable")
        service.refuse(times=7)
        await service.goes_on(600)
    assert len(caplog.records) == 1
    assert service.writing.lost == 2
    assert service.whats() == ["started"]
    await service.goes_on(60)
    assert service.whats() == ["started", "stands", "alive", "lost"]
    await service.goes_on(60)
    assert service.whats() == ["started", "stands", "alive", "lost", "alive"]
    assert service.read(720) == [
        ("link_inoperable", "main", BEGAN, "", 1),
        ("no sign of life", "", BEGAN, after(660), 1),
        ("not logged", "", after(660), "", 2),
    ]


async def test_lines_beyond_the_limit_of_a_day_are_lost_and_said(tmp_path: Path) -> None:
    service = Service(tmp_path, FakeClock())
    store = FileHappenings(tmp_path, bytes_a_day=400, refusals_bytes_a_day=200)
    service.writing = HappeningsWriting(service.log, store, clock=service.clock, days=9)
    await service.writing.begin()
    for _ in range(10):
        service.refuse()
        await service.goes_on(60)
    assert service.writing.lost == 9
    assert "lost" in service.whats()
    assert service.whats().count("alive") == 10


async def test_a_bug_does_not_end_the_writing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("progressive.application.floor.happenings_writing.WRITE_SECONDS", 0.001)
    service = Service(tmp_path, FakeClock())
    broken = asyncio.Event()
    take = service.log.take

    def breaks(*, minute_over: bool) -> list[HappeningLine]:
        if not broken.is_set():
            broken.set()
            raise ValueError("a bug")
        return take(minute_over=minute_over)

    monkeypatch.setattr(service.log, "take", breaks)
    await service.writing.start()
    async with asyncio.timeout(30):
        await broken.wait()
        service.refuse()
        while "refused" not in service.whats():
            await asyncio.sleep(0.001)
    await service.writing.stop()
    assert service.whats() == ["started", "refused", "stopped"]
    assert "writing the log of happenings failed" in caplog.text


async def test_a_log_that_cannot_be_written_at_all_holds_nobody_up(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "happenings").write_text("somebody's file")
    service = Service(tmp_path, FakeClock())
    await service.writing.begin()
    service.refuse()
    await service.goes_on(60)
    await service.writing.stop()
    assert service.writing.lost == 3
    assert "the log of happenings cannot be written" in caplog.text
