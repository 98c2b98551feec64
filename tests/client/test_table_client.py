"""One table and the nodes of its floor: whatever breaks, each message is answered once."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from progressive.client.connection import ANSWER_SECONDS, SILENT_SECONDS, StayAwayError
from progressive.client.outbox import Kept, Outbox, OutboxError
from progressive.client.table_client import (
    Ahead,
    ServiceBehindError,
    State,
    TableClient,
    UnansweredError,
)
from progressive.common.steps import steps_watched
from progressive.domain.commands import RegisterWagers, VoidRound
from progressive.domain.ids import RoundId
from progressive.wire.table_messages import ErrorMessage, Locked
from tests.support.scripted_nodes import (
    KEY,
    TABLE,
    Message,
    ScriptedNode,
    TurnedTime,
    a_node,
    locked,
    refused,
    until,
    welcome,
)

OnState = Callable[[State, str | None], None]
CHANCE = 0.9
"""Of each wait's ceiling; no wait is as long as a look at the silence."""


@pytest.fixture
async def one() -> AsyncIterator[ScriptedNode]:
    async with a_node() as node:
        yield node


@pytest.fixture
async def two() -> AsyncIterator[ScriptedNode]:
    async with a_node() as node:
        yield node


@pytest.fixture
def clock() -> TurnedTime:
    return TurnedTime()


@pytest.fixture
def outbox(tmp_path: Path) -> Path:
    return tmp_path / "outbox.json"


def a_client(
    clock: TurnedTime,
    *nodes: ScriptedNode | str,
    outbox: Path | None = None,
    on_state: OnState = lambda state, reason: None,
) -> TableClient:
    urls = [node if isinstance(node, str) else node.url for node in nodes]
    return TableClient(
        urls, TABLE, KEY, outbox=outbox, clock=clock, chance=lambda: CHANCE, on_state=on_state
    )


def a_lock(name: str = "r1") -> RegisterWagers:
    return RegisterWagers(seq=1, round=RoundId(name), wagers=(), chips_counted=0)


def silence(_: Message) -> list[Message]:
    return []


async def cancelled(work: "asyncio.Task[Any]") -> None:
    work.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await work


# --- numbers and the outbox -----------------------------------------------------------------------


async def test_numbers_go_on_where_the_service_says(one: ScriptedNode, clock: TurnedTime) -> None:
    one.greet = lambda: welcome(41)
    async with a_client(clock, one) as table:
        first = await table.tell(a_lock("a"))
        second = await table.tell(a_lock("b"))
    assert [message["seq"] for message in one.came] == [41, 42]
    assert isinstance(first, Locked)
    assert isinstance(second, Locked)
    assert (first.seq, second.seq, table.unanswered) == (41, 42, None)
    assert one.keys == [f"Bearer {KEY}"]


async def test_message_is_on_the_disk_before_it_is_sent_and_leaves_it_when_answered(
    one: ScriptedNode, clock: TurnedTime, outbox: Path
) -> None:
    on_disk: list[Kept] = []

    def answers(message: Message) -> list[Message]:
        on_disk.append(Outbox(outbox, TABLE).read())
        return [locked(message)]

    one.answers = answers
    async with a_client(clock, one, outbox=outbox) as table:
        await table.tell(a_lock())
    assert [kept.under_way for kept in on_disk] == [a_lock()]
    assert Outbox(outbox, TABLE).read().under_way is None
    assert Outbox(outbox, TABLE).read().answered == 1


async def test_controller_that_starts_again_finishes_what_was_under_way(
    one: ScriptedNode, clock: TurnedTime, outbox: Path
) -> None:
    one.answers = silence
    async with a_client(clock, one, outbox=outbox) as table:
        telling = asyncio.create_task(table.tell(a_lock("open")))
        await until(lambda: one.came)
        await cancelled(telling)
    # The service had taken it: it says so in the welcome, and answers it as a repeat.
    one.greet = lambda: welcome(2)
    one.answers = lambda message: [locked(message, repeat=True)]
    async with a_client(clock, one, outbox=outbox) as table:
        with pytest.raises(UnansweredError):
            await table.tell(a_lock("next"))
        finished = await table.finish()
        assert finished is not None
        message, answer = finished
        assert (message.round, table.ahead, table.unanswered) == ("open", None, None)
        assert isinstance(answer, Locked)
        assert answer.repeat
        assert await table.finish() is None
        await table.tell(a_lock("next"))
    assert [(each["seq"], each["round"]) for each in one.came] == [
        *((1, "open"), (1, "open"), (2, "next"))
    ]


