"""What was recorded of the floor file: tables, signs, and terms an older program left out.

Records of it need nobody's approval, so they must change nothing that does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.recorded.house import FloorRecord, RecordedTable
from progressive.verifier.recorded.limits import CENTS_MAX
from progressive.verifier.recorded.table_events import FloorRecorded
from progressive.verifier.recorded.terms import LinkTerms
from progressive.verifier.recorded.values import Wager
from progressive.verifier.rules.tables import AuditedTable


def check_floor(floor: FloorRecord) -> None:
    """Raise where no floor file can have said this."""
    for text in (floor.program, floor.started_by, floor.floor):
        if not text.isprintable():
            raise DiscrepancyError(f"the recorded floor has the name {shown(text)}")
    if floor.close_within_hours < 1:
        raise DiscrepancyError(
            f"the recorded floor closes its days within {shown(floor.close_within_hours)} hours"
        )
    _refuse_twice("table", [table.id for table in floor.tables])
    _refuse_twice("sign", [sign.id for sign in floor.signs])
    for table in floor.tables:
        of = f"the recorded table {shown(table.id)}"
        if table.seats < 1:
            raise DiscrepancyError(f"{of} has {shown(table.seats)} seats")
        lowest, highest = table.base_min_cents, table.base_max_cents
        if not 0 <= lowest <= CENTS_MAX or not 0 <= highest <= CENTS_MAX:
            raise DiscrepancyError(f"{of} has base wagers of {shown(lowest)} to {shown(highest)}")
        if highest and lowest > highest:
            raise DiscrepancyError(f"{of} has base wagers of {lowest} to {highest} cents")


def check_recorded(
    event: FloorRecorded,
    before: FloorRecord | None,
    terms: LinkTerms | None,
    tables: Mapping[str, AuditedTable],
) -> None:
    """Raise unless the record says something new, and nothing that takes two people."""
    check_floor(event.floor)
    if event.terms is None and event.floor == before:
        raise DiscrepancyError("the floor is recorded again, though nothing has changed")
    if event.terms is not None:
        _check_completed(event.terms, terms)
    _check_open_rounds(event.floor, tables)


def check_seats(name: str, wagers: Sequence[Wager], table: RecordedTable) -> None:
    """Raise where wagers were registered at a seat that the recorded table lacks."""
    highest = max([wager.seat for wager in wagers], default=0)
    if highest > table.seats:
        raise DiscrepancyError(
            f"a wager at seat {shown(highest)} of {shown(name)}, which has {table.seats}"
        )


def _check_completed(completed: LinkTerms, terms: LinkTerms | None) -> None:
    """What an older program did not record may be added once; all else is another's approval."""
    if terms is None or terms.house is not None or completed.house is None:
        raise DiscrepancyError("the record of a floor adds to terms that lacked nothing")
    if replace(completed, house=None) != terms:
        raise DiscrepancyError("the record of a floor changes the terms, which takes two people")


def _check_open_rounds(floor: FloorRecord, tables: Mapping[str, AuditedTable]) -> None:
    seats = {table.id: table.seats for table in floor.tables}
    for name, table in tables.items():
        if table.opened is None:
            continue
        highest = max([wager.seat for wager in table.opened.wagers], default=0)
        if highest > seats.get(name, -1):
            raise DiscrepancyError(
                f"the recorded floor lacks table {shown(name)}, or seat {highest} of it, while "
                f"its round {shown(table.opened.round)} is open"
            )


def _refuse_twice(what: str, ids: Sequence[str]) -> None:
    if len(set(ids)) != len(ids):
        raise DiscrepancyError(f"the recorded floor has a {what} twice")
