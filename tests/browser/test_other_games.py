"""The dealer panel where other games are played: lammers in Deadwood, Jack Magic in Petaluma."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.support.accessibility import assert_accessible
from tests.support.browser import a_browser
from tests.support.dealer import Dealer
from tests.support.screens import DAN, EXPECT_MS, a_screen, hire
from tests.support.service import ServiceProcess

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

FLOOR = """
schema = 1
name = "{name}"
currency = "USD"
time_zone = "America/Denver"
gaming_day_starts = "06:00"
jurisdiction = "{jurisdiction}"

[[link]]
id = "main"
decks = 6
dealer_procedure = "no_peek"
soft17 = "hit"
{bets}
[[table]]
id = "BJ-01"
link = "main"
seats = 6
"""

DEADWOOD = """
[[link.bet]]
id = "buster"
game = "sd-buster"
paytable = "A"
min_cents = 100
max_cents = 10000
lammers = "{lammers}"
"""

PETALUMA = """
[[link.bet]]
id = "buster"
game = "ca-101-blackjack-x"
paytable = "101"
min_cents = 100
max_cents = 10000

[[link.bet]]
id = "jack_magic"
game = "ca-101-blackjack-x"
paytable = "101"
min_cents = 100
max_cents = 10000
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with a_browser() as opened:
        yield opened


async def a_floor(folder: Path, name: str, jurisdiction: str, bets: str) -> Path:
    await hire(folder / "data", (DAN,))
    floor = folder / "floor.toml"
    floor.write_text(FLOOR.format(name=name, jurisdiction=jurisdiction, bets=bets), "utf-8")
    return floor


# ARSD 20:18:15:30.07(6)(a) and (b).
@pytest.mark.parametrize("use", ["before_deal", "after_hand"])
async def test_lammers_are_on_the_bets_that_stay_in_action(
    browser: Browser, tmp_path: Path, use: str
) -> None:
    floor = await a_floor(tmp_path, "Deadwood", "us-sd", DEADWOOD.format(lammers=use))
    with ServiceProcess(tmp_path / "data", floor=floor) as service:
        async with a_screen(browser, service.url) as screen:
            dealer = await Dealer.arrive(screen, DAN)
            await dealer.lights_at("$5", (1, "buster"), (3, "buster"))
            await dealer.bases()
            await dealer.hold("lock", until="locked")
            lammers = dealer.page.locator(".lammer:visible")
            await expect(lammers).to_have_count(2 if use == "before_deal" else 0)
            # Seat 3 busts: its Buster bet stays in action, and is marked at the latest now.
            await dealer.key(3, ("Ts", "6h", "Kd"))
            marked = dealer.light(3, "buster").locator(".lammer")
            await expect(marked).to_be_visible(timeout=EXPECT_MS)
            await expect(lammers).to_have_count(2 if use == "before_deal" else 1)
            await assert_accessible(dealer.page, target_px=48)
            await dealer.key(1, ("Ts", "9d"))
            await dealer.key("Dealer", ("Ts", "6c", "Kc"))
            await dealer.hold("settle", until="paying")
            # (7): they come off when the dealer pays.
            await expect(lammers).to_have_count(0)
            await dealer.pays(
                (3, "$10.00", "Pay from the rack"), (1, "$10.00", "Pay from the rack")
            )


async def test_jack_magic_and_buster_are_lit_and_paid_in_passes(
    browser: Browser, tmp_path: Path
) -> None:
    floor = await a_floor(tmp_path, "The 101", "us-ca", PETALUMA)
    with ServiceProcess(tmp_path / "data", floor=floor) as service:
        async with a_screen(browser, service.url) as screen:
            dealer = await Dealer.arrive(screen, DAN)
            await dealer.lights_at("$5", (1, "buster"), (1, "jack_magic"), (2, "jack_magic"))
            await dealer.bases()
            await assert_accessible(dealer.page, target_px=48)
            await dealer.hold("lock", until="locked")
            await dealer.key(1, ("Js", "Jh", "2d"))
            await dealer.key(2, ("4s", "9h"))
            await dealer.key("Dealer", ("Jc", "6d", "Kc"))
            await dealer.hold("settle", until="paying")
            # Clockwise, the whole table bet by bet: Buster 2 to 1, then Jack Magic 100 and 1 to 1.
            await dealer.pays(
                (1, "$10.00", "Pay from the rack"),
                (1, "$500.00", "Pay from the rack"),
                (2, "$5.00", "Pay from the rack"),
            )
