"""Makes the pictures of docs/: `python -m tests.browser.screenshots FOLDER`.

A scene that shows every part at once, on the real service: a lost table, a bad claim, a double Mega
with a claim in dispute, a payment that waits for its second approval.
"""

import asyncio
import contextlib
import sys
import tempfile
from pathlib import Path

import aiohttp
from playwright.async_api import Browser, expect

from progressive.domain.people.roles import Person, Role
from tests.support.browser import a_browser
from tests.support.evening import MAJOR, MEGA, Pit
from tests.support.people import PASSWORD
from tests.support.screens import (
    ANN,
    BOB,
    EVE,
    EXPECT_MS,
    PHONE,
    PIT_DESKTOP,
    STAFF,
    TOUCH_TALL,
    TOUCH_WIDE,
    Screen,
    a_screen,
    hire,
)
from tests.support.service import ServiceProcess

DEALERS = ["Dana", "Luis", "Mei", "Omar", "Nina", "Paul", "Ruth", "Theo", "Uma", "Vera"]


class Staff:
    """People who act by script while others are looked at."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def act(self, name: str, path: str, **body: str) -> None:
        credentials = {"user": name, "password": PASSWORD}
        async with self._session.post("/v1/sessions", json=credentials) as response:
            token = (await response.json())["token"]
        headers = {"Authorization": f"Bearer {token}"}
        async with self._session.post(f"/v1/{path}", headers=headers, json=body) as response:
            assert response.ok, await response.text()


async def make(folder: Path, data: Path) -> None:
    await hire(data, [*STAFF, *[Person(name, Role.DEALER, "Table games") for name in DEALERS]])
    async with contextlib.AsyncExitStack() as stack:
        service = stack.enter_context(ServiceProcess(data))
        browser = await stack.enter_async_context(a_browser())
        staff = Staff(await stack.enter_async_context(aiohttp.ClientSession(service.url)))
        sign = await stack.enter_async_context(a_screen(browser, service.url))
        await sign.go("/sign/entrance")
        await shoot_page(browser, service, folder, "home", "/", None)
        tables = [f"BJ-{number:02}" for number in range(1, 11)]
        pits = [await stack.enter_async_context(Pit.open(service, name)) for name in tables]
        for pit, dealer in zip(pits, DEALERS, strict=True):
            await staff.act(dealer, f"tables/{pit.table}/dealer")
            await pit.play()
        await scene(service, staff, pits)
        for pit in pits:
            keeping = asyncio.create_task(pit.stay())
            stack.callback(keeping.cancel)
        for sign_id, state in (("pit", "live"), ("terrace", "ageing"), ("strip", "stale")):
            speaking = asyncio.create_task(speak(service, sign_id, state))
            stack.callback(speaking.cancel)
        await shoot_page(browser, service, folder, "signs", "/signs", EVE)
        for person, name in ((ANN, "pit"), (BOB, "pit-cage")):
            await shoot_page(browser, service, folder, name, "/pit", person)
        await shoot_dialog(browser, service, folder)


async def speak(service: ServiceProcess, sign: str, state: str) -> None:
    """A sign that says every few seconds how it is."""
    async with (
        aiohttp.ClientSession(service.url) as session,
        session.ws_connect(f"/v1/links/main/feed?sign={sign}") as feed,
    ):
        told = await feed.receive_json()
        while True:
            await feed.send_json({"type": "showing", "seq": told["seq"], "state": state})
            await asyncio.sleep(3)


async def scene(service: ServiceProcess, staff: Staff, pits: list[Pit]) -> None:
    """What a bad quarter of an hour looks like."""
    for pit in pits[4:]:
        await pit.lock()
    async with Pit.open(service, "BJ-11") as lost:
        await lost.lock()
        # Long enough to be seen by the watch, which looks once a second.
        await asyncio.sleep(1.5)
    await pits[2].claim({"type": "void", "round": "r-17", "reason": "misdeal"})
    major = (await pits[1].play({1: MAJOR}))[0]["award"]
    await staff.act("Sue", f"awards/{major}/validate")
    await staff.act("Bob", f"awards/{major}/pay")
    first, second = [made["award"] for made in await pits[3].play({5: MEGA, 3: MEGA})]
    await staff.act("Sue", f"awards/{second}/validate")
    await staff.act("Sue", f"awards/{first}/void", reason="the third card was the dealer's")


async def shoot_page(
    browser: Browser,
    service: ServiceProcess,
    folder: Path,
    name: str,
    path: str,
    person: Person | None,
) -> None:
    looks = [(PIT_DESKTOP, "dark"), (PIT_DESKTOP, "light"), (TOUCH_WIDE, "light")]
    for size, theme in [*looks, (TOUCH_TALL, "dark"), (PHONE, "light")]:
        async with a_screen(browser, service.url, size=size, theme=theme) as screen:
            await (screen.go(path) if person is None else screen.sign_in(person, to=path))
            await settled(screen, console=path == "/pit")
            if path == "/signs":
                stale = screen.page.locator("[data-sign=strip] [data-part=why]")
                await expect(stale).to_be_visible(timeout=EXPECT_MS)
            await screen.page.screenshot(path=folder / f"{name}-{size[0]}-{theme}.png")


async def shoot_dialog(browser: Browser, service: ServiceProcess, folder: Path) -> None:
    async with a_screen(browser, service.url, theme="dark") as screen:
        await screen.sign_in(ANN)
        await settled(screen, console=True)
        await screen.page.locator("[data-step=approveVoid]").click()
        await expect(screen.page.get_by_role("dialog").locator("playing-card")).to_have_count(3)
        await screen.page.screenshot(path=folder / "pit-void-1280-dark.png")


async def settled(screen: Screen, *, console: bool) -> None:
    page = screen.page
    await expect(page.locator("contact-state")).to_have_text("Live", timeout=EXPECT_MS)
    if console:
        await expect(page.locator("#alarms li", has_text="Table lost")).to_be_visible(
            timeout=EXPECT_MS
        )
        await expect(page.locator(".award playing-card").first).to_be_visible(timeout=EXPECT_MS)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(make(Path(sys.argv[1]), Path(scratch) / "data"))
