"""What two people sign of a day is worked out from its records, whatever is stored of it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.ended_day import FRIDAY, EndedDay, ended_day
from tests.support.journals import JournalFile
from tests.support.staff import AMY, PAT
from tests.support.stored_books import forge_book, store_books

DAY = f"/v1/days/main/{FRIDAY}"

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def ready(tmp_path: Path) -> AsyncIterator[EndedDay]:
    async with ended_day(tmp_path / "data") as floor:
        await floor.explain()
        yield floor


@pytest.mark.slow
async def test_a_stored_book_has_no_part_in_what_is_prepared(ready: EndedDay) -> None:
    right = (await ready.day(PAT))["totals"]
    await asyncio.to_thread(lambda: store_books(ready.data, FRIDAY))
    await asyncio.to_thread(
        lambda: forge_book(ready.data, FRIDAY, lambda book: book.closing.accounts.update(hold=7))
    )
    assert (await ready.day(PAT))["totals"] != right
    status, prepared = await ready.staff.post(PAT, f"{DAY}/prepare")
    assert status == 202, prepared
    records = JournalFile(ready.data).records()
    assert records[prepared["prepared_seq"] - 1]["event"]["totals"] == right
    assert (await ready.staff.post(AMY, f"{DAY}/close"))[0] == 200


@pytest.mark.slow
async def test_a_record_that_was_changed_since_the_preparation_stops_the_close(
    ready: EndedDay,
) -> None:
    await asyncio.to_thread(lambda: store_books(ready.data, FRIDAY))
    assert (await ready.staff.post(PAT, f"{DAY}/prepare"))[0] == 202
    journal = JournalFile(ready.data)
    first, body = next(
        (row.first_seq, row.body) for row in journal.rows() if b'"wagers_registered"' in row.body
    )
    journal.execute(
        "UPDATE batch SET body = ? WHERE first_seq = ?",
        body.replace(b'"amount_cents":', b'"amount_cents": ').replace(b'"BJ-01"', b'"BJ-02"'),
        first,
    )
    status, answer = await ready.staff.post(AMY, f"{DAY}/close")
    assert (status, answer["error"]["code"]) == (503, "JOURNAL_DAMAGED")
    assert "does not follow record" in answer["error"]["message"]
    assert (await ready.day(PAT))["state"] == "prepared"
