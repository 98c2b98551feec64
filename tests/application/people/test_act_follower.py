"""Following the act log: every record once, in order; a log that cannot be read is waited for."""

from collections.abc import Sequence

import msgspec

from progressive.application.journal.ports import StoreUnavailableError
from progressive.application.people.act_follower import ActFollower
from progressive.application.people.act_log import ActRecord, Outcome


def stored(seq: int) -> bytes:
    return msgspec.json.encode(
        ActRecord(
            seq=seq,
            at="2026-01-02T03:04:05.000000Z",
            prev="0" * 64,
            who="Ann",
            where="console",
            act="validate_award",
            outcome=Outcome.DONE,
            details={},
        )
    )


class Log:
    """An act log in memory, which may be unreadable for a while."""

    def __init__(self, *records: bytes) -> None:
        self.records = list(records)
        self.broken = False

    async def acts(self, *, after_seq: int, limit: int) -> Sequence[bytes]:
        if self.broken:
            raise StoreUnavailableError("no disk")
        return self.records[after_seq:][:limit]

    async def newest_acts(self, *, limit: int) -> Sequence[bytes]:
        return (await self.acts(after_seq=0, limit=10**9))[-limit:]


async def seqs(follower: ActFollower) -> list[int]:
    return [record.seq for record in await follower.new_acts()]


async def test_every_record_is_read_once_and_in_order() -> None:
    log = Log(stored(1), stored(2))
    follower = ActFollower(log)
    assert await seqs(follower) == [1, 2]
    assert await seqs(follower) == []
    log.records += [stored(3), stored(4)]
    assert await seqs(follower) == [3, 4]


async def test_records_that_came_while_the_log_was_unreadable_are_read_later() -> None:
    log = Log()
    follower = ActFollower(log)
    assert await seqs(follower) == []
    log.broken = True
    log.records.append(stored(1))
    assert await seqs(follower) == []
    log.broken = False
    assert await seqs(follower) == [1]


async def test_record_that_is_not_understood_does_not_hide_the_next() -> None:
    strange = msgspec.json.encode({"seq": 1, "of": "tomorrow"})
    assert await seqs(ActFollower(Log(strange, stored(2)))) == [2]
