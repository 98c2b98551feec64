"""The pit console in a real browser, against the real service: what it shows, says and offers."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from progressive.domain.money import money_text
from progressive.domain.people.roles import Person
from tests.support.accessibility import assert_accessible, assert_focus_in_order
from tests.support.evening import MAJOR, MEGA, Pit
from tests.support.screens import (
    ANN,
    BOB,
    DAN,
    EVE,
    EXPECT_MS,
    JOE,
    LOOKS,
    SUE,
    a_screen,
    hire,
)
from tests.support.service import ServiceProcess

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

_COUNT_TONES = """
window.tones = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) { window.tones += 1; start.apply(this, when); };
window.notes = [];
window.Notification = class {
  static permission = "granted";
  constructor(title, options) { window.notes.push(`${title}: ${options.body}`); }
};
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServiceProcess]:
    data = tmp_path_factory.mktemp("pit") / "data"
    await hire(data)
    with ServiceProcess(data) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def won(service: ServiceProcess) -> str:
    """An award that nobody has touched."""
    async with Pit.open(service, "BJ-09") as pit:
        (made,) = await pit.play({3: MAJOR})
    return str(made["award"])


async def test_strangers_sign_in_first_and_come_back(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.go("/pit")
        await expect(screen.page).to_have_url(f"{service.url}/sign-in?next=/pit")
        await screen.sign_in(ANN)
        await expect(screen.page.locator("contact-state")).to_have_text("Live", timeout=EXPECT_MS)


async def test_a_dealer_is_told_that_the_page_is_for_others(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.sign_in(DAN)
        await expect(screen.page.locator("h1")).to_have_text("This page is not for your role")
        assert all("403" in line for line in screen.complaints)
        screen.complaints.clear()


async def test_an_award_shows_what_a_supervisor_compares_with_the_table(
    browser: Browser, service: ServiceProcess, won: str
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.sign_in(ANN)
        award = screen.page.locator(f'[data-award="{won}"]')
        await expect(award.locator("h3")).to_have_text("$15,000.90", timeout=EXPECT_MS)
        cards = award.locator("dl playing-card")
        await expect(cards).to_have_count(4)
        await expect(cards.first).to_have_attribute("aria-label", "7 of spades")
        for text in (
            "Major, 100% · Three 7s of the same suit other than diamonds",
            "BJ-09, seat 3",
            "on: $5.00 chip",
            "1 of 1",
            "$15,000.90 → $5,000.07",
            "W-2G",
            "A supervisor checks light and cards",
        ):
            await expect(award).to_contain_text(text)
        await expect(award.get_by_role("link", name="Sheet")).to_have_attribute(
            "href", f"/sheet/{won}"
        )


async def test_what_was_paid_before_the_peek_stands_beside_the_net_amount(
    browser: Browser, service: ServiceProcess
) -> None:
    async with Pit.open(service, "BJ-08") as pit:
        name = await pit.lock([2])
        # N.J.A.C. 13:69F-2.6(j)4: an ace up, so two cards are settled before the peek.
        (paid,) = await pit.settle(name, {2: MEGA[:2]}, dealer=["As"], early=True)
        (made,) = await pit.settle(name, {2: MEGA}, dealer=["As", "5h"])
    in_all, net = made["amount_cents"], made["due_cents"]
    assert (paid["amount_cents"], in_all - net) == (12_500, 12_500)
    sum_text = f"{money_text(in_all, 'USD')} − $125.00 paid before the peek"
    async with a_screen(browser, service.url) as screen:
        await screen.sign_in(ANN)
        award = screen.page.locator(f'[data-award="{made["award"]}"]')
        await expect(award.locator("h3")).to_have_text(money_text(net, "USD"), timeout=EXPECT_MS)
        await expect(award.locator(".sum")).to_have_text(sum_text)
        await award.get_by_role("button", name="Validate").click()
        dialog = screen.page.get_by_role("dialog")
        await expect(dialog.locator(".amount")).to_have_text(money_text(net, "USD"))
        await expect(dialog.locator(".sum")).to_have_text(sum_text)
        await screen.page.keyboard.press("Escape")
        await screen.go(f"/sheet/{made['award']}")
        sheet = screen.page.locator("table.awards")
        await expect(sheet).to_contain_text("− $125.00 paid before the peek")
        await expect(sheet).to_contain_text(f"= {money_text(net, 'USD')} due")


async def test_a_plain_award_has_no_sum(
    browser: Browser, service: ServiceProcess, won: str
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.sign_in(ANN)
        award = screen.page.locator(f'[data-award="{won}"]')
        await expect(award.locator("h3")).to_be_visible(timeout=EXPECT_MS)
        await expect(award.locator(".sum")).to_be_hidden()


async def test_pages_write_money_as_commands_and_sheets_do(
    browser: Browser, service: ServiceProcess
) -> None:
    amounts = [0, 7, 123_456, 10_341_720, 2**53 - 1]
    currencies = ["USD", "GBP", "EUR", "CAD", "JPY", "XTS", ""]
    async with a_screen(browser, service.url) as screen:
        await screen.sign_in(ANN)
        written: list[str] = await screen.page.evaluate(
            """async ([amounts, currencies]) => {
              const { moneyFormat } = await import("/assets/kit/money.js");
              return currencies.flatMap((each) => amounts.map(moneyFormat(each)));
            }""",
            [amounts, currencies],
        )
    assert [text.replace("\u00a0", " ") for text in written] == [
        money_text(cents, currency) for currency in currencies for cents in amounts
    ]


@pytest.mark.parametrize(
    ("person", "offered"),
    [(ANN, ["Validate", "Void…"]), (SUE, ["Validate", "Void…"]), (BOB, []), (EVE, []), (JOE, [])],
    ids=lambda each: each.role if isinstance(each, Person) else "",
)
async def test_everybody_is_offered_what_their_role_may_do(
    browser: Browser, service: ServiceProcess, won: str, person: Person, offered: list[str]
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.sign_in(person)
        award = screen.page.locator(f'[data-award="{won}"]')
        await expect(award).to_be_visible(timeout=EXPECT_MS)
        await expect(award.locator("[data-step]")).to_have_text(offered)


async def test_tables_and_meters_move_by_themselves(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.sign_in(ANN)
        row = screen.page.locator("#tables tr", has_text="BJ-02")
        await expect(row).to_contain_text("No contact", timeout=EXPECT_MS)
        async with Pit.open(service, "BJ-02") as pit:
            await expect(row).to_contain_text("Connected", timeout=EXPECT_MS)
            before = await screen.page.locator(".link dd").first.text_content()
            name = await pit.lock()
            await expect(row).to_contain_text(name, timeout=EXPECT_MS)
            await expect(screen.page.locator(".link dd").first).not_to_have_text(before or "")
            await pit.settle(name, {})
            await expect(row).not_to_contain_text(name, timeout=EXPECT_MS)


async def test_a_new_award_is_heard_and_notified_unless_muted(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen, Pit.open(service, "BJ-07") as pit:
        page = screen.page
        await screen.context.add_init_script(_COUNT_TONES)
        await screen.sign_in(ANN)
        await expect(page.locator("contact-state")).to_have_text("Live", timeout=EXPECT_MS)
        await page.locator("main").click(position={"x": 2, "y": 2})
        await pit.play({5: MEGA})
        await expect(page.locator("#announcer")).to_contain_text("BJ-07, seat 5", timeout=EXPECT_MS)
        assert await page.evaluate("window.tones") == 3
        assert len(await page.evaluate("window.notes")) == 1

        await page.get_by_role("button", name="Sound on").click()
        await pit.play({1: MEGA})
        await expect(page.locator("#announcer")).to_contain_text("BJ-07, seat 1", timeout=EXPECT_MS)
        assert await page.evaluate("window.tones") == 3
        await page.reload()
        await expect(page.get_by_role("button", name="Sound off")).to_be_visible()


async def test_a_refused_step_says_why_and_leaves_the_dialog(
    browser: Browser, service: ServiceProcess, won: str
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.sign_in(ANN)
        page = screen.page
        await page.locator(f'[data-award="{won}"] [data-step=proposeVoid]').click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("button", name="Propose void").click()
        await expect(dialog.get_by_label("Reason")).to_have_attribute("aria-invalid", "true")
        await dialog.get_by_label("Reason").fill("no")
        await dialog.get_by_role("button", name="Propose void").click()
        await expect(dialog).to_contain_text("At least 3 characters.")
        await page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)
        await expect(page.locator(f'[data-award="{won}"]')).to_contain_text("Pending")


async def test_an_alarm_is_acknowledged_with_a_note(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen, Pit.open(service, "BJ-05") as pit:
        await screen.sign_in(ANN)
        await pit.claim({"type": "void", "round": "none", "reason": "misdeal"})
        alarm = screen.page.locator("#alarms li", has_text="BJ-05")
        await expect(alarm).to_contain_text("Implausible input", timeout=EXPECT_MS)
        await expect(alarm).to_contain_text("NO_ROUND")
        await alarm.get_by_role("button", name="Acknowledge").click()
        dialog = screen.page.get_by_role("dialog")
        await dialog.get_by_label("Note").fill("a slip of the finger")
        await dialog.get_by_role("button", name="Acknowledge").click()
        await expect(alarm).to_have_count(0, timeout=EXPECT_MS)
        acts = screen.page.locator("#acts")
        await expect(acts).to_contain_text("a slip of the finger", timeout=EXPECT_MS)


async def test_print_opens_the_sheet_and_prints_it(
    browser: Browser, service: ServiceProcess, won: str
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.context.add_init_script("window.print = () => { document.title = 'printed' }")
        await screen.sign_in(BOB)
        award = screen.page.locator(f'[data-award="{won}"]')
        async with screen.context.expect_page() as opened:
            await award.get_by_role("button", name="Print").click()
        sheet = await opened.value
        await expect(sheet).to_have_title("printed", timeout=EXPECT_MS)


async def test_a_session_that_ends_leads_to_the_sign_in_and_back(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.sign_in(SUE)
        await expect(screen.page.locator("contact-state")).to_have_text("Live", timeout=EXPECT_MS)
        other = await screen.context.new_page()
        await other.goto(f"{service.url}/")
        await other.get_by_role("button", name="Sign out").click()
        await expect(other.get_by_role("link", name="Sign in")).to_be_visible(timeout=EXPECT_MS)
        # Somebody touches the console: the service looks whose session that is.
        await screen.page.locator("main").click(position={"x": 2, "y": 2})
        await expect(screen.page).to_have_url(
            f"{service.url}/sign-in?next=%2Fpit", timeout=EXPECT_MS
        )


async def test_a_lost_service_is_said_and_found_again(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "data"
    await hire(data)
    service = ServiceProcess(data)
    async with a_screen(browser, service.url) as screen:
        screen.may_lose_contact = True
        await screen.sign_in(ANN)
        contact = screen.page.locator("contact-state")
        await expect(contact).to_have_text("Live", timeout=EXPECT_MS)
        service.kill()
        await expect(contact).to_contain_text("No contact since", timeout=EXPECT_MS)
        with ServiceProcess(data, port=service.port):
            await expect(contact).to_have_text("Live", timeout=EXPECT_MS)


@pytest.mark.parametrize(("size", "theme"), LOOKS, ids=str)
async def test_the_console_is_usable_by_everyone_at_every_size(
    browser: Browser, service: ServiceProcess, won: str, size: tuple[int, int], theme: str
) -> None:
    async with (
        a_screen(browser, service.url, size=size, theme=theme) as screen,
        Pit.open(service, "BJ-06") as pit,
    ):
        await screen.sign_in(SUE)
        await pit.claim({"type": "void", "round": "none", "reason": "misdeal"})
        page = screen.page
        await expect(page.locator("#alarms")).to_be_visible(timeout=EXPECT_MS)
        await expect(page.locator(f'[data-award="{won}"] playing-card').first).to_be_visible()
        await assert_accessible(page)
        await assert_focus_in_order(page)
        await page.locator(f'[data-award="{won}"] [data-step=proposeVoid]').click()
        await expect(page.get_by_role("dialog")).to_be_visible()
        await assert_accessible(page)
