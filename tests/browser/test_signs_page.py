"""Sign administration in a real browser, against the real service."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from progressive.adapters.keys.signs import SignKeys
from tests.support.accessibility import assert_accessible, assert_focus_in_order
from tests.support.screens import ANN, DAN, EVE, EXPECT_MS, PHONE, PIT_DESKTOP, a_screen, hire
from tests.support.service import ServiceProcess

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def staffed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("signs") / "data"
    await hire(data)
    return data


@pytest.fixture(scope="module")
def service(staffed: Path) -> Iterator[ServiceProcess]:
    with ServiceProcess(staffed) as running:
        yield running


@asynccontextmanager
async def a_sign(url: str, sign: str, *, state: str, forged_cents: int = 0) -> AsyncIterator[None]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}/v1/links/main/feed?sign={sign}") as feed,
    ):
        told = await feed.receive_json(timeout=30)
        meters = [
            {"id": meter["id"], "cents": meter["cents"] + forged_cents} for meter in told["meters"]
        ]
        place = {"seq": told["seq"], "epoch": told["epoch"]}
        await feed.send_json({"type": "showing", **place, "state": state, "meters": meters})
        yield


async def test_every_sign_is_listed_with_its_state_and_its_address(
    browser: Browser, service: ServiceProcess
) -> None:
    async with (
        a_screen(browser, service.url) as screen,
        a_sign(service.url, "entrance", state="live"),
        a_sign(service.url, "strip", state="stale"),
        a_sign(service.url, "lounge", state="live", forged_cents=10**9),
    ):
        await screen.sign_in(ANN, to="/signs")
        card = {
            sign: screen.page.locator(f'[data-sign="{sign}"]')
            for sign in ("entrance", "strip", "pit", "lounge")
        }
        states = {"entrance": "Live", "strip": "Stale", "pit": "Not seen", "lounge": "Wrong"}
        for sign, state in states.items():
            badge = card[sign].locator("[data-part=state]")
            await expect(badge).to_have_text(state, timeout=EXPECT_MS)
        await expect(card["strip"]).to_contain_text("says itself that it is stale")
        await expect(card["lounge"]).to_contain_text("reports what cannot be: mega never stood at")
        await expect(screen.page.locator("#summary")).to_contain_text("3 of 6 connected")
        await expect(card["entrance"].locator("[data-part=url]")).to_have_value(
            f"{service.url}/sign/entrance"
        )
        await expect(card["entrance"].locator("svg")).to_have_attribute("data-theme", "midnight")
        # A supervisor looks at keys and does not issue them.
        assert await screen.page.get_by_role("button", name="key").count() == 0


async def test_an_admin_issues_a_key_sees_it_once_and_removes_it(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.sign_in(EVE, to="/signs")
        card = screen.page.locator('[data-sign="pit"]')
        await card.get_by_role("button", name="Issue key").click()
        await screen.page.get_by_role("button", name="Issue", exact=True).click()
        address = screen.page.get_by_label("Kiosk address of pit with its key")
        await expect(address).to_be_visible(timeout=EXPECT_MS)
        url, _, key = (await address.input_value()).partition("?key=")
        assert url == f"{service.url}/sign/pit"
        assert SignKeys(service.data).fits_name("pit", key)
        await screen.page.get_by_role("button", name="I have it").click()
        await expect(card.locator("[data-part=key]")).to_have_text("needed", timeout=EXPECT_MS)

        await card.get_by_role("button", name="Remove key").click()
        await screen.page.get_by_role("button", name="Remove", exact=True).click()
        await expect(card.locator("[data-part=key]")).to_have_text("none", timeout=EXPECT_MS)
        assert not SignKeys(service.data).keyed("pit")


async def test_a_preview_speaks_for_nobody(browser: Browser, service: ServiceProcess) -> None:
    async with a_screen(browser, service.url) as screen, aiohttp.ClientSession() as http:
        await screen.sign_in(ANN, to="/signs")
        preview = screen.page.locator('[data-sign="terrace"]').get_by_role("link", name="Preview")
        path = await preview.first.get_attribute("href")
        assert path == "/sign/preview:terrace"
        async with http.get(f"{service.url}{path}") as answer:
            assert answer.status == 200
            assert 'data-sign="-"' in await answer.text()


@pytest.mark.parametrize(
    ("size", "theme"), [(PIT_DESKTOP, "dark"), ((800, 1280), "light"), (PHONE, "light")], ids=str
)
async def test_the_page_is_usable_by_everyone(
    browser: Browser, service: ServiceProcess, size: tuple[int, int], theme: str
) -> None:
    async with a_screen(browser, service.url, size=size, theme=theme) as screen:
        await screen.sign_in(EVE, to="/signs")
        await expect(screen.page.locator("contact-state")).to_have_text("Live", timeout=EXPECT_MS)
        await assert_accessible(screen.page)
        await assert_focus_in_order(screen.page)


async def test_the_page_is_not_for_dealers(browser: Browser, service: ServiceProcess) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.sign_in(DAN, to="/signs")
        await expect(screen.page.locator("h1")).not_to_have_text("Signs")
        # The browser notes the refusal by itself.
        assert [line for line in screen.complaints if "403" not in line] == []
        screen.complaints.clear()
