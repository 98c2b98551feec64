"""The writer with awards: people's acts in one line with the tables, wins that no sign misses."""

import asyncio
from zoneinfo import ZoneInfo

import pytest
from msgspec import structs

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.record import decode_record
from progressive.application.link import mailbox as link_mailbox
from progressive.application.link import standing as link_standing
from progressive.application.link.batch import ActReceipt
from progressive.application.link.moment import moment
from progressive.application.link.replies import FateUnknownError
from progressive.application.link.view import WINS_KEPT
from progressive.domain.acts import PayAward, PersonsAct, ProposeVoid, SignOn, ValidateAward
from progressive.domain.ids import AwardId, TableId
from progressive.domain.money import microcents
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.policy import AwardPolicy, TaxFormRule
from progressive.domain.state.ledger import PENDING
from progressive.domain.state.link_state import Receipt
from progressive.domain.views import WinView
from tests.support.awards import (
    ANN,
    CARA,
    DORA,
    MAJOR_HAND,
    MEGA_HAND,
    MINOR_HAND,
    NOTHING,
    PAIR,
    assert_sound,
)
from tests.support.builders import (
    BJ1,
    BJ2,
    LINK,
    Desk,
    a_desk,
    a_link,
    a_lock,
    a_settle,
    journal_of,
    kill,
    wagers,
)
from tests.support.fake_clock import FakeClock
from tests.support.faulty_store import FaultyStore


@pytest.fixture
def store() -> FaultyStore:
    return FaultyStore(MemoryStore())


async def play(desk: Desk, hands: dict[int, str], *, table: TableId = BJ1) -> list[AwardId]:
    """A whole round; the awards that it made, in the order of payment."""
    seq = desk.worker.table_state(table).last_seq + 1
    await desk.ask(a_lock(seq, wagers=wagers(*hands)), table=table)
    given = await desk.ask(a_settle(seq + 1, seats=hands, dealer="5s"), table=table)
    assert isinstance(given.answer, Receipt), given
    return [award.award for award in given.answer.event.awards]  # type: ignore[union-attr]


async def done(desk: Desk, act: PersonsAct) -> ActReceipt:
    answer = await desk.worker.perform(act)
    assert isinstance(answer, ActReceipt), answer
    return answer


async def refusal(desk: Desk, act: PersonsAct) -> Rejection:
    answer = await desk.worker.perform(act)
    assert isinstance(answer, Refusal), answer
    return answer.code


def status(desk: Desk, award: AwardId) -> str:
    found = desk.state().award(award)
    assert found is not None
    return found.status


# --- acts --------------------------------------------------------------------------------------


