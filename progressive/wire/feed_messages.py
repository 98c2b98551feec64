"""The sign feed: every message a sign is sent, and the two that signs and relays send back.

Field order is the order on the wire. `docs/protocol.md` is the reference in words.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from progressive.domain.ids import ID_PATTERN
from progressive.domain.views import WinView
from progressive.wire.meters import MeterCents, NamedMeter


class Snapshot(Struct, frozen=True, tag="snapshot", tag_field="type"):
    """All a sign needs, at once on connecting."""

    link: str
    epoch: int
    seq: int
    at: str
    state: str
    meters: list[NamedMeter]
    wins: list["Win"]
    reason: str | None = None
    age_ms: int = 0
    """How long ago the service confirmed these amounts; a relay without contact counts it up."""
    nothing_kept: bool | UnsetType = UNSET
    """True: a test, nothing of it outlives the service. Not sent otherwise."""


class Win(WinView, frozen=True, tag="win", tag_field="type"):
    """A meter was won, and begins again."""


class Update(Struct, frozen=True, tag="update", tag_field="type"):
    """The newest durable values."""

    epoch: int
    seq: int
    at: str
    meters: list[MeterCents]


class StateChanged(Struct, frozen=True, tag="state", tag_field="type"):
    """The link went out of service, or came back."""

    state: str
    reason: str | None


class Tick(Struct, frozen=True, tag="tick", tag_field="type"):
    """The feed is alive although nothing moved."""

    epoch: int
    seq: int
    at: str


Place = Annotated[int, Meta(ge=0, le=2**53)]
SignState = Literal["live", "ageing", "stale", "inoperable", "offline"]
"""What a sign lets people across a room know about its own amounts."""


class Showing(Struct, frozen=True, forbid_unknown_fields=True):
    """From a sign: what is on the glass now."""

    # A field and not a tag: of a single type msgspec would let a missing tag pass.
    type: Literal["showing"]
    seq: Place
    epoch: Place = 0
    state: SignState = "live"
    meters: Annotated[tuple["ShownMeter", ...], Meta(max_length=64)] = ()
    """The digits as they can be read: on their way to the amount of `seq`, never past it."""


class ShownMeter(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """An amount that can be read on a sign."""

    id: Annotated[str, Meta(max_length=64)]
    cents: Place


class SignReport(Struct, frozen=True, forbid_unknown_fields=True):
    """What a sign behind a relay showed, and how long ago it said so."""

    sign: Annotated[str, Meta(pattern=ID_PATTERN)]
    seq: Place
    epoch: Place = 0
    state: SignState = "live"
    meters: Annotated[tuple[ShownMeter, ...], Meta(max_length=64)] = ()
    age_ms: Place = 0

    @property
    def showing(self) -> Showing:
        """The sign's own words."""
        return Showing("showing", self.seq, self.epoch, self.state, self.meters)


REPORTS_MAX = 500
"""Reports in one message of a relay."""


class Showings(Struct, frozen=True, forbid_unknown_fields=True):
    """From a relay: what is on the glass of the signs behind it."""

    type: Literal["showings"]
    reports: Annotated[tuple[SignReport, ...], Meta(max_length=REPORTS_MAX)]


FeedMessage = Snapshot | Update | Win | StateChanged | Tick
"""What a reader of the feed gets."""
