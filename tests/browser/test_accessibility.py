"""The checks themselves: each finds what it is there to find, and nothing on a good page."""

import pytest
from playwright.async_api import Browser

from tests.support.accessibility import assert_accessible, assert_focus_in_order
from tests.support.screens import EXPECT_MS

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

GOOD = """<!doctype html><html lang="en"><head><title>Good</title></head><body>
<main><h1>Title</h1><p>Text</p>%s</main></body></html>"""


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ('<button style="width:60px;height:60px"></button>', "no name"),
        ("<input style='height:60px'>", "no name"),
        ('<span id="a"></span><span id="a"></span>', "id twice: a"),
        ('<p style="color:#999">pale</p>', "contrast 2.85"),
        ('<p style="color:#fff;background:#ff0">white on yellow</p>', "contrast 1.07"),
        ("<h3>too deep</h3>", "heading skips a level"),
        ('<button style="width:20px;height:20px">x</button>', "too small to hit"),
        ('<p style="width:9000px">wide</p>', "wider than the screen"),
        ('<span role="img"></span>', "no alt"),
        ('<p aria-labelledby="nowhere">text</p>', "points nowhere"),
        ("<h1>again</h1>", "not one h1"),
    ],
)
async def test_each_fault_is_found(browser: Browser, part: str, expected: str) -> None:
    page = await browser.new_page()
    page.set_default_timeout(EXPECT_MS)
    await page.set_content(GOOD % part)
    with pytest.raises(AssertionError, match=expected):
        await assert_accessible(page)
    await page.close()


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ('<a href="#x" style="outline:none">no ring</a>', "no focus ring"),
        ('<a href="#x">one</a><a href="#y" tabindex="1">two</a>', "jumps back and forth"),
        ("", "nothing takes the focus"),
    ],
)
async def test_each_fault_of_the_focus_is_found(browser: Browser, part: str, expected: str) -> None:
    page = await browser.new_page()
    await page.set_content(f"<style>:focus-visible{{outline:3px solid}}</style>{GOOD % part}")
    with pytest.raises(AssertionError, match=expected):
        await assert_focus_in_order(page)
    await page.close()


async def test_a_good_page_has_no_faults(browser: Browser) -> None:
    page = await browser.new_page()
    await page.set_content(GOOD % '<button style="width:60px;height:60px">Go</button>')
    await assert_accessible(page)
    await page.close()