async def test_answer_can_be_asked_for_again_after_a_restart(
    one: ScriptedNode, clock: TurnedTime, outbox: Path
) -> None:
    async with a_client(clock, one, outbox=outbox) as table:
        assert await table.again() is None
        await table.tell(a_lock())
    one.greet = lambda: welcome(2)
    one.answers = lambda message: [locked(message, repeat=True)]
    async with a_client(clock, one, outbox=outbox) as table:
        exchange = await table.again()
    assert exchange is not None
    assert exchange[0] == a_lock()
    assert isinstance(exchange[1], Locked)
    assert exchange[1].repeat


async def test_message_is_kept_while_no_node_is_there(
    one: ScriptedNode, clock: TurnedTime, outbox: Path
) -> None:
    async with a_client(clock, one, outbox=outbox) as table:
        await table.tell(a_lock("a"))
        one.closes_with(1013)
        await one.hang_up()
        telling = asyncio.create_task(table.tell(a_lock("b")))
        await until(lambda: (kept := Outbox(outbox, TABLE).read().under_way) and kept.seq == 2)
        assert not telling.done()
        one.greet = lambda: welcome(2)
        answer = await telling
    assert isinstance(answer, Locked)
    assert answer.seq == 2


async def test_nothing_is_sent_where_it_cannot_be_kept(
    one: ScriptedNode, clock: TurnedTime, tmp_path: Path
) -> None:
    async with a_client(clock, one, outbox=tmp_path / "missing" / "outbox") as table:
        with pytest.raises(OutboxError, match="cannot be written"):
            await table.tell(a_lock())
        assert table.unanswered is None
    assert one.came == []


async def test_answer_that_cannot_be_noted_is_asked_for_again(
    one: ScriptedNode, clock: TurnedTime, outbox: Path
) -> None:
    full = False

    def disk(step: str) -> None:
        if full and step.startswith("write"):
            raise OSError(28, "No space left on device")

    def answers(message: Message) -> list[Message]:
        nonlocal full
        full = not full
        return [locked(message, repeat=not full)]

    one.answers = answers
    with steps_watched(disk):
        async with a_client(clock, one, outbox=outbox) as table:
            with pytest.raises(OutboxError, match="No space left"):
                await table.tell(a_lock())
            assert table.unanswered == a_lock()
            finished = await table.finish()
    assert finished is not None
    assert isinstance(finished[1], Locked)
    assert finished[1].repeat


# --- a service that counts otherwise --------------------------------------------------------------


async def test_service_that_lost_what_it_answered_is_told_of_plainly(
    one: ScriptedNode, clock: TurnedTime, outbox: Path
) -> None:
    async with a_client(clock, one, outbox=outbox) as table:
        for name in ("a", "b", "c"):
            await table.tell(a_lock(name))
    one.greet = lambda: welcome(3)
    async with a_client(clock, one, outbox=outbox) as table:
        with pytest.raises(ServiceBehindError, match="answered message 3, and now expects 3"):
            await table.tell(a_lock("d"))
        assert table.state == "refused"
        assert len(one.came) == 3
        # The journal has its records again: the message is still there.
        one.greet = lambda: welcome(4)
        finished = await table.finish()
    assert finished is not None
    assert (finished[0].round, finished[0].seq) == ("d", 4)


async def test_gap_says_that_the_service_is_behind(one: ScriptedNode, clock: TurnedTime) -> None:
    one.greet = lambda: welcome(7)
    one.answers = lambda message: [refused(message, "SEQ_GAP", expected=5)]
    async with a_client(clock, one) as table:
        with pytest.raises(ServiceBehindError, match="expects 5"):
            await table.tell(a_lock())
        assert table.unanswered is not None


