"""From an open day to a closed month, on the page: two people of finance, one journal.

Bob reconciles and prepares, Pat reviews and closes. A day is sent back, a file of the cage does not
agree, a correction comes late, the day is stated again, the ledger is entered; `verify` has the
last word.
"""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import FilePayload, Locator, expect

from progressive.entry.bootstrap import Running
from tests.support.accessibility import assert_accessible
from tests.support.finance_page import FinanceScreen, a_finance_floor
from tests.support.screens import EXPECT_MS
from tests.support.service import run_command

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

FIRST, SECOND, PAID, OWED = "2026-10-30", "2026-10-31", "2026-11-01", "2026-11-02"
CAGE_FILE = "reference,document,amount,time\nC-1,CAGE-77,2000.00,2026-11-02T02:30:00-05:00\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("finance") / "data"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(data: Path) -> AsyncIterator[Running]:
    async with a_finance_floor(data) as (running, _):
        yield running


async def test_the_first_day_is_prepared_sent_back_and_closed(
    bob: FinanceScreen, pat: FinanceScreen
) -> None:
    await bob.page.locator("[data-work=day]").get_by_role("button").click()
    await expect(bob.page.locator(".day-name h2")).to_have_text("Friday, 30 October 2026")
    await bob.settled()
    await bob.state("ready")
    await bob.prepare("all seen")
    closing = bob.page.locator("#closing")
    await expect(closing).to_contain_text("nobody reviews what they prepared")
    await expect(bob.page.locator("#close-day")).to_have_count(0)

    await pat.go(FIRST)
    review = pat.page.locator("[data-work=prepared]")
    await expect(review).to_contain_text("Close Fri 30 Oct")
    await expect(review.locator("[data-done]")).to_contain_text("Bob")
    await expect(pat.page.locator("#closing")).to_contain_text("“all seen”")
    await assert_accessible(pat.page)
    await pat.page.get_by_role("button", name="Send back…").click()
    dialog = pat.page.get_by_role("dialog")
    await dialog.get_by_label("Reason").fill("look at table 3 again")
    await dialog.get_by_role("button", name="Send back").click()
    await pat.state("ready")
    await expect(pat.page.locator("#entries")).to_contain_text("look at table 3 again")

    await bob.go(FIRST)
    await bob.prepare("looked at table 3")
    await pat.go(FIRST)
    # A brush of the hand does nothing.
    await pat.page.locator("#close-day").click()
    await pat.state("prepared")
    await pat.hold_to_close()
    await pat.state("closed")
    await expect(pat.page.locator(".day-state .word")).to_have_text("Closed")
    signed = pat.page.locator("#closing .steps-line [data-done]")
    await expect(signed).to_have_count(2)
    await expect(signed.first).to_contain_text("Bob")
    await expect(signed.last).to_contain_text("Pat")
    key = pat.page.locator("#strip").get_by_role("button", name="Fri 30 Oct: Closed")
    await expect(key).to_have_attribute("data-state", "closed")
    await expect(pat.page.locator("#closing button.primary")).to_have_count(0)


async def test_days_are_closed_one_after_the_other(bob: FinanceScreen, pat: FinanceScreen) -> None:
    await bob.go(PAID)
    await expect(bob.page.locator(".keeps")).to_contain_text("31 Oct is to be closed first")
    await close(bob, pat, SECOND)


async def test_what_does_not_agree_is_explained_where_it_stands(
    bob: FinanceScreen, pat: FinanceScreen
) -> None:
    await bob.go(PAID)
    await bob.state("open")
    keeps = bob.page.locator(".keeps")
    await expect(keeps).to_contain_text("Cage")
    await bob.page.get_by_role("button", name="Cage file…").click()
    dialog, said = bob.page.get_by_role("dialog"), bob.page.locator("dialog > form > [role=alert]")
    bad = "reference,document,amount\nC-1,CAGE-77,-5\nC-1,CAGE-78,x\n"
    await compare(dialog, bad.encode())
    await expect(said).to_contain_text("line 2, amount: '-5' is not an amount above zero")
    assert [line.partition(",")[0] for line in (await said.inner_text()).splitlines()] == [
        "cage.csv:", "line 2", "line 3", "line 3",
    ]  # fmt: skip
    await compare(dialog, "reference,document,amount\nCaf\xe9,CAGE-77,5\n".encode("latin-1"))
    await expect(said).to_contain_text("line 2: byte 0xE9 is not utf-8")
    bob.screen.complaints.clear()  # The browser's own lines about the two refusals.
    # Byte for byte, the mark at its beginning as well: its hash is that of the cage's own file.
    await compare(dialog, good := f"\ufeff{CAGE_FILE}".replace("\n", "\r\n").encode())
    await expect(dialog).to_have_count(0, timeout=EXPECT_MS)
    answer = await bob.page.request.get(f"{bob.screen.url}/v1/days/main/{PAID}")
    (entered,) = [each["entry"] for each in (await answer.json())["entries"]]
    assert entered["sha256"] == hashlib.sha256(good).hexdigest()
    await bob.settled()
    rack = bob.page.locator("#cage")
    await expect(rack).to_contain_text("amount differs", timeout=EXPECT_MS)
    await expect(rack.locator("tbody [data-off]").first).to_be_visible()
    await expect(bob.check("cage")).to_have_attribute("data-state", "open")
    await bob.explain("cage", "two payments in one envelope")
    await expect(bob.check("cage")).to_have_attribute("data-state", "explained", timeout=EXPECT_MS)
    await bob.explain("exceptions", "printer out of paper, series of the cage")
    await bob.enter("Bank balance…", {"Balance": "150,000.00"})
    await expect(bob.page.locator("#liability")).to_contain_text("$150,000.00", timeout=EXPECT_MS)
    await expect(bob.page.locator("#liability")).to_contain_text("enough")
    await bob.enter("Bank balance…", {"Balance": "1,000"})
    await expect(bob.page.locator("#liability")).to_contain_text("short by", timeout=EXPECT_MS)
    await bob.enter(
        "Sign reading…",
        {
            "Sign": "entrance",
            "Meter": "Mega",
            "Amount shown": "1.00",
            "Read at": "2026-11-01T15:00",
        },
    )
    await expect(bob.check("readings")).to_have_attribute("data-state", "open", timeout=EXPECT_MS)
    await bob.explain("readings", "the sign was being serviced")
    await bob.state("ready")
    await close(bob, pat, PAID)


