"""An evening in the pit: two sevens of a kind too many, five people, five browsers, one journal.

Seats 5 and 3 both claim the Mega. The first claim is none: Ann proposes to void it, Sue agrees, and
the second winner is owed the full meter. Sue validates, Bob and Eve approve, Cat pays. Then once
more with the service killed, and with pages reloaded, in the middle of every step.
"""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple, Self

import pytest
from playwright.async_api import Browser, Locator, Route, expect
from playwright.async_api import Error as BrowserError

from progressive.adapters.sqlite.people_file import FILE_NAME
from progressive.domain.people.roles import Person
from tests.support.evening import MEGA, Pit
from tests.support.screens import ANN, BOB, CAT, EXPECT_MS, PAT, SUE, Screen, a_screen, hire
from tests.support.service import ServiceProcess, run_command

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

REASON = "the third card was the dealer's"
FIRST, SECOND = "main.3.1", "main.3.2"


class Step(NamedTuple):
    """Somebody does something about an award, and sees that it is done."""

    who: Person
    award: str
    step: str
    """The button."""
    path: str
    """The request behind it."""
    done: str
    """What the award says afterwards, on every console."""


STEPS = [
    Step(ANN, FIRST, "proposeVoid", "void", "Void proposed"),
    Step(SUE, FIRST, "approveVoid", "void/approve", "Void"),
    Step(SUE, SECOND, "validate", "validate", "Validated"),
    Step(BOB, SECOND, "approve", "approve", "1 of 2 approvals"),
    Step(PAT, SECOND, "approve", "approve", "approved by Bob, Pat"),
    Step(CAT, SECOND, "pay", "pay", "Paid"),
]


class Evening:
    """The service, which may be killed, and everybody's screen."""

    def __init__(self, service: ServiceProcess) -> None:
        self.service = service
        self.screens: dict[Person, Screen] = {}

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, browser: Browser, data: Path) -> AsyncIterator[Self]:
        await hire(data)
        async with contextlib.AsyncExitStack() as stack:
            evening = cls(ServiceProcess(data))
            stack.callback(lambda: evening.service.__exit__())
            for person in (ANN, SUE, BOB, PAT, CAT):
                screen = await stack.enter_async_context(a_screen(browser, evening.service.url))
                screen.may_lose_contact = True
                await screen.sign_in(person)
                evening.screens[person] = screen
            async with Pit.open(evening.service) as pit:
                made = await pit.play({5: MEGA, 3: MEGA})
            assert [award["award"] for award in made] == [FIRST, SECOND]
            yield evening

    def kill(self) -> None:
        self.service.kill()

    async def return_(self) -> None:
        """The service comes back where it was."""
        data, port = self.service.data, self.service.port
        self.service = await asyncio.to_thread(ServiceProcess, data, port=port)

    def award(self, who: Person, award: str) -> Locator:
        return self.screens[who].page.locator(f'[data-award="{award}"]')

    async def begin(self, step: Step) -> Locator:
        """Up to the last press; the button for that."""
        page = self.screens[step.who].page
        await self.award(step.who, step.award).locator(f'[data-step="{step.step}"]').click()
        dialog = page.get_by_role("dialog")
        if step.step == "proposeVoid":
            await dialog.get_by_label("Reason").fill(REASON)
        return dialog.locator("button[type=submit]")

    async def take(self, step: Step) -> None:
        await (await self.begin(step)).click()

    async def see(self, step: Step) -> None:
        """On every console, whoever did it."""
        for screen in self.screens.values():
            page = screen.page
            if step.done in ("Void", "Paid"):
                row = page.locator("#finished tr", has_text=step.done)
                await expect(row).to_have_count(1, timeout=EXPECT_MS)
            else:
                award = page.locator(f'[data-award="{step.award}"]')
                await expect(award).to_contain_text(step.done, timeout=EXPECT_MS)

    async def end(self) -> None:
        """What everybody sees at the end, and what the journal says to it."""
        for screen in self.screens.values():
            page = screen.page
            await expect(page.locator("#awards .empty")).to_be_visible(timeout=EXPECT_MS)
            paid = page.locator("#finished tr", has_text="Paid")
            # The whole meter, not what a void claim would have left of it.
            await expect(paid).to_contain_text("$100,001.80")
            await expect(paid).to_contain_text("main-P000001")
        self.service.terminate()
        told = run_command("verify", "--data", self.service.data)
        assert told.returncode == 0, told.stdout


async def test_an_evening(browser: Browser, tmp_path: Path) -> None:
    async with Evening.open(browser, tmp_path / "data") as evening:
        await expect(evening.award(ANN, FIRST)).to_contain_text("$100,001.80")
        await expect(evening.award(ANN, SECOND)).to_contain_text("$25,000.15")
        for step in STEPS:
            await evening.take(step)
            await evening.see(step)
        paper = evening.screens[CAT]
        await paper.go(f"/sheet/{SECOND}")
        await expect(paper.page.locator("body")).to_contain_text("settled anew")
        assert (await paper.page.pdf()).startswith(b"%PDF")
        await paper.go("/pit")
        await evening.end()


@pytest.mark.parametrize("moment", ["before it is kept", "before it is noted", "before the answer"])
async def test_an_evening_with_the_service_killed_in_every_step(
    browser: Browser, tmp_path: Path, moment: str
) -> None:
    async with Evening.open(browser, tmp_path / "data") as evening:
        for step in STEPS:

            async def lose(route: Route) -> None:
                if moment != "before it is kept":
                    await route.fetch()
                evening.kill()
                if moment == "before it is noted":
                    # As if it had died between the journal's commit and the act log's.
                    forget_answers(evening.service.data)
                await route.abort()
                await evening.return_()

            page = evening.screens[step.who].page
            await page.route(f"**/v1/awards/*/{step.path}", lose, times=1)
            await evening.take(step)
            await expect(page.get_by_role("dialog")).to_have_count(0, timeout=EXPECT_MS)
            await expect(page.locator(".toast").last).to_have_attribute("data-kind", "good")
            await evening.see(step)
        await evening.end()


def forget_answers(data: Path) -> None:
    with contextlib.closing(sqlite3.connect(data / FILE_NAME)) as db, db:
        db.execute("DELETE FROM answer")


@pytest.mark.parametrize("sent", [False, True], ids=["before it is sent", "before the answer"])
async def test_an_evening_with_the_page_reloaded_in_every_step(
    browser: Browser, tmp_path: Path, sent: bool
) -> None:
    async with Evening.open(browser, tmp_path / "data") as evening:
        for step in STEPS:
            page = evening.screens[step.who].page
            press = await evening.begin(step)
            if sent:
                await press_and_reload(evening, step, press)
            else:
                await page.reload()
                await expect(page.get_by_role("dialog")).to_have_count(0)
                await evening.take(step)
            await evening.see(step)
        await evening.end()


async def press_and_reload(evening: Evening, step: Step, press: Locator) -> None:
    """The request arrives and is done; the page that asked is gone before it hears of it."""
    page = evening.screens[step.who].page
    kept = asyncio.Event()

    async def hold(route: Route) -> None:
        await route.fetch()
        kept.set()
        with contextlib.suppress(BrowserError):
            await route.abort()

    pattern = f"**/v1/awards/*/{step.path}"
    await page.route(pattern, hold)
    await press.click()
    await kept.wait()
    await page.reload()
    await page.unroute_all(behavior="ignoreErrors")
