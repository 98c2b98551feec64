"""The process that answers questions of finance: killed, hanging, hungry, and asked for nothing."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from msgspec import structs

from progressive.adapters.bookkeeping.messages import Orders
from progressive.adapters.bookkeeping.process import MEMORY_BYTES, MODULE, ProcessBookkeeper
from progressive.application.finance.desk.asked import (
    PURGED,
    TOO_LARGE,
    UNKNOWN_LINK,
    Answer,
    Asked,
    DaysAsked,
    KindsAsked,
    LookAsked,
    RecordsAsked,
    ReportAsked,
)
from progressive.application.finance.desk.ports import BookkeeperDiedError, BookkeeperError
from progressive.common.idle_command import nice_command
from tests.support import faulty_bookkeeper
from tests.support.finance_days import NOT_OVER_AT, FinanceShelf
from tests.support.segment_mischief import Mischief, close_segments
from tests.support.service import ANSWER_SECONDS

SMALL_BYTES = 512 * 2**20
KINDS = KindsAsked(now=NOT_OVER_AT)
LOOK = LookAsked(now=NOT_OVER_AT)
REPORT = ReportAsked(
    now=NOT_OVER_AT, kind="wagers", form="csv", printed_at=NOT_OVER_AT, day="2026-10-30"
)

Start = Callable[..., ProcessBookkeeper]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> FinanceShelf:
    return FinanceShelf(tmp_path_factory.mktemp("shelf") / "days")


@pytest.fixture
async def start(shelf: FinanceShelf, tmp_path: Path) -> AsyncIterator[Start]:
    """A bookkeeper of the five days, with a fault where one is given."""
    shelf.copy_to(tmp_path / "data")
    started: list[ProcessBookkeeper] = []

    def start(
        what: str = "", question: str = "", *, drop_seconds: float = ANSWER_SECONDS, rest: int = 0
    ) -> ProcessBookkeeper:
        orders = Orders(
            close_within_hours=24,
            data=str(tmp_path / "data"),
            accounts=None,
            mappings=None,
            rest=rest,
            memory_bytes=SMALL_BYTES if what == "hungry" else MEMORY_BYTES,
        )
        command = nice_command(MODULE)
        if what:
            command = faulty_bookkeeper.command(what, question, tmp_path / "been")
        made = ProcessBookkeeper(orders, command=command, drop_seconds=drop_seconds)
        started.append(made)
        return made

    yield start
    for each in started:
        await each.stop()


async def answered(bookkeeper: ProcessBookkeeper, question: Asked) -> Answer:
    async with asyncio.timeout(ANSWER_SECONDS):
        return await bookkeeper.ask(question)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(ANSWER_SECONDS):
        while not condition():
            await asyncio.sleep(0.01)


def gone(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return False
    return True


async def test_one_process_answers_one_question_after_the_other(start: Start) -> None:
    bookkeeper = start()
    assert b'"reconciliation"' in (await answered(bookkeeper, KINDS)).body
    pid = bookkeeper.pid
    report = await answered(bookkeeper, REPORT)
    assert report.file_name == "wagers_main_2026-10-30_OPEN.csv"
    assert report.body.startswith(b"report_link,")
    unknown = await answered(bookkeeper, DaysAsked(now=NOT_OVER_AT, link="none"))
    assert (unknown.code, unknown.parts) == (UNKNOWN_LINK, ())
    assert (bookkeeper.pid, bookkeeper.restarts) == (pid, 0)


async def test_the_question_that_killed_it_is_not_asked_again(start: Start, tmp_path: Path) -> None:
    bookkeeper = start("kill", "report")
    with pytest.raises(BookkeeperDiedError):
        await answered(bookkeeper, REPORT)
    assert faulty_bookkeeper.begun(tmp_path / "been") == ["report"]
    assert bookkeeper.pid is None
    # The next one is asked of another process.
    assert (await answered(bookkeeper, REPORT)).body.startswith(b"report_link,")
    assert bookkeeper.restarts == 1


async def test_killed_from_outside_in_the_middle(start: Start, tmp_path: Path) -> None:
    bookkeeper = start("hang", "report")
    asking = asyncio.create_task(answered(bookkeeper, REPORT))
    await until((tmp_path / "been").exists)
    assert bookkeeper.pid is not None
    os.kill(bookkeeper.pid, signal.SIGKILL)
    with pytest.raises(BookkeeperDiedError, match="exit code -9"):
        await asking
    assert (await answered(bookkeeper, REPORT)).body.startswith(b"report_link,")


async def test_killed_while_nobody_asks_the_next_question_has_another_process(
    start: Start,
) -> None:
    bookkeeper = start()
    await answered(bookkeeper, KINDS)
    before = bookkeeper.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    await until(lambda: bookkeeper.pid is None)
    assert (await answered(bookkeeper, KINDS)).code == ""
    assert bookkeeper.pid not in (None, before)


async def test_an_asker_who_leaves_frees_the_process(start: Start, tmp_path: Path) -> None:
    """It would rest for hours: what it reads for nobody ends as soon as somebody asks."""
    bookkeeper = start("list", "nothing", rest=100_000_000)
    await answered(bookkeeper, KINDS)
    pid = bookkeeper.pid
    looking = asyncio.create_task(bookkeeper.ask(LOOK))
    await until(lambda: "look" in faulty_bookkeeper.begun(tmp_path / "been"))
    looking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await looking
    assert (await answered(bookkeeper, REPORT)).body.startswith(b"report_link,")
    assert (bookkeeper.pid, bookkeeper.restarts) == (pid, 0)


async def test_a_dropped_question_that_does_not_end_ends_its_process(
    start: Start, tmp_path: Path
) -> None:
    bookkeeper = start("hang", "report", drop_seconds=0.05)
    asking = asyncio.create_task(bookkeeper.ask(REPORT))
    await until((tmp_path / "been").exists)
    pid = bookkeeper.pid
    assert pid is not None
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await until(lambda: gone(pid))
    assert (await answered(bookkeeper, REPORT)).body.startswith(b"report_link,")


async def test_what_takes_too_much_memory_is_refused_and_the_process_is_renewed(
    start: Start,
) -> None:
    bookkeeper = start("hungry", "report")
    await answered(bookkeeper, KINDS)
    refused = await answered(bookkeeper, REPORT)
    assert (refused.code, refused.parts) == (TOO_LARGE, ())
    await until(lambda: bookkeeper.pid is None)
    assert (await answered(bookkeeper, REPORT)).body.startswith(b"report_link,")


@pytest.mark.parametrize(
    "command",
    [
        ("-c", "raise RuntimeError('a bug')"),
        ("-c", "print('hello')"),
        ("-c", "import sys; sys.stdout.buffer.write(b'\\xff' * 64)"),
        ("-m", "progressive.no_such_module"),
    ],
)
async def test_a_process_that_does_not_start_is_an_error_and_not_a_hang(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    orders = Orders(
        close_within_hours=24,
        data=str(tmp_path),
        accounts=None,
        mappings=None,
        rest=0,
        memory_bytes=0,
    )
    bookkeeper = ProcessBookkeeper(orders, command=command)
    with pytest.raises(BookkeeperError):
        await answered(bookkeeper, KINDS)
    assert bookkeeper.pid is None


@pytest.mark.parametrize("day", ["2026-10-30", "2026-10-31"])
async def test_a_day_that_was_purged_is_told_from_one_that_never_was(
    shelf: FinanceShelf, tmp_path: Path, day: str
) -> None:
    """Friday is gone, and the morning of Saturday."""
    journal = shelf.copy_to(tmp_path / "purged")
    close_segments(journal, [16, 24])
    Mischief(journal).purge(2)
    orders = Orders(
        close_within_hours=24,
        data=str(tmp_path / "purged"),
        accounts=None,
        mappings=None,
        rest=0,
        memory_bytes=0,
    )
    bookkeeper = ProcessBookkeeper(orders)
    report = structs.replace(REPORT, day=day)
    assert (await answered(bookkeeper, report)).code == PURGED
    records = RecordsAsked(now=NOT_OVER_AT, link="main", from_seq=20, to_seq=30, limit=5)
    assert (await answered(bookkeeper, records)).code == PURGED
    whole = await answered(bookkeeper, structs.replace(records, from_seq=25))
    assert (whole.code, whole.body.count(b'"prev"')) == ("", 5)
    await bookkeeper.stop()


async def test_it_ends_with_whoever_started_it(start: Start) -> None:
    bookkeeper = start()
    await answered(bookkeeper, KINDS)
    pid = bookkeeper.pid
    assert pid is not None
    await bookkeeper.stop()
    await until(lambda: gone(pid))
