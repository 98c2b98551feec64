"""PURE. Our own count of a link's meters, held against every answer in the journal's order.

Only whole cents are public, so the fraction on a meter is unknown at first. What is kept is the
interval of microcents that the meter can be at; each answer narrows it, and an answer that leaves
nothing of it is wrong. No rounding, and no memory of what has been checked.
"""

import heapq
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from progressive.domain.money import CENTS_MAX, MICROCENTS_PER_CENT, floor_cents, microcents

UNKNOWN_BELOW: Final = microcents(CENTS_MAX) * 1000
"""Above anything a meter can be at: the end of an interval that says nothing."""
NO_LIMIT: Final = UNKNOWN_BELOW * 1000


class MeterTerms(Struct, frozen=True):
    """A meter as the service publishes it."""

    id: str
    bet: str
    rate_ppm: int
    limit_cents: int = 0
    """0: none. What is put on above it does not show."""
    reach_microcents: int = 0
    """The most that one record of somebody else's can move it by, either way."""


class Entry(NamedTuple):
    """An accepted message and its answer."""

    journal_seq: int
    table: str
    seq: int
    kind: Literal["lock", "settle", "void"]
    puts: tuple[int, ...]
    """What a lock puts on each meter, in microcents, before any limit."""
    cents: tuple[int, ...]
    """Each meter as the answer shows it."""


class Mismatch(Struct, frozen=True):
    """One answer that is not what it should be."""

    table: str
    seq: int | None
    expected: str
    came: str

    def line(self) -> str:
        """For people."""
        numbered = "" if self.seq is None else f" seq {self.seq}"
        return f"{self.table}{numbered}: expected {self.expected}, came {self.came}"


class MeterTrack:
    """Where one meter can be: at least `low`, below `end`, in microcents."""

    __slots__ = ("_limit", "doubted", "end", "low", "terms")

    def __init__(self, terms: MeterTerms, cents: int) -> None:
        self.terms = terms
        self._limit = microcents(terms.limit_cents) if terms.limit_cents else NO_LIMIT
        self.doubted = False
        self.anchor(cents)

    def anchor(self, cents: int) -> None:
        """Believe what is shown: nothing but the fraction is unknown."""
        self.low = microcents(cents)
        self.end = self.low + MICROCENTS_PER_CENT

    def forget(self) -> None:
        """It can be anywhere."""
        self.low, self.end = 0, UNKNOWN_BELOW

    def put(self, amount: int) -> tuple[int, int]:
        """Put an amount on it; the least and the most that can have found room below the limit."""
        low, last, limit = self.low, self.end - 1, self._limit
        if last + amount <= limit:
            self.low += amount
            self.end += amount
            return amount, amount
        # The fuller the meter, the less room: the upper end takes the least.
        most = min(amount, max(0, limit - low))
        least = min(amount, max(0, limit - last))
        self.low, self.end = low + most, last + least + 1
        return least, most

    def take(self, least: int, most: int) -> None:
        """Take back what a lock put on; a meter never falls below nothing."""
        self.low = max(0, self.low - most)
        self.end = max(1, self.end - least)

    def blur(self, records: int) -> None:
        """Others wrote so many records: each can have moved it a little."""
        moved = records * self.terms.reach_microcents
        self.low = max(0, self.low - moved)
        self.end += moved

    def shows(self, cents: int) -> bool:
        """Narrow by what an answer shows; False where that cannot be."""
        low = max(self.low, microcents(cents))
        end = min(self.end, microcents(cents + 1))
        if low >= end:
            return False
        self.low, self.end = low, end
        return True

    def possible(self) -> str:
        """What it can show, in words."""
        low, high = floor_cents(self.low), floor_cents(self.end - 1)
        if low == high:
            return dollars(low)
        return f"{dollars(low)} {'or' if high == low + 1 else 'to'} {dollars(high)}"


