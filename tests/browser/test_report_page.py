"""The HTML of a report in a real browser: its own policy lets it be drawn, and nothing else run."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.async_api import Browser, Page

from progressive.adapters.reports.render import render
from progressive.application.finance.report import Report
from tests.support.accessibility import assert_accessible
from tests.support.reports import BY_HOUR, GROWTH, HOLD, PRINTED_AT, hostile, plain, wide

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

CHARTS = (BY_HOUR, GROWTH, HOLD)


async def opened(browser: Browser, folder: Path, report: Report) -> tuple[Page, list[str]]:
    file = folder / "report.html"
    file.write_bytes(render(report, "html", PRINTED_AT))
    page = await browser.new_page(viewport={"width": 1280, "height": 900})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    await page.goto(file.as_uri())
    return page, complaints


@pytest.mark.parametrize(
    "report",
    [replace(plain(8, closed=False), charts=CHARTS), wide(), hostile()],
    ids=["plain", "wide", "hostile"],
)
async def test_the_page_draws_itself_and_breaks_no_rule(
    browser: Browser, tmp_path: Path, report: Report
) -> None:
    page, complaints = await opened(browser, tmp_path, report)
    assert complaints == []
    # The style was let in: without it a heading is as large as the browser likes.
    assert await page.locator("h1").evaluate("h => getComputedStyle(h).fontSize") == "28px"
    # Nothing is wider than the page.
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await assert_accessible(page)
    await page.close()


async def test_an_open_day_is_the_largest_word_on_the_page(
    browser: Browser, tmp_path: Path
) -> None:
    page, _ = await opened(browser, tmp_path, plain(3, closed=False))
    words = page.locator(".open strong")
    assert await words.inner_text() == "OPEN DAY"
    assert await words.evaluate("e => parseFloat(getComputedStyle(e).fontSize)") >= 40
    await page.close()


async def test_bars_are_painted(browser: Browser, tmp_path: Path) -> None:
    page, _ = await opened(browser, tmp_path, replace(plain(1), charts=(BY_HOUR,)))
    bar = page.locator("svg .bar-1").nth(3)
    assert await bar.evaluate("e => getComputedStyle(e).fill") == "rgb(29, 78, 137)"
    box = await bar.bounding_box()
    assert box is not None
    assert box["height"] > 20
    await page.close()
