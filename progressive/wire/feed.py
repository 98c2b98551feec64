"""The sign feed: what a link shows, as messages. The service and every relay speak through it.

Nothing is decided here: only durable values come in, and they go out as they are.
"""

from collections.abc import Callable
from typing import Final

from msgspec import structs

from progressive.domain.ids import is_id
from progressive.domain.time_text import later
from progressive.domain.views import LinkView, MeterView, WinView
from progressive.wire.codec import encode
from progressive.wire.messages import (
    MeterCents,
    NamedMeter,
    Snapshot,
    StateChanged,
    Tick,
    Update,
    Win,
)

__all__ = [
    "UNNAMED",
    "WIN_SHOWN_SECONDS",
    "FeedEncoding",
    "LinkView",
    "MeterView",
    "WinView",
    "sign_named",
]

WIN_SHOWN_SECONDS: Final = 30
"""How long a win is among those shown now, for a sign that joins in the middle."""
UNNAMED: Final = "-"
"""A reader of the feed that is no sign of this floor, or does not say which."""


class FeedEncoding:
    """A link's view as the messages of the feed; `now` is wall-clock time as text."""

    def __init__(self, now: Callable[[], str]) -> None:
        self._now = now

    def snapshot(self, view: LinkView) -> bytes:
        """All a sign needs, at once on connecting."""
        return encode(
            Snapshot(
                link=view.link,
                epoch=view.epoch,
                seq=view.seq,
                at=view.at,
                state=view.state,
                meters=[NamedMeter(meter.id, meter.name, meter.cents) for meter in view.meters],
                wins=self._shown_now(view),
                reason=view.reason,
            )
        )

    def _shown_now(self, view: LinkView) -> list[Win]:
        """The wins that a sign which was there all along still shows."""
        since = later(self._now(), seconds=-WIN_SHOWN_SECONDS)
        return [_win(win) for win in view.wins if win.at > since]

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
    return Win(**structs.asdict(win))


def sign_named(text: str) -> str:
    """The sign that a connection names, or UNNAMED."""
    return text if is_id(text) else UNNAMED
