"""The dealer panel where the dealer's hand decides: lammers in Deadwood, 27 points in Spokane."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from progressive.adapters.config.files import shipped_config
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

SPOKANE = """
[[link.bet]]
id = "buster"
game = "wa-buster"
paytable = "WA"
free_bonus = "B2"
min_cents = 100
max_cents = 10000
"""

BOTH = """
[[link.bet]]
id = "blazing7"
game = "nj-blazing-7s"
paytable = "1"
dealing_option = 2
wager_cents = 500

[[link.bet.meter]]
id = "progressive"
rate_ppm = 200000
initial_cents = 200000
reset_cents = 200000

[[link.bet]]
id = "buster"
game = "nj-buster"
paytable = "A"
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
            await bet(dealer, (1, "buster"), (3, "buster"))
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
            await dealer.goes_on()
            # Cards that were keyed for a lammer claim nothing: the dealer stands, and that is all.
            await bet(dealer, (3, "buster"))
            await dealer.hold("lock", until="locked")
            await dealer.key(3, ("Ts", "6h", "Kd"))
            await dealer.key("Dealer", ("Ts", "9c"))
            await expect(dealer.page.locator("#settle")).to_contain_text("No winners")
            await dealer.hold("settle", until="betting")


async def test_base_wagers_are_not_asked_for_where_no_bet_hangs_on_them(
    browser: Browser, tmp_path: Path
) -> None:
    floor = await a_floor(tmp_path, "Deadwood", "us-sd", DEADWOOD.format(lammers="before_deal"))
    shipped = (shipped_config() / "games" / "sd-buster.toml").read_text(encoding="utf-8")
    loose = shipped.replace("needs_base_wager = true", "needs_base_wager = false")
    assert loose != shipped
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "sd-buster.toml").write_text(loose, encoding="utf-8")
    with ServiceProcess(tmp_path / "data", floor=floor) as service:
        async with a_screen(browser, service.url) as screen:
            dealer = await Dealer.arrive(screen, DAN)
            await dealer.lights_at("$25", (1, "buster"), (3, "buster"))
            await expect(dealer.base_keys).to_be_hidden()
            await expect(dealer.page.locator("[data-base]")).to_have_count(0)
            await expect(dealer.page.locator("#lock")).to_contain_text("Hold: 2 bets")
            await dealer.hold("lock", until="locked")


async def test_washingtons_seats_are_asked_one_by_one_once_the_dealer_has_busted(
    browser: Browser, tmp_path: Path
) -> None:
    """27 points or less: the whole hand is keyed, or the dealer says 28 or more."""
    floor = await a_floor(tmp_path, "Spokane", "us-wa", SPOKANE)
    with ServiceProcess(tmp_path / "data", floor=floor) as service:
        async with a_screen(browser, service.url) as screen:
            dealer = await Dealer.arrive(screen, DAN)
            await bet(dealer, (1, "buster"), (3, "buster"), (5, "buster"))
            await dealer.hold("lock", until="locked")
            # The hand comes first: there is nothing to settle without it.
            await expect(dealer.page.locator("#settle")).to_be_hidden()
            await expect(dealer.page.locator("#dealers-hand")).to_be_visible()
            await dealer.key("Dealer", ("2s", "2h", "2d", "3c", "4d"))
            await expect(dealer.page.locator(".desk-todo")).to_have_text(
                "Dealer has 13: another card."
            )
            await dealer.adds("Dealer", ("Kc",))
            await expect(dealer.page.locator(".desk-todo")).to_have_text(
                "Dealer busts with 6 cards: Buster pays."
            )
            asked = dealer.page.locator(".seat-question")
            await expect(asked.get_by_role("heading")).to_have_text("Seat 1: 28 points or more?")
            await assert_accessible(dealer.page, target_px=48)
            await asked.get_by_role("button", name="27 or less").click()
            await expect(asked.get_by_role("heading")).to_have_text("Seat 1: a blackjack?")
            # A slip of the finger is taken back.
            await dealer.page.get_by_role("button", name="Ask again").click()
            await asked.get_by_role("button", name="28 or more").click()
            # Seat 1 has lost: its blackjack is not asked for.
            await expect(asked.get_by_role("heading")).to_have_text("Seat 3: 28 points or more?")
            await asked.get_by_role("button", name="27 or less").click()
            await expect(asked.get_by_role("heading")).to_have_text("Seat 3: a blackjack?")
            await dealer.page.reload()
            await dealer.is_in("locked")
            await asked.get_by_role("button", name="No blackjack").click()
            await expect(asked.get_by_role("heading")).to_have_text("Seat 5: 28 points or more?")
            await asked.get_by_role("button", name="Key the whole hand").click()
            await dealer.taps(("As", "Kd"))
            await expect(asked).to_be_hidden()
            await dealer.hold("settle", until="paying")
            # $5 at 15 to 1; six cards against a blackjack are $40 on top.
            await dealer.pays(
                (5, "$115.00", "Pay from the rack"), (3, "$75.00", "Pay from the rack")
            )
            await dealer.goes_on()
            # Two of three cards do not pay a hand of 28: the seat is asked for the rest.
            await bet(dealer, (2, "buster"))
            await dealer.hold("lock", until="locked")
            await dealer.key(2, ("Ts", "8h"))
            await dealer.key("Dealer", ("Ts", "6h", "Kc"))
            await expect(asked.get_by_role("heading")).to_have_text("Seat 2: 28 points or more?")
            await asked.get_by_role("button", name="28 or more").click()
            await dealer.hold("settle", until="betting")


