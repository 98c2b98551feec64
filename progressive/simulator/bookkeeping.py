"""PURE. Our own count of a link's meters, held against every answer in the journal's order.

What is possible of each meter is kept by `meter_track`; here the answers of all tables are put into
one order, so that each award is held against the very meter it was taken from.
"""

import heapq
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from progressive.simulator.meter_track import MeterTerms, MeterTrack, Put, Take

JUMPS_KEPT: Final = 1000
"""Jumps after others' records that are held against the others' wins in the end."""


class Entry(NamedTuple):
    """An accepted message and its answer."""

    journal_seq: int
    table: str
    seq: int | None
    kind: Literal["lock", "early", "settle", "void"]
    puts: tuple[int, ...]
    """What a lock puts on each meter, in microcents, before any limit."""
    cents: tuple[int, ...]
    """Each meter as the answer shows it."""
    put_by: tuple[int, ...] = ()
    """What a lock puts on each reset meter."""
    takes: tuple[Take, ...] = ()
    """What a settlement's awards took from meters, in the order of payment."""


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


class Jump(NamedTuple):
    """A meter that moved further than others' wagers can move it, between two of our records."""

    meter: str
    after_seq: int
    before_seq: int
    mismatch: Mismatch
    """What it is where nobody else has won the meter meanwhile."""


class LinkBook:
    """The running sums of one link.

    Answers arrive in any order, the sums are made in the journal's. Between two of our records
    there can be others (a checkpoint, another table's), so the number that follows is not always
    ours: an entry waits until no message under way can still come before it.
    """

    def __init__(self, meters: Iterable[MeterTerms], *, seq: int, cents: Sequence[int]) -> None:
        """`seq` and `cents`: one consistent reading of the link before the first message."""
        # The first record of a journal is its opening: nothing has been put by yet.
        self._tracks = [
            MeterTrack(terms, shown, fresh=seq == 1)
            for terms, shown in zip(meters, cents, strict=True)
        ]
        self.terms: Final = tuple(track.terms for track in self._tracks)
        self._done_seq = seq
        self._newest_seq = seq
        self._waiting: list[Entry] = []
        # By table, the newest record known when its message was first sent: the message's own
        # record can only come after it. In the order of sending, so the first is the smallest.
        self._under_way: OrderedDict[str, int] = OrderedDict()
        self._on_meters: dict[str, list[Put]] = {}
        self.others_write = False
        """Whether records that are not ours may be other tables' rounds."""
        self.people_act = False
        """Whether they may be voids and corrections: then a meter may jump after any of them."""
        self.jumps = 0
        self._unexplained: list[Jump] = []

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

    def finish(
        self, *, seq: int, cents: Sequence[int], others_won: Collection[tuple[str, int]] = ()
    ) -> list[Mismatch]:
        """A last reading of the link, after the last answer.

        `others_won`: the meters that were won elsewhere, each with its record, as signs show them.
        """
        found = self._last_reading(seq, cents)
        for jump in self._unexplained:
            if not any(
                meter == jump.meter and jump.after_seq < won < jump.before_seq
                for meter, won in others_won
            ):
                found.append(jump.mismatch)
        return found

    def _last_reading(self, seq: int, cents: Sequence[int]) -> list[Mismatch]:
        found = self.settle()
        if seq < self._done_seq:
            found.append(Mismatch("the link", None, f"record {self._done_seq} or later", f"{seq}"))
            return found
        if len(cents) != len(self._tracks):
            expected = f"{len(self._tracks)} meters"
            found.append(Mismatch("the link at the end", None, expected, f"{len(cents)}"))
            return found
        others = seq - self._done_seq
        self._pass_over(others)
        since, self._done_seq = self._done_seq, seq
        self._compare(
            Entry(seq + 1, "the link at the end", None, "settle", (), tuple(cents)),
            found,
            since,
            others,
        )
        return found

    def _is_next(self, journal_seq: int) -> bool:
        if journal_seq <= self._done_seq + 1 or not self._under_way:
            return True
        return next(iter(self._under_way.values())) >= journal_seq - 1

    def _check(self, entry: Entry, found: list[Mismatch]) -> None:
        if entry.journal_seq == self._done_seq:
            expected = "a journal_seq of its own"
            found.append(Mismatch(entry.table, entry.seq, expected, f"{entry.journal_seq} again"))
        since = self._done_seq
        others = max(0, entry.journal_seq - since - 1)
        self._pass_over(others)
        self._done_seq = entry.journal_seq
        match entry.kind:
            case "lock":
                by = entry.put_by or (0,) * len(self._tracks)
                self._on_meters[entry.table] = [
                    track.put(amount, by=put_by)
                    for track, amount, put_by in zip(self._tracks, entry.puts, by, strict=True)
                ]
            case "early":
                pass
            case "settle":
                self._on_meters.pop(entry.table, None)
                self._take(entry, found, since, others)
            case "void":
                put = self._on_meters.pop(entry.table, [])
                for track, parts in zip(self._tracks, put, strict=False):
                    track.take_back(parts)
        self._compare(entry, found, since, others)

    def _pass_over(self, records: int) -> None:
        """Records that are not ours: checkpoints and payments move nothing, others may."""
        if records and (self.others_write or self.people_act):
            for track in self._tracks:
                track.blur(records if self.others_write else 0, people=self.people_act)

    def _take(self, entry: Entry, found: list[Mismatch], since: int, others: int) -> None:
        """What the awards took, each from the meter as the one before left it."""
        by_meter: dict[int, list[Take]] = {}
        for take in entry.takes:
            by_meter.setdefault(take.meter, []).append(take)
        for place, takes in by_meter.items():
            track, before = self._tracks[place], takes[0].before_cents
            if others and not track.shows(before):
                self._jumped(track, before, entry, since, others)
            if (wrong := track.take_all(takes)) is not None:
                came = ", ".join(
                    f"{track.money(t.amount_cents)} (from {track.money(t.before_cents)} to "
                    f"{track.money(t.after_cents)})"
                    for t in takes
                )
                found.append(Mismatch(entry.table, entry.seq, wrong, came))

    def _compare(self, entry: Entry, found: list[Mismatch], since: int, others: int) -> None:
        for track, shown in zip(self._tracks, entry.cents, strict=True):
            if track.shows(shown):
                track.doubted = False
            elif others:
                self._jumped(track, shown, entry, since, others)
            else:
                expected = f"{track.terms.id} at {track.possible()}"
                found.append(Mismatch(entry.table, entry.seq, expected, track.money(shown)))
                # One wrong answer is one mismatch, and our sum still stands. A second one in a
                # row says that the meter itself has jumped: count on from there.
                if track.doubted:
                    track.anchor(shown)
                track.doubted = not track.doubted

    def _jumped(self, track: MeterTrack, shown: int, entry: Entry, since: int, others: int) -> None:
        """Records of others lie between: a win elsewhere, a void, a correction. Count on."""
        expected = f"{track.terms.id} at {track.possible()}"
        records = "record" if others == 1 else "records"
        came = f"{track.money(shown)} after {others} {records} of others"
        track.anchor(shown)
        self.jumps += 1
        if not self.people_act and len(self._unexplained) < JUMPS_KEPT:
            mismatch = Mismatch(entry.table, entry.seq, expected, came)
            self._unexplained.append(Jump(track.terms.id, since, entry.journal_seq, mismatch))