async def test_answer_to_an_act_means_durable(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        [award] = await play(desk, {1: MEGA_HAND})
        receipt = await done(desk, ValidateAward(award, ANN))
        kept = decode_record((await journal_of(store.inner))[-1])
        assert (kept.seq, kept.event) == (receipt.journal_seq, receipt.event)
        assert kept.at == desk.clock.now()
        assert status(desk, award) == "validated"


async def test_act_is_not_answered_before_it_is_durable(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        [award] = await play(desk, {1: MEGA_HAND})
        store.gate, store.waiting = asyncio.Event(), asyncio.Event()
        asked = asyncio.create_task(desk.worker.perform(ValidateAward(award, ANN)))
        await store.waiting.wait()
        assert not asked.done()
        assert status(desk, award) == "pending"
        store.gate.set()
        assert isinstance(await asked, ActReceipt)


async def test_refused_act_appends_nothing_and_is_counted(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        appends = store.appends
        assert await refusal(desk, ValidateAward(AwardId("main.9.1"), ANN)) is (
            Rejection.UNKNOWN_AWARD
        )
        assert store.appends == appends
        assert desk.tally.refusals == ["UNKNOWN_AWARD"]


async def test_acts_and_tables_share_a_batch_in_the_order_they_came(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        await desk.ask(a_lock(1))
        store.gate, store.waiting = asyncio.Event(), asyncio.Event()
        desk.send(a_lock(1), table=BJ2)
        await store.waiting.wait()
        award = AwardId(f"{LINK}.5.1")
        # The settlement sees the dealer who signed on before it; the payment sees the award.
        signed = asyncio.create_task(desk.worker.perform(SignOn(BJ1, DORA)))
        await asyncio.sleep(0)
        settled = desk.send(a_settle(2, seats={1: MEGA_HAND}, dealer="5s"))
        acts: list[PersonsAct] = [
            ValidateAward(award, DORA),
            ValidateAward(award, ANN),
            PayAward(award, CARA),
        ]
        asked = [asyncio.create_task(desk.worker.perform(act)) for act in acts]
        await asyncio.sleep(0)
        next_round = desk.send(a_lock(3))
        store.gate.set()
        answers = [await each for each in (signed, *asked)]
        await settled.wait_for(1)
        await next_round.wait_for(1)
    assert [type(answer).__name__ for answer in answers] == [
        "ActReceipt",
        "Refusal",
        "ActReceipt",
        "ActReceipt",
    ]
    assert isinstance(answers[1], Refusal)
    assert answers[1].code is Rejection.DEALER_OF_TABLE
    assert store.batch_sizes[-2:] == [5, 1]
    kept = [type(decode_record(record).event).__name__ for record in await journal_of(store.inner)]
    assert kept[3:8] == [
        "DealerSignedOn",
        "RoundSettled",
        "AwardValidated",
        "AwardPaid",
        "WagersRegistered",
    ]


@pytest.mark.parametrize("kept", [False, True])
async def test_act_under_which_the_journal_failed_has_an_unknown_fate(
    store: FaultyStore, kept: bool
) -> None:
    async with a_desk(store) as desk:
        [award] = await play(desk, {1: MEGA_HAND})
        await done(desk, ValidateAward(award, ANN))
        store.fail_append(1, kept=kept)
        with pytest.raises(FateUnknownError):
            await desk.worker.perform(PayAward(award, CARA))
        # Whoever looks again sees which it was: all of it or nothing.
        await desk.published.wait_for_state("live")
        assert_sound(desk.state())
        assert (status(desk, award), desk.state().documents) == (
            ("paid", 1) if kept else ("validated", 0)
        )
        if kept:
            assert await refusal(desk, PayAward(award, CARA)) is Rejection.WRONG_STATUS
        else:
            await done(desk, PayAward(award, CARA))
        [other] = await play(desk, {1: MINOR_HAND})
        await done(desk, ValidateAward(other, ANN))
        await done(desk, PayAward(other, CARA))
        assert desk.state().documents == 2


async def test_tables_of_a_failed_batch_are_answered_the_acts_are_not_done_twice(
    store: FaultyStore,
) -> None:
    async with a_desk(store) as desk:
        [award] = await play(desk, {1: MEGA_HAND})
        store.fail_append(1, kept=True)
        asked = asyncio.create_task(desk.worker.perform(ValidateAward(award, ANN)))
        await asyncio.sleep(0)
        answers = desk.send(a_lock(3))
        with pytest.raises(FateUnknownError):
            await asked
        [given] = await answers.wait_for(1)
        assert isinstance(given.answer, Receipt)
        assert given.repeat
    names = [type(decode_record(each).event).__name__ for each in await journal_of(store.inner)]
    assert names.count("AwardValidated") == 1


async def test_inoperable_link_refuses_acts_and_says_why(
    store: FaultyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_standing, "RETRY_SECONDS", 0.002)
    async with a_desk(store) as desk:
        [award] = await play(desk, {1: MEGA_HAND})
        store.fail_every_append()
        store.fail_opens()
        with pytest.raises(FateUnknownError):
            await desk.worker.perform(ValidateAward(award, ANN))
        answer = await desk.worker.perform(ValidateAward(award, ANN))
        assert isinstance(answer, Refusal)
        assert answer.code is Rejection.LINK_INOPERABLE
        assert "the journal cannot be" in answer.message
        store.heal()
        desk.clock.advance(60)  # type: ignore[attr-defined]
        await desk.published.wait_for_state("live")
        await done(desk, ValidateAward(award, ANN))


async def test_act_on_a_link_that_another_process_took_is_refused(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        [award] = await play(desk, {1: MEGA_HAND})
        await store.inner.open_link(LINK)
        # Nothing was kept, and that is known: a refusal, not an unknown fate.
        assert await refusal(desk, ValidateAward(award, ANN)) is Rejection.LINK_INOPERABLE


async def test_stopping_link_does_what_was_asked_and_refuses_what_comes(
    store: FaultyStore,
) -> None:
    async with a_desk(store) as desk:
        [award] = await play(desk, {1: MEGA_HAND})
        asked = asyncio.create_task(desk.worker.perform(ValidateAward(award, ANN)))
        await asyncio.sleep(0)
        await desk.worker.stop()
        assert isinstance(await asked, ActReceipt)
        assert await refusal(desk, PayAward(award, CARA)) is Rejection.TRY_AGAIN


async def test_full_queue_refuses_acts(store: FaultyStore, monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_desk(store) as desk:
        monkeypatch.setattr(link_mailbox, "QUEUE_MAX", 0)
        assert await refusal(desk, SignOn(BJ1, DORA)) is Rejection.TRY_AGAIN


async def test_whoever_asked_may_be_gone_when_the_answer_comes(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        [award] = await play(desk, {1: MEGA_HAND})
        store.gate, store.waiting = asyncio.Event(), asyncio.Event()
        asked = asyncio.create_task(desk.worker.perform(ValidateAward(award, ANN)))
        await store.waiting.wait()
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        store.gate.set()
        await done(desk, PayAward(award, CARA))


async def test_restart_finds_every_signature_again(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        await done(desk, SignOn(BJ1, DORA))
        first, second = await play(desk, {1: MEGA_HAND, 2: MAJOR_HAND})
        await done(desk, ValidateAward(first, ANN))
        await done(desk, ProposeVoid(second, ANN, "the light was off"))
        before = desk.state()
        await kill(desk)
    async with a_desk(store) as desk:
        assert desk.state() == before
        assert await refusal(desk, ValidateAward(second, DORA)) is Rejection.WRONG_STATUS


async def test_unpaid_award_stays_a_liability_over_days(store: FaultyStore) -> None:
    clock = FakeClock()
    async with a_desk(store, clock=clock) as desk:
        await play(desk, {1: MEGA_HAND})
        owed = desk.state().balances[PENDING]
    for _ in range(3):
        clock.advance(86_400 * 200)
        async with a_desk(store, clock=clock) as desk:
            await play(desk, {1: NOTHING})
            assert desk.state().balances[PENDING] == owed == microcents(10_000_060)


# --- wins --------------------------------------------------------------------------------------


async def test_win_is_announced_once_with_what_the_sign_shows_next(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        [award] = await play(desk, {4: MINOR_HAND}, table=BJ2)
        view = desk.worker.view
        assert desk.published.wins == [
            WinView(
                epoch=view.epoch,
                seq=3,
                at=desk.clock.now(),
                award=award,
                table=BJ2,
                seat=4,
                meter="minor",
                line="three_7_color",
                amount_cents=300_020,
                next_cents=250_002,
                share_percent=100,
                wager_cents=500,
            )
        ]
        assert list(view.wins) == desk.published.wins
        assert {meter.id: meter.cents for meter in view.meters}["minor"] == 250_002


async def test_several_winners_are_announced_in_the_order_of_payment(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        awards = await play(desk, {1: MINOR_HAND, 2: PAIR, 3: MEGA_HAND})
        assert [win.award for win in desk.published.wins] == [awards[0], awards[2]]


async def test_fixed_award_is_no_win_of_a_meter(store: FaultyStore) -> None:
    async with a_desk(store, a_link(policy=AwardPolicy(rack_limit_cents=0))) as desk:
        await play(desk, {1: PAIR})
        assert desk.published.wins == []


async def test_view_keeps_the_last_wins(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        for _ in range(WINS_KEPT + 3):
            await play(desk, {1: MINOR_HAND})
        assert list(desk.worker.view.wins) == desk.published.wins[-WINS_KEPT:]
        assert len(desk.published.wins) == WINS_KEPT + 3


@pytest.mark.parametrize("crash", [False, True])
async def test_win_is_not_announced_again_after_a_restart(store: FaultyStore, crash: bool) -> None:
    async with a_desk(store) as desk:
        await play(desk, {1: MEGA_HAND})
        if crash:
            await kill(desk)
    async with a_desk(store) as desk:
        again = await desk.ask(a_settle(2, seats={1: MEGA_HAND}, dealer="5s"))
        assert again.repeat
        assert desk.published.wins == []
        assert desk.worker.view.wins == ()


@pytest.mark.parametrize("kept", [False, True])
async def test_win_of_a_settlement_that_was_kept_after_all_is_not_missed(
    store: FaultyStore, kept: bool
) -> None:
    async with a_desk(store) as desk:
        await desk.ask(a_lock(1))
        store.fail_append(1, kept=kept)
        given = await desk.ask(a_settle(2, seats={1: MEGA_HAND}, dealer="5s"))
        assert isinstance(given.answer, Receipt)
        assert given.repeat is kept
        await desk.published.wait_for_state("live")
        assert [(win.award, win.amount_cents) for win in desk.published.wins] == [
            (f"{LINK}.3.1", 10_000_060)
        ]
        # A further fault does not bring it up again.
        store.fail_append(1, kept=True)
        await desk.ask(a_lock(3))
        assert len(desk.published.wins) == 1


async def test_settlement_with_awards_sent_again_has_the_same_answer(store: FaultyStore) -> None:
    settle = a_settle(2, seats={1: MEGA_HAND, 2: PAIR}, dealer="5s")
    async with a_desk(store) as desk:
        await desk.ask(a_lock(1, wagers=wagers(1, 2)))
        first = await desk.ask(settle)
        again = await desk.ask(settle)
        assert (again.answer, again.repeat) == (first.answer, True)
        # Also where the award has a life of its own since.
        await done(desk, ValidateAward(AwardId(f"{LINK}.3.2"), ANN))
        assert (await desk.ask(settle)).answer == first.answer
        other = structs.replace(settle, seats=settle.seats[:1])
        given = await desk.ask(other)
        assert isinstance(given.answer, Refusal)
        assert given.answer.code is Rejection.SEQ_REUSED
        await kill(desk)
    async with a_desk(store) as desk:
        assert (await desk.ask(settle)).answer == first.answer


# --- dates -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "day"),
    [("UTC", "2026-01-01"), ("America/New_York", "2025-12-31"), ("Asia/Tokyo", "2026-01-01")],
)
def test_dated_rules_begin_at_the_floors_midnight(zone: str, day: str) -> None:
    at = "2026-01-01T03:00:00.000000Z"
    assert moment(at, ZoneInfo(zone)).day == day
    assert moment(at, ZoneInfo(zone)).at == at


@pytest.mark.parametrize(("zone", "form"), [("UTC", "W-2G"), ("America/New_York", None)])
async def test_writer_asks_the_policy_for_the_floors_day(
    store: FaultyStore, zone: str, form: str | None
) -> None:
    # The clock says 2026-01-02T03:04Z: still the first of January in New York.
    rule = TaxFormRule(
        from_day="2026-01-02", form="W-2G", least_cents=1, least_multiple=1, clause="a form"
    )
    rules = a_link(time_zone=zone, policy=AwardPolicy(tax_forms=(rule,)))
    async with a_desk(store, rules) as desk:
        [award] = await play(desk, {1: MEGA_HAND})
        assert desk.state().awards[award].made.tax_form == form
