"""The first close may leave days behind: the page says so before, and calls them what they are."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from progressive.entry.bootstrap import Running
from tests.support.accessibility import assert_accessible
from tests.support.finance_page import FinanceScreen, a_finance_floor, a_finance_screen
from tests.support.screens import EXPECT_MS, PAT

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

FIRST, SECOND = "2026-10-30", "2026-10-31"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Running]:
    async with a_finance_floor(tmp_path_factory.mktemp("finance") / "data") as (running, _):
        yield running


async def test_an_address_that_asks_for_nothing_there_is_said(bob: FinanceScreen) -> None:
    page = bob.page
    await bob.go("foo", link="nope")
    said = page.locator("#asked")
    await expect(said).to_contain_text("There is no link “nope”")
    await expect(said).to_contain_text("“foo” is not a day like")
    await expect(page.locator(".day-name h2")).to_have_text("Tuesday, 3 November 2026")
    await assert_accessible(page)
    await bob.go(FIRST)
    await expect(said).to_be_hidden()


async def test_the_strip_says_which_day_is_ready(bob: FinanceScreen) -> None:
    await bob.go(FIRST)
    await bob.state("ready")
    shown = bob.page.locator("#strip").get_by_role("button", name="Fri 30 Oct: Ready to close")
    await expect(shown).to_have_attribute("data-state", "ready")
    await bob.go(SECOND)
    # It was worked out once, and is remembered.
    await expect(shown).to_have_attribute("data-state", "ready")


async def test_the_first_close_leaves_days_behind_only_where_that_is_chosen(
    browser: Browser, service: Running, bob: FinanceScreen
) -> None:
    page = bob.page
    await bob.go(SECOND)
    await expect(page.locator("#closing .behind")).to_contain_text(
        "1 day before Saturday, 31 October 2026 was never closed: Friday, 30 October 2026. "
        "It stays outside the closes if this day is closed first."
    )
    await page.locator("#closing").get_by_role("button", name="Prepare").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Prepare").click()
    before = dialog.get_by_label("Days before")
    await expect(before).to_have_attribute("aria-invalid", "true")
    await assert_accessible(page)
    await before.select_option(label="They stay outside the closes")
    await dialog.get_by_role("button", name="Prepare").click()
    await expect(dialog).to_have_count(0, timeout=EXPECT_MS)
    await bob.state("prepared")
    async with a_finance_screen(browser, service.url, PAT) as pat:
        await pat.go(SECOND)
        # The reviewer is told as well.
        await expect(pat.page.locator("#closing .behind")).to_contain_text("outside the closes")
        await pat.hold_to_close()
        await pat.state("closed")

    await bob.go(FIRST)
    await bob.state("outside")
    await expect(page.locator(".day-state .word")).to_have_text("Before the first close")
    strip = page.locator("#strip")
    await expect(
        strip.get_by_role("button", name="Fri 30 Oct: Before the first close")
    ).to_be_visible()
    await expect(page.locator("#closing .behind")).to_contain_text("stay as they are")
    for nothing in (".keeps", "#closing .foot-keys", "#closing .statements .steps-line"):
        await expect(page.locator(nothing)).to_have_count(0)
    assert "still to be done" not in await page.locator("main").inner_text()
    await assert_accessible(page)
