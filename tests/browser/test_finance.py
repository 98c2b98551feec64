"""The page of finance in a real browser, on the real service: what it shows, where it leads."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Route, expect

from progressive.domain.money import money_text
from progressive.entry.bootstrap import Running
from tests.support.accessibility import assert_accessible, assert_focus_in_order
from tests.support.finance_floor import TODAY
from tests.support.finance_page import FinanceScreen, a_finance_floor, a_finance_screen
from tests.support.screens import ANN, BOB, DAN, EXPECT_MS, JOE, LOOKS, PAT, a_screen

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

WITH_PAYMENT, WITH_WAITING = "2026-11-01", "2026-11-02"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Running]:
    async with a_finance_floor(tmp_path_factory.mktemp("finance") / "data") as (running, _):
        yield running


async def asked(finance: FinanceScreen, path: str) -> Any:  # noqa: ANN401 (any JSON)
    answer = await finance.page.request.get(f"{finance.screen.url}{path}")
    assert answer.ok, await answer.text()
    return json.loads(await answer.text())


async def test_the_page_is_for_those_who_may_see_reports(
    browser: Browser, service: Running
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.go("/finance")
        await expect(screen.page).to_have_url(f"{service.url}/sign-in?next=/finance")
    for person in (DAN, ANN):
        async with a_screen(browser, service.url) as screen:
            await screen.sign_in(person, to="/finance")
            await expect(screen.page.locator("h1")).to_have_text("This page is not for your role")
            screen.complaints.clear()


async def test_an_open_day_says_so_in_large_letters_and_when_it_ends(
    browser: Browser, service: Running
) -> None:
    async with a_finance_screen(browser, service.url, BOB) as finance:
        page = finance.page
        await expect(page.locator(".day-name h2")).to_have_text("Tuesday, 3 November 2026")
        word = page.locator(".day-state .word")
        await expect(word).to_have_text("Open day")
        assert await word.evaluate("e => parseFloat(getComputedStyle(e).fontSize)") >= 28
        await expect(page.locator(".day-state")).to_contain_text("It ends Wed 4 Nov, 06:00")
        for check in ("meters", "wagers", "wins"):
            tie = page.locator(f'.tie[data-check="{check}"]')
            await expect(tie).to_contain_text("$0.00")
            await expect(tie).to_contain_text("agrees")
        status = await asked(finance, f"/v1/days/main/{TODAY}")
        record = f"{status['totals']['last_seq']:,}"
        await expect(page.locator("#balance")).to_have_text(f"✓ Balanced, record {record}")
        await expect(page.locator("#closing button.primary")).to_have_count(0)


async def test_the_meters_read_as_the_sum_that_the_service_sends(
    browser: Browser, service: Running
) -> None:
    async with a_finance_screen(browser, service.url, JOE) as finance:
        await finance.go(WITH_PAYMENT)
        report = await asked(finance, f"/v1/reports/reconciliation?link=main&day={WITH_PAYMENT}")
        row = next(
            each for each in report["rows"] if (each["meter"], each["part"]) == ("minor", "primary")
        )
        card = finance.page.locator(".sum", has=finance.page.get_by_role("heading", name="Minor"))
        lines = card.locator("tbody tr")
        names = await lines.locator("th").all_inner_texts()
        amounts = await lines.locator("td:nth-of-type(1)").all_inner_texts()
        moved = {
            "Opening": "opening",
            "+Contributions": "contributions",
            "−Voided rounds": "void_contra",
            "+House, at resets": "house_reset",
            "±From reset meter": "reserve_moved",
            "−Awards": "awards",
            "=Closing": "closing",
        }
        assert [name.replace("\n", "") for name in names] == list(moved)
        for text, name in zip(amounts, moved.values(), strict=True):
            assert microcents(text) == row[f"{name}_microcents"], name
        *parts, closing = map(microcents, amounts)
        assert sum(parts) == closing
        await expect(card.locator(".verdict")).to_have_text("difference $0.00 ✓ agrees")
        # An auditor looks, and enters nothing.
        await expect(finance.page.locator("#entries button")).to_have_count(0)
        await expect(finance.page.locator("#correct")).to_have_count(0)


def microcents(text: str) -> int:
    """What a person reads off the page: "−$1,234.560004"."""
    units, _, rest = text.lstrip("−").lstrip("$").replace(",", "").partition(".")
    return int(units + rest.ljust(8, "0")) * (-1 if text.startswith("−") else 1)


async def test_amounts_are_never_doubles(browser: Browser, service: Running) -> None:
    async with a_finance_screen(browser, service.url, JOE) as finance:
        written = await finance.page.evaluate("""async () => {
          const exact = await import("/assets/finance/exact.js");
          const parsed = exact.parseExact(`{"a":9007199254740993,"b":-12345678901234567890,
            "c":"1234567890123456789","d":12.5,"e":[42]}`);
          return {
            parsed,
            texts: [9007199254740993n, "-12345678901234567890", -1, 1000000, 0]
              .map(exact.exactText),
            cents: ["1,234.5", "$0.07", "-3", "9007199254740.99", "1.234", "", "1e3"]
              .map(exact.centsOf),
            thousandths: [-11495, -1, 132, 1000000].map((each) => exact.cellText(each, "milli")),
          };
        }""")
    assert written["thousandths"] == ["−11.495", "−0.001", "0.132", "1,000.000"]
    assert written["parsed"] == {
        "a": "9007199254740993", "b": "-12345678901234567890", "c": "1234567890123456789",
        "d": 12.5, "e": [42],
    }  # fmt: skip
    assert written["texts"] == [
        "$90,071,992.54740993", "−$123,456,789,012.3456789", "−$0.00000001", "$0.01", "$0.00",
    ]  # fmt: skip
    assert written["cents"] == [123_450, 7, -300, 900_719_925_474_099, None, None, None]


async def test_every_figure_opens_the_records_behind_it(browser: Browser, service: Running) -> None:
    async with a_finance_screen(browser, service.url, BOB) as finance:
        await finance.go(WITH_PAYMENT)
        page = finance.page
        amounts = page.locator("#meters .money")
        figures = page.locator("#meters a.figure")
        assert await figures.count() > 20
        # All but the sums of the last card.
        last = page.locator(".sum[data-total] .money")
        assert await amounts.count() - await figures.count() == await last.count()
        row = page.locator("#payments tr", has_text="CAGE-77")
        await row.locator("a.figure").first.focus()
        await page.keyboard.press("Enter")
        drawer = page.get_by_role("dialog")
        await expect(drawer).to_contain_text("Award paid", timeout=EXPECT_MS)
        await expect(drawer.locator(".records > li")).to_have_count(3)
        await drawer.get_by_role("button", name="Settlement").click()
        await expect(drawer.locator(".records > li")).to_have_count(1)
        await drawer.locator("summary").first.click()
        await expect(drawer.locator("pre")).to_contain_text('"type": "round_settled"')
        await assert_accessible(page)
        await page.keyboard.press("Escape")
        await expect(drawer).to_have_count(0)
        await expect(row.locator("a.figure").first).to_be_focused()
        href = await row.locator("a.figure").first.get_attribute("href")
        await finance.screen.go(href or "")
        await expect(page.get_by_role("dialog")).to_contain_text("Award paid", timeout=EXPECT_MS)


async def test_payments_are_filtered_and_their_totals_stay(
    browser: Browser, service: Running
) -> None:
    async with a_finance_screen(browser, service.url, BOB) as finance:
        await finance.go(WITH_PAYMENT)
        section = finance.page.locator("#payments")
        totals = (await asked(finance, f"/v1/reports/awards?link=main&day={WITH_PAYMENT}"))[
            "totals"
        ]
        foot = section.locator("tfoot")
        await expect(foot).to_contain_text(money_text(totals["paid_cents"], "USD"))
        await section.get_by_role("button", name="Paid").click()
        await expect(section.locator("tbody tr")).to_have_count(1)
        await expect(foot).to_contain_text(f"1 of {totals['awards']} awards")
        await section.get_by_role("searchbox").fill("nobody")
        await expect(section).to_contain_text("Nothing like that on this day.")
        await section.get_by_role("searchbox").fill("cage-77")
        await expect(section.locator("tbody tr")).to_have_count(1)


async def test_my_work_is_what_waits_for_me(browser: Browser, service: Running) -> None:
    async with (
        a_finance_screen(browser, service.url, BOB) as bob,
        a_finance_screen(browser, service.url, PAT) as pat,
    ):
        work = bob.page.locator("#work li[data-work]")
        await expect(work).to_have_count(3, timeout=EXPECT_MS)
        # His own proposal waits for others, so it comes last and offers nothing but a look.
        await expect(work.last).to_have_attribute("data-work", "correction")
        await expect(work.last.get_by_role("button")).to_have_text("Look")
        correction = pat.page.locator("[data-work=correction]")
        await expect(correction.locator("[data-done]")).to_contain_text("Bob", timeout=EXPECT_MS)
        await correction.get_by_role("button", name="Review").click()
        drawer = pat.page.get_by_role("dialog")
        legs = drawer.locator("tbody tr")
        await expect(legs).to_have_count(2)
        before, change, after = [
            await legs.nth(1).locator("td").nth(at).inner_text() for at in range(3)
        ]
        assert microcents(before) + microcents(change.lstrip("+")) == microcents(after)
        await assert_accessible(pat.page)
        await drawer.get_by_role("button", name="Approve the correction").click()
        await expect(drawer).to_have_count(0, timeout=EXPECT_MS)
        await expect(correction).to_have_count(0, timeout=EXPECT_MS)
        meters = (await asked(pat, "/v1/links/main/meters"))["meters"]
        assert next(each for each in meters if each["id"] == "minor")["microcents"] == microcents(
            after
        )


async def test_a_difference_is_red_and_in_the_header(browser: Browser, service: Running) -> None:
    """The service would not run on a journal that is off: its own answer is changed on the way."""

    async def off(route: Route) -> None:
        answer = await route.fetch()
        status = await answer.json()
        status["checks"][0] |= {"difference_microcents": 1_000_000, "state": "open"}
        await route.fulfill(response=answer, json=status)

    async with a_finance_screen(browser, service.url, JOE) as finance:
        page = finance.page
        await page.route(f"**/v1/days/main/{WITH_WAITING}", off)
        await finance.go(WITH_WAITING)
        await expect(page.locator("#balance")).to_contain_text("Off by $0.01")
        tie = page.locator('.tie[data-check="meters"]')
        await expect(tie).to_have_attribute("data-off", "")
        await expect(tie.locator(".amount")).to_have_text("$0.01")
        await assert_accessible(page)
        await page.unroute_all(behavior="wait")


async def test_the_liability_says_by_which_rules_it_is_divided(
    browser: Browser, service: Running
) -> None:
    async with a_finance_screen(browser, service.url, JOE) as finance:
        await finance.go(WITH_PAYMENT)
        split, memo = await finance.page.locator("#liability .rules p").all_inner_texts()
        assert split.startswith("Player and house part (rule of 2026-11-18)")
        assert memo.startswith("House money on the meters: a memo, not a liability (New Jersey: ")


async def test_a_meter_is_explained_to_the_cent(browser: Browser, service: Running) -> None:
    async with a_finance_screen(browser, service.url, JOE) as finance:
        await finance.go(WITH_PAYMENT)
        await finance.page.get_by_role("button", name="Explain Minor").click()
        drawer = finance.page.get_by_role("dialog")
        await expect(drawer).to_contain_text("difference $0.00 ✓ agrees", timeout=EXPECT_MS)
        amounts = drawer.locator(".explained tr td")
        texts = [await amounts.nth(at).inner_text() for at in range(await amounts.count())]
        *lines, total, shown = map(microcents, texts)
        assert sum(lines) == total == shown
        await assert_accessible(finance.page)


async def test_a_line_of_an_explanation_opens_its_own_records(
    browser: Browser, service: Running
) -> None:
    """Not all records since the last reset: those that the line names."""
    async with a_finance_screen(browser, service.url, JOE) as finance:
        await finance.go(WITH_PAYMENT)
        await finance.page.get_by_role("button", name="Explain Minor").click()
        drawer = finance.page.get_by_role("dialog")
        await expect(drawer).to_contain_text("✓ agrees", timeout=EXPECT_MS)
        figures = drawer.locator(".explained a[data-records]")
        named = [
            await figures.nth(at).get_attribute("data-records") or ""
            for at in range(await figures.count())
        ]
        place = next(at for at, each in enumerate(named) if "-" not in each)
        await figures.nth(place).click()
        records = finance.page.get_by_role("dialog").last.locator(".records .seq")
        await expect(records).to_have_count(len(named[place].split(",")), timeout=EXPECT_MS)
        shown = [(await each.inner_text()).replace(",", "") for each in await records.all()]
        assert shown == named[place].split(",")


async def test_reports_are_there_in_every_format(browser: Browser, service: Running) -> None:
    async with a_finance_screen(browser, service.url, JOE) as finance:
        await finance.go(WITH_PAYMENT)
        await finance.page.get_by_role("button", name="Reports…").click()
        drawer = finance.page.get_by_role("dialog")
        await drawer.get_by_role("button", name="November 2026").click()
        kinds = (await asked(finance, "/v1/reports"))["reports"]
        await expect(drawer.locator(".reports li")).to_have_count(len(kinds))
        link = drawer.get_by_role("link", name="Progressive liability, PDF", exact=True)
        answer = await finance.page.request.get(f"{service.url}{await link.get_attribute('href')}")
        assert (await answer.body()).startswith(b"%PDF")
        await assert_accessible(finance.page)


async def test_charts_are_read_without_eyes_and_without_a_mouse(
    browser: Browser, service: Running
) -> None:
    async with a_finance_screen(browser, service.url, JOE) as finance:
        await finance.go(WITH_PAYMENT)
        chart = finance.page.locator("#pictures finance-chart").first
        plot = chart.locator(".plot")
        assert (await plot.get_attribute("aria-label") or "").startswith("Mega: On display $100,")
        await plot.focus()
        await finance.page.keyboard.press("Home")
        await expect(chart.locator(".readout")).to_contain_text("30 Oct")
        await chart.locator("summary").click()
        await expect(chart.locator("tbody tr").nth(10)).to_be_attached()


async def test_a_day_before_the_first_record_says_so(browser: Browser, service: Running) -> None:
    async with a_finance_screen(browser, service.url, JOE) as finance:
        page = finance.page
        await finance.screen.go("/finance?link=main&day=2020-01-01")
        await expect(page.locator(".nothing")).to_contain_text("before the first record")
        await expect(page.locator(".nothing")).to_contain_text("ends Wed 4 Nov, 06:00")
        finance.screen.complaints.clear()
        await page.get_by_role("button", name="To the day that runs").click()
        await finance.settled()
        await expect(page.locator(".day-name h2")).to_have_text("Tuesday, 3 November 2026")
        await page.go_back()
        await expect(page.locator(".nothing")).to_be_visible()
        finance.screen.complaints.clear()


async def test_days_are_walked_by_the_keyboard(browser: Browser, service: Running) -> None:
    async with a_finance_screen(browser, service.url, JOE) as finance:
        page = finance.page
        await page.locator("#strip [aria-current]").focus()
        await page.keyboard.press("ArrowLeft")
        await page.keyboard.press("Enter")
        await expect(page.locator(".day-name h2")).to_have_text("Monday, 2 November 2026")
        await finance.settled()
        await page.get_by_role("button", name="The day before").click()
        await expect(page.locator(".day-name h2")).to_have_text("Sunday, 1 November 2026")
        assert page.url.endswith(f"day={WITH_PAYMENT}")
        await finance.settled()


@pytest.mark.parametrize(("size", "theme"), LOOKS, ids=str)
async def test_the_page_is_usable_by_everyone_at_every_size(
    browser: Browser, service: Running, size: tuple[int, int], theme: str
) -> None:
    async with a_finance_screen(browser, service.url, BOB, size=size, theme=theme) as finance:
        await finance.go(WITH_WAITING)
        await expect(finance.page.locator("#work li[data-work]").first).to_be_visible()
        await assert_accessible(finance.page)
        await assert_focus_in_order(finance.page)
