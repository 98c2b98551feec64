"""A link that another node leads: followed, shown, refused to tables, and taken over."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from progressive.adapters.memory.journal import MemoryStore
from progressive.adapters.memory.shared_log import MemoryLog, MemoryServer
from progressive.application.link import appender
from progressive.application.shared.store import SharedStore
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.state.link_state import Receipt
from tests.support.awards import MEGA_HAND
from tests.support.builders import (
    LINK,
    WAIT_SECONDS,
    Desk,
    a_desk,
    a_lock,
    a_settle,
    journal_of,
    kill,
)

ONE, TWO = "http://one", "http://two"


@pytest.fixture
def server() -> MemoryServer:
    return MemoryServer()


@asynccontextmanager
async def a_node(server: MemoryServer, url: str) -> AsyncIterator[tuple[Desk, SharedStore]]:
    store = SharedStore(MemoryLog(server, url=url), MemoryStore())
    async with a_desk(store) as desk:
        yield desk, store
    await store.release()


async def until_at(desk: Desk, seq: int) -> None:
    """Once the desk shows a record."""
    async with asyncio.timeout(WAIT_SECONDS):
        while desk.worker.view.seq < seq:
            await asyncio.sleep(0)


async def until_shown(desk: Desk) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while not desk.published.wins:
            await asyncio.sleep(0)


async def until_it_leads(desk: Desk) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while desk.worker.archivable is None:
            await asyncio.sleep(0)


async def test_standby_shows_every_round_and_win_and_takes_no_message(server: MemoryServer) -> None:
    async with a_node(server, ONE) as (leads, _), a_node(server, TWO) as (follows, _):
        await leads.ask(a_lock(1))
        await leads.ask(a_settle(2, seats={1: MEGA_HAND}, dealer="5s"))
        await until_at(follows, leads.worker.view.seq)
        shown, led = follows.worker.view, leads.worker.view
        assert (shown.state, shown.leader, led.leader) == ("live", ONE, None)
        assert (shown.meters, shown.epoch) == (led.meters, led.epoch)
        assert shown.wins[-1] == led.wins[-1]
        assert follows.published.wins == leads.published.wins
        answer = (await follows.ask(a_lock(3))).answer
        assert isinstance(answer, Refusal)
        assert (answer.code, ONE in answer.message) == (Rejection.NOT_LEADER, True)
        assert isinstance((await leads.ask(a_lock(3))).answer, Receipt)


async def test_standby_takes_over_and_knows_what_was_answered(server: MemoryServer) -> None:
    async with a_node(server, ONE) as (former, _), a_node(server, TWO) as (desk, store):
        first = await former.ask(a_lock(1))
        server.end_lease(LINK)
        await until_it_leads(desk)
        assert desk.worker.view.epoch > former.worker.view.epoch
        repeated = await desk.ask(a_lock(1))
        assert (repeated.answer, repeated.repeat) == (first.answer, True)
        assert isinstance((await desk.ask(a_settle(2))).answer, Receipt)
        # The former leader does not know yet. What it decides is stored nowhere.
        refused = (await former.ask(a_settle(2))).answer
        assert isinstance(refused, Refusal)
        assert (refused.code, TWO in refused.message) == (Rejection.NOT_LEADER, True)
        assert former.worker.view.leader == TWO
        await until_at(former, desk.worker.view.seq)
        assert former.worker.view.meters == desk.worker.view.meters
        assert len(await journal_of(store)) == desk.worker.view.seq


async def test_leader_that_is_told_so_follows_without_a_message(server: MemoryServer) -> None:
    async with a_node(server, ONE) as (former, store), a_node(server, TWO) as (desk, _):
        await former.ask(a_lock(1))
        server.end_lease(LINK)
        await until_it_leads(desk)
        assert await store.renew(LINK) == TWO
        former.worker.stand_by_soon(TWO)
        await desk.ask(a_settle(2))
        await until_at(former, desk.worker.view.seq)
        assert (former.worker.view.leader, former.worker.view.state) == (TWO, "live")


async def test_standby_saves_the_states_that_the_leader_confirms(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appender, "CHECKPOINT_EVERY", 4)
    async with a_node(server, ONE) as (leads, led), a_node(server, TWO) as (follows, copy):
        for seq in range(1, 21, 2):
            await leads.ask(a_lock(seq))
            await leads.ask(a_settle(seq + 1))
            await until_at(follows, leads.worker.view.seq)
        saved = await led.snapshots(LINK)
        assert len(saved) > 2
        # Not those from before it began to follow.
        assert set(saved) - set(await copy.snapshots(LINK)) <= {saved[0]}
        assert await copy.load_snapshot(LINK) == await led.load_snapshot(LINK)


async def test_standby_with_another_state_than_the_leader_confirms_does_not_go_on(
    server: MemoryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appender, "CHECKPOINT_EVERY", 4)
    async with a_node(server, ONE) as (leads, _), a_node(server, TWO) as (follows, _):
        await leads.ask(a_lock(1))
        await until_at(follows, leads.worker.view.seq)
        known = follows.worker.state
        assert known is not None
        known.documents += 1
        for seq in range(2, 12, 2):
            await leads.ask(a_settle(seq))
            await leads.ask(a_lock(seq + 1))
        async with asyncio.timeout(WAIT_SECONDS):
            while follows.worker.view.state == "live":
                await asyncio.sleep(0)
        assert "is not the one the journal speaks of" in (follows.worker.view.reason or "")


async def test_win_has_the_epoch_it_was_written_under_wherever_it_is_shown(
    server: MemoryServer,
) -> None:
    """A sign that goes from one node to the other sees it once: both must name the same place."""
    async with a_node(server, ONE) as (former, _), a_node(server, TWO) as (desk, _):
        await former.ask(a_lock(1))
        await until_at(desk, former.worker.view.seq)
        # Won, and the leader is gone before the other node has looked.
        await kill(desk)
        await former.ask(a_settle(2, seats={1: MEGA_HAND}, dealer="5s"))
        won = former.published.wins[-1]
        server.end_lease(LINK)
        await desk.worker.start()
        await until_it_leads(desk)
        assert desk.worker.view.epoch > won.epoch
        await until_shown(desk)
        assert desk.published.wins == [won]