async def test_table_goes_on_behind_numbers_that_others_used_up(
    one: ScriptedNode, clock: TurnedTime, outbox: Path
) -> None:
    async with a_client(clock, one, outbox=outbox) as table:
        await table.tell(a_lock())
        one.greet = lambda: welcome(3)
        await one.hang_up()
        await until(lambda: one.connections == 2 and table.state == "live")
        assert table.ahead == Ahead(expected_seq=2, next_seq=3)
        answer = await table.tell(a_lock("c"))
    assert isinstance(answer, Locked)
    assert answer.seq == 3


async def test_number_that_a_supervisor_took_comes_back_and_the_next_welcome_counts(
    one: ScriptedNode, clock: TurnedTime
) -> None:
    async with a_client(clock, one) as table:
        await table.tell(a_lock())
        one.greet = lambda: welcome(3)
        one.answers = lambda message: [refused(message, "SEQ_REUSED")]
        answer = await table.tell(VoidRound(seq=1, round=RoundId("r1"), reason="misdeal"))
        assert isinstance(answer, ErrorMessage)
        assert answer.code == "SEQ_REUSED"
        assert table.unanswered is None
        await until(lambda: one.connections == 2 and table.state == "live")
        one.answers = lambda message: [locked(message)]
        answer = await table.tell(a_lock("r2"))
        assert isinstance(answer, Locked)
        assert answer.seq == 3


# --- refusals -------------------------------------------------------------------------------------

FINAL = ("BAD_MESSAGE", "ROUND_OPEN", "NO_ROUND", "CHIP_COUNT_MISMATCH", "NEEDS_APPROVAL")


@pytest.mark.parametrize("code", FINAL)
async def test_refusal_is_a_value_and_its_number_stays_the_next(
    one: ScriptedNode, clock: TurnedTime, outbox: Path, code: str
) -> None:
    one.answers = lambda message: [refused(message, code)]
    async with a_client(clock, one, outbox=outbox) as table:
        answer = await table.tell(a_lock("bad"))
        assert isinstance(answer, ErrorMessage)
        assert answer.code == code
        assert Outbox(outbox, TABLE).read().under_way is None
        one.answers = lambda message: [locked(message)]
        good = await table.tell(a_lock("good"))
    assert isinstance(good, Locked)
    assert good.seq == 1
    assert one.connections == 1


async def test_refusal_without_a_number_is_that_of_the_message_under_way(
    one: ScriptedNode, clock: TurnedTime
) -> None:
    one.answers = lambda message: [refused(message, "BAD_MESSAGE", seq=None)]
    async with a_client(clock, one) as table:
        answer = await table.tell(a_lock())
    assert isinstance(answer, ErrorMessage)
    assert answer.seq is None


@pytest.mark.parametrize("code", ["TRY_AGAIN", "LINK_INOPERABLE", "NOT_LEADER"])
async def test_message_for_later_is_sent_again(
    one: ScriptedNode, clock: TurnedTime, code: str
) -> None:
    one.answers = lambda message: (
        [locked(message)] if len(one.came) == 3 else [refused(message, code)]
    )
    async with a_client(clock, one) as table:
        answer = await table.tell(a_lock())
    assert isinstance(answer, Locked)
    assert [message["seq"] for message in one.came] == [1, 1, 1]
    # On the same connection, but for a node that says it does not lead.
    assert one.connections == (3 if code == "NOT_LEADER" else 1)
    assert len(clock.waits) == 2


async def test_node_out_of_service_is_left_for_the_next(
    one: ScriptedNode, two: ScriptedNode, clock: TurnedTime
) -> None:
    one.answers = lambda message: [refused(message, "LINK_INOPERABLE")]
    async with a_client(clock, one, two) as table:
        assert isinstance(await table.tell(a_lock()), Locked)
        assert table.node == two.url
    assert (len(one.came), len(two.came)) == (1, 1)


async def test_welcome_out_of_service_is_not_relied_on(
    one: ScriptedNode, two: ScriptedNode, clock: TurnedTime, outbox: Path
) -> None:
    Outbox(outbox, TABLE).write(Kept(7))
    one.greet = lambda: welcome(1, state="inoperable", reason="the disk is full")
    two.greet = lambda: welcome(8)
    async with a_client(clock, one, two, outbox=outbox) as table:
        answer = await table.tell(a_lock())
    assert isinstance(answer, Locked)
    assert answer.seq == 8
    assert one.came == []


