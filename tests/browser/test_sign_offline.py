"""Signs that start while the network is dead: from the worker's cache and the page's memory."""

import pytest
from playwright.async_api import Browser, Page, expect

import display.pages
from tests.support.signs import MEGA, Glass, Wall, posted_terms, snapshot, tick

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# The page itself asks to be kept once its worker is there.
WAIT_KEPT = """async () => {
  await navigator.serviceWorker.ready;
  const kept = async () => navigator.serviceWorker.controller
    && localStorage.length > 0 && (await caches.match(location.pathname)) !== undefined;
  while (!(await kept())) await new Promise((resolve) => setTimeout(resolve, 50));
}"""
KEPT = """async () => {
  const names = await caches.keys();
  const cache = await caches.open(names[0]);
  const paths = (await cache.keys()).map((request) => new URL(request.url).pathname);
  return { names, paths };
}"""


async def settle_in(glass: Glass) -> None:
    await glass.wait_state("live")
    await glass.page.evaluate(WAIT_KEPT)
    glass.may_lose_contact = True


async def test_sign_starts_without_a_network_and_heals_without_a_reload(browser: Browser) -> None:
    async with Wall.open(browser) as wall:
        feed = wall.feed(theme="ivory")
        feed.posted = posted_terms()
        context = await wall.context(size=(1280, 720), worker=True)
        glass = Glass(await context.new_page(), feed)
        await glass.page.goto(wall.address(feed))
        await settle_in(glass)
        kept = await glass.page.evaluate(KEPT)
        port = wall.port

    assert f"/sign/{feed.link}" in kept["paths"]
    # Neither the feed nor anything else that holds an amount.
    own = ("/assets/sign/", "/assets/kit/", f"/sign/{feed.link}")
    posted = f"/v1/links/{feed.link}/posted"
    assert all(path.startswith(own) or path == posted for path in kept["paths"])

    await glass.page.reload()
    await glass.wait_state("offline")
    await glass.wait_reads("mega", MEGA)
    await expect(glass.status).to_contain_text("No contact since start: amounts of")
    await expect(glass.page.locator("html")).to_have_attribute("data-theme", "ivory")
    await mark(glass.page)
    async with Wall.open(browser, port=port) as again:
        feed = again.feed(theme="ivory")
        # Restored from an older copy: what was kept is vouched for by nobody.
        feed.greeting = [snapshot(8, meters=[{"id": "mega", "name": "Mega", "cents": 777}])]
        feed.tick = tick(8)
        await glass.wait_state("live")
        await glass.wait_reads("mega", 777)
        assert await is_marked(glass.page)
        await context.close()
    assert glass.complaints == []


async def test_a_new_version_takes_over_cleanly(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Wall.open(browser) as wall:
        feed = wall.feed()
        context = await wall.context(size=(1280, 720), worker=True)
        glass = Glass(await context.new_page(), feed)
        await glass.page.goto(wall.address(feed))
        await settle_in(glass)
        # The version of a page that has just been loaded is its worker's already.
        await glass.page.reload()
        await settle_in(glass)
        await mark(glass.page)
        port = wall.port

    monkeypatch.setattr(display.pages, "version_of", lambda _: "next")
    async with Wall.open(browser, port=port) as again:
        again.feed()
        # It need not sit out its back-off; on connecting the page asks what is new.
        await glass.page.evaluate("window.dispatchEvent(new Event('online'))")
        while await is_marked(glass.page):
            await glass.page.wait_for_timeout(100)
        await settle_in(glass)
        kept = await glass.page.evaluate(KEPT)
        assert kept["names"] == ["sign-next"]
        await context.close()
    assert glass.complaints == []


async def mark(page: Page) -> None:
    await page.evaluate("() => { window.loaded_before = true; }")


async def is_marked(page: Page) -> bool:
    try:
        return bool(await page.evaluate("() => window.loaded_before === true"))
    except Exception as error:
        # Asked in the very moment of loading afresh.
        if "context was destroyed" not in str(error):
            raise
        return True
