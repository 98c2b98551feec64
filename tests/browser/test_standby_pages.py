"""The pages of a node that stands by: they say who leads, and go on by themselves once it leads."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.support.dealer import Dealer
from tests.support.evening import MEGA, Pit
from tests.support.redis_server import own_place
from tests.support.screens import ANN, DAN, EXPECT_MS, a_screen, hire
from tests.support.two_nodes import TwoNodes, go_on, hang, until_leading, until_record

pytestmark = [
    pytest.mark.browser,
    pytest.mark.redis,
    pytest.mark.slow,
    pytest.mark.asyncio(loop_scope="module"),
]


async def two_nodes(folder: Path) -> TwoNodes:
    """The people of one become those of both."""
    nodes = TwoNodes(folder, own_place(), tables=1)
    await hire(nodes.data[0], (DAN, ANN))
    return nodes


async def test_panel_says_who_leads_and_goes_on_when_its_own_node_does(
    browser: Browser, tmp_path: Path
) -> None:
    nodes = await two_nodes(tmp_path)
    with nodes.start(0) as leader, nodes.start(1) as standby:
        async with a_screen(browser, standby.url) as screen:
            screen.may_lose_contact = True
            dealer = Dealer(screen, "BJ-01")
            await screen.sign_in(DAN, to=dealer.path)
            await expect(dealer.notice).to_contain_text(
                "Another node leads this table now", timeout=EXPECT_MS
            )
            panel = f"{leader.url}/table/BJ-01"
            link = dealer.notice.get_by_role("link", name=panel)
            await expect(link).to_have_attribute("href", panel)
            leader.kill()
            await dealer.is_in("betting")
            await expect(dealer.notice).to_be_hidden()
            await dealer.lock(2)


async def test_panel_at_a_leader_that_lost_its_link_says_where_to_go(
    browser: Browser, tmp_path: Path
) -> None:
    nodes = await two_nodes(tmp_path)
    with nodes.start(0) as leader, nodes.start(1) as other:
        async with a_screen(browser, leader.url) as screen:
            screen.may_lose_contact = True
            dealer = await Dealer.arrive(screen, DAN)
            hang(leader)
            await until_leading(other.url)
            await dealer.has_lost_contact()
            go_on(leader)
            link = dealer.notice.get_by_role("link", name=f"{other.url}/table/BJ-01")
            await expect(link).to_be_visible(timeout=EXPECT_MS)


async def test_step_at_a_node_that_stands_by_names_the_leader(
    browser: Browser, tmp_path: Path
) -> None:
    nodes = await two_nodes(tmp_path)
    with nodes.start(0) as leader, nodes.start(1) as standby:
        async with Pit.open(leader) as pit:
            (made,) = await pit.play({3: MEGA})
        await until_record(standby.url, int(made["award"].split(".")[1]))
        async with a_screen(browser, standby.url) as screen:
            screen.may_lose_contact = True
            await screen.sign_in(ANN)
            award = screen.page.locator(f'[data-award="{made["award"]}"]')
            await award.locator('[data-step="validate"]').click()
            dialog = screen.page.get_by_role("dialog")
            await dialog.get_by_role("button", name="Light and cards are right").click()
            await expect(dialog).to_contain_text(f"led by {leader.url}", timeout=EXPECT_MS)