async def test_dealer_is_told_while_the_link_is_out_of_service(
    one: ScriptedNode, clock: TurnedTime
) -> None:
    heard: list[tuple[State, str | None]] = []
    async with a_client(clock, one, on_state=lambda *told: heard.append(told)) as table:
        await until(lambda: table.state == "live")
        await one.tell({"type": "state", "state": "inoperable", "reason": "no disk"})
        await until(lambda: table.state == "inoperable")
        await one.tell({"type": "state", "state": "live", "reason": None})
        await until(lambda: table.state == "live")
    assert heard == [("live", None), ("inoperable", "no disk"), ("live", None)]


# --- where to go ----------------------------------------------------------------------------------


async def test_table_goes_to_the_leader_at_once_and_with_its_message(
    one: ScriptedNode, two: ScriptedNode, clock: TurnedTime
) -> None:
    async with a_client(clock, one) as table:
        await table.tell(a_lock("a"))
        one.answers = silence
        telling = asyncio.create_task(table.tell(a_lock("b")))
        await until(lambda: len(one.came) == 2)
        two.greet = lambda: welcome(2)
        await one.hang_up(4503, two.url)
        answer = await telling
    assert isinstance(answer, Locked)
    assert answer.seq == 2
    assert [message["seq"] for message in two.came] == [2]
    assert clock.waits == []


async def test_idle_table_follows_the_leader_by_itself(
    one: ScriptedNode, two: ScriptedNode, clock: TurnedTime
) -> None:
    one.closes_with(4503, two.url)
    async with a_client(clock, one) as table:
        await until(lambda: table.state == "live")
        assert table.node == two.url
    assert clock.waits == []


async def test_two_nodes_that_name_each_other_are_not_followed_in_circles(
    one: ScriptedNode, two: ScriptedNode, clock: TurnedTime
) -> None:
    one.closes_with(4503, two.url)
    two.closes_with(4503, one.url)
    async with a_client(clock, one, two) as table:
        await until(lambda: len(clock.waits) >= 3)
        assert one.connections + two.connections <= 5 * (len(clock.waits) + 1)
        two.greet = welcome
        await until(lambda: table.state == "live")
        assert table.node == two.url


@pytest.mark.parametrize("said", ["", "ftp://127.0.0.1/", "a word", "http://u:p@127.0.0.1:9"])
async def test_address_that_is_none_is_not_followed(
    one: ScriptedNode, two: ScriptedNode, clock: TurnedTime, said: str
) -> None:
    one.closes_with(4503, said)
    async with a_client(clock, one, two) as table:
        await until(lambda: table.state == "live")
        assert table.node == two.url
    assert len(clock.waits) == 1


async def test_leader_that_is_gone_leads_back_to_the_configured_nodes(
    one: ScriptedNode, two: ScriptedNode, clock: TurnedTime
) -> None:
    one.closes_with(4503, "http://127.0.0.1:1")
    two.closes_with(1013)
    async with a_client(clock, one, two) as table:
        await until(lambda: two.connections)
        one.greet = welcome
        await until(lambda: table.state == "live")
        assert table.node == one.url


async def test_waits_grow_with_full_jitter_and_begin_anew_after_an_answer(
    one: ScriptedNode, clock: TurnedTime
) -> None:
    one.closes_with(1013)
    async with a_client(clock, one) as table:
        await until(lambda: len(clock.waits) >= 6)
        assert clock.waits[:6] == [CHANCE * ceiling for ceiling in (0.25, 0.5, 1.0, 2.0, 2.0, 2.0)]
        one.greet = welcome
        await table.tell(a_lock())
        before = len(clock.waits)
        one.greet = lambda: welcome(2)
        await one.cut()
        await until(lambda: len(clock.waits) > before and table.state == "live")
        assert clock.waits[before] == CHANCE * 0.25


