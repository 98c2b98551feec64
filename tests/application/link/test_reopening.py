"""A floor file that is edited before anything was ever wagered: the link begins again under it."""

import pytest

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.record import decode_record
from progressive.domain.acts import ApproveCorrection, ProposeCorrection
from progressive.domain.events import LinkReopened, MeterFlow
from progressive.domain.money import microcents
from progressive.domain.person_events import CorrectionLeg, CorrectionProposed
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.link_state import Receipt
from progressive.verifier.link_audit import audit_link
from progressive.verifier.report import LinkReport, StoredBatch, StoredLink
from tests.support.awards import CARA, FRED
from tests.support.builders import (
    LINK,
    MAJOR,
    MEGA,
    MINOR,
    Desk,
    a_desk,
    a_link,
    a_lock,
    a_meter,
    a_settle,
    a_void,
    a_wager,
    journal_of,
)

RULES = a_link()
DEARER = a_link(wager_cents=1_000)
WITHOUT_MINOR = a_link(meters=(MEGA, MAJOR))
RICHER = a_link(meters=(MINOR, MAJOR, a_meter("mini", initial_cents=777)))


async def audited(store: MemoryStore) -> LinkReport:
    """The journal as `progressive verify` reads it."""
    records = await journal_of(store)
    end = await store.journal_end(LINK)
    body = b"".join(record + b"\n" for record in records)
    stored = StoredLink(LINK, 99, end.seq, end.head)
    return audit_link(
        stored, [StoredBatch(1, len(records), 99, body)], on_progress=lambda seq: None
    )


async def reopenings(store: MemoryStore) -> list[LinkReopened]:
    events = [decode_record(stored).event for stored in await journal_of(store)]
    return [event for event in events if isinstance(event, LinkReopened)]


async def state_under(store: MemoryStore, rules: LinkRules) -> str:
    async with a_desk(store, rules) as desk:
        return desk.worker.view.state


async def test_edit_before_the_first_wager_needs_nobody() -> None:
    store = MemoryStore()
    assert await state_under(store, RULES) == "live"
    async with a_desk(store, DEARER) as desk:
        assert desk.worker.view.state == "live"
        given = await desk.ask(a_lock(1, wagers=[a_wager(amount_cents=1_000)]))
        assert isinstance(given.answer, Receipt)
    [reopened] = await reopenings(store)
    assert (reopened.terms, reopened.terms_version, reopened.funding) == (DEARER.terms, 2, ())
    assert (await audited(store)).problem is None


async def test_houses_money_moves_to_the_meters_of_the_new_terms() -> None:
    store = MemoryStore()
    await state_under(store, RULES)
    async with a_desk(store, RICHER) as desk:
        shown = {meter.id: meter.cents for meter in desk.worker.view.meters}
        assert shown == {
            "minor": MINOR.initial_cents,
            "major": MAJOR.initial_cents,
            "mini": 777,
        }
        funded = -desk.state().balances["funding", ""]
        assert funded == microcents(sum(shown.values()))
    [reopened] = await reopenings(store)
    assert reopened.funding == (
        MeterFlow(MEGA.id, -microcents(MEGA.initial_cents), 0, 0),
        MeterFlow(RICHER.terms.meters[2].id, microcents(777), 0, 0),
    )
    assert (await audited(store)).problem is None


async def test_same_floor_file_writes_nothing() -> None:
    store = MemoryStore()
    await state_under(store, RULES)
    before = len(await journal_of(store))
    assert await state_under(store, RULES) == "live"
    assert len(await journal_of(store)) == before


async def test_floor_file_may_be_edited_again_and_again() -> None:
    store = MemoryStore()
    for rules in (RULES, DEARER, WITHOUT_MINOR, RICHER, RULES):
        assert await state_under(store, rules) == "live"
    assert [each.terms_version for each in await reopenings(store)] == [2, 3, 4, 5]
    assert (await audited(store)).problem is None


@pytest.mark.parametrize("ended", ["open", "settled", "void"])
async def test_one_wager_makes_it_a_matter_for_two_people(ended: str) -> None:
    store = MemoryStore()
    async with a_desk(store, RULES) as desk:
        await desk.ask(a_lock(1))
        if ended != "open":
            await desk.ask(a_settle(2) if ended == "settled" else a_void(2))
    async with a_desk(store, DEARER) as desk:
        assert desk.worker.view.state == "inoperable"
        assert "wager_cents: 500 in the journal" in (desk.worker.view.reason or "")
    assert await reopenings(store) == []


async def test_rounds_nobody_bet_on_do_not_count_and_are_settled_afterwards() -> None:
    store = MemoryStore()
    async with a_desk(store, RULES) as desk:
        await desk.ask(a_lock(1, wagers=()))
    async with a_desk(store, WITHOUT_MINOR) as desk:
        assert desk.worker.view.state == "live"
        assert isinstance((await desk.ask(a_settle(2))).answer, Receipt)
        assert isinstance((await desk.ask(a_lock(3, round="r2"))).answer, Receipt)
    assert (await audited(store)).problem is None


async def propose(desk: Desk) -> CorrectionProposed:
    leg = CorrectionLeg(MEGA.id, "primary", 1)
    receipt = await desk.worker.perform(ProposeCorrection(FRED, "a late invoice", (leg,)))
    event = getattr(receipt, "event", None)
    assert isinstance(event, CorrectionProposed)
    return event


@pytest.mark.parametrize("approved", [False, True])
async def test_meter_that_a_person_touched_is_not_replaced_by_a_file(approved: bool) -> None:
    store = MemoryStore()
    async with a_desk(store, RULES) as desk:
        proposed = await propose(desk)
        if approved:
            await desk.worker.perform(ApproveCorrection(proposed.correction, CARA))
    assert await state_under(store, DEARER) == "inoperable"
    assert await reopenings(store) == []


async def test_reopened_link_is_the_same_after_a_snapshot_and_after_a_whole_replay() -> None:
    store = MemoryStore()
    await state_under(store, RULES)
    async with a_desk(store, RICHER) as desk:
        before = desk.worker.view.meters
    async with a_desk(store, RICHER) as desk:
        assert desk.worker.view.meters == before