class LinkBook:
    """The running sums of one link.

    Answers arrive in any order, the sums are made in the journal's. Between two of our records
    there can be others (a checkpoint, another table's), so the number that follows is not always
    ours: an entry waits until no message under way can still come before it.
    """

    def __init__(self, meters: Iterable[MeterTerms], *, seq: int, cents: Sequence[int]) -> None:
        """`seq` and `cents`: one consistent reading of the link before the first message."""
        self._tracks = [
            MeterTrack(terms, shown) for terms, shown in zip(meters, cents, strict=True)
        ]
        self.terms: Final = tuple(track.terms for track in self._tracks)
        self._done_seq = seq
        self._newest_seq = seq
        self._waiting: list[Entry] = []
        # By table, the newest record known when its message was first sent: the message's own
        # record can only come after it. In the order of sending, so the first is the smallest.
        self._under_way: OrderedDict[str, int] = OrderedDict()
        self._on_meters: dict[str, list[tuple[int, int]]] = {}
        self.others_write = False
        """Whether records that are not ours may move the meters."""

    @property
    def waiting(self) -> int:
        """Answers that cannot be put in order yet."""
        return len(self._waiting)

    def sent(self, table: str) -> None:
        """A table's message goes out for the first time. One at a time for each table."""
        self._under_way[table] = self._newest_seq

    def lost(self, table: str) -> None:
        """The table's message has an unknown fate, for good: what it did is anybody's guess."""
        self.others_write = True
        self._under_way.pop(table, None)

    def answered(self, entry: Entry) -> list[Mismatch]:
        """An answer; what is found wrong by it, in this entry or in some that it lets through."""
        self._under_way.pop(entry.table, None)
        if entry.journal_seq <= self._done_seq:
            # Its place in the order has been passed: nobody knows what the meters are at.
            for track in self._tracks:
                track.forget()
            return [
                Mismatch(
                    entry.table,
                    entry.seq,
                    f"a journal_seq above {self._done_seq}",
                    f"{entry.journal_seq}",
                )
            ]
        self._newest_seq = max(self._newest_seq, entry.journal_seq)
        heapq.heappush(self._waiting, entry)
        return self.settle()

    def settle(self) -> list[Mismatch]:
        """Check every entry whose place in the order is certain by now."""
        found: list[Mismatch] = []
        while self._waiting and self._is_next(self._waiting[0].journal_seq):
            self._check(heapq.heappop(self._waiting), found)
        return found

    def finish(self, *, seq: int, cents: Sequence[int]) -> list[Mismatch]:
        """A last reading of the link, after the last answer."""
        found = self.settle()
        if seq < self._done_seq:
            found.append(Mismatch("the link", None, f"record {self._done_seq} or later", f"{seq}"))
            return found
        if len(cents) != len(self._tracks):
            expected = f"{len(self._tracks)} meters"
            found.append(Mismatch("the link at the end", None, expected, f"{len(cents)}"))
            return found
        self._pass_over(seq - self._done_seq)
        self._done_seq = seq
        self._compare("the link at the end", None, cents, found)
        return found

    def _is_next(self, journal_seq: int) -> bool:
        if journal_seq <= self._done_seq + 1 or not self._under_way:
            return True
        return next(iter(self._under_way.values())) >= journal_seq - 1

    def _check(self, entry: Entry, found: list[Mismatch]) -> None:
        if entry.journal_seq == self._done_seq:
            expected = "a journal_seq of its own"
            found.append(Mismatch(entry.table, entry.seq, expected, f"{entry.journal_seq} again"))
        between = max(0, entry.journal_seq - self._done_seq - 1)
        self._pass_over(between)
        self._done_seq = entry.journal_seq
        match entry.kind:
            case "lock":
                self._on_meters[entry.table] = [
                    track.put(amount)
                    for track, amount in zip(self._tracks, entry.puts, strict=True)
                ]
            case "settle":
                self._on_meters.pop(entry.table, None)
            case "void":
                put = self._on_meters.pop(entry.table, [])
                for track, (least, most) in zip(self._tracks, put, strict=False):
                    track.take(least, most)
        self._compare(entry.table, entry.seq, entry.cents, found, between=between)

    def _pass_over(self, records: int) -> None:
        """Records that are not ours: checkpoints move nothing, other tables may."""
        if records and self.others_write:
            for track in self._tracks:
                track.blur(records)

    def _compare(
        self,
        table: str,
        seq: int | None,
        cents: Sequence[int],
        found: list[Mismatch],
        *,
        between: int = 0,
    ) -> None:
        for track, shown in zip(self._tracks, cents, strict=True):
            if track.shows(shown):
                track.doubted = False
                continue
            hint = f" after {between} records of others" if between else ""
            found.append(
                Mismatch(
                    table,
                    seq,
                    f"{track.terms.id} at {track.possible()}",
                    f"{dollars(shown)}{hint}",
                )
            )
            # One wrong answer is one mismatch, and our sum still stands. A second one in a row
            # says that the meter itself has jumped: count on from there.
            if track.doubted:
                track.anchor(shown)
            track.doubted = not track.doubted


def dollars(cents: int) -> str:
    """`$1,234.56`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02}"
