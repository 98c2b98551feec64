"""Wins waiting for the sign: one after the other, each for its full time, each once. Pure.

An award of nothing, or of less than was wagered for it, is not celebrated: it is not shown.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

from progressive.wire.feed import WinView

WIN_SECONDS: Final = 20.0
"""Time for the whole message to cross the sign, and half of it again."""
WAITING_MAX: Final = 40
REMEMBERED_MAX: Final = 500


class WinQueue:
    """A win's time begins when it is on the glass, so a slow line does not cut it short."""

    def __init__(self, win_seconds: float = WIN_SECONDS) -> None:
        self._win_seconds = win_seconds
        # Past this many the oldest make room: nobody watches a quarter of an hour of wins.
        self._waiting: deque[WinView] = deque(maxlen=WAITING_MAX)
        self._known: dict[tuple[str, str], None] = {}
        self._current: WinView | None = None
        self._until: float | None = None

    def announce(self, wins: Iterable[WinView]) -> None:
        """Those that were not announced before: every snapshot repeats the latest."""
        for win in wins:
            # After a restore the name of an award may be given a second time.
            if (win.award, win.at) in self._known:
                continue
            self._known[win.award, win.at] = None
            if len(self._known) > REMEMBERED_MAX:
                del self._known[next(iter(self._known))]
            if win.amount_cents > 0 and win.amount_cents >= win.wager_cents:
                self._waiting.append(win)

    def current(self, now: float) -> WinView | None:
        """The win that has the sign; None when all had their time."""
        if self._until is not None and now >= self._until:
            self._current, self._until = None, None
        if self._current is None and self._waiting:
            self._current = self._waiting.popleft()
        return self._current

    def on_glass(self, now: float) -> None:
        """The sign was told the current win."""
        if self._current is not None and self._until is None:
            self._until = now + self._win_seconds
