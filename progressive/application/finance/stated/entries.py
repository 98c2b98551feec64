"""What finance entered for gaming days, read from the journal."""

from collections.abc import Sequence
from typing import Final, TypeVar

from msgspec import Struct

from progressive.application.journal.ports import JournalReader
from progressive.application.journal.record import decode_record
from progressive.domain.finance_events import FinanceEntered, FinanceEntry
from progressive.domain.ids import LinkId
from progressive.domain.signatures import Signature

ENTERED: Final = frozenset({"finance_entered"})

Kind = TypeVar("Kind")


class Entered(Struct, frozen=True, kw_only=True):
    """An entry with its place in the journal."""

    seq: int
    at: str
    day: str
    entry: FinanceEntry
    by: Signature


async def entries(
    reader: JournalReader, link: LinkId, *, after_seq: int, until_seq: int
) -> tuple[Entered, ...]:
    """All that was entered in a stretch of the journal, oldest first.

    Raises StoreError and JournalBrokenError.
    """
    found: list[Entered] = []
    for stored in await reader.acts(link, after_seq=after_seq, until_seq=until_seq, types=ENTERED):
        record = decode_record(stored)
        event = record.event
        if isinstance(event, FinanceEntered):
            found.append(
                Entered(seq=record.seq, at=record.at, day=event.day, entry=event.entry, by=event.by)
            )
    return tuple(found)


def of_kind(
    found: Sequence[Entered], kind: type[Kind], *, day: str | None = None
) -> list[tuple[Entered, Kind]]:
    """The entries of one kind, of one day where it is given."""
    return [
        (each, each.entry)
        for each in found
        if isinstance(each.entry, kind) and (day is None or each.day == day)
    ]
