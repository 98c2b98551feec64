"""`GET /v1/links`: every link as anyone may see it."""

from msgspec import Struct

from progressive.wire.meters import NamedMeter


class TableSummary(Struct, frozen=True):
    """A table of a link."""

    id: str
    seats: int
    connected: bool


class BetSummary(Struct, frozen=True):
    """A bet of a link, with what its meters take of each wager."""

    id: str
    game: str
    paytable: str
    wager_cents: int | None
    meters: list["MeterSummary"]


class MeterSummary(Struct, frozen=True):
    """A meter's public terms."""

    id: str
    name: str
    rate_ppm: int
    limit_cents: int


class LinkSummary(Struct, frozen=True):
    """A link as anyone may see it."""

    id: str
    name: str
    state: str
    reason: str | None
    epoch: int
    seq: int
    at: str
    meters: list[NamedMeter]
    bets: list[BetSummary]
    tables: list[TableSummary]
    currency: str = ""
    """Of all its amounts, which are cents."""
    retires_at: str | None = None
    """When the link may end at the earliest, where that is proposed."""
    sealed_seq: int = 0
    """The last record that the newest seal covers; 0 where nothing is sealed."""
    parked_cents: int = 0
    """What lay on the meters of a link that is retired."""
    node: str | None = None
    """Of several nodes, what this one does for the link: `leads`, `follows` another one, or `waits`
    while none leads; None where there is one only."""
    leader: str | None = None
    """URL of the node that writes the link, where it is another one."""
