"""The pit console's view of the floor: rows by section, and what differs between two moments."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from msgspec import UNSET, Struct, UnsetType

from progressive.application.act_log import TABLE_MESSAGE, ActRecord, Details
from progressive.application.alarms import Alarm
from progressive.domain.people import Act
from progressive.entry.award_views import AwardView
from progressive.wire.messages import NamedMeter

ACTS_SHOWN: Final = 100

Row = TypeVar("Row")


class LinkRow(Struct, frozen=True):
    """A link."""

    id: str
    name: str
    state: str
    reason: str | None
    seq: int
    at: str
    meters: tuple[NamedMeter, ...]


class TableRow(Struct, frozen=True):
    """A table: what it plays, who deals, and whether it is there."""

    id: str
    link: str
    state: str
    """`idle` or `locked`."""
    round: str | None
    dealer: str | None
    connected: bool
    last_at: str | None
    """Its last accepted message, to the second; None where there was none since the start."""


class SignRow(Struct, frozen=True):
    """A sign: whether it shows what is true."""

    id: str
    link: str
    connected: bool
    state: str
    """`live`, `behind`, `gone` or `unseen`."""
    lag_records: int
    lag_seconds: int
    name: str = ""
    shows: str | None = None
    """What it says itself about its amounts; None where it has not said."""
    report_age_seconds: int | None = None
    """0 while it reports as agreed, otherwise how old its last report is; in steps, so that a row
    does not differ every second."""
    relayed: bool = False
    """Whether only a relay tells of it."""
    keyed: bool = False
    why: str = ""
    """Where something is wrong."""


class ActRow(Struct, frozen=True):
    """A record of the act log."""

    seq: int
    at: str
    who: str | None
    act: str
    outcome: str
    details: Details
    where: str | UnsetType = UNSET
    """Only for those who may read the act log."""


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


class Snapshot(Struct, frozen=True, tag="snapshot", tag_field="type"):
    """The whole board."""

    at: str
    links: list[LinkRow]
    tables: list[TableRow]
    signs: list[SignRow]
    awards: list[AwardView]
    alarms: list[Alarm]
    acts: list[ActRow]


class Gone(Struct, frozen=True, omit_defaults=True):
    """What is on the board no more, by id."""

    awards: list[str] = []
    alarms: list[str] = []


class Change(Struct, frozen=True, tag="change", tag_field="type", omit_defaults=True):
    """Rows that are new or differ; acts that came on top."""

    at: str
    links: list[LinkRow] = []
    tables: list[TableRow] = []
    signs: list[SignRow] = []
    awards: list[AwardView] = []
    alarms: list[Alarm] = []
    acts: list[ActRow] = []
    gone: Gone = Gone()


class Tick(Struct, frozen=True, tag="tick", tag_field="type"):
    """Nothing changed, and the service is there."""

    at: str


def snapshot_of(board: Board, at: str, *, watcher: bool) -> Snapshot:
    """The whole board as one message."""
    return Snapshot(
        at=at,
        links=list(board.links.values()),
        tables=list(board.tables.values()),
        signs=list(board.signs.values()),
        awards=list(board.awards.values()),
        alarms=list(board.alarms.values()),
        acts=list(board.acts_for(watcher=watcher)),
    )


def change_between(before: Board, after: Board, at: str, *, watcher: bool) -> Change | None:
    """What leads from one moment to the other; None where they are the same."""
    known = before.acts_for(watcher=watcher)
    last_seq = known[-1].seq if known else 0
    change = Change(
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
    return None if change == Change(at=at) else change


def _changed(before: Mapping[str, Row], after: Mapping[str, Row]) -> list[Row]:
    return [row for key, row in after.items() if before.get(key) != row]


# What the pit does and is refused; log-ins, accounts and books are for those who watch.
_OF_THE_PIT: Final = frozenset(
    (
        Act.VALIDATE_AWARD,
        Act.PROPOSE_VOID,
        Act.APPROVE_VOID,
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
