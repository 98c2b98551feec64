"""Axes in whole numbers: where the ticks stand, what they are called, where a value is drawn.

Only what is drawn is rounded, to tenths of a point; no figure is.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from progressive.adapters.reports.figures.figures import Figures
from progressive.application.finance.report import ChartUnit

_NICE: Final = (1, 2, 5)


class Scale(Struct, frozen=True):
    """From values `low` to `high` onto places `start` to `end`."""

    low: int
    high: int
    start: int
    end: int

    def at(self, value: int) -> int:
        """Where a value is drawn."""
        span = self.high - self.low
        return self.start + ((value - self.low) * (self.end - self.start) * 2 + span) // (2 * span)


def tick_step(span: int, aim: int) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50, … that gives at most `aim` steps."""
    power = 1
    while True:
        for digit in _NICE:
            if span <= digit * power * aim:
                return digit * power
        power *= 10


def widened(low: int, high: int, aim: int) -> tuple[int, int, int]:
    """Bounds on ticks around all values, and the step between ticks."""
    step = tick_step(max(high - low, 1), aim)
    bottom, top = low // step * step, -(-high // step) * step
    return bottom, top if top > bottom else bottom + step, step


def tick_texts(ticks: Sequence[int], unit: ChartUnit, figures: Figures) -> list[str]:
    """The names of ticks, without zeros that all of them end with."""
    texts = [figures.number(unit, tick) for tick in ticks]
    if unit == "percent":
        bare = [text.removesuffix("%") for text in texts]
        while all(text.endswith("0") for text in bare) and all("." in text for text in bare):
            bare = [text[:-1] for text in bare]
        return [f"{text.removesuffix('.')}%" for text in bare]
    if all(text.endswith(".00") for text in texts):
        return [text.removesuffix(".00") for text in texts]
    return texts
