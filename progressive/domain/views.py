"""What others may see of a link: durable values only, as signs, consoles and relays show them."""

from msgspec import Struct

from progressive.domain.ids import LinkId


class MeterView(Struct, frozen=True):
    """A meter as it is stored."""

    id: str
    name: str
    cents: int


class WinView(Struct, frozen=True):
    """An award from a meter: what every sign shows at once."""

    epoch: int
    seq: int
    at: str
    award: str
    table: str
    seat: int
    meter: str
    line: str
    amount_cents: int
    next_cents: int
    """What the meter begins again with, or goes on at after a share of it."""
    line_names: dict[str, str] = {}
    """The line as people read it, by language (`en`, `es`, `zh`); empty: not told."""
    share_percent: int = 100
    """How much of the meter the line pays; who does not say means all of it."""
    wager_cents: int = 0
    """What was wagered for it; an award below it is not celebrated. 0: not known."""


class LinkView(Struct, frozen=True):
    """What others may see of a link: durable values only."""

    link: LinkId
    epoch: int
    seq: int
    at: str
    state: str
    """`live` or `inoperable`."""
    reason: str | None
    meters: tuple[MeterView, ...]
    """Empty when nothing is known: never an invented amount."""
    wins: tuple[WinView, ...] = ()
    """The last meters won, oldest first."""
    nothing_kept: bool = False
    """A test: nothing of it outlives the process."""
    leader: str | None = None
    """URL of the node that writes the link, where it is another one: this one only shows it."""


class FullMeter(Struct, frozen=True):
    """A meter with what is hidden from players, and what it ever did."""

    id: str
    name: str
    cents: int
    microcents: int
    reset_cents: int
    reset_microcents: int
    overflow_cents: int
    overflow_microcents: int
    wagers_in_cents: int
    """Everything ever wagered on its bet, void rounds included."""
    wagers_voided_cents: int
    hits: int
    wins_cents: int
    voided_hits: int
    voided_cents: int
