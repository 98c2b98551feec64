"""A supervisor's one tap, in a real browser: at the dealer's panel and on the pit console.

The floor has `validation = "every"` on Blazing 7's (NJ 13:69F-2.28(g)3).
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.support.accessibility import assert_accessible
from tests.support.browser import a_browser
from tests.support.dealer import Dealer
from tests.support.evening import Pit
from tests.support.people import PASSWORD
from tests.support.screens import ANN, DAN, EXPECT_MS, SUE, TOUCH_WIDE, a_screen, hire
from tests.support.service import FLOOR, ServiceProcess

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

ONE_SEVEN, TWO_SEVENS = ("7c", "2c"), ("7s", "7h")
WAITS = "Hold the cards of seat {}: a supervisor confirms, then pay from the rack"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with a_browser() as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServiceProcess]:
    folder = tmp_path_factory.mktemp("strict")
    text = FLOOR.read_text(encoding="utf-8")
    strict = text.replace("dealing_option = 1", 'dealing_option = 1\nvalidation = "every"', 1)
    (folder / "floor.toml").write_text(strict, encoding="utf-8")
    await hire(folder / "data", (DAN, ANN, SUE))
    with ServiceProcess(folder / "data", floor=folder / "floor.toml") as running:
        yield running


async def signs_in(dealer: Dealer, name: str, password: str = PASSWORD) -> None:
    dialog = dealer.page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill(name)
    await dialog.get_by_label("Password").fill(password)
    await dialog.get_by_role("button", name="Sign in").click()


async def plays(dealer: Dealer) -> None:
    await dealer.lock(1, 2)
    await dealer.key(1, ONE_SEVEN)
    await dealer.key(2, TWO_SEVENS)
    await dealer.key("Dealer", ("9c",))
    await dealer.hold("settle", until="paying")


async def test_supervisor_confirms_round_after_round_at_the_panel(
    browser: Browser, service: ServiceProcess, tmp_path: Path
) -> None:
    async with a_screen(browser, service.url, size=TOUCH_WIDE, touch=True) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        page, bar = dealer.page, dealer.page.locator("#confirm")
        await expect(bar).to_be_hidden()
        await plays(dealer)
        await dealer.pays((2, "$125.00", WAITS.format(2)), (1, "$10.00", WAITS.format(1)))
        await expect(bar).to_contain_text("A supervisor confirms this round: 2 payouts")
        await page.screenshot(path=tmp_path / "panel-waits.png")
        await bar.get_by_role("button", name="Supervisor signs in").click()
        await signs_in(dealer, "Ann", "not her password")
        dialog = page.get_by_role("dialog")
        await expect(dialog.locator(".field-problem").last).to_contain_text("password")
        screen.complaints.clear()  # The browser's own line about the 401.
        await signs_in(dealer, "Ann")
        await expect(bar).to_contain_text("Supervisor Ann, until")
        await assert_accessible(page)
        await page.screenshot(path=tmp_path / "panel-signed-in.png")
        await bar.get_by_role("button", name="Confirm seat 2 $125.00, seat 1 $10.00").click()
        paid = "Confirmed by Ann: pay from the rack"
        await dealer.pays((2, "$125.00", paid), (1, "$10.00", paid))
        await page.screenshot(path=tmp_path / "panel-confirmed.png")
        await dealer.goes_on()
        # The next round goes on without her; what waits is shown until the dealer has paid it.
        await plays(dealer)
        await dealer.goes_on()
        waiting = page.locator("#waiting")
        await expect(waiting.locator(".payment")).to_have_count(2)
        await page.screenshot(path=tmp_path / "panel-later.png")
        await bar.get_by_role("button", name="Confirm seat 2 $125.00, seat 1 $10.00").click()
        await expect(waiting).to_be_hidden(timeout=EXPECT_MS)
        rows = bar.locator(".confirm-paid li")
        await expect(rows).to_have_count(2)
        await expect(rows.first).to_contain_text("Confirmed: pay seat 2 $125.00 from the rack")
        await page.screenshot(path=tmp_path / "panel-pay-later.png")
        for left in (1, 0):
            await rows.first.get_by_role("button", name="Paid").click()
            await expect(rows).to_have_count(left)
        await bar.get_by_role("button", name="Leave").click()
        await expect(bar).to_be_hidden()
        assert PASSWORD not in await page.evaluate(
            "JSON.stringify({...sessionStorage, ...localStorage})"
        )


async def test_supervisor_confirms_before_the_peek_and_it_is_paid_once(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        dealer = await Dealer.arrive(screen, DAN, "BJ-03")
        page, bar = dealer.page, dealer.page.locator("#confirm")
        await dealer.lock(2)
        await page.locator("#peek").click()
        await dealer.taps(("As",))
        await dealer.key(2, TWO_SEVENS)
        await dealer.press("early")
        await dealer.pays((2, "$125.00", WAITS.format(2)))
        await page.mouse.up()
        await expect(bar).to_contain_text("A supervisor confirms this round: 1 payout from")
        await expect(page.locator("#waiting")).to_be_hidden()
        await bar.get_by_role("button", name="Supervisor signs in").click()
        await signs_in(dealer, "Ann")
        await bar.get_by_role("button", name="Confirm seat 2 $125.00", exact=True).click()
        await dealer.pays((2, "$125.00", "Confirmed by Ann: pay from the rack"))
        await expect(bar.locator(".confirm-paid li")).to_have_count(0)
        await dealer.hold("settle", until="betting")
        await expect(bar.locator(".confirm-paid li")).to_have_count(0)
        await bar.get_by_role("button", name="Leave").click()


async def test_misdeal_at_the_panel_takes_the_supervisor(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        dealer = await Dealer.arrive(screen, DAN, "BJ-02")
        await dealer.lock(3)
        await dealer.page.get_by_role("button", name="Misdeal").click()
        dialog = dealer.page.get_by_role("dialog")
        await expect(dialog).to_contain_text("A supervisor voids this round")
        await signs_in(dealer, "Sue")
        await dialog.get_by_role("button", name="Void the round").click()
        await dealer.is_in("betting")
        await dealer.page.get_by_role("button", name="Leave").click()


async def test_supervisor_confirms_and_voids_on_the_pit_console(
    browser: Browser, service: ServiceProcess, tmp_path: Path
) -> None:
    async with Pit.open(service, "BJ-09") as pit, a_screen(browser, service.url) as screen:
        await pit.play({1: list(ONE_SEVEN), 3: list(TWO_SEVENS)})
        await screen.sign_in(SUE)
        page = screen.page
        card = page.locator("#awards [data-round]")
        await expect(card).to_have_count(1)
        await expect(card.locator(".amount")).to_have_text("$135.00")
        await expect(card.locator("li")).to_have_count(2)
        await expect(card.locator("playing-card")).to_have_count(4)
        await assert_accessible(page)
        await page.screenshot(path=tmp_path / "pit-round.png", full_page=True)
        await card.get_by_role("button", name="Lights and cards are right: pay").click()
        await expect(card).to_have_count(0)
        await expect(page.locator("toast-stack")).to_contain_text(
            "BJ-09 pays $135.00 from the rack"
        )
        await expect(page.locator("#finished")).to_contain_text("Sue")
        # And a round that is locked: its void is hers.
        await pit.lock()
        await page.get_by_role("button", name="Void round…").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Reason").fill("card exposed")
        await page.screenshot(path=tmp_path / "pit-void.png")
        await dialog.get_by_role("button", name="Void the round").click()
        await expect(page.get_by_role("button", name="Void round…")).to_have_count(0)
        await expect(page.locator("#acts")).to_contain_text("Voided a round")
