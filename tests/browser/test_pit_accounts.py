"""The pit console's alarms about accounts, in a real browser: a colleague confirms and unlocks."""

import asyncio
from pathlib import Path

import aiohttp
import pytest
from playwright.async_api import Browser, expect

from tests.support.accessibility import assert_accessible
from tests.support.people import PASSWORD
from tests.support.screens import ANN, EVE, EXPECT_MS, a_screen, hire
from tests.support.service import ServiceProcess, run_command

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


async def test_an_account_made_at_the_machine_is_confirmed_and_a_slowed_one_unlocked(
    browser: Browser, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    await hire(data)
    with ServiceProcess(data) as service:
        async with (
            a_screen(browser, service.url) as eve,
            a_screen(browser, service.url) as ann,
            aiohttp.ClientSession(service.url) as stranger,
        ):
            await eve.sign_in(EVE)
            await ann.sign_in(ANN)
            named = ("--role", "finance", "--department", "Cage", "--data", data)
            await asyncio.to_thread(run_command, "user", "add", "Mal", *named, input=PASSWORD)
            for _ in range(5):
                wrong = {"user": "Sue", "password": "not the password"}
                async with stranger.post("/v1/sessions", json=wrong) as response:
                    assert response.status == 401
            made = eve.page.locator('[data-alarm^="account_unconfirmed.Mal."]')
            await expect(made).to_contain_text("finance, Cage: added at the machine")
            slowed = eve.page.locator('[data-alarm^="log_in_locked.Sue."]')
            await expect(slowed).to_contain_text(
                "the last from 127.0.0.1; tries from there are slowed"
            )
            await assert_accessible(eve.page)
            # A supervisor sees it, and confirms no account of finance.
            other = ann.page.locator('[data-alarm^="account_unconfirmed.Mal."]')
            await other.get_by_role("button", name="Confirm…").click()
            dialog = ann.page.get_by_role("dialog")
            ann.may_lose_contact = True  # A 403 is a line on the browser's console.
            await dialog.get_by_role("button", name="Confirm the account").click()
            await expect(dialog).to_contain_text("an administrator or compliance confirms Mal")
            await ann.page.keyboard.press("Escape")
            await slowed.get_by_role("button", name="Unlock…").click()
            await eve.page.get_by_role("dialog").get_by_role("button", name="Unlock").click()
            await expect(eve.page.get_by_text("Unlocked.")).to_be_visible()
            await made.get_by_role("button", name="Confirm…").click()
            confirm = eve.page.get_by_role("button", name="Confirm the account")
            await confirm.click()
            # It is gone from every console, acknowledged or not.
            await expect(made).to_have_count(0, timeout=EXPECT_MS)
            await expect(other).to_have_count(0, timeout=EXPECT_MS)
