"""Errors in a real browser: pages that say what is wrong and where to go next."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.support.accessibility import assert_accessible, assert_focus_in_order
from tests.support.people import PASSWORD
from tests.support.screens import ANN, DAN, EXPECT_MS, LOOKS, PHONE, Screen, a_screen, hire
from tests.support.service import ServiceProcess

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

LONG = "/nothing/" + "a-very-long-name-without-any-break" * 6


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def staffed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("errors") / "data"
    await hire(data)
    return data


@pytest.fixture(scope="module")
def service(staffed: Path) -> Iterator[ServiceProcess]:
    with ServiceProcess(staffed) as running:
        yield running


def nothing_but_the_status(screen: Screen, status: int) -> None:
    """The browser notes the status of every page by itself; a policy violation is another line."""
    assert [line for line in screen.complaints if str(status) not in line] == []
    screen.complaints.clear()


@pytest.mark.parametrize(("size", "theme"), [*LOOKS, (PHONE, "dark")], ids=str)
@pytest.mark.parametrize("path", ["/table/nosuch", LONG])
async def test_error_pages_are_usable_by_everyone_at_every_size(
    browser: Browser, service: ServiceProcess, path: str, size: tuple[int, int], theme: str
) -> None:
    async with a_screen(browser, service.url, size=size, theme=theme) as screen:
        await screen.go(path)
        await expect(screen.page.locator("h1")).to_be_visible()
        await assert_accessible(screen.page)
        await assert_focus_in_order(screen.page)
        nothing_but_the_status(screen, 404)


async def test_an_unknown_table_leads_to_the_list_of_tables(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.go("/table/BJ-99")
        await expect(screen.page.locator("main")).to_contain_text(
            "This floor has no table 'BJ-99'."
        )
        nothing_but_the_status(screen, 404)
        await screen.page.get_by_role("link", name="All tables").click()
        await expect(screen.page.locator("#tables-title")).to_be_in_viewport()
        await expect(screen.page.get_by_role("link", name="BJ-12")).to_be_visible()


async def test_an_unknown_address_leads_to_the_start(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.go("/nothing")
        nothing_but_the_status(screen, 404)
        await screen.page.get_by_role("link", name="Start page").click()
        await expect(screen.page).to_have_url(f"{service.url}/")


async def test_a_sheet_asks_who_one_is_and_leads_back(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.go("/sheet/main.7.1")
        await expect(screen.page).to_have_url(f"{service.url}/sign-in?next=/sheet/main.7.1")
        await screen.page.get_by_label("Name").fill(ANN.name)
        await screen.page.get_by_label("Password").fill(PASSWORD)
        await screen.page.get_by_role("button", name="Sign in").click()
        await expect(screen.page).to_have_url(f"{service.url}/sheet/main.7.1", timeout=EXPECT_MS)
        await expect(screen.page.locator("h1")).to_have_text("No such award")
        await expect(screen.page.locator(".who")).to_contain_text("Ann")
        nothing_but_the_status(screen, 404)


async def test_a_page_for_another_role_lets_somebody_else_sign_in(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.sign_in(DAN, to="/")
        await screen.go("/signs")
        await expect(screen.page.locator("h1")).to_have_text("This page is not for your role")
        nothing_but_the_status(screen, 403)
        await screen.page.get_by_role("link", name="Sign in as somebody else").click()
        await expect(screen.page).to_have_url(f"{service.url}/sign-in?next=/signs")


async def test_a_page_that_failed_can_be_loaded_again(browser: Browser, tmp_path: Path) -> None:
    """The people file is broken, then mended, while a console is opened."""
    data = tmp_path / "data"
    await hire(data)
    with ServiceProcess(data) as service:
        async with a_screen(browser, service.url) as screen:
            await screen.sign_in(ANN, to="/")
            people = data / "people.sqlite3"
            kept = people.read_bytes()
            people.write_bytes(b"not a database" * 400)
            await screen.go("/pit?from=home")
            await expect(screen.page.locator("h1")).to_have_text("Not available now")
            people.write_bytes(kept)
            nothing_but_the_status(screen, 503)
            await screen.page.get_by_role("link", name="Load again").click()
            await expect(screen.page).to_have_url(f"{service.url}/pit?from=home")
            contact = screen.page.locator("contact-state")
            await expect(contact).to_have_text("Live", timeout=EXPECT_MS)
