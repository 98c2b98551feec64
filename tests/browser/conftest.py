"""One browser for all tests of a file; its windows are as separate as browsers are."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser

from tests.support.browser import a_browser
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
