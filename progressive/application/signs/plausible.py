"""PURE. What can be on a sign's glass: a report is held against what its link has shown.

Digits roll, so any amount between those of the last half minute can be read on a live sign; one
that is above everything the meter ever stood at, or a record that the journal has not reached,
cannot. Nothing here is stored or decided: the sign log stores a report that cannot be true as such.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from progressive.application.signs.reports import Glass
from progressive.domain.views import LinkView

SPAN_SECONDS: Final = 10.0
SPANS_KEPT: Final = 4
"""So 30 to 40 seconds: an LED sign at the end of a slow line is some seconds behind, and digits
take a second to arrive."""


class Verdict(Struct, frozen=True):
    """Why a report cannot be true."""

    why: str = ""
    """Empty where it can."""
    may_pass: bool = False
    """Digits that come from an old amount, as after a time without contact, stand there for a
    moment: only if they stay, they are wrong."""


POSSIBLE: Final = Verdict()


class ShownByLink:
    """The amounts that one link has shown. Time is monotonic seconds, handed in."""

    def __init__(self) -> None:
        self._seq: int | None = None
        """None until the link was live for a first time: nothing is known to hold against."""
        self._epoch = 0
        self._last: dict[str, int] = {}
        self._highest: dict[str, int] = {}
        self._spans: deque[dict[str, tuple[int, int]]] = deque([{}], maxlen=SPANS_KEPT)
        """Lowest and highest amount of each meter, the newest span last."""
        self._began = 0.0

    def note(self, view: LinkView, now: float) -> None:
        """What the link shows from now on. Called for every batch."""
        if view.state != "live" or not view.meters:
            if self._seq is not None:
                # A life of the writer that ended before it was live: signs may have its number.
                self._epoch, self._seq = max(self._epoch, view.epoch), max(self._seq, view.seq)
            return
        if self._seq is None:
            self._began = now
            for win in view.wins:
                # What stood there before this process: signs may come back with it.
                whole = win.amount_cents + (0 if win.share_percent == 100 else win.next_cents)
                self._highest[win.meter] = max(whole, self._highest.get(win.meter, 0))
        self._roll(now)
        self._epoch, self._seq = view.epoch, view.seq
        span = self._spans[-1]
        for meter in view.meters:
            cents = meter.cents
            low, high = span.get(meter.id, (cents, cents))
            span[meter.id] = (min(low, cents), max(high, cents))
            self._last[meter.id] = cents
            if cents > self._highest.get(meter.id, -1):
                self._highest[meter.id] = cents

    def verdict(
        self, *, epoch: int, seq: int, state: str, glass: Iterable[Glass], now: float
    ) -> Verdict:
        """Of a report that came in just now."""
        if self._seq is None:
            return POSSIBLE
        if seq > self._seq or epoch > self._epoch:
            return Verdict(f"record {seq} of epoch {epoch} was never reached")
        self._roll(now)
        strange = ""
        for each in glass:
            if each.cents > self._highest.get(each.meter, each.cents):
                return Verdict(f"{each.meter} never stood at {each.cents} cents")
            if state == "live" and not self._stood(each):
                strange = strange or f"{each.meter} does not stand at {each.cents} cents"
        return Verdict(strange, may_pass=True) if strange else POSSIBLE

    def _stood(self, each: Glass) -> bool:
        bounds = [span[each.meter] for span in self._spans if each.meter in span]
        if not bounds:
            return True
        return min(low for low, _ in bounds) <= each.cents <= max(high for _, high in bounds)

    def _roll(self, now: float) -> None:
        """Begin the spans that are due; amounts that did not move stand in them too."""
        due = int((now - self._began) // SPAN_SECONDS)
        if due <= 0:
            return
        self._began += due * SPAN_SECONDS
        for _ in range(min(due, SPANS_KEPT)):
            self._spans.append({meter: (cents, cents) for meter, cents in self._last.items()})
