"""A dealer at the panel, in a real browser: taps, holds, keys cards, and looks at what it says."""

from collections.abc import Sequence
from typing import Self

from playwright.async_api import Locator, expect

from progressive.domain.people.roles import Person
from tests.support.screens import EXPECT_MS, Screen

RANKS = {"A": "ace", "T": "10", "J": "jack", "Q": "queen", "K": "king"}
SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
SEVENS = ("7d", "7d", "7d")
HOLDS_MAX = 3


class Dealer:
    """One panel of one table."""

    def __init__(self, screen: Screen, table: str) -> None:
        self.screen = screen
        self.page = screen.page
        self.path = f"/table/{table}"
        self.panel = self.page.locator("#panel")
        self.notice = self.page.locator("#notice")

    @classmethod
    async def arrive(cls, screen: Screen, person: Person, table: str = "BJ-01") -> Self:
        """Signs in and finds the table ready for bets."""
        dealer = cls(screen, table)
        await screen.sign_in(person, to=dealer.path)
        await dealer.is_in("betting")
        return dealer

    async def is_in(self, mode: str) -> None:
        await expect(self.panel).to_have_attribute("data-mode", mode, timeout=EXPECT_MS)
        await expect(self.panel).to_have_attribute("data-contact", "live", timeout=EXPECT_MS)

    async def has_lost_contact(self) -> None:
        await expect(self.panel).to_have_attribute("data-contact", "lost", timeout=EXPECT_MS)

    async def has_settled_down(self) -> None:
        """Contact is back, and nothing is under way."""
        await expect(self.panel).to_have_attribute("data-contact", "live", timeout=EXPECT_MS)
        await expect(self.panel).not_to_have_attribute("data-mode", "sending", timeout=EXPECT_MS)

    async def shows_meter(self, meter: str, amount: str) -> None:
        await expect(self.page.locator(f'[data-meter="{meter}"]')).to_have_text(
            amount, timeout=EXPECT_MS
        )

    # --- betting ---

    def light(self, seat: int, bet: str = "blazing7") -> Locator:
        return self.page.locator(f'[data-seat="{seat}"] [data-bet="{bet}"]')

    async def lights(self, *seats: int) -> None:
        for seat in seats:
            await self.light(seat).click()
            await expect(self.light(seat)).to_have_attribute("data-light", "chip")

    async def lights_at(self, amount: str, *places: tuple[int, str]) -> None:
        """Bets with a range: the first tap asks how much, the others light the same."""
        for seat, bet in places:
            await self.light(seat, bet).click()
            dialog = self.page.get_by_role("dialog")
            if await dialog.count():
                await dialog.get_by_role("button", name=amount, exact=True).click()
                await dialog.get_by_role("button", name="Light it").click()
            await expect(self.light(seat, bet)).to_have_attribute("data-light", "chip")

    @property
    def base_keys(self) -> Locator:
        return self.page.locator(".bases")

    async def shows_base(self, seat: int, state: str, text: str) -> None:
        """The base wager at a seat: missing, proposed, keyed or wrong."""
        base = self.page.locator(f'[data-seat="{seat}"] .seat-base')
        await expect(base).to_have_attribute("data-base", state)
        await expect(base).to_have_text(text)

    async def key_base(self, seat: int, amount: str) -> None:
        """The base wager of one seat: tap it, tap the amount."""
        await self.page.locator(f'[data-seat="{seat}"] .seat-open').click()
        await self.base_keys.get_by_role("button", name=amount, exact=True).click()
        await self.shows_base(seat, "keyed", amount)

    async def types(self, *keys: str) -> None:
        """On the pad for any amount, and Enter."""
        pad = self.page.locator("dialog.amount-pad")
        for key in keys:
            name = "Point" if key == "." else key
            await pad.get_by_role("button", name=name, exact=True).click()
        await pad.get_by_role("button", name="Enter").click()

    async def bases(self, amount: str = "$25") -> None:
        """The base wager of every seat that has none yet, from the left."""
        keys = self.base_keys.get_by_role("button", name=amount, exact=True)
        while (missing := await self.page.locator('[data-base="missing"]').count()) > 0:
            await keys.click()
            await expect(self.page.locator('[data-base="missing"]')).to_have_count(missing - 1)

    async def counts(self, chips: int) -> None:
        pad = self.page.get_by_role("group", name="Chips counted")
        await pad.get_by_role("button", name=str(chips), exact=True).click()

    async def places(self, *seats: int) -> None:
        """Lights, base wagers, count: all that a lock-out needs."""
        await self.lights(*seats)
        await self.bases()
        await self.counts(len(seats))

    async def lock(self, *seats: int) -> None:
        await self.places(*seats)
        await self.hold("lock", until="locked")

    # --- holding ---

    async def press(self, button: str) -> None:
        """The mouse goes down and stays there."""
        await self.page.locator(f"#{button}").hover()
        await self.page.mouse.down()

    async def hold(self, button: str, *, until: str) -> None:
        """Held as long as it takes; again, where contact was lost under the finger."""
        before = await self.panel.get_attribute("data-mode")
        for _ in range(HOLDS_MAX):
            await self.press(button)
            holding = self.page.locator(f"#{button}.holding")
            await expect(holding).to_have_count(0, timeout=EXPECT_MS)
            await self.page.mouse.up()
            await self.has_settled_down()
            if await self.panel.get_attribute("data-mode") != before:
                break
        await self.is_in(until)

    # --- cards ---

    async def key(self, who: int | str, cards: Sequence[str]) -> None:
        """`who`: a seat, or "Dealer"."""
        name = f"Seat {who}: key cards" if isinstance(who, int) else f"{who}: key cards"
        await self.page.get_by_role("button", name=name).click()
        await self.taps(cards)

    async def adds(self, who: int | str, cards: Sequence[str]) -> None:
        """More cards to a hand that has some."""
        name = f"Seat {who}: change cards" if isinstance(who, int) else f"{who}: change cards"
        await self.page.get_by_role("button", name=name).click()
        await self.taps(cards)

    async def taps(self, cards: Sequence[str]) -> None:
        """The keypad is open: these cards, and done."""
        keypad = self.page.locator("dialog.keypad")
        there = await keypad.locator("playing-card").count()
        for card in cards:
            rank = RANKS.get(card[0], card[0])
            await keypad.get_by_role("button", name=rank, exact=True).click()
            await keypad.get_by_role("button", name=SUITS[card[1]], exact=True).click()
        await expect(keypad.locator("playing-card")).to_have_count(there + len(cards))
        await keypad.get_by_role("button", name="Done").click()

    def cards_at(self, seat: int) -> Locator:
        return self.page.locator(f'[data-seat="{seat}"] playing-card')

    # --- payments ---

    def payments(self) -> Locator:
        return self.page.locator("#desk .payment")

    async def pays(self, *expected: tuple[int, str, str]) -> None:
        """Seat, amount and what to do, in the order of payment."""
        rows = self.payments()
        await expect(rows).to_have_count(len(expected))
        for index, (seat, amount, todo) in enumerate(expected):
            row = rows.nth(index)
            await expect(row.locator(".pay-seat")).to_have_text(f"Seat {seat}")
            await expect(row.locator(".pay-amount")).to_have_text(amount)
            await expect(row.locator(".pay-what")).to_have_text(todo)

    async def goes_on(self) -> None:
        await self.page.get_by_role("button", name="Next round").click()
        await self.is_in("betting")
