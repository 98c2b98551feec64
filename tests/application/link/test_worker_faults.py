"""The writer when its surroundings break: no word about what was not kept, no amount invented."""

import asyncio

import pytest

from progressive.adapters.clock import SystemClock
from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.record import decode_record
from progressive.application.link import batch
from progressive.application.link import pipeline as link_pipeline
from progressive.application.link import standing as link_standing
from progressive.domain.commands import TableCommand
from progressive.domain.decide.decide import Decision, decide
from progressive.domain.events import LinkOpened, RoundSettled, RoundVoided, WagersRegistered
from progressive.domain.ids import TableId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.invariants import InvariantBrokenError, check
from progressive.domain.state.link_state import LinkState, Receipt
from progressive.domain.time_text import Moment
from tests.support.builders import (
    BJ1,
    BJ2,
    BJ3,
    Answered,
    Answers,
    Desk,
    a_desk,
    a_link,
    a_lock,
    a_settle,
    a_void,
    journal_of,
)
from tests.support.fake_clock import FakeClock
from tests.support.faulty_store import FaultyStore


@pytest.fixture
def store() -> FaultyStore:
    return FaultyStore(MemoryStore())


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """How often an inoperable link looks up; whether it then tries is the fake clock's to say."""
    monkeypatch.setattr(link_standing, "RETRY_SECONDS", 0.002)


async def kept_messages(store: FaultyStore) -> list[tuple[str, int]]:
    """Table and number of every message in the journal."""
    events = [decode_record(stored).event for stored in await journal_of(store.inner)]
    return [
        (event.table, event.table_seq)
        for event in events
        if isinstance(event, WagersRegistered | RoundSettled | RoundVoided)
    ]


def code_of(given: Answered) -> Rejection | None:
    return given.answer.code if isinstance(given.answer, Refusal) else None


# --- an append that fails once ----------------------------------------------------------------


