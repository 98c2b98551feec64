"""The pit console's socket: rows of the board, and the messages that carry them."""

from msgspec import UNSET, Struct, UnsetType

from progressive.domain.alarms import Alarm
from progressive.wire.awards import AwardView
from progressive.wire.meters import NamedMeter


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
    void_needs_supervisor: bool = False
    """Whether a round is open whose void the terms leave to a supervisor."""


class SignRow(Struct, frozen=True):
    """A sign: whether it shows what is true."""

    id: str
    link: str
    connected: bool
    state: str
    """`live`, `behind`, `wrong`, `gone` or `unseen`."""
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
    details: dict[str, str | int | bool]
    where: str | UnsetType = UNSET
    """Only for those who may read the act log."""


class PitSnapshot(Struct, frozen=True, tag="snapshot", tag_field="type"):
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


class PitChange(Struct, frozen=True, tag="change", tag_field="type", omit_defaults=True):
    """Rows that are new or differ; acts that came on top."""

    at: str
    links: list[LinkRow] = []
    tables: list[TableRow] = []
    signs: list[SignRow] = []
    awards: list[AwardView] = []
    alarms: list[Alarm] = []
    acts: list[ActRow] = []
    gone: Gone = Gone()


class PitTick(Struct, frozen=True, tag="tick", tag_field="type"):
    """Nothing changed, and the service is there."""

    at: str
