"""Two nodes with a disk each on one log: what each copies, refuses, and who may write."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from progressive.adapters.memory.shared_log import MemoryLog, MemoryServer
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.ports import (
    JournalEnd,
    StoreConflictError,
    StoreUnavailableError,
)
from progressive.application.link.ports import LedElsewhereError, OpenedLink
from progressive.application.shared.ports import CopiesDifferError, LogEnd, LogEntry
from progressive.application.shared.store import SharedStore
from progressive.domain.ids import LinkId
from tests.support.builders import journal_of

MAIN = LinkId("main")
ONE, TWO = "http://one", "http://two"


class BreakingLog(MemoryLog):
    """Says that an append failed: once, before or after it took effect."""

    breaks: str | None = None

    async def append(self, link: LinkId, *, before: LogEnd, entry: LogEntry) -> None:
        breaks, self.breaks = self.breaks, None
        if breaks != "before":
            await super().append(link, before=before, entry=entry)
        if breaks is not None:
            raise StoreUnavailableError("no answer")


class Node:
    """A node's log and disk, and the store over both."""

    def __init__(self, server: MemoryServer, folder: Path, url: str) -> None:
        self.log = BreakingLog(server, url=url)
        folder.mkdir()
        self.folder = folder
        self.disk = SqliteStore(folder)
        self.store = SharedStore(self.log, self.disk)
        self.opened = OpenedLink(0, 0, "")

    async def lead(self) -> OpenedLink:
        self.opened = await self.store.open_link(MAIN)
        return self.opened

    async def append(self, *names: str) -> None:
        end = await self.store.journal_end(MAIN)
        await self.store.append(
            MAIN,
            epoch=self.opened.epoch,
            expected_seq=end.seq,
            records=[name.encode() for name in names],
            head=f"head of {names[-1]}",
        )

    async def names(self) -> list[str]:
        return [record.decode() for record in await journal_of(self.disk, MAIN)]


@pytest.fixture
def server() -> MemoryServer:
    return MemoryServer()


@pytest.fixture
async def one(server: MemoryServer, tmp_path: Path) -> AsyncIterator[Node]:
    node = Node(server, tmp_path / "one", ONE)
    yield node
    await node.store.close()


@pytest.fixture
async def two(server: MemoryServer, tmp_path: Path) -> AsyncIterator[Node]:
    node = Node(server, tmp_path / "two", TWO)
    yield node
    await node.store.close()


async def test_batch_is_in_the_log_and_on_the_disk(one: Node) -> None:
    await one.lead()
    await one.append("a", "b")
    await one.append("c")
    assert await one.names() == ["a", "b", "c"]
    assert (await one.log.end(MAIN)).head == "head of c"
    assert [each.records async for each in one.log.read(MAIN, after_seq=0)] == [
        (b"a", b"b"),
        (b"c",),
    ]


async def test_other_node_copies_while_it_follows(one: Node, two: Node) -> None:
    await one.lead()
    for names in (("a", "b"), ("c",)):
        await one.append(*names)
        leading = await two.store.follow(MAIN)
        assert (leading.leader, leading.epoch) == (ONE, 1)
    assert await two.names() == ["a", "b", "c"]
    assert await two.store.journal_end(MAIN) == JournalEnd(3, "head of c")
    await two.store.save_followed_snapshot(MAIN, seq=2, body=b"state")
    assert await two.store.snapshots(MAIN) == [2]


async def test_node_that_takes_over_copies_first_what_it_lacks(one: Node, two: Node) -> None:
    await one.lead()
    await one.append("a", "b")
    await one.append("c")
    with pytest.raises(LedElsewhereError):
        await two.lead()
    assert (await one.log.leader(MAIN), await two.names()) == (ONE, ["a", "b", "c"])
    await one.append("d")
    await one.store.release()
    assert await two.lead() == OpenedLink(epoch=2, seq=4, head="head of d")
    await two.append("e")
    # The former leader follows, and has the newest epoch in front of it when it leads again.
    assert (await one.store.follow(MAIN)).leader == TWO
    assert await one.names() == ["a", "b", "c", "d", "e"]
    await two.store.release()
    assert (await one.lead()).epoch == 3


async def test_former_leader_stores_nothing_and_learns_who_leads(
    one: Node, two: Node, server: MemoryServer
) -> None:
    await one.lead()
    await one.append("a")
    server.end_lease(MAIN)
    await two.lead()
    await two.append("b")
    with pytest.raises(LedElsewhereError) as led:
        await one.append("x")
    assert led.value.leader == TWO
    assert await one.names() == ["a"]
    assert [each.records async for each in one.log.read(MAIN, after_seq=0)] == [(b"a",), (b"b",)]