async def test_a_hand_that_does_not_bust_ends_the_round_in_one_act(
    browser: Browser, tmp_path: Path
) -> None:
    floor = await a_floor(tmp_path, "Spokane", "us-wa", SPOKANE)
    with ServiceProcess(tmp_path / "data", floor=floor) as service:
        async with a_screen(browser, service.url) as screen:
            dealer = await Dealer.arrive(screen, DAN)
            await bet(dealer, (1, "buster"), (3, "buster"))
            await dealer.hold("lock", until="locked")
            await dealer.page.locator("#dealers-hand").click()
            await dealer.taps(("As", "8h"))
            await expect(dealer.page.locator(".desk-todo")).to_have_text(
                "Dealer stands on soft 19: Buster bets lose."
            )
            await expect(dealer.page.locator(".seat-question")).to_be_hidden()
            await dealer.hold("settle", until="betting")


async def test_before_the_peek_the_panel_asks_under_dealing_option_2_too(
    browser: Browser, tmp_path: Path
) -> None:
    """NJ 13:69F-2.6(j)4, and a Buster bet beside it."""
    floor = await a_floor(tmp_path, "Boardwalk", "us-nj", BOTH)
    text = floor.read_text("utf-8").replace("no_peek", "card_reader")
    floor.write_text(text, "utf-8")
    with ServiceProcess(tmp_path / "data", floor=floor) as service:
        async with a_screen(browser, service.url) as screen:
            dealer = await Dealer.arrive(screen, DAN)
            await bet(dealer, (2, "blazing7"), (4, "blazing7"), (4, "buster"))
            await dealer.counts(2)
            await dealer.hold("lock", until="locked")
            await dealer.page.get_by_role("button", name="Ace or ten up").click()
            await dealer.taps(("Ks",))
            await expect(dealer.page.locator(".desk-todo")).to_contain_text("Before the peek")
            await assert_accessible(dealer.page, target_px=48)
            await dealer.key(2, ("7d", "7h"))
            await dealer.press("early")
            await dealer.pays((2, "$125.00", "Pay from the rack"))
            await dealer.page.mouse.up()
            # Then the hand that the Buster bet waits for.
            await dealer.page.locator("#dealers-hand").click()
            await dealer.taps(("5d", "9c"))
            await dealer.hold("settle", until="paying")
            await dealer.pays((4, "$10.00", "Pay from the rack"))


async def bet(dealer: Dealer, *places: tuple[int, str]) -> None:
    """$5 on each of these, beside $25."""
    await dealer.lights_at("$5", *places)
    await dealer.bases()
