"""The page of finance for tests: the real service on days of play, its clock turned to them."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from playwright.async_api import Browser, Locator, Page, expect

from progressive.adapters.config.floor import load_floor
from progressive.domain.people.roles import Person
from progressive.entry.bootstrap import Running, running
from tests.support.finance_floor import NOW, write_floor_days
from tests.support.screens import EXPECT_MS, PIT_DESKTOP, Screen, a_screen, hire
from tests.support.service import FLOOR
from tests.support.set_clock import SetClock

SETTLED_MS = 60_000
"""Every section has been asked for; a safety net, never a measure of speed."""


@contextlib.asynccontextmanager
async def a_finance_floor(
    data: Path, *, days: int = 5, rounds: int = 12
) -> AsyncIterator[tuple[Running, SetClock]]:
    """The demo floor after some days, and its clock."""
    await write_floor_days(data, days=days, rounds=rounds)
    await hire(data)
    clock = SetClock()
    clock.set_to(NOW)
    rules = load_floor(FLOOR).rules
    assert rules is not None
    async with running(rules, data=data, host="127.0.0.1", port=0, clock=clock) as service:
        yield service, clock


class FinanceScreen:
    """The page as one person sees it."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.page: Page = screen.page

    async def go(self, day: str, *, link: str = "main") -> None:
        await self.screen.go(f"/finance?link={link}&day={day}")
        await self.settled()

    async def settled(self) -> None:
        """All of the page has come: its work is the last that is asked for."""
        busy = self.page.locator("section[aria-busy=true]")
        await expect(busy).to_have_count(0, timeout=SETTLED_MS)
        await expect(self.page.locator("#pictures article")).to_have_count(4, timeout=SETTLED_MS)

    def check(self, name: str) -> Locator:
        return self.page.locator(f'#closing [data-check="{name}"]')

    async def enter(self, button: str, fields: dict[str, str], *, confirm: str = "Enter") -> None:
        """One of the forms for what only people know."""
        await self.page.get_by_role("button", name=button).click()
        dialog = self.page.get_by_role("dialog")
        for label, value in fields.items():
            field = dialog.get_by_label(label, exact=True)
            if await field.evaluate("field => field.localName") == "select":
                await field.select_option(label=value)
            else:
                await field.fill(value)
        await dialog.get_by_role("button", name=confirm).click()
        await expect(dialog).to_have_count(0, timeout=EXPECT_MS)

    async def state(self, state: str) -> None:
        """How far the day has got, once the page says so."""
        shown = self.page.locator(".day-state")
        await expect(shown).to_have_attribute("data-state", state, timeout=EXPECT_MS)

    async def explain(self, check: str, text: str) -> None:
        """The first finding of a check that nobody has explained."""
        found = self.check(check)
        await found.get_by_role("button", name="Explain…").first.click()
        await found.get_by_role("textbox").fill(text)
        await found.get_by_role("button", name="Save").click()
        await expect(found).to_contain_text(text, timeout=EXPECT_MS)

    async def prepare(self, note: str = "") -> None:
        await self.page.locator("#closing").get_by_role("button", name="Prepare").click()
        dialog = self.page.get_by_role("dialog")
        await dialog.get_by_label("Note").fill(note)
        await dialog.get_by_role("button", name="Prepare").click()
        await expect(dialog).to_have_count(0, timeout=EXPECT_MS)
        await self.state("prepared")

    async def hold_to_close(self) -> None:
        """By the keyboard: held until the page has said that it is done."""
        await self.page.locator("#close-day").focus()
        await self.page.keyboard.down("Enter")
        done = self.page.locator(".toast", has_text="is closed")
        await expect(done).to_be_visible(timeout=EXPECT_MS)
        await self.page.keyboard.up("Enter")


@contextlib.asynccontextmanager
async def a_finance_screen(
    browser: Browser,
    url: str,
    person: Person,
    *,
    size: tuple[int, int] = PIT_DESKTOP,
    theme: str = "light",
) -> AsyncIterator[FinanceScreen]:
    """Signed in, at the day that runs."""
    async with a_screen(browser, url, size=size, theme=theme) as screen:
        await screen.sign_in(person, to="/finance")
        finance = FinanceScreen(screen)
        await finance.settled()
        yield finance