async def compare(dialog: Locator, file: bytes) -> None:
    """A file of the cage that somebody chose."""
    payload: FilePayload = {"name": "cage.csv", "mimeType": "text/csv", "buffer": file}
    await dialog.get_by_label("File").set_input_files(payload)
    await dialog.get_by_role("button", name="Compare").click()


async def close(bob: FinanceScreen, pat: FinanceScreen, day: str) -> None:
    """A day that nothing keeps open."""
    await bob.go(day)
    await bob.prepare()
    await pat.go(day)
    await pat.hold_to_close()
    await pat.state("closed")


async def test_a_late_correction_stands_in_a_restatement(
    bob: FinanceScreen, pat: FinanceScreen
) -> None:
    await bob.go(PAID)
    await bob.page.get_by_role("button", name="Correct…").click()
    drawer = bob.page.get_by_role("dialog")
    await drawer.get_by_label("Onto").select_option(label="Major, on display")
    await drawer.get_by_label("Amount").fill("-1.25")
    await drawer.get_by_label("Reason").fill("one wager too many")
    after = drawer.locator("tbody tr")
    await expect(after).to_contain_text("−$1.25")
    await assert_accessible(bob.page)
    await drawer.get_by_role("button", name="Propose").click()
    await expect(drawer).to_have_count(0, timeout=EXPECT_MS)

    await pat.go(PAID)
    mine = pat.page.locator("[data-work=correction]", has_text="one wager too many")
    await mine.get_by_role("button", name="Review").click()
    await pat.page.get_by_role("button", name="Approve the correction").click()
    late = pat.page.locator(".late")
    await expect(late).to_contain_text("−$1.25", timeout=EXPECT_MS)
    await expect(pat.page.locator(".day-state .word")).to_have_text("Closed")

    await bob.go(PAID)
    await bob.prepare("late correction")
    await expect(bob.page.locator("#closing")).to_contain_text("Restatement 1 prepared")
    await pat.go(PAID)
    await expect(pat.page.locator("#close-day")).to_contain_text("State the day again")
    await pat.hold_to_close()
    await pat.state("restated")
    await expect(pat.page.locator("#closing")).to_contain_text("Restatement 1,")
    # The close itself stands as it was.
    await expect(pat.page.locator("#closing .statement").first).to_contain_text("Closed")


async def test_the_month_ends_with_the_ledger(bob: FinanceScreen, pat: FinanceScreen) -> None:
    await bob.go(OWED)
    await bob.state("ready")
    await close(bob, pat, OWED)
    await bob.go(OWED)
    ledger = bob.page.locator("#ledger")
    await expect(ledger).to_contain_text("entered once the month is over")
    await expect(ledger.get_by_role("button", name="Ledger balance…")).to_have_count(0)
    await bob.go(SECOND)
    row = bob.page.locator("#ledger tbody tr", has_text="Major").filter(has_text="on display")
    balance = row.last
    closing = await balance.locator("td").nth(1).inner_text()
    await bob.enter(
        "Ledger balance…",
        {"Meter": "Major", "Part": "On display", "Balance in the ledger": closing},
    )
    await expect(balance.locator("td").nth(2)).to_have_text(closing, timeout=EXPECT_MS)
    await expect(balance.locator("td").nth(3)).to_have_text("$0.00")
    closed = bob.page.locator("#strip [data-state=closed], #strip [data-state=restated]")
    await expect(closed).to_have_count(4)


async def test_the_verifier_agrees_with_all_of_it(data: Path, service: Running) -> None:
    told = run_command("verify", "--data", data)
    assert told.returncode == 0, told.stdout
