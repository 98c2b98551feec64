"""The last day of a month on the page, and the month behind it: the week that has everything.

Six days of `finance_week` are closed already. Bob enters the cage's file of the last one, which has
25 hours, and prepares it, Pat closes it; then the ledger's balances are entered for the month.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import FilePayload, expect

from progressive.domain.money import money_text
from progressive.entry.bootstrap import Running, running
from tests.support.finance_page import FinanceScreen
from tests.support.finance_week import (
    CLOSED_AT,
    DAYS,
    SATURDAY,
    Office,
    cage_files,
    week_rules,
    write_finance_week,
)
from tests.support.journals import JournalFile
from tests.support.screens import EXPECT_MS
from tests.support.service import run_command
from tests.support.set_clock import SetClock
from tests.support.staff import working

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

CLOSED_DAYS = "#strip [data-state=closed]"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("week") / "data"
    data.mkdir()
    await write_finance_week(data)
    return data


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(data: Path) -> AsyncIterator[Running]:
    clock = SetClock()
    clock.set_to(CLOSED_AT)
    async with (
        running(week_rules(), data=data, host="127.0.0.1", port=0, clock=clock) as service,
        working(service.url, data, clock=clock) as staff,
    ):
        office = Office(staff, cage_files(JournalFile(data)))
        for day in DAYS[:-1]:
            await office.close(day)
        yield service


async def test_the_last_day_of_the_month_is_closed(
    data: Path, bob: FinanceScreen, pat: FinanceScreen
) -> None:
    await bob.page.locator("[data-work=day]").get_by_role("button").click()
    await expect(bob.page.locator(".day-name h2")).to_have_text("Saturday, 31 October 2026")
    await bob.settled()
    await expect(bob.page.locator(CLOSED_DAYS)).to_have_count(6)
    await bob.state("open")
    await expect(bob.page.locator(".keeps")).to_contain_text("Cage")
    await bob.page.get_by_role("button", name="Cage file…").click()
    dialog = bob.page.get_by_role("dialog")
    file: FilePayload = {
        "name": "cage.csv",
        "mimeType": "text/csv",
        "buffer": cage_files(JournalFile(data))[SATURDAY].encode(),
    }
    await dialog.get_by_label("File").set_input_files(file)
    await dialog.get_by_role("button", name="Compare").click()
    await expect(dialog).to_have_count(0, timeout=EXPECT_MS)
    await expect(bob.check("cage")).to_have_attribute("data-state", "agrees", timeout=EXPECT_MS)
    await bob.state("ready")
    await bob.settled()
    await bob.prepare("the end of October")
    await pat.go(SATURDAY)
    await pat.hold_to_close()
    await pat.state("closed")
    await expect(pat.page.locator(CLOSED_DAYS)).to_have_count(7)


async def test_the_ledger_is_held_against_the_whole_month(bob: FinanceScreen) -> None:
    await bob.go(SATURDAY)
    ledger = bob.page.locator("#ledger")
    await expect(ledger).to_contain_text("Balances, October 2026")
    row = ledger.locator("tbody tr", has_text="on display").last
    opening, closing = [await row.locator("td").nth(at).inner_text() for at in (0, 1)]
    answer = await bob.page.request.get(
        f"{bob.screen.url}/v1/reports/rollforward?link=main&month=2026-10"
    )
    report = await answer.json()
    assert report["closed"] is True
    shown = next(each for each in report["rows"] if each["part"] == "primary")
    assert opening == "$0.00"
    assert closing == money_text(shown["closing_cents"], "USD")
    await bob.enter(
        "Ledger balance…",
        {"Meter": "Progressive", "Part": "On display", "Balance in the ledger": closing},
    )
    await expect(row.locator("td").nth(2)).to_have_text(closing, timeout=EXPECT_MS)
    await expect(row.locator("td").nth(3)).to_have_text("$0.00")


async def test_the_verifier_agrees_with_the_month(data: Path, service: Running) -> None:
    told = run_command("verify", "--data", data)
    assert told.returncode == 0, told.stdout
