"""Makes the pictures of the signs: `python -m tests.browser.sign_screenshots FOLDER [NAME…]`.

Those in docs/ were reduced to a palette of 256 colors afterwards, to keep them small. For the
Chinese one the machine needs a Chinese font, as every kiosk that shows Chinese does.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from playwright.async_api import expect

from tests.support.browser import a_browser
from tests.support.signs import MEGA, Frame, Glass, Size, Wall, posted_terms, snapshot, update, win

WIDE: Size = (1280, 720)
TALL: Size = (540, 960)


class Scene(NamedTuple):
    """One picture: how the sign looks, and what has happened to it."""

    name: str
    looks: dict[str, Any]
    size: Size = WIDE
    act: Callable[[Glass], Awaitable[None]] | None = None
    greeting: Frame = snapshot()


async def take_over(glass: Glass) -> None:
    await glass.feed.send(update(11, mega=2_518_360, minor=250_000))
    await glass.feed.send(win("A-1"), win("A-2", seat=3, meter="minor", amount_cents=301_833))
    await expect(glass.takeover).to_be_visible()
    await glass.page.clock.run_for(2_500)
    await glass.feed.send(update(12, mega=2_518_780, minor=250_140))
    await glass.page.clock.run_for(400)
    await expect(glass.won("amount-won").locator(".amount")).to_have_attribute(
        "data-cents", str(MEGA)
    )
    # Styles fade in by the browser's own clock, which no test stops.
    await asyncio.sleep(2.2)


async def run_out(glass: Glass, seconds: int) -> None:
    glass.feed.ticking = False
    glass.feed.accepting = False
    await asyncio.sleep(0.6)
    await glass.page.clock.run_for(seconds * 1000)


async def age(glass: Glass) -> None:
    glass.feed.ticking = False
    await asyncio.sleep(0.6)
    await glass.page.clock.run_for(4_300)


async def go_stale(glass: Glass) -> None:
    await run_out(glass, 72)


async def break_down(glass: Glass) -> None:
    reason = "the journal cannot be written: disk full"
    await glass.feed.send({"type": "state", "state": "inoperable", "reason": reason})
    await glass.wait_state("inoperable")


async def show_fault(glass: Glass) -> None:
    await break_down(glass)
    while await glass.body.get_attribute("data-face") != "fault":
        await glass.page.clock.run_for(500)


async def boot_offline(glass: Glass) -> None:
    await glass.page.clock.run_for(6_000)
    glass.feed.accepting = False
    await glass.page.reload()
    await glass.page.clock.run_for(3_000)
    await glass.wait_state("offline")


THEMES = ("midnight", "deco", "neon", "ivory")
ONE = snapshot(meters=[{"id": "progressive", "name": "Progressive", "cents": 4_815_162}])
TWO = snapshot(
    meters=[
        {"id": "mega", "name": "Mega", "cents": MEGA},
        {"id": "major", "name": "Major", "cents": 1_527_405},
    ]
)
SCENES = [
    *[Scene(f"meters-{theme}", {"theme": theme}) for theme in THEMES],
    *[Scene(f"takeover-{theme}", {"theme": theme}, act=take_over) for theme in THEMES],
    Scene("one", {"theme": "deco"}, greeting=ONE),
    Scene("two", {"theme": "midnight"}, greeting=TWO),
    *[Scene(f"tall-{theme}", {"theme": theme}, TALL) for theme in THEMES],
    Scene("tall-takeover", {"theme": "neon"}, TALL, take_over),
    Scene("spanish", {"theme": "ivory", "language": "es", "layout": "paytable"}),
    Scene("chinese", {"theme": "deco", "language": "zh", "layout": "paytable"}),
    *[Scene(f"paytable-{theme}", {"theme": theme, "layout": "paytable"}) for theme in THEMES],
    Scene("paytable-tall", {"theme": "midnight", "layout": "paytable"}, (720, 1280)),
    Scene("paytable-takeover", {"theme": "midnight", "layout": "paytable"}, WIDE, take_over),
    *[
        Scene(f"strip-{theme}", {"theme": theme, "layout": "strip"}, (1920, 160))
        for theme in THEMES
    ],
    Scene("strip-1024", {"theme": "midnight", "layout": "strip"}, (1024, 96)),
    Scene("strip-640", {"theme": "neon", "layout": "strip"}, (640, 64)),
    Scene("strip-takeover", {"theme": "midnight", "layout": "strip"}, (1920, 160), take_over),
    Scene("strip-stale", {"theme": "midnight", "layout": "strip"}, (1920, 160), go_stale),
    Scene("strip-inoperable", {"theme": "midnight", "layout": "strip"}, (1920, 160), show_fault),
    Scene("ageing", {"theme": "midnight"}, act=age),
    *[Scene(f"stale-{theme}", {"theme": theme}, act=go_stale) for theme in THEMES],
    Scene("inoperable", {"theme": "midnight"}, act=break_down),
    Scene("inoperable-fault", {"theme": "midnight"}, act=show_fault),
    Scene("inoperable-ivory", {"theme": "ivory"}, act=show_fault),
    Scene("offline", {"theme": "midnight"}, act=boot_offline),
    Scene("offline-ivory", {"theme": "ivory"}, act=boot_offline),
    Scene("phone", {"theme": "neon"}, (390, 844)),
]


async def shoot(wall: Wall, scene: Scene, folder: Path) -> None:
    feed = wall.feed(**scene.looks)
    feed.posted = posted_terms()
    feed.greeting = [scene.greeting]
    async with wall.hang(feed, size=scene.size, frozen=True) as glass:
        glass.may_lose_contact = True
        await glass.wait_state("live")
        await glass.page.clock.run_for(300)
        await expect(glass.page.locator("#wager-note")).not_to_be_empty()
        if scene.act is not None:
            await scene.act(glass)
        # Styles fade with the browser's own clock, which no test stops.
        await asyncio.sleep(0.8)
        await glass.page.screenshot(path=folder / f"sign-{scene.name}.png")


async def main(folder: Path, names: list[str]) -> None:
    async with a_browser() as browser, Wall.open(browser) as wall:
        for scene in SCENES:
            if not names or any(scene.name.startswith(name) for name in names):
                await shoot(wall, scene, folder)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
