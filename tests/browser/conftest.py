"""One browser for all tests of a file; its windows are as separate as browsers are."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser

from progressive.entry.bootstrap import Running
from tests.support.browser import a_browser
from tests.support.finance_page import FinanceScreen, a_finance_screen
from tests.support.screens import BOB, PAT
from tests.support.signs import Wall


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with a_browser() as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def wall(browser: Browser) -> AsyncIterator[Wall]:
    """One server for the signs of a file; each sign has a feed of its own."""
    async with Wall.open(browser) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bob(browser: Browser, service: Running) -> AsyncIterator[FinanceScreen]:
    """Of finance, at the page of finance of the file's `service`."""
    async with a_finance_screen(browser, service.url, BOB) as finance:
        yield finance


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pat(browser: Browser, service: Running) -> AsyncIterator[FinanceScreen]:
    """Bob's colleague, in a window of her own."""
    async with a_finance_screen(browser, service.url, PAT) as finance:
        yield finance
