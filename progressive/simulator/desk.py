"""What the simulated tables share: their link's books, the totals, and what was found wrong."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from progressive.simulator.bookkeeping import Entry, LinkBook, Mismatch
from progressive.simulator.wins import WinWatch, Won

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
    awards: int = 0
    awarded_cents: int = 0
    """With bonuses; a line that was paid early and then grew counts once."""
    meters_won: int = 0
    messages: int = 0
    reconnects: int = 0
    repeats: int = 0
    refusals: int = 0
    jumps: int = 0
    """Meters that moved by records of others further than wagers move them."""
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
    """One link's books, for all its tables: its meters, and its wins."""

    def __init__(self, book: LinkBook, wins: WinWatch, findings: Findings) -> None:
        self.book = book
        self.wins = wins
        self.findings = findings
        self.meter_ids = [terms.id for terms in book.terms]
        self.last_seq = 0
        """The last record that an answer told of."""
        self._room = asyncio.Event()
        self._room.set()

    async def wait_room(self) -> None:
        """While a message of unknown fate holds up the order, the buffer must not grow for ever."""
        await self._room.wait()

    def answered(self, entry: Entry, won: Sequence[Won] = ()) -> None:
        """Enter an answer, and the meters that it says were won."""
        self.last_seq = max(self.last_seq, entry.journal_seq)
        self.report(self.book.answered(entry))
        for each in won:
            self.report(self.wins.awarded(each))

    def lost(self, table: str) -> None:
        """A table has left with a message of unknown fate."""
        self.book.lost(table)
        self.wins.forget(table)
        self.report(self.book.settle())

    def finish(self, *, seq: int, cents: list[int]) -> None:
        """The last reading."""
        self.report(self.wins.finish())
        self.report(self.book.finish(seq=seq, cents=cents, others_won=self.wins.others_won))
        self.findings.totals.jumps += self.book.jumps

    def report(self, found: Sequence[Mismatch]) -> None:
        """Enter what was found wrong."""
        for mismatch in found:
            self.findings.add(mismatch)
        if self.book.waiting < WAITING_MAX:
            self._room.set()
        else:
            self._room.clear()
