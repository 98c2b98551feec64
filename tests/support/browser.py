"""A real Chromium for tests that look at pages. A missing one fails: a skip would hide it."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, async_playwright, expect

EXPECT_MS = 30_000
"""What a test waits for a page at most: a safety net for a hung test, never a measure of speed."""
expect.set_options(timeout=EXPECT_MS)

EXECUTABLES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first is the same engine without a browser's windows: it starts in a third of the time."""
# No sandbox and no /dev/shm: containers rarely have either; the only pages opened are our own.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    # A browser that calls home would only wait for a network that is not there.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def chromium_path() -> str:
    for name in EXECUTABLES:
        if path := shutil.which(name):
            return path
    pytest.fail(
        f"no browser: none of {', '.join(EXECUTABLES)} is on PATH; "
        "on Debian: apt-get install chromium-headless-shell"
    )


@asynccontextmanager
async def a_browser() -> AsyncIterator[Browser]:
    """A headless browser, closed at the end together with all its pages."""
    executable_path = chromium_path()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=executable_path, args=list(ARGUMENTS)
        )
        try:
            yield browser
        finally:
            await browser.close()
