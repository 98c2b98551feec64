"""The frames of one feed to what may be shown, never backwards. Pure.

Places are (epoch, seq). What is behind the place shown is not applied, with one exception: once
what is shown has been stale, a fresh snapshot is believed wherever it stands, for the service may
have been restored from a copy.
"""

from typing import Final

import msgspec
from msgspec import structs

from display.led.composer import STALE_SECONDS
from progressive.wire.codec import UNDECODABLE
from progressive.wire.feed import LinkView, WinView
from progressive.wire.messages import Snapshot, StateChanged, Tick, Update, Win

FRESH_MS: Final = 3_000
"""A snapshot that its sender vouched for within this time is the truth of now."""

Frame = Snapshot | Update | Win | StateChanged | Tick
_decoder: Final[msgspec.json.Decoder[Frame]] = msgspec.json.Decoder(Frame)


class Reading:
    """What one link's feed has said."""

    def __init__(self, link: str) -> None:
        self._link = link
        self.view: LinkView | None = None
        self._word_at: float | None = None
        self._wins: list[WinView] = []

    @property
    def place(self) -> tuple[int, int]:
        """Of the amounts in the view."""
        return (0, 0) if self.view is None else (self.view.epoch, self.view.seq)

    def age_seconds(self, now: float) -> float:
        """Since somebody vouched for the view."""
        return 0.0 if self._word_at is None else max(0.0, now - self._word_at)

    def take_wins(self) -> list[WinView]:
        """Those heard since the last call; one may come twice."""
        wins, self._wins = self._wins, []
        return wins

    def hear(self, data: str | bytes, now: float) -> bool:
        """Take one frame in. False: only a new snapshot can tell what holds now."""
        try:
            frame = _decoder.decode(data)
        except UNDECODABLE:
            return True  # A reader ignores what it does not know.
        if isinstance(frame, Snapshot):
            self._snapshot(frame, now)
            return True
        view = self.view
        if view is None:
            return True
        match frame:
            case StateChanged():
                self.view = structs.replace(view, state=frame.state, reason=frame.reason)
                return True
            case Update():
                return self._update(view, frame, now)
            case Win() if frame.epoch == view.epoch:
                self._wins.append(_win_view(frame))
            case Tick() if frame.epoch == view.epoch and frame.seq >= view.seq:
                self._word_at = now
            case _:
                return frame.epoch <= view.epoch
        return True

    def _snapshot(self, frame: Snapshot, now: float) -> None:
        if frame.link != self._link:
            return
        place = (frame.epoch, frame.seq)
        restored = self.age_seconds(now) > STALE_SECONDS and frame.age_ms < FRESH_MS
        if self.view is not None and place < self.place and not restored:
            return
        word_at = now - frame.age_ms / 1_000
        same_place = self.view is not None and place == self.place
        if same_place and self._word_at is not None:
            word_at = max(word_at, self._word_at)
        self._word_at = word_at
        self._wins += [_win_view(win) for win in frame.wins]
        self.view = msgspec.convert(frame, LinkView, from_attributes=True)

    def _update(self, view: LinkView, frame: Update, now: float) -> bool:
        if (frame.epoch, frame.seq) < (view.epoch, view.seq):
            return True
        cents = {meter.id: meter.cents for meter in frame.meters}
        if frame.epoch != view.epoch or not cents.keys() <= {meter.id for meter in view.meters}:
            return False
        self.view = structs.replace(
            view,
            seq=frame.seq,
            at=frame.at,
            meters=tuple(
                structs.replace(meter, cents=cents.get(meter.id, meter.cents))
                for meter in view.meters
            ),
        )
        self._word_at = now
        return True


def _win_view(win: Win) -> WinView:
    return msgspec.convert(win, WinView, from_attributes=True)