async def test_node_that_greets_and_hangs_up_is_not_hammered(
    one: ScriptedNode, clock: TurnedTime
) -> None:
    async with a_client(clock, one):
        for times in range(1, 5):
            await until(lambda: one.connections == times and one.sockets)  # noqa: B023
            await one.cut()
        await until(lambda: one.connections == 5)
    assert clock.waits == [CHANCE * ceiling for ceiling in (0.25, 0.5, 1.0, 2.0)]


STAY_AWAY = {4400: "no such frame", 4401: "this key", 4404: "no such table", 4413: "too big"}


@pytest.mark.parametrize("code", STAY_AWAY)
async def test_table_stays_away_until_something_is_put_right(
    one: ScriptedNode, clock: TurnedTime, outbox: Path, code: int
) -> None:
    one.closes_with(code, "mend it")
    async with a_client(clock, one, outbox=outbox) as table:
        await until(lambda: table.state == "refused")
        assert table.reason is not None
        assert STAY_AWAY[code] in table.reason
        with pytest.raises(StayAwayError, match=STAY_AWAY[code]):
            await table.tell(a_lock())
        assert clock.waits == []
        one.greet = welcome
        assert isinstance(await table.tell(a_lock()), Locked)


@pytest.mark.parametrize("code", [1001, 1011, 1013, 4409])
async def test_table_comes_back_and_sends_again(
    one: ScriptedNode, clock: TurnedTime, code: int
) -> None:
    one.answers = silence
    async with a_client(clock, one) as table:
        telling = asyncio.create_task(table.tell(a_lock()))
        await until(lambda: one.came)
        one.answers = lambda message: [locked(message)]
        await one.hang_up(code)
        assert isinstance(await telling, Locked)
    assert [message["seq"] for message in one.came] == [1, 1]


# --- silence --------------------------------------------------------------------------------------


async def test_node_that_hangs_is_left_for_the_next(
    one: ScriptedNode, two: ScriptedNode, clock: TurnedTime
) -> None:
    one.answers = silence
    async with a_client(clock, one, two) as table:
        telling = asyncio.create_task(table.tell(a_lock()))
        await until(lambda: one.came)
        clock.advance(SILENT_SECONDS + 0.5)
        assert isinstance(await telling, Locked)
    assert [message["seq"] for message in two.came] == [1]


async def test_node_that_pings_and_answers_nothing_is_left_a_while_later(
    one: ScriptedNode, two: ScriptedNode, clock: TurnedTime
) -> None:
    one.answers = silence
    async with a_client(clock, one, two) as table:
        telling = asyncio.create_task(table.tell(a_lock()))
        await until(lambda: one.came)
        await one.tell({"type": "a message of a newer service"})
        clock.advance(SILENT_SECONDS - 1)
        await one.tell({"type": "state", "state": "inoperable", "reason": None})
        await until(lambda: table.state == "inoperable")
        clock.advance(SILENT_SECONDS - 1)
        await one.tell({"type": "state", "state": "live", "reason": None})
        await until(lambda: table.state == "live")
        assert not telling.done()
        clock.advance(ANSWER_SECONDS - 2 * (SILENT_SECONDS - 1) + 0.5)
        assert isinstance(await telling, Locked)
    assert [message["seq"] for message in two.came] == [1]


async def test_node_that_does_not_greet_is_left_for_the_next(
    one: ScriptedNode, two: ScriptedNode, clock: TurnedTime
) -> None:
    one.greet = lambda: locked({"seq": 1, "round": "r1"})
    async with a_client(clock, one, two) as table:
        assert isinstance(await table.tell(a_lock()), Locked)
    assert (one.came, len(two.came)) == ([], 1)


async def test_late_answer_is_not_read_as_that_to_another_message(
    one: ScriptedNode, clock: TurnedTime
) -> None:
    def answers(message: Message) -> list[Message]:
        late = locked({"seq": message["seq"] - 1, "round": "an older one"})
        return [late] if len(one.came) == 1 else [locked(message)]

    one.answers = answers
    async with a_client(clock, one) as table:
        answer = await table.tell(a_lock("mine"))
    assert isinstance(answer, Locked)
    assert (answer.round, one.connections) == ("mine", 2)
