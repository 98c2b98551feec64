"""Another floor file: the link stands still until two people of two departments approve it."""

import asyncio

import pytest

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.record import decode_record
from progressive.application.link.replies import FateUnknownError
from progressive.domain.person_events import TermsChanged
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.link_state import Receipt
from tests.support.awards import CARA, FRED, MEGA_HAND, PAIR
from tests.support.builders import (
    BJ2,
    MAJOR,
    MEGA,
    MINOR,
    Desk,
    a_bet,
    a_desk,
    a_link,
    a_lock,
    a_meter,
    a_settle,
    a_void,
    a_wager,
    journal_of,
    kill,
)
from tests.support.faulty_store import FaultyStore

RULES = a_link()
DEARER = a_link(wager_cents=1_000)
WIDER = a_link(meters=(MEGA, a_meter("mini", initial_cents=777), MAJOR, MINOR))

WHY = "agreed with the regulator"


@pytest.fixture
def store() -> FaultyStore:
    return FaultyStore(MemoryStore())


async def begin(store: FaultyStore, *, round_open: bool = False) -> None:
    """A link on which something was wagered: from then on other terms take two people."""
    async with a_desk(store, RULES) as desk:
        await desk.ask(a_lock(1), table=BJ2)
        await desk.ask(a_void(2), table=BJ2)
        if round_open:
            await desk.ask(a_lock(1))


async def code_of(desk: Desk, by: Signature) -> Rejection | None:
    answer = await desk.worker.approve_terms(by, WHY)
    return None if answer is None else answer.code


async def changed(store: FaultyStore, rules: LinkRules) -> None:
    async with a_desk(store, rules) as desk:
        assert await code_of(desk, FRED) is None
        assert await code_of(desk, CARA) is None
        assert desk.worker.view.state == "live"


async def test_two_approvals_make_the_link_live(store: FaultyStore) -> None:
    await begin(store)
    async with a_desk(store, DEARER) as desk:
        assert "wager_cents: 500 in the journal, 1000 in the floor" in (
            desk.worker.view.reason or ""
        )
        assert await code_of(desk, FRED) is None
        assert desk.worker.view.state == "inoperable"
        assert "approved by Fred; it takes a second person" in (desk.worker.view.reason or "")
        assert await code_of(desk, CARA) is None
        assert (await desk.published.wait_for_state("live")).reason is None
        given = await desk.ask(a_lock(1, wagers=[a_wager(amount_cents=1_000)]))
        assert isinstance(given.answer, Receipt)
    events = [decode_record(stored).event for stored in await journal_of(store.inner)]
    [change] = [event for event in events if isinstance(event, TermsChanged)]
    assert (change.terms, change.terms_version, change.by) == (DEARER.terms, 2, (FRED, CARA))


@pytest.mark.parametrize(
    ("by", "code"),
    [
        (FRED, Rejection.SAME_PERSON),
        (Signature("Hugo", "Finance"), Rejection.SAME_DEPARTMENT),
    ],
)
async def test_approval_that_does_not_count_changes_nothing(
    store: FaultyStore, by: Signature, code: Rejection
) -> None:
    await begin(store)
    async with a_desk(store, DEARER) as desk:
        assert await code_of(desk, FRED) is None
        records = await journal_of(store.inner)
        assert await code_of(desk, by) is code
        assert await journal_of(store.inner) == records
        assert desk.worker.view.state == "inoperable"
        assert await code_of(desk, CARA) is None
        assert desk.worker.view.state == "live"


async def test_first_approval_outlives_a_restart(store: FaultyStore) -> None:
    await begin(store)
    async with a_desk(store, DEARER) as desk:
        assert await code_of(desk, FRED) is None
        await kill(desk)
    async with a_desk(store, DEARER) as desk:
        assert await code_of(desk, FRED) is Rejection.SAME_PERSON
        assert await code_of(desk, CARA) is None
        assert desk.worker.view.state == "live"


async def test_old_floor_file_still_opens_the_link_until_the_second_approval(
    store: FaultyStore,
) -> None:
    await begin(store)
    async with a_desk(store, DEARER) as desk:
        assert await code_of(desk, FRED) is None
    async with a_desk(store, RULES) as desk:
        assert desk.worker.view.state == "live"
    await changed(store, WIDER)
    async with a_desk(store, RULES) as desk:
        assert desk.worker.view.state == "inoperable"


