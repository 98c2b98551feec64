"""The landing page of two nodes: which one leads, and the way to it."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.support.accessibility import assert_accessible
from tests.support.redis_server import own_place
from tests.support.screens import a_screen
from tests.support.service import ServiceProcess

pytestmark = [
    pytest.mark.browser,
    pytest.mark.redis,
    pytest.mark.slow,
    pytest.mark.asyncio(loop_scope="module"),
]


async def test_home_says_which_node_leads_and_follows_a_takeover(
    browser: Browser, tmp_path: Path
) -> None:
    place = own_place()
    store = ("--store", f"{place.url}?prefix={place.prefix}")
    with (
        ServiceProcess(tmp_path / "one", *store) as leader,
        ServiceProcess(tmp_path / "two", *store) as standby,
    ):
        async with a_screen(browser, leader.url) as screen:
            await screen.go("/")
            node = screen.page.locator('[data-link="main"] [data-part=node]')
            await expect(node).to_have_text("This node leads")
            await expect(node.locator("a")).to_be_hidden()
        async with a_screen(browser, standby.url) as screen:
            await screen.go("/")
            node = screen.page.locator('[data-link="main"] [data-part=node]')
            await expect(node).to_have_text(f"This node follows {leader.url}")
            await expect(node.locator("a")).to_have_attribute("href", leader.url)
            await assert_accessible(screen.page)
            assert await asyncio.to_thread(leader.terminate) == 0
            await expect(node).to_have_text("This node leads")


async def test_home_of_a_single_node_says_nothing_of_others(
    browser: Browser, tmp_path: Path
) -> None:
    with ServiceProcess(tmp_path / "data") as service:
        async with a_screen(browser, service.url) as screen:
            await screen.go("/")
            link = screen.page.locator('[data-link="main"]')
            await expect(link.locator("[data-part=state]")).to_have_text("Live")
            await expect(link.locator("[data-part=node]")).to_be_hidden()
