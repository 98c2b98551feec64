"""The whole way, as a guest sees it: a table locks a round and the sign on the wall moves."""

import contextlib
import random
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.async_api import Browser, ConsoleMessage, Page, expect

from tests.support.browser import EXPECT_MS, a_browser
from tests.support.lying_proxy import Message, a_lying_proxy
from tests.support.service import ServiceProcess, TableClient, issue_key, lock, settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MEGA = 10_000_000
SEVENS = {"dealer": {"cards": ["5s"]}, "seats": [{"seat": 1, "cards": ["7d", "7d", "7d"]}]}


class Sign:
    """A page of the real service, with a clock that the test may push on."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))

    def _listen(self, message: ConsoleMessage) -> None:
        # The last is playwright's own, where a test has no use for the service worker.
        if message.type in ("error", "warning") and "blocked by Playwright" not in message.text:
            self.complaints.append(message.text)

    async def shows(self, meter: str, cents: int) -> None:
        amount = self.page.locator(f'#layout [data-meter="{meter}"] .amount')
        await expect(amount).to_have_attribute("data-cents", str(cents), timeout=EXPECT_MS)

    async def is_in_state(self, state: str) -> None:
        body = self.page.locator("body")
        await expect(body).to_have_attribute("data-state", state, timeout=EXPECT_MS)


@contextlib.asynccontextmanager
async def a_sign(browser: Browser, url: str, sign: str) -> AsyncIterator[Sign]:
    context = await browser.new_context(
        viewport={"width": 1280, "height": 720}, service_workers="block"
    )
    shown = Sign(await context.new_page())
    await shown.page.clock.install()
    await shown.page.goto(f"{url}/sign/{sign}")
    yield shown
    await context.close()


async def test_a_round_moves_the_sign_and_a_win_takes_it_over(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        key = issue_key(data, "BJ-01")
        async with a_browser() as browser, a_sign(browser, service.url, "entrance") as sign:
            await sign.is_in_state("live")
            await sign.shows("mega", MEGA)
            async with TableClient.connect(service.url, "BJ-01", key) as table:
                await table.ask(lock(1, "r1", (1, 2, 3, 4, 5, 6, 7)))
                await sign.shows("mega", MEGA + 420)
                await sign.shows("major", 1_500_210)
                await sign.shows("minor", 300_140)
                settled = await table.ask(settle(2, "r1", **SEVENS))
            award = settled["awards"][0]
            takeover = sign.page.locator("#takeover")
            await expect(takeover).to_have_attribute("data-award", award["award"])
            await expect(takeover).to_contain_text("Mega won!")
            await expect(takeover).to_contain_text("Three 7s of diamonds")
            await expect(takeover).to_contain_text("Table BJ-01 · Seat 1")
            won = takeover.locator(".takeover-amount-won .amount")
            await expect(won).to_have_attribute("data-cents", str(award["amount_cents"]))
            await sign.shows("mega", award["meter_after_cents"])
            # A sign that comes in the middle of it shows it too.
            async with a_sign(browser, service.url, "pit") as late:
                await expect(late.page.locator("#takeover")).to_be_visible()
            assert sign.complaints == []


async def test_a_killed_service_is_shown_as_stale_and_its_return_as_live(tmp_path: Path) -> None:
    data = tmp_path / "data"
    service = ServiceProcess(data)
    key = issue_key(data, "BJ-02")
    async with a_browser() as browser, a_sign(browser, service.url, "pit") as sign:
        await sign.is_in_state("live")
        service.kill()
        await sign.page.clock.fast_forward(4_000)
        await sign.is_in_state("ageing")
        await sign.page.clock.fast_forward(60_000)
        await sign.is_in_state("stale")
        await expect(sign.page.locator("#headline")).to_contain_text("No contact for 1 min")
        # The last amount stays on the glass, marked as old.
        await sign.shows("mega", MEGA)
        with ServiceProcess(data, port=service.port) as again:
            await sign.page.clock.fast_forward(5_000)
            await sign.is_in_state("live")
            async with TableClient.connect(again.url, "BJ-02", key) as table:
                await table.ask(lock(1, "r1"))
                await sign.shows("mega", MEGA + 60)


async def test_never_backwards_behind_a_proxy_that_delays_repeats_and_reorders(
    tmp_path: Path,
) -> None:
    chance = random.Random(26)
    held: list[Message] = []

    def lie(_: str, message: Message) -> list[Message]:
        """Holds frames back, says some twice, and lets them go in any order but the first."""
        if message["type"] == "snapshot":
            return [message]
        held.extend([message] * chance.choice([1, 1, 2, 3]))
        chance.shuffle(held)
        return [held.pop() for _ in range(chance.randrange(len(held)))]

    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        key = issue_key(data, "BJ-03")
        async with (
            a_lying_proxy(service.url, on_signs=lie) as url,
            a_browser() as browser,
            a_sign(browser, url, "entrance") as sign,
        ):
            await sign.is_in_state("live")
            await sign.page.evaluate(WATCH_FRAMES)
            async with TableClient.connect(service.url, "BJ-03", key) as table:
                for number in range(1, 13):
                    await table.ask(lock(2 * number - 1, f"r{number}", (1, 2, 3)))
                    await table.ask(settle(2 * number, f"r{number}"))
            await sign.shows("mega", MEGA + 12 * 180)
            seen: list[list[int]] = await sign.page.evaluate("window.frames_seen")
    assert len({read for read, _ in seen}) > 5
    assert all(read <= target <= MEGA + 12 * 180 for read, target in seen)
    assert all(one[0] <= other[0] and one[1] <= other[1] for one, other in pairwise(seen))


WATCH_FRAMES = """() => {
  window.frames_seen = [];
  const look = () => {
    const { cents, targetCents } = document.querySelector('[data-meter="mega"] .amount').dataset;
    window.frames_seen.push([Number(cents), Number(targetCents)]);
    requestAnimationFrame(look);
  };
  look();
}"""
