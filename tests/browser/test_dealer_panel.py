"""The dealer panel in a real browser, against the real service: evenings good and bad."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from playwright.async_api import Browser, WebSocketRoute, expect

from progressive.application.people.act_log import TABLE_MESSAGE
from tests.support.accessibility import assert_accessible, assert_focus_in_order
from tests.support.browser import a_browser
from tests.support.dealer import SEVENS, Dealer
from tests.support.panels import PanelClient, post, token_of
from tests.support.people import Person, Role
from tests.support.screens import (
    ANN,
    DAN,
    EXPECT_MS,
    JOE,
    LOOKS,
    SUE,
    TOUCH_WIDE,
    Screen,
    a_screen,
    hire,
)
from tests.support.service import ServiceProcess, TableClient, issue_key, lock

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

RAY = Person("Ray", Role.DEALER, "Table games")
LOW = ("9c", "8h")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with a_browser() as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="module")
async def data(tmp_path: Path) -> Path:
    await hire(tmp_path / "data", (DAN, RAY, ANN, SUE, JOE))
    return tmp_path / "data"


@pytest_asyncio.fixture(loop_scope="module")
async def service(data: Path) -> AsyncIterator[ServiceProcess]:
    with ServiceProcess(data) as running:
        yield running


async def state_of(service: ServiceProcess, table: str = "BJ-01") -> dict[str, Any]:
    """The table as the service has it, over a panel of our own."""
    async with PanelClient.connect(service.url, table, await token_of(service.url, DAN)) as panel:
        return panel.state


async def refused_at(service: ServiceProcess) -> list[str]:
    """What tables were refused, in the words of the act log, once it has any."""
    token = await token_of(service.url, JOE)
    async with asyncio.timeout(EXPECT_MS / 1000), aiohttp.ClientSession(service.url) as session:
        while True:
            headers = {"Authorization": f"Bearer {token}"}
            async with session.get("/v1/acts?limit=1000", headers=headers) as answer:
                acts = (await answer.json())["acts"]
            if refused := [act for act in acts if act["act"] == TABLE_MESSAGE]:
                return [act["details"]["message"] for act in refused]


# --- an evening -------------------------------------------------------------------------------


async def test_a_dealer_locks_and_settles_twenty_rounds(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.lock(1, 2, 5)
        await dealer.hold("settle", until="betting")
        for _ in range(19):
            await dealer.page.get_by_role("button", name="Same again").click()
            await dealer.counts(3)
            await dealer.hold("lock", until="locked")
            await dealer.hold("settle", until="betting")
        await dealer.shows_meter("mega", "$100,036.00")
    state = await state_of(service)
    assert (state["seq"], state["round"]) == (40, None)


async def test_a_double_mega_with_a_voided_first_claim(
    browser: Browser, service: ServiceProcess
) -> None:
    ann, sue = await token_of(service.url, ANN), await token_of(service.url, SUE)
    async with a_screen(browser, service.url) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.lock(2, 5)
        await dealer.key(2, SEVENS)
        await dealer.key(5, SEVENS)
        await dealer.key("Dealer", LOW)
        await dealer.hold("settle", until="paying")
        hold = "Hold the cards of seat {}: supervisor"
        await dealer.pays((5, "$100,001.20", hold.format(5)), (2, "$25,000.10", hold.format(2)))
        first = await dealer.payments().first.get_attribute("data-award")
        second = await dealer.payments().nth(1).get_attribute("data-award")
        for token in (ann, sue):
            await post(service.url, f"/v1/awards/{first}/void", token, {"reason": "unlit seat"})
        await dealer.pays(
            (5, "$100,001.20", "Void: nothing is paid"), (2, "$100,001.20", hold.format(2))
        )
        # What waits is shown over the next round, and follows what people do.
        await dealer.goes_on()
        await dealer.lock(1)
        await dealer.hold("settle", until="betting")
        waiting = dealer.page.locator("#waiting")
        await expect(waiting).to_contain_text(hold.format(2), timeout=EXPECT_MS)
        assert (await post(service.url, f"/v1/awards/{second}/validate", ann))[0] == 200
        await expect(waiting).to_contain_text("validated, 2 more approvals", timeout=EXPECT_MS)


async def test_small_awards_are_paid_from_the_rack_in_order(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.lock(1, 6)
        await dealer.key(1, ("7s", "2c"))
        await dealer.key(6, ("7s", "7h"))
        await dealer.hold("settle", until="paying")
        await dealer.pays((6, "$125.00", "Pay from the rack"), (1, "$10.00", "Pay from the rack"))
        await dealer.goes_on()


async def test_two_card_awards_are_paid_before_the_peek(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.lock(3)
        early = dealer.page.locator("#early")
        await expect(early).to_have_attribute("aria-disabled", "true")
        await dealer.key("Dealer", ("Ks",))
        await dealer.key(3, ("7d", "7h"))
        await dealer.press("early")
        await dealer.pays((3, "$125.00", "Pay from the rack"))
        await dealer.page.mouse.up()
        await expect(dealer.page.locator("#misdeal")).to_have_attribute("aria-disabled", "true")
        await dealer.page.get_by_role("button", name="Seat 3: change cards").click()
        keypad = dealer.page.locator("dialog.keypad")
        await keypad.get_by_role("button", name="7", exact=True).click()
        await keypad.get_by_role("button", name="spades").click()
        await keypad.get_by_role("button", name="Done").click()
        await dealer.page.get_by_role("button", name="Dealer: change cards").click()
        await keypad.get_by_role("button", name="9", exact=True).click()
        await keypad.get_by_role("button", name="diamonds").click()
        await keypad.get_by_role("button", name="Done").click()
        await dealer.hold("settle", until="paying")
        await dealer.pays((3, "$875.00", "Pay from the rack"))
        await expect(dealer.payments().first).to_contain_text("$125.00 paid before the peek")


async def test_a_whole_round_is_keyed_with_a_split(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.lock(1, 4)
        await dealer.page.get_by_label("Key all cards").check()
        await dealer.page.get_by_role("button", name="Seat 1: key cards").click()
        keypad = dealer.page.locator("dialog.keypad")

        async def tap(*names: str) -> None:
            for name in names:
                await keypad.get_by_role("button", name=name, exact=True).click()

        await tap("8", "clubs", "8", "diamonds", "Split")
        # The second hand is chosen by touching it.
        await tap("king", "hearts")
        await keypad.get_by_role("button", name="Hand 2").click()
        await tap("queen", "hearts", "Next seat")
        await expect(keypad.get_by_role("heading")).to_have_text("Seat 4")
        await tap("7", "spades", "9", "hearts", "Next seat")
        await expect(keypad.get_by_role("heading")).to_have_text("Dealer's cards")
        await tap("10", "spades", "9", "clubs", "Done")
        await dealer.hold("settle", until="paying")
        await dealer.pays((4, "$10.00", "Pay from the rack"))


async def test_a_misdeal_gives_the_bets_back(browser: Browser, service: ServiceProcess) -> None:
    async with a_screen(browser, service.url) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.lock(1, 2)
        await dealer.shows_meter("mega", "$100,001.20")
        await dealer.page.get_by_role("button", name="Misdeal").click()
        dialog = dealer.page.get_by_role("dialog", name="Misdeal")
        await dialog.get_by_role("button", name="Other").click()
        await dialog.get_by_role("button", name="Void the round").click()
        await expect(dialog.get_by_role("alert")).to_have_text("Say what happened.")
        await dialog.get_by_role("button", name="Shuffler or shoe fault").click()
        await dialog.get_by_role("button", name="Void the round").click()
        await dealer.is_in("betting")
        await dealer.shows_meter("mega", "$100,000.00")
    assert (await state_of(service))["last"]["reason"] == "Shuffler or shoe fault"


# --- what must not happen by accident ---------------------------------------------------------


async def test_a_count_that_is_not_the_lights_is_refused_by_the_service_and_recorded(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.lights(1, 2, 3)
        await dealer.bases()
        # The lights are not a count: the dealer keys one.
        pressed = dealer.page.locator('.count [aria-pressed="true"]')
        await expect(pressed).to_have_count(0)
        await expect(dealer.page.locator("#lock")).to_have_attribute("aria-disabled", "true")
        await dealer.counts(2)
        await dealer.press("lock")
        verdict = dealer.page.locator(".count-verdict")
        await expect(verdict).to_contain_text("2 chips counted, 3 lights on", timeout=EXPECT_MS)
        await dealer.page.mouse.up()
        await expect(dealer.page.locator("#lock")).to_have_attribute("aria-disabled", "true")
        # A coupon lights the acceptor and is no chip.
        await dealer.light(3).click()
        await expect(dealer.light(3)).to_have_attribute("data-light", "coupon")
        await dealer.counts(2)
        await expect(verdict).to_be_hidden()
        await dealer.hold("lock", until="locked")
    wagers = (await state_of(service))["round"]["wagers"]
    assert [(wager["seat"], wager["tender"]) for wager in wagers] == [
        (1, "chip"),
        (2, "chip"),
        (3, "coupon"),
    ]
    assert await refused_at(service) == ["2 chips counted, 3 lights on"]


async def test_base_wagers_are_keyed_once_then_confirmed_with_the_lock_out(
    browser: Browser, service: ServiceProcess
) -> None:
    """N.J.A.C. 13:69F-2.28(f): nobody's blackjack wager is made up."""
    async with a_screen(browser, service.url) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.lights(1, 2, 5)
        for seat in (1, 2, 5):
            await dealer.shows_base(seat, "missing", "Base?")
        lock_out = dealer.page.locator("#lock")
        await dealer.counts(3)
        await expect(lock_out).to_contain_text("Key the base wager of seat 1")
        # From the left, a key a seat; an amount that no key has, digit by digit.
        for amount in ("$25", "$100"):
            await dealer.base_keys.get_by_role("button", name=amount, exact=True).click()
        await dealer.base_keys.get_by_role("button", name="Other").click()
        await dealer.types("9")
        pad = dealer.page.get_by_role("dialog", name="Base wager, seat 5")
        await expect(pad.get_by_role("alert")).to_have_text("Key $10 to $2,000.")
        await dealer.types("0", ".", "5")
        await expect(lock_out).to_contain_text("Base wagers as shown: 25\u00a0· 100\u00a0· 90.50")
        await dealer.hold("lock", until="locked")
        await dealer.hold("settle", until="betting")
        # The next round proposes them; the hold confirms, a seat that differs is keyed.
        await dealer.page.get_by_role("button", name="Same again").click()
        await dealer.shows_base(2, "proposed", "$100")
        await dealer.key_base(2, "$50")
        await dealer.lights(3)
        await dealer.shows_base(3, "missing", "Base?")
        await dealer.bases("$10")
        await dealer.counts(4)
        await dealer.hold("lock", until="locked")
    wagers = (await state_of(service))["round"]["wagers"]
    assert [(wager["seat"], wager["base_cents"]) for wager in wagers] == [
        (1, 2_500),
        (2, 5_000),
        (3, 1_000),
        (5, 9_050),
    ]


