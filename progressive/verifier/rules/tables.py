"""The tables of a link: each one's numbering and its open round."""

from dataclasses import replace

from progressive.verifier.findings import DiscrepancyError, differs, shown
from progressive.verifier.recorded.events import TableEvent
from progressive.verifier.recorded.table_events import (
    RoundSettled,
    RoundVoided,
    SettledEarly,
    WagersRegistered,
)


class AuditedTable:
    """A table's numbering, its open round, and what was paid of it before the peek."""

    __slots__ = ("early", "last_round", "last_seq", "opened")

    def __init__(self) -> None:
        self.last_seq = 0
        self.opened: WagersRegistered | None = None
        self.last_round: str | None = None
        self.early: SettledEarly | None = None


class Tables(dict[str, AuditedTable]):
    """The tables by name."""

    def lock(self, event: WagersRegistered) -> None:
        """A round is opened, where none is."""
        table = self._numbered(event)
        if table.opened is not None:
            raise DiscrepancyError(
                f"table {shown(event.table)} locks a round while {shown(table.opened.round)} "
                "is open"
            )
        if event.round == table.last_round:
            raise DiscrepancyError(
                f"table {shown(event.table)} locks round {shown(event.round)} a second time"
            )
        table.opened = event
        table.last_round = event.round

    def in_round(
        self, event: RoundSettled | SettledEarly | RoundVoided
    ) -> tuple[AuditedTable, WagersRegistered]:
        """The table of an event, and the open round that the event must be of."""
        table = self._numbered(event)
        opened = table.opened
        if opened is None or opened.round != event.round:
            there = "none" if opened is None else shown(opened.round)
            raise DiscrepancyError(
                f"table {shown(event.table)} closes round {shown(event.round)}, "
                f"but the open one is {there}"
            )
        return table, opened

    def forget_early(self, name: str, award: str) -> None:
        """An award of before the peek is void: it binds its round no more, nor do its cards."""
        table = self.get(name)
        early = None if table is None else table.early
        if table is None or early is None:
            return
        awards = tuple([made for made in early.awards if made.award != award])
        if awards != early.awards:
            stand = {made.seat for made in awards}
            seats = tuple([at_seat for at_seat in early.seats if at_seat.seat in stand])
            table.early = replace(early, awards=awards, seats=seats) if awards else None

    @property
    def in_play(self) -> int:
        """How many have an open round."""
        return sum([table.opened is not None for table in self.values()])

    def _numbered(self, event: TableEvent) -> AuditedTable:
        table = self.get(event.table)
        if table is None:
            table = self[event.table] = AuditedTable()
        expected = table.last_seq + 1
        if event.table_seq != expected:
            raise differs(
                f"table_seq of table {shown(event.table)}",
                stored=event.table_seq,
                recomputed=expected,
            )
        table.last_seq = expected
        return table
