"""What clients saw, held against the one order that the journal is.

The journal is a total order of everything that was stored, so no search is needed: each answer
names its record, and times on the clients' side say which of two came first.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

Outcome = Literal["ok", "refused", "unknown"]


class Call(Struct, frozen=True):
    """A message of a table, from its first sending to its answer."""

    table: str
    table_seq: int
    invoked: float
    ended: float
    """Infinite where no answer came."""
    outcome: Outcome
    record: int = 0
    """Of an answer."""


class Read(Struct, frozen=True):
    """Somebody looked at a node's link."""

    invoked: float
    ended: float
    record: int


def problems(
    calls: Sequence[Call], reads: Sequence[Read], journal: Mapping[int, tuple[str, int]]
) -> Iterator[str]:
    """Everything that may not be. `journal`: table and its number, by record."""
    stored = Counter(journal.values())
    for message, times in stored.items():
        if times > 1:
            yield f"{message} is stored {times} times"
    for call in calls:
        message = (call.table, call.table_seq)
        if call.outcome == "ok" and journal.get(call.record) != message:
            yield f"{message} was answered with record {call.record}, which is not it"
        if call.outcome == "refused" and stored[message] and not _accepted_later(call, calls):
            yield f"{message} was refused, and is stored"
    yield from _out_of_order(calls)
    yield from _stale(calls, reads)


def _accepted_later(refused: Call, calls: Sequence[Call]) -> bool:
    """A refused number is used again by the next message."""
    return any(
        each.outcome != "refused"
        and (each.table, each.table_seq) == (refused.table, refused.table_seq)
        and each.invoked >= refused.invoked
        for each in calls
    )


def _out_of_order(calls: Sequence[Call]) -> Iterator[str]:
    """What was answered before another was sent stands before it."""
    answered = sorted((each for each in calls if each.outcome == "ok"), key=lambda each: each.ended)
    sent = sorted((each for each in calls if each.outcome == "ok"), key=lambda each: each.invoked)
    done, newest = 0, 0
    for call in sent:
        while done < len(answered) and answered[done].ended < call.invoked:
            newest = max(newest, answered[done].record)
            done += 1
        if call.record <= newest:
            yield (
                f"record {call.record} of {call.table} was sent after record {newest} was answered"
            )


def _stale(calls: Sequence[Call], reads: Sequence[Read]) -> Iterator[str]:
    """A leader that is read shows everything that was answered before."""
    answered = sorted((each for each in calls if each.outcome == "ok"), key=lambda each: each.ended)
    for read in reads:
        before = [each.record for each in answered if each.ended < read.invoked]
        if before and max(before) > read.record:
            yield f"record {max(before)} was answered, and a later look showed {read.record}"
