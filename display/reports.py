"""PURE. What the signs behind a relay show, gathered until it is time to say so upstream."""

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from progressive.wire.feed import UNNAMED
from progressive.wire.feed_messages import Showing, SignReport

FORGET_SECONDS: Final = 15.0
"""A sign that has said nothing for so long is not there any more."""
SIGNS_MAX: Final = 20_000


class _Said(Struct):
    showing: Showing
    heard_at: float
    passed_on: bool = False


class Reports:
    """The last word of every sign. Time is monotonic seconds, handed in."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._said: dict[str, _Said] = {}

    def note(self, sign: str, showing: Showing, *, age_ms: int) -> None:
        """A sign said what it shows, so long ago."""
        if sign == UNNAMED:
            return
        heard_at = self._monotonic() - age_ms / 1000
        known = self._said.get(sign)
        if known is not None and known.heard_at > heard_at:
            return
        if known is None and len(self._said) >= SIGNS_MAX:
            return
        self._said[sign] = _Said(showing, heard_at)

    def due(self, may_pass: Callable[[str], bool]) -> Iterator[SignReport]:
        """What has not been passed on yet, of the signs for which somebody listens."""
        now = self._monotonic()
        for sign, said in list(self._said.items()):
            if now - said.heard_at > FORGET_SECONDS:
                del self._said[sign]
            elif not said.passed_on and may_pass(sign):
                said.passed_on = True
                showing = said.showing
                yield SignReport(
                    sign=sign,
                    seq=showing.seq,
                    epoch=showing.epoch,
                    state=showing.state,
                    meters=showing.meters,
                    age_ms=max(0, int((now - said.heard_at) * 1000)),
                )
