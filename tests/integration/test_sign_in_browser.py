"""The whole way, as a guest sees it: a table locks a round and the sign on the wall moves."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.support.browser import a_browser
from tests.support.service import ServiceProcess, TableClient, issue_key, lock, settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]

EXPECT_MS = 20_000


@contextlib.asynccontextmanager
async def a_page(url: str) -> AsyncIterator[tuple[Page, list[str]]]:
    async with a_browser() as browser:
        page = await browser.new_page(viewport={"width": 1920, "height": 1080})
        said: list[str] = []
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        await page.goto(url)
        yield page, said


async def shows(page: Page, meter: str, amount: str) -> None:
    locator = page.locator(f'[data-meter="{meter}"] .amount')
    await expect(locator).to_have_text(amount, timeout=EXPECT_MS)


async def is_in_state(page: Page, state: str) -> None:
    await expect(page.locator("body")).to_have_attribute("data-state", state, timeout=EXPECT_MS)


async def test_a_locked_round_moves_the_sign(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        async with a_page(f"{service.url}/sign/entrance") as (page, said):
            await is_in_state(page, "live")
            await shows(page, "mega", "$100,000.00")
            key = issue_key(data, "BJ-01")
            async with TableClient.connect(service.url, "BJ-01", key) as table:
                await table.ask(lock(1, "r1", (1, 2, 3, 4, 5, 6, 7)))
                await shows(page, "mega", "$100,004.20")
                await shows(page, "major", "$15,002.10")
                await shows(page, "minor", "$3,001.40")
                await table.ask(settle(2, "r1"))
            assert said == []


async def test_a_killed_service_is_shown_as_stale_and_its_return_as_live(tmp_path: Path) -> None:
    data = tmp_path / "data"
    service = ServiceProcess(data)
    async with a_page(f"{service.url}/sign/pit") as (page, _):
        await is_in_state(page, "live")
        service.kill()
        await is_in_state(page, "stale")
        # The last amount stays on the glass, marked as old.
        await shows(page, "mega", "$100,000.00")
        with ServiceProcess(data, port=service.port) as again:
            await is_in_state(page, "live")
            key = issue_key(data, "BJ-02")
            async with TableClient.connect(again.url, "BJ-02", key) as table:
                await table.ask(lock(1, "r1"))
                await shows(page, "mega", "$100,000.60")