async def test_append_that_took_no_effect_is_done_again(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        store.fail_append(1, kept=False)
        given = await desk.ask(a_lock(1))
        assert isinstance(given.answer, Receipt)
        assert not given.repeat
        assert desk.tally.failures == 1
        assert desk.worker.view.state == "live"
    assert await kept_messages(store) == [(BJ1, 1)]


async def test_what_was_kept_after_all_is_answered_as_a_repeat(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        store.fail_append(1, kept=True)
        given = await desk.ask(a_lock(1))
        assert isinstance(given.answer, Receipt)
        assert given.repeat
        assert given.answer.journal_seq == 2
    assert await kept_messages(store) == [(BJ1, 1)]


@pytest.mark.parametrize("kept", [False, True])
async def test_every_message_of_a_failed_batch_is_answered_once(
    store: FaultyStore, kept: bool
) -> None:
    async with a_desk(store) as desk:
        store.fail_append(1, kept=kept)
        answers = desk.send(a_lock(1), a_lock(9), a_settle(2), a_lock(1))
        await answers.wait_for(4)
        await desk.ask(a_lock(1), table=BJ2)
        assert sorted(given.seq for given in answers.all) == [1, 1, 2, 9]
        assert {given.seq: code_of(given) for given in answers.all}[9] is Rejection.SEQ_GAP
    assert await kept_messages(store) == [(BJ1, 1), (BJ1, 2), (BJ2, 1)]


@pytest.mark.parametrize("kept", [False, True])
async def test_failed_batch_is_decided_anew_in_its_order(store: FaultyStore, kept: bool) -> None:
    async with a_desk(store) as desk:
        store.fail_append(1, kept=kept)
        answers = desk.send(a_lock(1), a_settle(2))
        await answers.wait_for(2)
        assert [given.seq for given in answers.all] == [1, 2]
        assert all(isinstance(given.answer, Receipt) for given in answers.all)
        assert all(given.repeat is kept for given in answers.all)


@pytest.mark.parametrize("kept", [False, True])
async def test_what_was_decided_upon_a_failed_batch_is_decided_anew(
    store: FaultyStore, kept: bool
) -> None:
    async with a_desk(store) as desk:
        store.gate = asyncio.Event()
        store.fail_append(1, kept=kept)
        first = desk.send(a_lock(1))
        await store.waiting.wait()
        # Each is decided on the spot, upon a lock-out whose append is about to fail.
        answers = desk.send(a_settle(2), a_lock(3), a_lock(9), a_void(4))
        others = desk.send(a_lock(1), a_lock(1), table=BJ2)
        assert not answers.all
        store.gate.set()
        await first.wait_for(1)
        await answers.wait_for(4)
        await others.wait_for(2)
        assert first.all[0].repeat is kept
        assert [given.seq for given in answers.all] == [2, 3, 9, 4]
        assert [code_of(given) for given in answers.all] == [None, None, Rejection.SEQ_GAP, None]
        assert [given.repeat for given in others.all] == [False, True]
    assert await kept_messages(store) == [(BJ1, 1), (BJ1, 2), (BJ1, 3), (BJ1, 4), (BJ2, 1)]


@pytest.mark.parametrize("kept", [False, True])
async def test_old_message_in_a_failed_batch_is_answered_once(
    store: FaultyStore, kept: bool
) -> None:
    async with a_desk(store) as desk:
        for seq in range(1, 9):
            await desk.ask(a_lock(seq) if seq % 2 else a_settle(seq))
        store.fail_append(1, kept=kept)
        # Number 1 is older than the remembered ones: its answer is searched in the journal.
        answers = desk.send(a_lock(1), a_lock(9))
        await answers.wait_for(2)
    # The desk has stopped: whatever was still to come has come.
    assert sorted(given.seq for given in answers.all) == [1, 9]


@pytest.mark.parametrize("kept", [False, True])
async def test_old_message_in_a_batch_whose_fate_is_unknown_is_answered_once(
    store: FaultyStore, kept: bool
) -> None:
    async with a_desk(store) as desk:
        for seq in range(1, 9):
            await desk.ask(a_lock(seq) if seq % 2 else a_settle(seq))
        store.fail_append(1, kept=kept)
        store.fail_opens()
        answers = desk.send(a_lock(1), a_lock(9))
        await answers.wait_for(2)
    assert sorted(given.seq for given in answers.all) == [1, 9]


async def test_failure_is_said_and_taken_back(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        store.fail_append(1, kept=False)
        await desk.ask(a_lock(1))
        states = [(view.state, view.reason) for view in desk.published.views]
        assert states == [
            ("live", None),
            ("inoperable", "the journal cannot be written: disk full"),
            ("live", None),
            ("live", None),
        ]


# --- faults at every place --------------------------------------------------------------------


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("number", range(1, 8))
@pytest.mark.parametrize("in_a_row", [1, 2, 3])
async def test_answers_and_journal_agree_wherever_the_store_fails(
    store: FaultyStore, quick_retries: None, number: int, in_a_row: int, kept: bool
) -> None:
    """A table that sends again whatever was not answered ends with each message kept once."""
    clock = FakeClock()
    async with a_desk(store, clock=clock) as desk:
        for n in range(in_a_row):
            store.fail_append(number + n, kept=kept)
        receipts: dict[int, int] = {}
        for seq in range(1, 7):
            command = a_lock(seq) if seq % 2 else a_settle(seq)
            for _ in range(10):
                given = await desk.ask(command)
                if isinstance(given.answer, Receipt):
                    break
                assert code_of(given) in (None, Rejection.LINK_INOPERABLE)
                clock.advance(5)
            assert isinstance(given.answer, Receipt)
            receipts[seq] = given.answer.journal_seq
        clock.advance(5)
        await desk.published.wait_for_state("live")
        state = desk.state()
    assert await kept_messages(store) == [(BJ1, seq) for seq in range(1, 7)]
    by_seq = {record.seq: record for record in map(decode_record, await journal_of(store.inner))}
    for seq, journal_seq in receipts.items():
        assert by_seq[journal_seq].event.table_seq == seq  # type: ignore[union-attr]
    async with a_desk(store.inner) as again:
        assert again.state().tables == state.tables
        assert again.state().balances == state.balances


async def test_a_store_that_raises_anything_else_leaves_nobody_waiting(
    store: FaultyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_desk(store) as desk:
        append = store.append
        failures = iter([True])

        async def raising(*given: object, **named: object) -> None:
            if next(failures, False):
                raise RuntimeError("a bug in the store")
            await append(*given, **named)  # type: ignore[arg-type]

        monkeypatch.setattr(store, "append", raising)
        given = await desk.ask(a_lock(1))
        assert isinstance(given.answer, Receipt)
    assert await kept_messages(store) == [(BJ1, 1)]


# --- a store that stays broken ----------------------------------------------------------------


async def test_second_failure_in_a_row_stops_the_link(
    store: FaultyStore, quick_retries: None
) -> None:
    async with a_desk(store) as desk:
        shown = desk.worker.view.meters
        store.fail_every_append()
        given = await desk.ask(a_lock(1))
        assert code_of(given) is Rejection.LINK_INOPERABLE
        view = await desk.published.wait_for_state("inoperable")
        assert view.reason == "the journal cannot be written: disk full"
        # The last durable amounts stay visible, and none that was only hoped for.
        assert view.meters == shown
        assert await kept_messages(store) == []


async def test_kept_message_is_never_called_refused(
    store: FaultyStore, quick_retries: None
) -> None:
    async with a_desk(store) as desk:
        store.fail_append(1, kept=False)
        store.fail_append(2, kept=True)
        given = await desk.ask(a_lock(1))
        assert isinstance(given.answer, Receipt)
        assert given.repeat
    assert await kept_messages(store) == [(BJ1, 1)]


@pytest.mark.parametrize("kept", [False, True])
async def test_message_of_unknown_fate_is_left_unanswered(
    store: FaultyStore, quick_retries: None, kept: bool
) -> None:
    clock = FakeClock()
    async with a_desk(store, clock=clock) as desk:
        store.fail_append(1, kept=kept)
        store.fail_reads()
        given = await desk.ask(a_lock(1))
        assert given.answer is None
        store.heal()
        clock.advance(5)
        await desk.published.wait_for_state("live")
        again = await desk.ask(a_lock(1))
        assert isinstance(again.answer, Receipt)
        assert again.repeat is kept
    assert await kept_messages(store) == [(BJ1, 1)]


async def test_everything_is_refused_while_the_link_is_inoperable(
    store: FaultyStore, quick_retries: None
) -> None:
    async with a_desk(store) as desk:
        store.fail_every_append()
        await desk.ask(a_lock(1))
        store.fail_opens()
        for command in (a_lock(1), a_settle(1), a_void(7)):
            given = await desk.ask(command, table=BJ2)
            assert code_of(given) is Rejection.LINK_INOPERABLE
        assert desk.worker.table_state(BJ1).last_seq == 0


async def test_link_is_live_again_by_itself_when_the_store_heals(
    store: FaultyStore, quick_retries: None
) -> None:
    async with a_desk(store, clock=SystemClock()) as desk:
        await desk.ask(a_lock(1))
        store.fail_every_append()
        store.fail_opens()
        assert (await desk.ask(a_settle(2))).answer is None
        await desk.published.wait_for_state("inoperable")
        opens = store.opens
        while store.opens < opens + 3:
            await asyncio.sleep(0)
        assert desk.worker.view.state == "inoperable"
        assert desk.worker.view.reason == "the journal cannot be opened: no route to disk"
        store.heal()
        await desk.published.wait_for_state("live")
        assert isinstance((await desk.ask(a_settle(2))).answer, Receipt)


async def test_broken_store_is_not_asked_before_its_time(
    store: FaultyStore, quick_retries: None
) -> None:
    clock = FakeClock()
    store.fail_opens()
    async with a_desk(store, clock=clock) as desk:
        for _ in range(5):
            await desk.ask(a_lock(1))
        assert store.opens == 1
        clock.advance(5)
        await desk.ask(a_lock(1))
        await desk.ask(a_lock(1))
        assert store.opens == 2


async def test_link_that_never_was_recovered_shows_no_amount(
    store: FaultyStore, quick_retries: None
) -> None:
    store.fail_opens()
    async with a_desk(store) as desk:
        view = desk.worker.view
        assert (view.state, view.meters, view.seq) == ("inoperable", (), 0)
        assert view.reason == "the journal cannot be opened: no route to disk"
    store.heal()


def test_link_not_started_shows_no_amount() -> None:
    view = Desk(a_link(), MemoryStore()).worker.view
    assert (view.state, view.meters, view.seq) == ("inoperable", (), 0)


async def test_founding_that_fails_is_no_reason_to_show_amounts(
    store: FaultyStore, quick_retries: None
) -> None:
    clock = FakeClock()
    store.fail_append(1, kept=True)
    async with a_desk(store, clock=clock) as desk:
        assert (desk.worker.view.state, desk.worker.view.meters) == ("inoperable", ())
        clock.advance(5)
        view = await desk.published.wait_for_state("live")
        assert view.seq == 1
    events = [decode_record(stored).event for stored in await journal_of(store.inner)]
    assert sum(isinstance(event, LinkOpened) for event in events) == 1


async def test_stop_while_inoperable_does_not_hang(store: FaultyStore, quick_retries: None) -> None:
    async with a_desk(store) as desk:
        store.fail_every_append()
        store.fail_opens()
        await desk.ask(a_lock(1))
        answers = desk.send(a_lock(1), a_lock(2))
    # Whether the first was kept is not known, so no word is said of it: the table comes back.
    assert [code_of(given) for given in answers.all] == [None, Rejection.LINK_INOPERABLE]
    assert answers.all[0].answer is None


async def test_stop_with_a_broken_store_answers_all_that_waits(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        store.fail_every_append()
        answers = desk.send(a_lock(1), a_settle(2))
    assert sorted(given.seq for given in answers.all) == [1, 2]
    assert not any(isinstance(given.answer, Receipt) for given in answers.all)
    assert await kept_messages(store) == []


async def test_failing_checkpoint_at_the_stop_loses_nothing(store: FaultyStore) -> None:
    async with a_desk(store) as desk:
        await desk.ask(a_lock(1))
        store.fail_every_append()
    store.heal()
    async with a_desk(store) as desk:
        assert desk.worker.table_state(BJ1).last_seq == 1


# --- damage and bugs --------------------------------------------------------------------------


async def test_damage_found_later_is_not_tried_again(
    store: FaultyStore, quick_retries: None
) -> None:
    clock = FakeClock()
    async with a_desk(store, clock=clock) as desk:
        await desk.ask(a_lock(1))
        shown = desk.worker.view.meters
        assert isinstance(store.inner, MemoryStore)
        store.inner._journals[desk.worker.rules.id].head = "f" * 64
        store.fail_append(1, kept=False)
        assert (await desk.ask(a_settle(2))).answer is None
        view = await desk.published.wait_for_state("inoperable")
        assert view.reason == "record 2, the last one, has been changed"
        assert view.meters == shown
        opens = store.opens
        for _ in range(3):
            clock.advance(60)
            assert (await desk.ask(a_settle(2))).answer is None
            # What is known to be kept is still answered.
            assert (await desk.ask(a_lock(1))).repeat
        # Only a person can mend this.
        assert store.opens == opens


async def test_broken_invariant_stops_that_link_only(
    store: FaultyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(state: LinkState) -> None:
        if state.link == "main" and state.seq > 2:
            raise InvariantBrokenError("main: the accounts sum to 1 microcents, not 0")
        check(state)

    monkeypatch.setattr(link_pipeline, "check", broken)
    async with a_desk(store) as main, a_desk(store, a_link(id="high")) as high:
        await main.ask(a_lock(1))
        shown = main.worker.view.meters
        answers = main.send(a_settle(2), a_lock(9))
        await answers.wait_for(2)
        assert [code_of(given) for given in answers.all] == [Rejection.LINK_INOPERABLE] * 2
        view = await main.published.wait_for_state("inoperable")
        assert view.reason == "main: the accounts sum to 1 microcents, not 0"
        assert view.meters == shown
        assert isinstance((await high.ask(a_lock(1))).answer, Receipt)
        assert high.worker.view.state == "live"
    assert await kept_messages(store) == [(BJ1, 1)]


async def test_broken_invariant_answers_an_old_message_once(
    store: FaultyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(state: LinkState) -> None:
        if state.seq > 9:
            raise InvariantBrokenError("broken")

    monkeypatch.setattr(link_pipeline, "check", broken)
    async with a_desk(store) as desk:
        for seq in range(1, 9):
            await desk.ask(a_lock(seq) if seq % 2 else a_settle(seq))
        answers = desk.send(a_lock(1), a_lock(9))
        await answers.wait_for(2)
    assert sorted(given.seq for given in answers.all) == [1, 9]


@pytest.fixture
def bug_in_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """decide raises at round `bug`, as a programming error would; asked of any round not plain."""

    def buggy(
        state: LinkState, rules: LinkRules, table: TableId, command: TableCommand, when: Moment
    ) -> Decision:
        if command.round == "bug":
            raise ZeroDivisionError("a bug")
        return decide(state, rules, table, command, when)

    monkeypatch.setattr(batch, "decide", buggy)


async def test_bug_stops_that_link_only_and_says_so(
    store: FaultyStore, bug_in_decide: None
) -> None:
    async with a_desk(store) as main, a_desk(store, a_link(id="high")) as high:
        assert (
            code_of(await main.ask(a_lock(1, round="bug", wagers=[]))) is Rejection.LINK_INOPERABLE
        )
        view = await main.published.wait_for_state("inoperable")
        assert view.reason == "internal error: see the service's log"
        assert code_of(await main.ask(a_lock(1))) is Rejection.LINK_INOPERABLE
        assert isinstance((await high.ask(a_lock(1))).answer, Receipt)
    assert await kept_messages(store) == []


async def test_bug_leaves_no_table_without_an_answer(
    store: FaultyStore, bug_in_decide: None
) -> None:
    """ "A bug must stop this link only, and say so, rather than hang its tables.\""""
    async with a_desk(store) as desk:
        answers = Answers()
        desk.worker.submit_nowait(BJ1, a_lock(1), answers)
        desk.worker.submit_nowait(BJ2, a_lock(1, round="bug", wagers=[]), answers)
        desk.worker.submit_nowait(BJ3, a_lock(1), answers)
        await desk.published.wait_for_state("inoperable")
    # The desk has stopped: whatever was still to come has come.
    assert len(answers.all) == 3
    assert not any(isinstance(given.answer, Receipt) for given in answers.all)
    assert await kept_messages(store) == []


async def test_bug_on_the_spot_leaves_alone_what_is_being_kept(
    store: FaultyStore, bug_in_decide: None
) -> None:
    async with a_desk(store) as desk:
        store.gate = asyncio.Event()
        first = desk.send(a_lock(1))
        await store.waiting.wait()
        before = desk.send(a_lock(1), table=BJ2)
        at_fault = desk.send(a_lock(1, round="bug", wagers=[]), table=BJ3)
        after = desk.send(a_settle(2))
        store.gate.set()
        await desk.published.wait_for_state("inoperable")
    assert isinstance(first.all[0].answer, Receipt)
    for answers in (before, at_fault, after):
        assert [code_of(given) for given in answers.all] == [Rejection.LINK_INOPERABLE]
    assert await kept_messages(store) == [(BJ1, 1)]


class BrokenReply:
    """A socket that fails while it is answered."""

    def __init__(self, where: str) -> None:
        self._where = where
        self.delivered: list[object] = []

    def prepare(self, seq: int, answer: object, repeat: bool) -> object:
        if self._where == "prepare":
            raise ConnectionError("gone")
        return answer

    def deliver(self, ready: object) -> None:
        self.delivered.append(ready)
        if self._where == "deliver":
            raise ConnectionError("gone")


@pytest.mark.parametrize("where", ["prepare", "deliver"])
async def test_socket_that_fails_harms_nobody_else(store: FaultyStore, where: str) -> None:
    broken = BrokenReply(where)
    async with a_desk(store) as desk:
        desk.worker.submit_nowait(BJ1, a_lock(1), broken)
        given = await desk.ask(a_lock(1), table=BJ2)
        assert isinstance(given.answer, Receipt)
        assert desk.worker.view.state == "live"
    assert await kept_messages(store) == [(BJ1, 1), (BJ2, 1)]
    assert len(broken.delivered) == 1


async def test_unexpected_error_at_the_start_stops_the_link_not_the_service(
    store: FaultyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken_open(link: object) -> None:
        raise TypeError("string argument without an encoding")

    monkeypatch.setattr(store, "open_link", broken_open)
    async with a_desk(store) as desk:
        assert desk.worker.view.state == "inoperable"
        assert code_of(await desk.ask(a_lock(1))) is Rejection.LINK_INOPERABLE
