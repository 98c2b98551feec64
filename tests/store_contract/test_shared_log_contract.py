"""What every log that nodes share promises: one writer, in order, fenced by more than a number."""

from collections.abc import AsyncIterator, Callable

import pytest
from msgspec import structs

from progressive.adapters.memory.shared_log import MemoryLog, MemoryServer
from progressive.application.journal.ports import StoreConflictError
from progressive.application.journal.record import GENESIS
from progressive.application.link.ports import LedElsewhereError
from progressive.application.shared.ports import LogEnd, LogEntry, SharedLog
from progressive.domain.ids import LinkId
from tests.support.redis_server import a_log, own_place

MAIN, HIGH = LinkId("main"), LinkId("high.limit-2")
ONE, TWO = "http://one:8080", "http://two:8080"

Nodes = Callable[[str], SharedLog]


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.redis)])
async def nodes(request: pytest.FixtureRequest) -> AsyncIterator[Nodes]:
    """The same log, as nodes of some URL see it."""
    opened: list[SharedLog] = []
    server = MemoryServer()
    place = own_place() if request.param == "redis" else None

    def node(url: str) -> SharedLog:
        log = MemoryLog(server, url=url) if place is None else a_log(place, url)
        opened.append(log)
        return log

    yield node
    for log in opened:
        await log.close()


@pytest.fixture
def one(nodes: Nodes) -> SharedLog:
    return nodes(ONE)


@pytest.fixture
def two(nodes: Nodes) -> SharedLog:
    return nodes(TWO)


def entry(before: LogEnd, *records: str) -> LogEntry:
    last_seq = before.seq + len(records)
    body = tuple(each.encode() for each in records)
    return LogEntry(before.epoch, before.head, last_seq, f"{last_seq:064}", body)


async def appended(log: SharedLog, before: LogEnd, *records: str, link: LinkId = MAIN) -> LogEnd:
    made = entry(before, *records)
    await log.append(link, before=before, entry=made)
    return structs.replace(before, seq=made.last_seq, head=made.head)


async def all_of(log: SharedLog, link: LinkId = MAIN, *, after_seq: int = 0) -> list[LogEntry]:
    return [each async for each in log.read(link, after_seq=after_seq)]


async def test_link_that_was_never_opened_has_no_end_and_no_leader(one: SharedLog) -> None:
    assert await one.end(MAIN) == LogEnd(0, "", 0, GENESIS)
    assert await one.leader(MAIN) is None
    assert (await all_of(one), list(await one.links())) == ([], [])


async def test_opening_takes_the_lease_under_a_higher_epoch(one: SharedLog, two: SharedLog) -> None:
    assert await one.open(MAIN, holder="a", above_epoch=0) == LogEnd(1, "a", 0, GENESIS)
    assert await one.open(MAIN, holder="b", above_epoch=6) == LogEnd(7, "b", 0, GENESIS)
    assert await one.open(MAIN, holder="c", above_epoch=3) == LogEnd(8, "c", 0, GENESIS)
    assert await two.leader(MAIN) == ONE
    with pytest.raises(LedElsewhereError) as led:
        await two.open(MAIN, holder="d", above_epoch=0)
    assert led.value.leader == ONE
    assert (await two.end(MAIN)).holder == "c"
    assert list(await two.links()) == [MAIN]


async def test_lease_that_is_let_go_may_be_had_at_once(one: SharedLog, two: SharedLog) -> None:
    await one.open(MAIN, holder="a", above_epoch=0)
    await one.release(MAIN, holder="somebody else's")
    assert await two.leader(MAIN) == ONE
    await one.release(MAIN, holder="a")
    assert await two.leader(MAIN) is None
    assert (await two.open(MAIN, holder="b", above_epoch=0)).epoch == 2
    # Late: it is no longer the first one's to renew or to let go of.
    assert not await one.renew(MAIN, epoch=1, holder="a")
    await one.release(MAIN, holder="a")
    assert await one.leader(MAIN) == TWO
    assert await two.renew(MAIN, epoch=2, holder="b")


