"""The pit console's view of the floor: rows by section, and what differs between two moments."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from msgspec import UNSET, Struct

from progressive.application.people.act_log import TABLE_MESSAGE, ActRecord
from progressive.domain.alarms import Alarm
from progressive.domain.people.roles import Act
from progressive.wire.awards import AwardView
from progressive.wire.pit import ActRow, Gone, LinkRow, PitChange, PitSnapshot, SignRow, TableRow

ACTS_SHOWN: Final = 100

Row = TypeVar("Row")


class Board(Struct, frozen=True):
    """Everything on the console at one moment."""

    links: Mapping[str, LinkRow]
    tables: Mapping[str, TableRow]
    signs: Mapping[str, SignRow]
    awards: Mapping[str, AwardView]
    alarms: Mapping[str, Alarm]
    acts: Sequence[ActRow]
    """Oldest first."""
    all_acts: Sequence[ActRow]
    """For those who may read the act log."""

    def acts_for(self, *, watcher: bool) -> Sequence[ActRow]:
        """What somebody may see of the act log."""
        return self.all_acts if watcher else self.acts


def snapshot_of(board: Board, at: str, *, watcher: bool) -> PitSnapshot:
    """The whole board as one message."""
    return PitSnapshot(
        at=at,
        links=list(board.links.values()),
        tables=list(board.tables.values()),
        signs=list(board.signs.values()),
        awards=list(board.awards.values()),
        alarms=list(board.alarms.values()),
        acts=list(board.acts_for(watcher=watcher)),
    )


def change_between(before: Board, after: Board, at: str, *, watcher: bool) -> PitChange | None:
    """What leads from one moment to the other; None where they are the same."""
    known = before.acts_for(watcher=watcher)
    last_seq = known[-1].seq if known else 0
    change = PitChange(
        at=at,
        links=_changed(before.links, after.links),
        tables=_changed(before.tables, after.tables),
        signs=_changed(before.signs, after.signs),
        awards=_changed(before.awards, after.awards),
        alarms=_changed(before.alarms, after.alarms),
        acts=[act for act in after.acts_for(watcher=watcher) if act.seq > last_seq],
        gone=Gone(
            awards=[key for key in before.awards if key not in after.awards],
            alarms=[key for key in before.alarms if key not in after.alarms],
        ),
    )
    return None if change == PitChange(at=at) else change


def _changed(before: Mapping[str, Row], after: Mapping[str, Row]) -> list[Row]:
    return [row for key, row in after.items() if before.get(key) != row]


# What the pit does and is refused; log-ins, accounts and books are for those who watch.
_OF_THE_PIT: Final = frozenset(
    (
        Act.VALIDATE_AWARD,
        Act.PROPOSE_VOID,
        Act.APPROVE_VOID,
        Act.VOID_ROUND,
        Act.PAY_AWARD,
        Act.APPROVE_PAYMENT,
        Act.SIGN_ON_TABLE,
        Act.ACKNOWLEDGE_ALARM,
        TABLE_MESSAGE,
    )
)


def act_row(record: ActRecord, *, watcher: bool) -> ActRow | None:
    """A record as somebody may see it; None where it is no business of theirs."""
    if not watcher and record.act not in _OF_THE_PIT:
        return None
    return ActRow(
        seq=record.seq,
        at=record.at,
        who=record.who,
        act=record.act,
        outcome=record.outcome,
        details=record.details,
        where=record.where if watcher else UNSET,
    )
