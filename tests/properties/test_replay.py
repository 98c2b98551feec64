"""The journal is the truth: replaying it gives the live state, from any point, always."""

import asyncio
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.record import decode_record
from progressive.application.link import appender as link_appender
from progressive.application.link import batch as link_batch
from progressive.application.link.snapshot import decode_state, encode_state
from progressive.application.link.take_over import take_over
from progressive.domain.commands import TableCommand
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.evolve import apply, evolve
from progressive.domain.state.link_state import LinkState, Receipt
from tests.properties.strategies import Action, actions, command_of, links
from tests.support.builders import Desk, a_desk, journal_of, kill
from tests.support.fake_clock import FakeClock


async def play(desk: Desk, rules: LinkRules, todo: list[Action]) -> None:
    sent: dict[tuple[str, int], TableCommand] = {}
    for action in todo:
        command = command_of(action, desk.state(), rules, sent)
        given_answer = await desk.ask(command, table=action.table)
        if isinstance(given_answer.answer, Receipt) and not given_answer.repeat:
            sent[action.table, command.seq] = command


@given(links(), actions)
def test_replay_of_the_journal_is_the_live_state(rules: LinkRules, todo: list[Action]) -> None:
    async def scenario() -> None:
        store = MemoryStore()
        async with a_desk(store, rules) as desk:
            await play(desk, rules, todo)
            live = desk.state()
            await kill(desk)
        assert (await take_over(store, rules, FakeClock())).state == live
        folded = LinkState(link=rules.id)
        for stored in await journal_of(store):
            folded = evolve(folded, decode_record(stored).event)
        assert folded == live

    asyncio.run(scenario())


@pytest.mark.slow
@given(links(), actions, st.integers(1, 12), st.integers(1, 5))
def test_replay_from_a_snapshot_anywhere_is_the_live_state(
    rules: LinkRules, todo: list[Action], every: int, batch: int
) -> None:
    async def scenario() -> None:
        store = MemoryStore()
        with (
            patch.object(link_appender, "CHECKPOINT_EVERY", every),
            patch.object(link_batch, "BATCH_MAX", batch),
        ):
            async with a_desk(store, rules) as desk:
                await play(desk, rules, todo)
                live = desk.state()
                await kill(desk)
            assert (await take_over(store, rules, FakeClock())).state == live
            # And without it: the snapshot is a short cut, never a source.
            store._journals[rules.id].snapshots.clear()
            assert (await take_over(store, rules, FakeClock())).state == live

    asyncio.run(scenario())


@pytest.mark.slow
@given(links(), actions, st.data())
def test_state_kept_at_any_record_replays_to_the_same_end(
    rules: LinkRules, todo: list[Action], data: st.DataObject
) -> None:
    async def journal() -> list[bytes]:
        store = MemoryStore()
        async with a_desk(store, rules) as desk:
            await play(desk, rules, todo)
            await kill(desk)
        return await journal_of(store)

    events = [decode_record(stored).event for stored in asyncio.run(journal())]
    whole = LinkState(link=rules.id)
    for event in events:
        apply(whole, event)
    cut = data.draw(st.integers(0, len(events)))
    part = LinkState(link=rules.id)
    for event in events[:cut]:
        apply(part, event)
    part = decode_state(encode_state(part))
    for event in events[cut:]:
        apply(part, event)
    assert part == whole


@pytest.mark.slow
@given(links(), actions, actions)
def test_restart_in_the_middle_changes_nothing(
    rules: LinkRules, first: list[Action], then: list[Action]
) -> None:
    async def scenario(*, crash: bool, restart: bool) -> LinkState:
        store = MemoryStore()
        async with a_desk(store, rules) as desk:
            await play(desk, rules, first)
            if not restart:
                await play(desk, rules, then)
                return desk.state()
            if crash:
                await kill(desk)
        async with a_desk(store, rules) as desk:
            await play(desk, rules, then)
            return desk.state()

    through = asyncio.run(scenario(crash=False, restart=False))
    crashed = asyncio.run(scenario(crash=True, restart=True))
    stopped = asyncio.run(scenario(crash=False, restart=True))
    for other in (crashed, stopped):
        assert (other.balances, other.primaries, other.bet_counters) == (
            through.balances,
            through.primaries,
            through.bet_counters,
        )
        assert {t: (s.last_seq, s.round) for t, s in other.tables.items()} == {
            t: (s.last_seq, s.round) for t, s in through.tables.items()
        }
