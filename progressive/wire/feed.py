"""The sign feed: what a link shows, as messages. The service and every relay speak through it.

Nothing is decided here: only durable values come in, and they go out as they are.
"""

from collections.abc import Callable
from typing import Final

from msgspec import UNSET, structs

from progressive.domain.ids import LinkId, is_id
from progressive.domain.rulebook.line_names import line_names
from progressive.domain.time_text import later
from progressive.domain.views import LinkView, MeterView, WinView
from progressive.wire.codec import encode
from progressive.wire.feed_messages import Snapshot, StateChanged, Tick, Update, Win
from progressive.wire.meters import MeterCents, NamedMeter

__all__ = [
    "UNNAMED",
    "WIN_SHOWN_SECONDS",
    "FeedEncoding",
    "LinkView",
    "MeterView",
    "Place",
    "WinView",
    "is_id",
    "place_named",
    "sign_named",
    "view_of",
    "win_of",
]

Place = tuple[int, int]
"""Epoch and sequence: where in its history a link stands. Places are compared in this order."""

WIN_SHOWN_SECONDS: Final = 30
"""How long a win is among those shown now, for a sign that joins in the middle."""
CLOCKS_APART_SECONDS: Final = 60
"""How far a relay's clock may be behind the service's."""
UNNAMED: Final = "-"
"""A reader of the feed that is no sign of this floor, or does not say which."""


class FeedEncoding:
    """A link's view as the messages of the feed; `now` is wall-clock time as text."""

    def __init__(self, now: Callable[[], str]) -> None:
        self._now = now

    def snapshot(self, view: LinkView, after: Place | None = None, *, age_ms: int = 0) -> bytes:
        """All a sign needs, at once on connecting; `after` is the place it has seen already."""
        return encode(
            Snapshot(
                link=view.link,
                epoch=view.epoch,
                seq=view.seq,
                at=view.at,
                state=view.state,
                meters=[NamedMeter(meter.id, meter.name, meter.cents) for meter in view.meters],
                wins=self._wins_for(view, after),
                reason=view.reason,
                age_ms=age_ms,
                nothing_kept=view.nothing_kept or UNSET,
            )
        )

    def _wins_for(self, view: LinkView, after: Place | None) -> list[Win]:
        """What a sign that was there all along still shows, and what one that is back missed.

        A win of that very place is among them: the connection may have broken between the amounts
        and the win that follows them.
        """
        now = self._now()
        since, soon = (
            later(now, seconds=-WIN_SHOWN_SECONDS),
            later(now, seconds=CLOCKS_APART_SECONDS),
        )
        return [
            _win(win)
            for win in view.wins
            # A win of later than now: the clock was set back, and how long ago it was is unknown.
            if since < win.at <= soon or (after is not None and (win.epoch, win.seq) >= after)
        ]

    def win(self, win: WinView) -> bytes:
        """A meter was won."""
        return encode(_win(win))

    def update(self, view: LinkView) -> bytes:
        """The newest values."""
        meters = [MeterCents(meter.id, meter.cents) for meter in view.meters]
        return encode(Update(view.epoch, view.seq, view.at, meters))

    def state(self, view: LinkView) -> bytes:
        """The link went out of service, or came back."""
        return encode(StateChanged(view.state, view.reason))

    def tick(self, view: LinkView) -> bytes:
        """The feed is alive, and what it showed last still stands."""
        return encode(Tick(view.epoch, view.seq, self._now()))


def _win(win: WinView) -> Win:
    """The message of a win, with the names of its line; a relay passes on those it was sent."""
    told = Win(**structs.asdict(win))
    return told if told.line_names else structs.replace(told, line_names=line_names(win.line))


def view_of(snapshot: Snapshot) -> LinkView:
    """What a snapshot shows, as whoever made it saw it."""
    return LinkView(
        link=LinkId(snapshot.link),
        epoch=snapshot.epoch,
        seq=snapshot.seq,
        at=snapshot.at,
        state=snapshot.state,
        reason=snapshot.reason,
        meters=tuple([MeterView(meter.id, meter.name, meter.cents) for meter in snapshot.meters]),
        wins=tuple([win_of(win) for win in snapshot.wins]),
        nothing_kept=snapshot.nothing_kept is True,
    )


def win_of(win: Win) -> WinView:
    """A win, as whoever told of it saw it."""
    return WinView(**structs.asdict(win))


def place_named(epoch: str, seq: str) -> Place | None:
    """The place that a reader says it has seen, or None where it says none."""
    if not (_is_number(epoch) and _is_number(seq)):
        return None
    return int(epoch), int(seq)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX


_DIGITS_MAX: Final = 16
"""Of an epoch or a sequence: both stay below 2**53."""


def sign_named(text: str) -> str:
    """The sign that a connection names, or UNNAMED."""
    return text if is_id(text) else UNNAMED