async def test_approval_of_another_edit_is_not_said_to_be_one_of_this(store: FaultyStore) -> None:
    await begin(store)
    async with a_desk(store, DEARER) as desk:
        assert await code_of(desk, FRED) is None
    async with a_desk(store, WIDER) as desk:
        reason = desk.worker.view.reason or ""
        assert "what Fred approved was another one: it takes two people" in reason
        assert await code_of(desk, CARA) is None
        assert "approved by Cara; it takes a second person" in (desk.worker.view.reason or "")


async def test_live_link_has_nothing_to_approve(store: FaultyStore) -> None:
    async with a_desk(store, RULES) as desk:
        assert await code_of(desk, FRED) is Rejection.WRONG_STATUS


async def test_unfit_terms_say_why(store: FaultyStore) -> None:
    await begin(store)
    async with a_desk(store, a_link(meters=(MEGA, MAJOR))) as desk:
        answer = await desk.worker.approve_terms(FRED, WHY)
        assert isinstance(answer, Refusal)
        assert answer.code is Rejection.TERMS_REFUSED
        assert "there is money on minor" in answer.message


@pytest.mark.slow
async def test_open_round_is_settled_after_the_change_by_its_own_terms(store: FaultyStore) -> None:
    await begin(store, round_open=True)
    await changed(store, a_link(lines=a_bet().lines[:3]))
    async with a_desk(store, a_link(lines=a_bet().lines[:3])) as desk:
        given = await desk.ask(a_settle(2, seats={1: PAIR}, dealer="5s"))
        assert isinstance(given.answer, Receipt)
        assert [award.line for award in given.answer.event.awards] == ["two_7"]  # type: ignore[union-attr]


async def test_new_meter_is_shown_in_its_place(store: FaultyStore) -> None:
    await begin(store, round_open=True)
    await changed(store, WIDER)
    async with a_desk(store, WIDER) as desk:
        await desk.ask(a_settle(2, seats={1: MEGA_HAND}, dealer="5s"))
        shown = {meter.id: meter.cents for meter in desk.worker.view.meters}
        assert list(shown) == ["mega", "mini", "major", "minor"]
        assert (shown["mega"], shown["mini"]) == (2_500_005, 777)


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("kept", [False, True])
async def test_approval_under_which_the_journal_failed_has_an_unknown_fate(
    store: FaultyStore, number: int, kept: bool
) -> None:
    await begin(store)
    async with a_desk(store, DEARER) as desk:
        if number == 2:
            assert await code_of(desk, FRED) is None
        store.fail_append(1, kept=kept)
        with pytest.raises(FateUnknownError):
            await desk.worker.approve_terms(FRED if number == 1 else CARA, WHY)
        store.heal()
        await kill(desk)
    async with a_desk(store, DEARER) as desk:
        # All of it or nothing: whoever looks again sees which it was.
        if number == 1:
            assert await code_of(desk, FRED) is (Rejection.SAME_PERSON if kept else None)
        else:
            assert (desk.worker.view.state == "live") is kept


async def test_two_who_approve_at_once_are_told_apart(store: FaultyStore) -> None:
    await begin(store)
    async with a_desk(store, DEARER) as desk:
        codes = await asyncio.gather(code_of(desk, FRED), code_of(desk, CARA))
        assert codes == [None, Rejection.TRY_AGAIN]
        assert await code_of(desk, CARA) is None
        assert desk.worker.view.state == "live"


async def test_stopping_link_leaves_nobody_waiting(store: FaultyStore) -> None:
    await begin(store)
    async with a_desk(store, DEARER) as desk:
        # The writer is told to stop before it has a turn.
        asked = asyncio.create_task(desk.worker.approve_terms(FRED, WHY))
        await asyncio.sleep(0)
        await desk.worker.stop()
        answer = await asked
        assert answer is None or answer.code is Rejection.TRY_AGAIN
        assert await code_of(desk, FRED) is Rejection.TRY_AGAIN
