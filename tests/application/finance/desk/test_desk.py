"""Whose turn it is: a bounded queue, whoever leaves is forgotten, and looks in between."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from progressive.adapters.bookkeeping.messages import Orders
from progressive.adapters.bookkeeping.process import ProcessBookkeeper
from progressive.adapters.clock import SystemClock
from progressive.application.finance.desk.asked import (
    BUSY,
    FAILED,
    UNAVAILABLE,
    Answer,
    DaysAsked,
    KindsAsked,
)
from progressive.application.finance.desk.desk import QUESTIONS_MAX, Desk
from tests.support import faulty_bookkeeper
from tests.support.finance_days import NOT_OVER_AT, FinanceShelf
from tests.support.service import ANSWER_SECONDS
from tests.support.set_clock import SetClock

pytestmark = pytest.mark.slow

KINDS = KindsAsked(now=NOT_OVER_AT)
DAYS = DaysAsked(now=NOT_OVER_AT)


class Held:
    """A desk whose first question never ends by itself."""

    def __init__(self, data: Path, been: Path) -> None:
        self.been = been
        self.bookkeeper = a_bookkeeper(data, faulty_bookkeeper.command("hang", "kinds", been))
        self.desk = Desk(self.bookkeeper, clock=SystemClock())

    async def hold(self) -> asyncio.Task[Answer]:
        held = asyncio.create_task(self.desk.ask(KINDS))
        await until(self.been.exists)
        return held

    def release(self) -> None:
        assert self.bookkeeper.pid is not None
        os.kill(self.bookkeeper.pid, signal.SIGKILL)


def a_bookkeeper(data: Path, command: tuple[str, ...]) -> ProcessBookkeeper:
    orders = Orders(
        close_within_hours=24, data=str(data), accounts=None, mappings=None, rest=0, memory_bytes=0
    )
    return ProcessBookkeeper(orders, command=command)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(ANSWER_SECONDS):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.fixture
async def held(shelf: FinanceShelf, tmp_path: Path) -> AsyncIterator[Held]:
    held = Held(shelf.directory, tmp_path / "been")
    yield held
    await held.desk.stop()


async def test_a_full_desk_refuses_at_once_and_answers_those_that_wait(held: Held) -> None:
    first = await held.hold()
    rest = [asyncio.create_task(held.desk.ask(DAYS)) for _ in range(QUESTIONS_MAX - 1)]
    await until(lambda: held.desk.waiting == QUESTIONS_MAX)
    assert (await held.desk.ask(DAYS)).code == BUSY
    held.release()
    assert (await first).code == FAILED
    assert {answer.code for answer in await asyncio.gather(*rest)} == {""}
    assert held.desk.waiting == 0
    # The question that the process ended over was asked once.
    assert faulty_bookkeeper.begun(held.been).count("kinds") == 1


async def test_whoever_leaves_while_waiting_is_never_asked_for(held: Held) -> None:
    first = await held.hold()
    leaves, stays = [asyncio.create_task(held.desk.ask(DAYS)) for _ in range(2)]
    await until(lambda: held.desk.waiting == 3)
    leaves.cancel()
    held.release()
    await first
    assert (await stays).code == ""
    assert faulty_bookkeeper.begun(held.been) == ["kinds", "days"]


async def test_a_process_that_does_not_start_is_said_and_looked_after(tmp_path: Path) -> None:
    broken = a_bookkeeper(tmp_path, ("-c", "raise RuntimeError('a bug')"))
    desk = Desk(broken, clock=SystemClock(), look_seconds=0.01)
    desk.start()
    await until(lambda: desk.problem)
    assert (await desk.ask(KINDS)).code == UNAVAILABLE
    await desk.stop()


async def test_looks_say_how_the_days_stand_and_give_way_to_questions(
    shelf: FinanceShelf, tmp_path: Path
) -> None:
    clock = SetClock()
    clock.set_to(NOT_OVER_AT)
    listing = faulty_bookkeeper.command("list", "nothing", tmp_path / "been")
    desk = Desk(a_bookkeeper(shelf.directory, listing), clock=clock, look_seconds=0.01)
    desk.start()
    await until(lambda: desk.looks)
    sight = desk.sights["main"]
    # None was ever closed: the newest that is late counts, the day before is not yet.
    assert (sight.due_day, sight.due_since) == ("2026-11-01", "2026-11-02T11:00:00.000000Z")
    assert (sight.difference_microcents, sight.difference) == (0, "")
    before = desk.looks
    for _ in range(5):
        assert (await desk.ask(DAYS)).code == ""
    await until(lambda: desk.looks > before)
    await desk.stop()
