"""Batches are a matter of speed: they change neither the meters nor a byte of the journal."""

import asyncio
from collections.abc import Iterable, Sequence
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.link import batch as link_batch
from progressive.domain.commands import RegisterWagers, SettleRound, TableCommand, VoidRound
from progressive.domain.ids import RoundId, TableId
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.link_state import LinkState, Receipt
from tests.properties.strategies import TABLES, chips_on, links, places, wagers_of
from tests.support.builders import Answered, Answers, a_desk, journal_of, kill
from tests.support.faulty_store import FaultyStore

Submission = tuple[TableId, TableCommand]

# A round of a table: where wagers lie, and whether it ends in a void.
rounds = st.lists(st.tuples(places, st.booleans()), max_size=6)
tables_rounds = st.tuples(*[rounds for _ in TABLES])


def messages(
    rules: LinkRules, played: Iterable[tuple[tuple[tuple[int, int, bool], ...], bool]]
) -> list[TableCommand]:
    """A table's whole evening."""
    said: list[TableCommand] = []
    for placed, void in played:
        seq = len(said) + 1
        wagers = wagers_of(rules, placed)
        name = RoundId(f"r{seq}")
        said.append(RegisterWagers(seq, name, wagers, chips_on(rules, wagers)))
        said.append(
            VoidRound(seq + 1, name, "misdeal")
            if void
            else SettleRound(seq + 1, name, complete=False)
        )
    return said


def interleaved(
    draw: st.DataObject, by_table: dict[TableId, list[TableCommand]]
) -> list[Submission]:
    """The same messages in another order; each table's own order stays."""
    order = [table for table, said in by_table.items() for _ in said]
    order = draw.draw(st.permutations(order))
    ahead = {table: iter(said) for table, said in by_table.items()}
    return [(table, next(ahead[table])) for table in order]


async def run(
    rules: LinkRules, todo: Sequence[Submission], *, pauses: set[int], batch_max: int
) -> tuple[LinkState, list[bytes], list[Answered], list[int]]:
    """Submit everything, waiting for the answers at each pause; tells state, journal, answers."""
    store = FaultyStore(MemoryStore())
    with patch.object(link_batch, "BATCH_MAX", batch_max):
        async with a_desk(store, rules) as desk:
            answers = Answers()
            for number, (table, command) in enumerate(todo):
                if number in pauses:
                    await answers.wait_for(number)
                desk.worker.submit_nowait(table, command, answers)
            await answers.wait_for(len(todo))
            state = desk.state()
            await kill(desk)
    return state, await journal_of(store), answers.all, store.batch_sizes


@pytest.mark.slow
@given(links(), tables_rounds, st.data())
def test_batch_boundaries_change_not_a_byte(
    rules: LinkRules,
    played: tuple[list[tuple[tuple[tuple[int, int, bool], ...], bool]], ...],
    data: st.DataObject,
) -> None:
    by_table = {t: messages(rules, p) for t, p in zip(TABLES, played, strict=True)}
    todo = interleaved(data, by_table)
    pauses = data.draw(st.sets(st.integers(1, max(1, len(todo) - 1))))
    batch_max = data.draw(st.integers(1, 9))
    whole = asyncio.run(run(rules, todo, pauses=set(), batch_max=10_000))
    parts = asyncio.run(run(rules, todo, pauses=pauses, batch_max=batch_max))
    assert parts[:3] == whole[:3]
    assert whole[3] == [1, len(todo)] if todo else whole[3] == [1]
    assert max(parts[3]) <= max(1, batch_max)


@pytest.mark.slow
@given(links(limits=False), tables_rounds, st.data())
def test_any_order_of_tables_gives_the_same_meters(
    rules: LinkRules,
    played: tuple[list[tuple[tuple[tuple[int, int, bool], ...], bool]], ...],
    data: st.DataObject,
) -> None:
    by_table = {t: messages(rules, p) for t, p in zip(TABLES, played, strict=True)}
    one = [(table, command) for table, said in by_table.items() for command in said]
    other = interleaved(data, by_table)
    first, _, _, _ = asyncio.run(run(rules, one, pauses=set(), batch_max=1_000))
    second, _, answers, _ = asyncio.run(run(rules, other, pauses=set(), batch_max=7))
    assert all(isinstance(given_answer.answer, Receipt) for given_answer in answers)
    assert first.primaries == second.primaries
    assert first.balances == second.balances
    assert first.bet_counters == second.bet_counters


@pytest.mark.slow
@given(links(), tables_rounds, st.data())
def test_limits_and_any_order_give_the_same_meters_unless_rounds_are_voided(
    rules: LinkRules,
    played: tuple[list[tuple[tuple[tuple[int, int, bool], ...], bool]], ...],
    data: st.DataObject,
) -> None:
    # Which wager overflows depends on who came first, so only a void can tell the orders apart.
    settled = [[(placed, False) for placed, _ in p] for p in played]
    by_table = {t: messages(rules, p) for t, p in zip(TABLES, settled, strict=True)}
    one = [(table, command) for table, said in by_table.items() for command in said]
    other = interleaved(data, by_table)
    first, _, _, _ = asyncio.run(run(rules, one, pauses=set(), batch_max=1_000))
    second, _, _, _ = asyncio.run(run(rules, other, pauses=set(), batch_max=3))
    assert first.balances == second.balances