async def test_a_bet_above_the_base_wager_is_shown_at_the_seat_and_nothing_is_raised(
    browser: Browser, service: ServiceProcess
) -> None:
    """N.J.A.C. 13:69F-2.30(c); and any amount that the bet takes can be keyed."""
    async with a_screen(browser, service.url) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        # Nobody has said how much a tap is: the first one asks, then it stands on the desk.
        await dealer.lights_at("$25", (1, "buster"), (2, "buster"), (4, "buster"))
        await dealer.bases("$20")
        await dealer.counts(0)
        lock_out = dealer.page.locator("#lock")
        await expect(lock_out).to_have_attribute("aria-disabled", "true")
        await dealer.shows_base(1, "wrong", "$20")
        await expect(dealer.base_keys).to_contain_text("Buster $25 is above the base wager $20")
        await expect(dealer.light(1, "buster")).to_have_text("Buster$25Lammer")
        await dealer.key_base(1, "$25")
        await dealer.key_base(2, "$100")
        # Seat 4 bets less: its base wager stays what it is.
        await dealer.page.get_by_role("button", name="Seat 4: side bets").click()
        dialog = dealer.page.get_by_role("dialog", name="Seat 4")
        buster = dialog.get_by_role("group", name="Buster")
        await expect(buster.get_by_role("button", name="$20", exact=True)).to_be_visible()
        await expect(buster.get_by_role("button", name="$50", exact=True)).to_have_count(0)
        await buster.get_by_role("button", name="Other: $25").click()
        await dealer.types("1", "7", ".", "5")
        await dialog.get_by_role("button", name="Set").click()
        await dealer.shows_base(4, "keyed", "$20")
        await dealer.hold("lock", until="locked")
    wagers = (await state_of(service))["round"]["wagers"]
    assert [(wager["seat"], wager["amount_cents"], wager["base_cents"]) for wager in wagers] == [
        (1, 2_500, 2_500),
        (2, 2_500, 10_000),
        (4, 1_750, 2_000),
    ]


