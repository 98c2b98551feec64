"""How far a verification has got: a line on a terminal that is drawn over again and again."""

import sys
import time
from collections.abc import Callable
from typing import Final, TextIO

EVERY_SECONDS: Final = 0.2
"""Between two drawings: they must not slow the work."""


class TerminalProgress:
    """Draws where somebody looks, and nothing elsewhere."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._draws = self._stream.isatty()
        self._drawn_at = 0.0
        self._width = 0

    def begin(self, what: str, total: int | None) -> Callable[[int], None]:
        """Something begins; what is returned hears how far it has got."""
        if not self._draws:
            return lambda _: None
        self._draw(f"{what} …")

        def on_progress(done: int) -> None:
            now = time.monotonic()
            if now - self._drawn_at >= EVERY_SECONDS:
                self._drawn_at = now
                of = "" if total is None else f" of {total:,}"
                self._draw(f"{what}: {done:,}{of} records")

        return on_progress

    def end(self) -> None:
        """Leave the line empty for what is printed next."""
        if self._width:
            self._draw("")
            self._stream.write("\r")
            self._stream.flush()
            self._width = 0

    def _draw(self, text: str) -> None:
        self._stream.write(f"\r{text.ljust(self._width)}")
        self._stream.flush()
        self._width = len(text)
