"""What the simulated tables share: their link's book, the totals, and what was found wrong."""

import asyncio
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from progressive.simulator.bookkeeping import Entry, LinkBook, Mismatch

MISMATCHES_KEPT: Final = 10
"""The first ones tell the story; after that they are only counted."""
WAITING_MAX: Final = 20_000
"""Answers that wait for their place in the order before the tables stop beginning new rounds."""


class Totals(Struct):
    """What a run did."""

    rounds: int = 0
    voided: int = 0
    wagers: int = 0
    wagered_cents: int = 0
    messages: int = 0
    reconnects: int = 0
    repeats: int = 0
    refusals: int = 0
    mismatches: int = 0


class Findings:
    """Totals of all links, and the first mismatches."""

    def __init__(self, on_mismatch: Callable[[Mismatch], None] | None = None) -> None:
        self.totals = Totals()
        self.first: list[Mismatch] = []
        self._on_mismatch = on_mismatch

    def add(self, mismatch: Mismatch) -> None:
        """Something was wrong."""
        self.totals.mismatches += 1
        if len(self.first) < MISMATCHES_KEPT:
            self.first.append(mismatch)
            if self._on_mismatch is not None:
                self._on_mismatch(mismatch)


class LinkDesk:
    """One link's book, for all its tables."""

    def __init__(self, book: LinkBook, findings: Findings) -> None:
        self.book = book
        self.findings = findings
        self.meter_ids = [terms.id for terms in book.terms]
        self._room = asyncio.Event()
        self._room.set()

    async def wait_room(self) -> None:
        """While a message of unknown fate holds up the order, the buffer must not grow for ever."""
        await self._room.wait()

    def answered(self, entry: Entry) -> None:
        """Enter an answer."""
        self._report(self.book.answered(entry))

    def lost(self, table: str) -> None:
        """A table has left with a message of unknown fate."""
        self.book.lost(table)
        self._report(self.book.settle())

    def finish(self, *, seq: int, cents: list[int]) -> None:
        """The last reading."""
        self._report(self.book.finish(seq=seq, cents=cents))

    def _report(self, found: list[Mismatch]) -> None:
        for mismatch in found:
            self.findings.add(mismatch)
        if self.book.waiting < WAITING_MAX:
            self._room.set()
        else:
            self._room.clear()
