"""The landing page and the sign-in in a real browser, against the real service."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.support.accessibility import assert_accessible, assert_focus_in_order
from tests.support.people import PASSWORD
from tests.support.screens import ANN, DAN, EVE, EXPECT_MS, LOOKS, a_screen, hire
from tests.support.service import ServiceProcess, TableClient, issue_key, lock

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def staffed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("home") / "data"
    await hire(data)
    return data


@pytest.fixture(scope="module")
def service(staffed: Path) -> Iterator[ServiceProcess]:
    with ServiceProcess(staffed) as running:
        yield running


async def test_home_shows_every_link_and_follows_it(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.go("/")
        link = screen.page.locator('[data-link="main"]')
        await expect(link.locator("[data-part=state]")).to_have_text("Live")
        await expect(link.locator("dd").first).to_have_text("$100,000.00")
        await expect(link).to_contain_text("0 of 12 tables connected")

        key = issue_key(service.data, "BJ-01")
        async with TableClient.connect(service.url, "BJ-01", key) as table:
            await table.ask(lock(1, "r1", (1, 2, 3, 4, 5, 6, 7)))

            await expect(link.locator("dd").first).to_have_text("$100,004.20", timeout=EXPECT_MS)
            await expect(link).to_contain_text("1 of 12 tables connected", timeout=EXPECT_MS)


async def test_home_leads_to_every_page(browser: Browser, service: ServiceProcess) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.go("/")
        for path in ("/pit", "/sign/entrance", "/sign/pit", "/table/BJ-12", "/sign-in"):
            await expect(screen.page.locator(f'a[href="{path}"]').first).to_be_visible()


@pytest.mark.parametrize(("size", "theme"), LOOKS, ids=str)
@pytest.mark.parametrize("path", ["/", "/sign-in"])
async def test_pages_are_usable_by_everyone_at_every_size(
    browser: Browser, service: ServiceProcess, path: str, size: tuple[int, int], theme: str
) -> None:
    async with a_screen(browser, service.url, size=size, theme=theme) as screen:
        await screen.go(path)
        await expect(screen.page.locator("h1")).to_be_visible()
        await assert_accessible(screen.page)
        await assert_focus_in_order(screen.page)


async def test_sign_in_leads_back_to_where_one_came_from(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.go("/")
        await screen.sign_in(ANN, to="/sign/pit")
        await screen.go("/")
        await expect(screen.page.locator(".who")).to_contain_text("Ann")
        await screen.page.get_by_role("button", name="Sign out").click()
        await expect(screen.page.get_by_role("link", name="Sign in")).to_be_visible()


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "/\t/evil.example",
        "javascript:alert(1)",
        "pit",
        "",
    ],
)
async def test_sign_in_never_leads_elsewhere(
    browser: Browser, service: ServiceProcess, elsewhere: str
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.page.goto(f"{service.url}/sign-in?" + _query(elsewhere))
        await screen.page.get_by_label("Name").fill(EVE.name)
        await screen.page.get_by_label("Password").fill(PASSWORD)
        await screen.page.get_by_role("button", name="Sign in").click()
        await expect(screen.page).to_have_url(f"{service.url}/", timeout=EXPECT_MS)


def _query(path: str) -> str:
    return urlencode({"next": path})


async def test_a_refused_sign_in_says_so_and_may_be_tried_again(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.go("/sign-in?next=/")
        problem = screen.page.get_by_role("alert")
        press = screen.page.get_by_role("button", name="Sign in")
        await press.click()
        await expect(problem).to_have_text("Name is missing.")
        await screen.page.get_by_label("Name").fill(DAN.name)
        await screen.page.get_by_label("Password").fill("not the password")
        await press.click()
        await expect(problem).to_contain_text("Wrong name or password", timeout=EXPECT_MS)
        await screen.page.get_by_label("Password").fill(PASSWORD)
        await screen.page.keyboard.press("Enter")
        await expect(screen.page).to_have_url(f"{service.url}/", timeout=EXPECT_MS)
        # The browser notes the refusal by itself.
        assert [line for line in screen.complaints if "401" not in line] == []
        screen.complaints.clear()


async def test_the_theme_is_switched_and_remembered(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.go("/")
        root = screen.page.locator("html")
        switch = screen.page.get_by_role("button", name="Theme")
        await switch.click()
        await expect(root).to_have_attribute("data-theme", "light")
        await switch.click()
        await expect(root).to_have_attribute("data-theme", "dark")
        await screen.page.reload()
        await expect(root).to_have_attribute("data-theme", "dark")
        await expect(screen.page.locator("body")).to_have_css("background-color", "rgb(11, 14, 19)")


async def test_a_lost_service_is_said(browser: Browser, tmp_path: Path) -> None:
    with ServiceProcess(tmp_path / "data") as service:
        async with a_screen(browser, service.url) as screen:
            screen.may_lose_contact = True
            await screen.go("/")
            contact = screen.page.locator("contact-state")
            await expect(contact).to_have_text("Live", timeout=EXPECT_MS)
            service.kill()
            await expect(contact).to_contain_text("No contact since", timeout=EXPECT_MS)