async def test_entries_are_read_as_they_were_appended(one: SharedLog, two: SharedLog) -> None:
    begin = await one.open(MAIN, holder="a", above_epoch=0)
    second = await appended(one, begin, "1", "2", "3")
    third = await appended(one, second, "4")
    end = await appended(one, third, '{"5": "\\u00e9 \\n"}', "", "\xff7")
    assert await two.end(MAIN) == end
    assert await all_of(two) == [
        entry(begin, "1", "2", "3"),
        entry(second, "4"),
        entry(third, '{"5": "\\u00e9 \\n"}', "", "\xff7"),
    ]
    assert [each.first_seq for each in await all_of(two, after_seq=3)] == [4, 5]
    assert [each.first_seq for each in await all_of(two, after_seq=2)] == [1, 4, 5]
    assert await all_of(two, after_seq=7) == []
    assert await all_of(two, HIGH) == []


async def test_many_entries_are_read_in_order(one: SharedLog) -> None:
    end = await one.open(MAIN, holder="a", above_epoch=0)
    for number in range(600):
        end = await appended(one, end, str(number))
    assert [each.records for each in await all_of(one)] == [
        (str(number).encode(),) for number in range(600)
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"epoch": 2},
        {"epoch": 4},
        {"holder": "somebody"},
        {"seq": 1},
        {"seq": 3},
        {"head": "f" * 64},
    ],
    ids=str,
)
async def test_append_behind_anything_but_the_end_keeps_nothing(
    one: SharedLog, change: dict[str, str | int]
) -> None:
    """The number of an epoch alone is no fence: each of the four must be right."""
    before = await one.open(MAIN, holder="a", above_epoch=2)
    end = await appended(one, before, "1", "2")
    with pytest.raises(StoreConflictError):
        await appended(one, structs.replace(end, **change), "x")
    assert await one.end(MAIN) == end
    assert len(await all_of(one)) == 1
    assert (await appended(one, end, "3")).seq == 3


async def test_former_leader_can_append_no_more(one: SharedLog, two: SharedLog) -> None:
    former = await one.open(MAIN, holder="a", above_epoch=0)
    await one.release(MAIN, holder="a")
    newest = await two.open(MAIN, holder="b", above_epoch=0)
    with pytest.raises(StoreConflictError):
        await appended(one, former, "x")
    await appended(two, newest, "1")
    assert [each.records for each in await all_of(one)] == [(b"1",)]


async def test_links_do_not_mix(one: SharedLog) -> None:
    main = await one.open(MAIN, holder="a", above_epoch=0)
    high = await one.open(HIGH, holder="b", above_epoch=0)
    await appended(one, main, "m1")
    await appended(one, high, "h1", "h2", link=HIGH)
    assert [(await one.end(link)).seq for link in (MAIN, HIGH)] == [1, 2]
    assert sorted(await one.links()) == [HIGH, MAIN]


async def test_journal_that_was_begun_elsewhere_goes_on(one: SharedLog) -> None:
    await one.begin(MAIN, LogEnd(5, "", 100, "a" * 64))
    with pytest.raises(StoreConflictError):
        await one.begin(MAIN, LogEnd(5, "", 100, "a" * 64))
    opened = await one.open(MAIN, holder="h", above_epoch=0)
    assert opened == LogEnd(6, "h", 100, "a" * 64)
    await appended(one, opened, "101")
    assert [(each.first_seq, each.prev) for each in await all_of(one)] == [(101, "a" * 64)]


async def test_entries_that_enough_disks_hold_are_dropped_by_the_leader_only(
    one: SharedLog, two: SharedLog
) -> None:
    end = await one.open(MAIN, holder="a", above_epoch=0)
    for batch in (("1", "2"), ("3",), ("4", "5")):
        end = await appended(one, end, *batch)
    await one.report_copy(MAIN, seq=5)
    await two.report_copy(MAIN, seq=3)
    await two.report_copy(MAIN, seq=4)
    assert await one.copies(MAIN) == {ONE: 5, TWO: 4}
    with pytest.raises(StoreConflictError):
        await two.trim(MAIN, epoch=1, holder="another", until_seq=4)
    await one.trim(MAIN, epoch=1, holder="a", until_seq=4)
    # An entry of which a part is still wanted stays.
    assert [each.first_seq for each in await all_of(one)] == [4]
    assert await one.end(MAIN) == end
    assert (await appended(one, end, "6")).seq == 6
