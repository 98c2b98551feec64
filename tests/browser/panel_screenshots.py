"""Makes the pictures of docs/dealer-panel.md: `python -m tests.browser.panel_screenshots FOLDER`.

One dealer's quarter of an hour on the real service.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser, expect

from tests.support.browser import a_browser
from tests.support.dealer import SEVENS, Dealer
from tests.support.screens import DAN, EXPECT_MS, PHONE, PIT_DESKTOP, TOUCH_WIDE, a_screen, hire
from tests.support.service import ServiceProcess


async def make(folder: Path, data: Path) -> None:
    await hire(data, (DAN,))
    async with a_browser() as browser:
        with ServiceProcess(data) as service:
            await shoot_betting(browser, service, folder)
            await shoot_cards(browser, service, folder)
            await shoot_phone(browser, service, folder)
            await shoot_lost(browser, service, folder)


async def shoot_betting(browser: Browser, service: ServiceProcess, folder: Path) -> None:
    """Base wagers keyed, proposed, missing and too low; then a count that was not the lights."""
    async with a_screen(browser, service.url, size=PIT_DESKTOP, theme="dark") as screen:
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.lock(1, 2, 5)
        await dealer.hold("settle", until="betting")
        await dealer.page.get_by_role("button", name="Same again").click()
        await dealer.key_base(2, "$50")
        await dealer.lights(4)
        await dealer.bases("$10")
        await dealer.light(4).click()
        await dealer.lights_at("$25", (2, "buster"), (6, "buster"))
        await dealer.bases("$20")
        await dealer.counts(3)
        await dealer.page.screenshot(path=folder / "panel-betting.png")
        await dealer.page.locator('[data-seat="6"] .seat-open').click()
        await dealer.base_keys.get_by_role("button", name="Other").click()
        for digit in "35":
            await dealer.page.keyboard.press(digit)
        await dealer.page.screenshot(path=folder / "panel-amount.png")
        await dealer.page.get_by_role("button", name="Enter").click()
        await dealer.counts(4)
        await dealer.press("lock")
        verdict = dealer.page.locator(".count-verdict")
        await expect(verdict).to_be_visible(timeout=EXPECT_MS)
        await dealer.page.mouse.up()
        await dealer.page.mouse.move(0, 0)
        await dealer.page.screenshot(path=folder / "panel-count.png")
        await dealer.page.get_by_role("button", name="All off").click()


async def shoot_cards(browser: Browser, service: ServiceProcess, folder: Path) -> None:
    """A card half keyed, and two winners in the order of payment."""
    async with a_screen(browser, service.url, size=TOUCH_WIDE, theme="dark") as screen:
        dealer = await Dealer.arrive(screen, DAN, "BJ-02")
        await dealer.lock(1, 2, 5)
        await dealer.key(2, ("7d", "7d"))
        await dealer.page.get_by_role("button", name="Seat 2: change cards").click()
        keypad = dealer.page.locator("dialog.keypad")
        await keypad.get_by_role("button", name="7", exact=True).click()
        await dealer.page.screenshot(path=folder / "panel-keypad.png")
        await keypad.get_by_role("button", name="diamonds").click()
        await keypad.get_by_role("button", name="Done").click()
        await dealer.key(5, ("7s", "2c"))
        await dealer.key("Dealer", ("9c", "8h"))
        await screen.page.set_viewport_size({"width": PIT_DESKTOP[0], "height": PIT_DESKTOP[1]})
        await dealer.hold("settle", until="paying")
        await dealer.page.screenshot(path=folder / "panel-paying.png")


async def shoot_phone(browser: Browser, service: ServiceProcess, folder: Path) -> None:
    async with a_screen(browser, service.url, size=PHONE, theme="dark") as screen:
        dealer = await Dealer.arrive(screen, DAN, "BJ-03")
        await dealer.lock(1, 2, 5, 7)
        await dealer.key(2, SEVENS)
        await dealer.key(5, SEVENS)
        await dealer.key("Dealer", ("9c", "8h"))
        await dealer.page.evaluate("scrollTo(0, 0)")
        await dealer.page.screenshot(path=folder / "panel-phone.png")


async def shoot_lost(browser: Browser, service: ServiceProcess, folder: Path) -> None:
    async with a_screen(browser, service.url, size=PIT_DESKTOP, theme="dark") as screen:
        screen.may_lose_contact = True
        dealer = await Dealer.arrive(screen, DAN, "BJ-04")
        await dealer.places(1, 2, 5)
        service.kill()
        await dealer.has_lost_contact()
        await dealer.page.screenshot(path=folder / "panel-lost.png")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(make(Path(sys.argv[1]), Path(scratch) / "data"))