async def test_a_tap_does_not_lock_and_keys_can(browser: Browser, service: ServiceProcess) -> None:
    async with a_screen(browser, service.url) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.places(4)
        button = dealer.page.locator("#lock")
        for _ in range(3):
            await button.click()
        await expect(dealer.panel).to_have_attribute("data-mode", "betting")
        await button.focus()
        await dealer.page.keyboard.press("Enter")
        await dealer.page.keyboard.press("Space")
        await expect(dealer.panel).to_have_attribute("data-mode", "betting")
        await dealer.page.keyboard.down("Enter")
        await dealer.is_in("locked")
        await dealer.page.keyboard.up("Enter")
        # A screen reader's click comes without a press: it is asked back.
        await dealer.page.locator("#settle").dispatch_event("click")
        dialog = dealer.page.get_by_role("dialog")
        await dialog.get_by_role("button", name="Close the round without winners").click()
        await dealer.is_in("betting")
    assert (await state_of(service))["seq"] == 2


async def test_a_refused_settlement_says_why_and_keeps_the_cards(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.lock(4)
        await dealer.key(4, ("2c", "3c"))
        await dealer.press("settle")
        toast = dealer.page.locator(".toast")
        await expect(toast).to_contain_text("The cards of seat 4 win nothing", timeout=EXPECT_MS)
        await dealer.page.mouse.up()
        await dealer.is_in("locked")
        await expect(dealer.cards_at(4)).to_have_count(2)


# --- lost contact -----------------------------------------------------------------------------


async def test_without_contact_no_side_bets_are_taken_and_it_says_so(
    browser: Browser, service: ServiceProcess, data: Path
) -> None:
    async with a_screen(browser, service.url) as screen:
        screen.may_lose_contact = True
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.lights(1)
        service.kill()
        await dealer.has_lost_contact()
        await expect(dealer.notice).to_contain_text("take no side bets")
        for seat in (1, 2):
            await expect(dealer.light(seat)).to_have_attribute("aria-disabled", "true")
        await dealer.light(2).dispatch_event("click")
        await expect(dealer.light(2)).to_have_attribute("data-light", "off")
        await expect(dealer.page.locator("#lock")).to_have_attribute("aria-disabled", "true")
        with ServiceProcess(data, port=service.port):
            await dealer.is_in("betting")
            await expect(dealer.notice).to_be_hidden()
            # What lay on the table lies there still.
            await expect(dealer.light(1)).to_have_attribute("data-light", "chip")


async def test_a_lock_out_that_is_not_confirmed_can_be_given_up(
    browser: Browser, service: ServiceProcess, data: Path
) -> None:
    async with a_screen(browser, service.url) as screen, Wire(screen) as wire:
        screen.may_lose_contact = True
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.places(1)
        wire.loses = lambda message: message["type"] != "tick"
        await dealer.press("lock")
        await expect(dealer.panel).to_have_attribute("data-mode", "sending")
        await dealer.page.mouse.up()
        wire.cut = True
        await wire.drop()
        await dealer.has_lost_contact()
        await expect(dealer.page.locator("#desk")).to_contain_text("is not confirmed")
        await dealer.page.get_by_role("button", name="Give the side bets back").click()
        wire.loses, wire.cut = Wire.nothing, False
        # It had arrived: nobody may believe otherwise.
        await dealer.is_in("locked")
        await expect(dealer.page.locator(".desk-warning")).to_be_visible()


class Wire:
    """Between a panel and the service: loses what the test wants lost, and drops connections."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._routes: list[WebSocketRoute] = []
        self.loses: Callable[[dict[str, Any]], bool] = self.nothing
        self.cut = False

    @staticmethod
    def nothing(message: dict[str, Any]) -> bool:
        return False

    async def __aenter__(self) -> "Wire":
        await self._screen.page.route_web_socket("**/panel", self._route)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.cut = True

    async def _route(self, route: WebSocketRoute) -> None:
        if self.cut:
            await route.close(code=1001)
            return
        server = route.connect_to_server()
        self._routes.append(route)

        def from_server(message: str | bytes) -> None:
            if not self.loses(json.loads(message)):
                route.send(message)

        server.on_message(from_server)

    async def drop(self) -> None:
        routes, self._routes = self._routes, []
        for route in routes:
            await route.close(code=1001)


async def test_a_lost_answer_is_found_again_without_a_second_round(
    browser: Browser, service: ServiceProcess
) -> None:
    """The network goes after the message and before its answer."""
    async with a_screen(browser, service.url) as screen, Wire(screen) as wire:
        screen.may_lose_contact = True
        dealer = await Dealer.arrive(screen, DAN)
        for button, until in (("lock", "locked"), ("settle", "betting")):
            if button == "lock":
                await dealer.places(1, 2)
            wire.loses = lambda message: message["type"] != "tick"
            await dealer.press(button)
            await expect(dealer.panel).to_have_attribute("data-mode", "sending")
            await dealer.page.mouse.up()
            wire.loses = Wire.nothing
            await wire.drop()
            await dealer.is_in(until)
        await dealer.shows_meter("mega", "$100,001.20")
    assert (await state_of(service))["seq"] == 2


# --- reloads, kills, company ------------------------------------------------------------------


async def test_reloaded_in_the_middle_of_each_step_nothing_is_lost_or_doubled(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        screen.may_lose_contact = True
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.lights(1, 2)
        await dealer.key_base(2, "$50")
        await dealer.page.reload()
        await dealer.is_in("betting")
        await expect(dealer.light(2)).to_have_attribute("data-light", "chip")
        await dealer.shows_base(1, "missing", "Base?")
        await dealer.shows_base(2, "keyed", "$50")
        await dealer.bases()
        await dealer.counts(2)
        await dealer.page.reload()
        await dealer.is_in("betting")
        await reload_while_sending(dealer, "lock", until="locked")
        await dealer.key(2, SEVENS)
        await dealer.page.reload()
        await dealer.is_in("locked")
        await expect(dealer.cards_at(2)).to_have_count(3)
        await dealer.key("Dealer", LOW)
        await reload_while_sending(dealer, "settle", until="paying")
        await dealer.pays((2, "$100,001.20", "Hold the cards of seat 2: supervisor"))
        await dealer.page.reload()
        await dealer.is_in("paying")
        await dealer.goes_on()
        await dealer.page.reload()
        await dealer.is_in("betting")
        await dealer.shows_meter("mega", "$25,000.10")
    assert (await state_of(service))["seq"] == 2


async def reload_while_sending(dealer: Dealer, button: str, *, until: str) -> None:
    """The page goes the moment it has sent."""
    await dealer.press(button)
    before = "betting" if button == "lock" else "locked"
    await dealer.page.wait_for_selector(f"#panel:not([data-mode={before}])")
    await dealer.page.reload()
    await dealer.page.mouse.up()
    await dealer.is_in(until)


async def test_killed_in_the_middle_of_each_step_nothing_is_lost_or_doubled(
    browser: Browser, data: Path
) -> None:
    service = ServiceProcess(data)
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(lambda: service.__exit__())
        screen = await stack.enter_async_context(a_screen(browser, service.url))
        screen.may_lose_contact = True
        dealer = await Dealer.arrive(screen, DAN)
        # While it is still being held, once it was sent, and once it was answered.
        for moment in ("held", "sent", "answered"):
            await dealer.places(1, 2)
            for button, before, until in (
                ("lock", "betting", "locked"),
                ("settle", "locked", "betting"),
            ):
                await dealer.press(button)
                if moment == "sent":
                    await dealer.page.wait_for_selector(f"#panel:not([data-mode={before}])")
                elif moment == "answered":
                    await dealer.is_in(until)
                await asyncio.to_thread(service.kill)
                await dealer.has_lost_contact()
                await dealer.page.mouse.up()
                service = await asyncio.to_thread(ServiceProcess, data, port=service.port)
                await dealer.has_settled_down()
                if await dealer.panel.get_attribute("data-mode") == before:
                    # Contact went before the button had been held long enough.
                    assert moment == "held"
                    await dealer.hold(button, until=until)
                await dealer.is_in(until)
        await dealer.shows_meter("mega", "$100,003.60")
        assert (await state_of(service))["seq"] == 6


async def test_a_second_panel_shows_the_same_and_either_may_go_on(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as one, a_screen(browser, service.url) as other:
        first, second = await Dealer.arrive(one, DAN), await Dealer.arrive(other, DAN)
        await first.lock(3)
        await second.is_in("locked")
        await expect(second.light(3)).to_have_attribute("data-light", "chip")
        await second.hold("settle", until="betting")
        await first.is_in("betting")


async def test_a_relief_dealer_signs_on_and_the_other_panel_stops(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as one, a_screen(browser, service.url) as other:
        first = await Dealer.arrive(one, DAN)
        second = Dealer(other, "BJ-01")
        await other.sign_in(RAY, to=second.path)
        await second.is_in("elsewhere")
        await expect(second.page.locator("#desk")).to_contain_text("Dan is signed on")
        await second.page.get_by_role("button", name="Sign on as Ray").click()
        await second.is_in("betting")
        await first.is_in("elsewhere")
        await expect(first.light(1)).to_have_attribute("aria-disabled", "true")


async def test_a_table_with_a_controller_is_not_driven_by_a_panel(
    browser: Browser, service: ServiceProcess
) -> None:
    key = issue_key(service.data, "BJ-01")
    async with a_screen(browser, service.url) as screen:
        dealer = Dealer(screen, "BJ-01")
        async with TableClient.connect(service.url, "BJ-01", key) as table:
            await table.ask(lock(1, "r1"))
            await screen.sign_in(DAN, to=dealer.path)
            await expect(dealer.notice).to_contain_text("its own controller", timeout=EXPECT_MS)
        await dealer.is_in("locked")


async def test_only_dealers_open_it_and_a_session_that_ends_leads_to_the_sign_in(
    browser: Browser, service: ServiceProcess
) -> None:
    async with a_screen(browser, service.url) as screen:
        await screen.go("/table/BJ-01")
        await expect(screen.page).to_have_url(f"{service.url}/sign-in?next=/table/BJ-01")
        dealer = await Dealer.arrive(screen, DAN)
        await screen.context.clear_cookies()
        await dealer.page.reload()
        await expect(screen.page).to_have_url(f"{service.url}/sign-in?next=/table/BJ-01")


# --- every size, finger and eye ---------------------------------------------------------------


@pytest.mark.parametrize(("size", "theme"), LOOKS, ids=str)
async def test_every_state_is_usable_at_every_size(
    browser: Browser, service: ServiceProcess, size: tuple[int, int], theme: str
) -> None:
    async with a_screen(browser, service.url, size=size, theme=theme) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.lights(1, 2, 5)
        await assert_accessible(dealer.page, target_px=48)
        await assert_focus_in_order(dealer.page)
        await dealer.page.get_by_role("button", name="Other").click()
        await assert_accessible(dealer.page, target_px=48)
        await dealer.page.get_by_role("button", name="Back").click()
        await dealer.bases()
        await dealer.counts(3)
        await dealer.hold("lock", until="locked")
        await assert_accessible(dealer.page, target_px=48)
        await dealer.page.get_by_role("button", name="Seat 2: key cards").click()
        await assert_accessible(dealer.page, target_px=48)
        await dealer.page.get_by_role("button", name="Done").click()
        await dealer.key(5, SEVENS)
        await dealer.key("Dealer", LOW)
        await dealer.hold("settle", until="paying")
        await assert_accessible(dealer.page, target_px=48)
        await dealer.goes_on()


async def test_a_finger_does_all_of_it(browser: Browser, service: ServiceProcess) -> None:
    async with a_screen(browser, service.url, size=TOUCH_WIDE, touch=True) as screen:
        dealer = await Dealer.arrive(screen, DAN)
        await dealer.light(3).tap()
        await dealer.page.get_by_role("button", name="$25", exact=True).tap()
        await dealer.page.get_by_role("button", name="1", exact=True).tap()
        await touch_and_hold(dealer, "lock", until="locked")
        await dealer.page.get_by_role("button", name="Seat 3: key cards").tap()
        for name in ("7", "diamonds", "2", "clubs", "Done"):
            await (
                dealer.page.locator("dialog.keypad")
                .get_by_role("button", name=name, exact=True)
                .tap()
            )
        await touch_and_hold(dealer, "settle", until="paying")
        await dealer.pays((3, "$10.00", "Pay from the rack"))


async def touch_and_hold(dealer: Dealer, button: str, *, until: str) -> None:
    box = await dealer.page.locator(f"#{button}").bounding_box()
    assert box is not None
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    finger = await dealer.screen.context.new_cdp_session(dealer.page)
    touch = "Input.dispatchTouchEvent"
    await finger.send(touch, {"type": "touchStart", "touchPoints": [point]})
    await dealer.is_in(until)
    await finger.send(touch, {"type": "touchEnd", "touchPoints": []})
