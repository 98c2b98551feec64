"""Staff pages in a real browser: people who can sign in, and screens that must not complain."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from progressive.domain.people.roles import Person, Role
from tests.support.browser import EXPECT_MS as EXPECT_MS
from tests.support.people import PASSWORD, a_people_desk

PIT_DESKTOP = (1280, 800)
TOUCH_WIDE = (1024, 600)
TOUCH_TALL = (800, 1280)
PHONE = (390, 844)
SIZES = (PIT_DESKTOP, TOUCH_WIDE, TOUCH_TALL, PHONE)
LOOKS = [*((size, "light") for size in SIZES), (PIT_DESKTOP, "dark")]
"""A size changes where things are, a theme only their colors: one size is enough for the other."""

DAN = Person("Dan", Role.DEALER, "Table games")
ANN = Person("Ann", Role.SUPERVISOR, "Table games")
SUE = Person("Sue", Role.SUPERVISOR, "Table games")
BOB = Person("Bob", Role.FINANCE, "Cage")
CAT = Person("Cat", Role.FINANCE, "Cage")
EVE = Person("Eve", Role.ADMIN, "Systems")
JOE = Person("Joe", Role.AUDITOR, "Audit")
PAT = Person("Pat", Role.FINANCE, "Accounts")
CLEO = Person("Cleo", Role.COMPLIANCE, "Compliance")
STAFF = (DAN, ANN, SUE, BOB, CAT, EVE, JOE, PAT, CLEO)

_LOST_CONTACT = ("WebSocket connection to", "Failed to load resource")
_WATCH_POLICY = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


async def hire(data: Path, people: Sequence[Person] = STAFF) -> None:
    """Accounts whose hashes cost little; the service reads them as any others."""
    async with a_people_desk(data) as desk:
        await desk.add(*people)


class Screen:
    """One browser window with its own cookies: one person's."""

    def __init__(self, context: BrowserContext, page: Page, url: str) -> None:
        self.context = context
        self.page = page
        self.url = url
        self.complaints: list[str] = []
        self.may_lose_contact = False
        """The browser itself writes a line for each attempt to reach a service that is down."""
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type not in ("error", "warning"):
            return
        if not (self.may_lose_contact and any(mark in message.text for mark in _LOST_CONTACT)):
            self.complaints.append(f"{message.type}: {message.text}")

    async def go(self, path: str) -> None:
        await self.page.goto(f"{self.url}{path}")

    async def sign_in(self, person: Person, *, to: str = "/pit") -> None:
        """As a person does: by the form."""
        await self.go(f"/sign-in?next={to}")
        await self.page.get_by_label("Name").fill(person.name)
        await self.page.get_by_label("Password").fill(PASSWORD)
        await self.page.get_by_role("button", name="Sign in").click()
        await expect(self.page).to_have_url(f"{self.url}{to}", timeout=EXPECT_MS)


@contextlib.asynccontextmanager
async def a_screen(
    browser: Browser,
    url: str,
    *,
    size: tuple[int, int] = PIT_DESKTOP,
    theme: str = "light",
    touch: bool = False,
) -> AsyncIterator[Screen]:
    """A window that, when the block is left well, must have had nothing to complain about."""
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if theme == "dark" else "light",
        has_touch=touch,
    )
    context.set_default_timeout(EXPECT_MS)
    await context.add_init_script(_WATCH_POLICY)
    screen = Screen(context, await context.new_page(), url)
    try:
        yield screen
        assert not screen.complaints, screen.complaints
    finally:
        await context.close()