async def test_conflict_with_nobody_leading_is_a_conflict(one: Node, server: MemoryServer) -> None:
    await one.lead()
    server.logs[MAIN].end = LogEnd(1, "somebody", 0, "")
    server.end_lease(MAIN)
    with pytest.raises(StoreConflictError):
        await one.append("x")


@pytest.mark.parametrize(("breaks", "expected"), [("before", ["a"]), ("after", ["a", "b"])])
async def test_append_of_unknown_fate_is_read_and_never_sent_again(
    one: Node, breaks: str, expected: list[str]
) -> None:
    await one.lead()
    await one.append("a")
    one.log.breaks = breaks
    with pytest.raises(StoreUnavailableError):
        await one.append("b")
    # Before the link was opened again nothing more is taken.
    with pytest.raises(StoreConflictError):
        await one.append("c")
    assert await one.names() == ["a"]
    opened = await one.lead()
    assert (opened.seq, await one.names()) == (len(expected), expected)
    await one.append("d")
    assert await one.names() == [*expected, "d"]


async def test_disk_that_failed_under_an_append_is_brought_up_at_the_next_opening(
    one: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    await one.lead()
    await one.append("a")

    async def full(*_: object, **__: object) -> None:
        raise StoreUnavailableError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(one.disk, "append", full)
        with pytest.raises(StoreUnavailableError):
            await one.append("b")
    assert (await one.lead()).seq == 2
    assert await one.names() == ["a", "b"]


# --- logs that do not fit --------------------------------------------------------------------


async def test_log_that_lost_its_end_is_not_written_and_not_followed(
    one: Node, server: MemoryServer
) -> None:
    """A replica was promoted that lacked the newest records."""
    await one.lead()
    await one.append("a")
    before = server.logs[MAIN].end
    await one.append("b", "c")
    log = server.logs[MAIN]
    log.end, log.entries = before, log.entries[:1]
    with pytest.raises(CopiesDifferError, match=r"holds 3 records of main, .* log 1: .* lost 2"):
        await one.lead()
    with pytest.raises(CopiesDifferError):
        await one.store.follow(MAIN)
    assert await one.names() == ["a", "b", "c"]


@pytest.mark.parametrize("does", ["renews", "appends"])
async def test_leader_learns_that_the_log_lost_its_end(
    one: Node, server: MemoryServer, does: str
) -> None:
    """Epoch and holder are its own there: only the number says it."""
    await one.lead()
    await one.append("a")
    before = server.logs[MAIN].end
    await one.append("b")
    assert await one.store.renew(MAIN) is None
    server.logs[MAIN].end = before
    with pytest.raises(CopiesDifferError, match=r"holds 2 records of main, .* log 1: "):
        await (one.store.renew(MAIN) if does == "renews" else one.append("x"))
    assert await one.names() == ["a", "b"]


async def test_log_with_other_records_is_not_followed(
    one: Node, two: Node, server: MemoryServer
) -> None:
    await one.lead()
    await one.append("a")
    await two.store.follow(MAIN)
    log = server.logs[MAIN]
    log.end, log.entries = LogEnd(0, "", 0, "0" * 64), []
    server.end_lease(MAIN)
    other = Node(server, two.folder / "other", "http://three")
    await other.lead()
    await other.append("A")
    with pytest.raises(CopiesDifferError, match="record 1 of main is another one"):
        await two.store.follow(MAIN)
    await other.append("B")
    with pytest.raises(CopiesDifferError, match=r"record 2 in the log of main does not follow"):
        await two.store.follow(MAIN)
    assert await two.names() == ["a"]
    await other.store.close()


async def test_disk_that_ends_before_the_log_begins_needs_a_backup(
    one: Node, two: Node, server: MemoryServer
) -> None:
    opened = await one.lead()
    for name in "abc":
        await one.append(name)
    holder = server.logs[MAIN].end.holder
    await one.log.trim(MAIN, epoch=opened.epoch, holder=holder, until_seq=2)
    with pytest.raises(CopiesDifferError, match=r"begins with record 3, .* ends with 0: restore"):
        await two.store.follow(MAIN)


async def test_log_whose_entries_end_before_its_head_is_refused(
    one: Node, two: Node, server: MemoryServer
) -> None:
    await one.lead()
    await one.append("a")
    await one.append("b")
    server.logs[MAIN].entries.pop()
    with pytest.raises(CopiesDifferError, match=r"names 2 as its last record, .* end at 1"):
        await two.store.follow(MAIN)


async def test_epochs_of_the_disk_count_where_the_log_lost_them(
    one: Node, server: MemoryServer
) -> None:
    for _ in range(4):
        await one.lead()
    await one.append("a")
    end = server.logs[MAIN].end
    server.logs[MAIN].end = LogEnd(1, "h", end.seq, end.head)
    assert (await one.lead()).epoch > 4
    await one.append("b")
    assert await one.names() == ["a", "b"]
