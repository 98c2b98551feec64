"""Makes the pictures of the finance page: `python -m tests.browser.finance_screenshots FOLDER`.

A month of play on the real service. All days but the last ones are closed by two people of finance;
one is prepared and waits, one is open with what has to be explained, one is under way.
"""

import asyncio
import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Any

import aiohttp
from playwright.async_api import Browser, expect

from tests.support.browser import a_browser
from tests.support.finance_page import FinanceScreen, a_finance_floor, a_finance_screen
from tests.support.people import PASSWORD
from tests.support.screens import BOB, EXPECT_MS, PAT, PHONE, TOUCH_TALL

DESKTOP = (1440, 1000)
LAST, PREPARED = "2026-11-02", "2026-11-01"
LOOKS = [(DESKTOP, "light"), (DESKTOP, "dark"), (TOUCH_TALL, "dark"), (PHONE, "light")]
CAGE_FILE = "reference,document,amount,time\nC-1,CAGE-77,2771.80,2026-11-02T02:30:00-05:00\n"


class Clerk:
    """A person of finance who acts by script."""

    def __init__(self, session: aiohttp.ClientSession, token: str) -> None:
        self._session = session
        self._headers = {"Authorization": f"Bearer {token}"}

    @classmethod
    async def of(cls, session: aiohttp.ClientSession, name: str) -> "Clerk":
        credentials = {"user": name, "password": PASSWORD}
        async with session.post("/v1/sessions", json=credentials) as answer:
            return cls(session, (await answer.json())["token"])

    async def get(self, path: str) -> Any:  # noqa: ANN401 (any JSON)
        async with self._session.get(f"/v1/{path}", headers=self._headers) as answer:
            assert answer.ok, await answer.text()
            return await answer.json()

    async def post(self, path: str, body: object) -> None:
        kind = {"data": body} if isinstance(body, str) else {"json": body}
        async with self._session.post(
            f"/v1/{path}",
            headers=self._headers,
            **kind,  # type: ignore[arg-type]
        ) as answer:
            assert answer.ok, await answer.text()


async def close_days(bob: Clerk, pat: Clerk) -> None:
    """From the first day on, each explained; the last of them is left to its reviewer."""
    days = [line["day"] for line in reversed((await bob.get("days?link=main"))["days"])]
    for day in days[: days.index(PREPARED) + 1]:
        at = f"days/main/{day}"
        if day == PREPARED:
            await bob.post(f"{at}/cage?file=cage-2026-11-01.csv", CAGE_FILE)
        for check in (await bob.get(at))["checks"]:
            for finding in check["findings"]:
                said = {"check": check["check"], "item": finding["item"], "text": "seen, and filed"}
                await bob.post(f"{at}/entries", {"entry": {"type": "explained", **said}})
        await bob.post(f"{at}/prepare", {"note": "meters, wagers and wins seen"})
        if day != PREPARED:
            await pat.post(f"{at}/close", {})
    await bob.post(f"days/main/{LAST}/entries", {"entry": {"type": "bank", "cents": 4_000_000}})


async def make(folder: Path, data: Path) -> None:
    async with contextlib.AsyncExitStack() as stack:
        service, _ = await stack.enter_async_context(a_finance_floor(data, days=35, rounds=40))
        session = await stack.enter_async_context(aiohttp.ClientSession(service.url))
        browser = await stack.enter_async_context(a_browser())
        await close_days(await Clerk.of(session, BOB.name), await Clerk.of(session, PAT.name))
        for size, theme in LOOKS:
            async with a_finance_screen(
                browser, service.url, PAT, size=size, theme=theme
            ) as finance:
                await shoot(finance, folder, f"{size[0]}-{theme}")
        await shoot_correction(browser, service.url, folder)


async def shoot(finance: FinanceScreen, folder: Path, look: str) -> None:
    for day, name in ((PREPARED, "finance"), (LAST, "finance-open")):
        await finance.go(day)
        await expect(finance.page.locator("#work li").first).to_be_visible(timeout=EXPECT_MS)
        await finance.page.screenshot(path=folder / f"{name}-{look}.png")
        await finance.page.screenshot(path=folder / f"{name}-{look}-full.png", full_page=True)


async def shoot_correction(browser: Browser, url: str, folder: Path) -> None:
    async with a_finance_screen(browser, url, PAT, size=DESKTOP, theme="dark") as finance:
        await finance.page.locator("[data-work=correction] button").click()
        await expect(finance.page.get_by_role("dialog").locator("tbody tr")).to_have_count(2)
        await finance.page.screenshot(path=folder / "finance-correction-1440-dark.png")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(make(Path(sys.argv[1]), Path(scratch) / "data"))
