"""PURE. Every award from a meter is on the signs, once, at once, with its amounts.

A win and the answer that tells of it come over two sockets, in either order. What was awarded while
the feed was away is not asked of it: a sign that comes back gets the newest values, not the past.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable
from typing import Final, TypeVar

from msgspec import Struct

from progressive.domain.money import money_text
from progressive.simulator.bookkeeping import Mismatch

REMEMBERED_MAX: Final = 10_000
"""Wins that were matched, to know one again that is shown twice; and wins of others."""


K = TypeVar("K")


class Won(Struct, frozen=True):
    """An award from a meter, as an answer or a sign tells it."""

    award: str
    seq: int
    """The record of the settlement."""
    table: str
    seat: int
    meter: str
    line: str
    amount_cents: int
    next_cents: int

    def words(self, currency: str) -> str:
        """For people."""
        amount = money_text(self.amount_cents, currency)
        return (
            f"win {self.award} in record {self.seq}: {self.meter} {amount} for {self.line} at seat "
            f"{self.seat} of {self.table}, next {money_text(self.next_cents, currency)}"
        )


_NOT_THERE: Final = object()


class WinWatch:
    """One link: the wins that answers told of against those that a sign was told of."""

    def __init__(self, *, since_seq: int, own_tables: Iterable[str], currency: str = "") -> None:
        """`since_seq`: what was won before is nobody's business here; `currency` is for texts."""
        self._currency = currency
        self._since_seq = since_seq
        self._own = frozenset(own_tables)
        self._awaited: dict[str, Won] = {}
        self._early: dict[str, Won] = {}
        """On the sign before the table had its answer."""
        self._matched: OrderedDict[str, None] = OrderedDict()
        self._perhaps: OrderedDict[str, None] = OrderedDict()
        """Answered while nobody knows what was shown: they may still come, or have come."""
        self._others: OrderedDict[tuple[str, int], None] = OrderedDict()
        # The connection now: from which record on it saw everything, the state shown last, and
        # the one before that.
        self._from_seq: int | None = None
        self._shown_seq = 0
        self._shown_before_seq = 0
        self._newest_seq = 0
        self._seen_seq = 0
        """What connections before this one have shown: another node may still be behind that."""

    @property
    def others_won(self) -> Collection[tuple[str, int]]:
        """Meters that were won at other tables, with the record of each."""
        return self._others.keys()

    @property
    def awaits(self) -> bool:
        """Whether a win, or the answer to one, is still to come."""
        return bool(self._awaited or self._early)

    # --- what tables hear ----------------------------------------------------------------------

    def awarded(self, won: Won) -> list[Mismatch]:
        """A table's answer tells of an award from a meter."""
        shown = self._early.pop(won.award, None)
        if shown is not None:
            return self._match(won, shown)
        if won.award in self._matched:
            return [_wrong(won, "an award of its own", f"{won.award} again")]
        if not self._covers(won.seq):
            # Made while the feed was away.
            _remember(self._perhaps, won.award)
            return []
        self._awaited[won.award] = won
        return self._overdue()

    # --- what a sign hears ---------------------------------------------------------------------

    def connected(self, seq: int, shown_now: Iterable[Won]) -> list[Mismatch]:
        """A snapshot: the feed is seen whole from here on."""
        found: list[Mismatch] = []
        for won in shown_now:
            # Some of them were seen before the connection was lost.
            if won.award not in self._matched and won.award not in self._early:
                found += self.shown(won)
        self.disconnected()
        self._from_seq = self._shown_seq = self._shown_before_seq = seq
        self._newest_seq = max(self._newest_seq, seq)
        return found

    def disconnected(self) -> None:
        """Nobody knows what is shown now. What was under way may have got lost with it."""
        self._from_seq = None
        self._seen_seq = max(self._seen_seq, self._newest_seq)
        for award in self._awaited:
            _remember(self._perhaps, award)
        self._awaited.clear()

    def moved(self, seq: int) -> list[Mismatch]:
        """A newer state of the meters is shown."""
        if seq <= self._shown_seq:
            return []
        self._shown_before_seq, self._shown_seq = self._shown_seq, seq
        self._newest_seq = max(self._newest_seq, seq)
        return self._overdue()

    def shown(self, won: Won) -> list[Mismatch]:
        """A win is shown."""
        if won.seq <= self._since_seq:
            return []
        if won.table not in self._own:
            _remember(self._others, (won.meter, won.seq))
            return []
        self._newest_seq = max(self._newest_seq, won.seq)
        if won.award in self._matched or won.award in self._early:
            if won.seq <= self._seen_seq:
                # A node that was behind the one before catches up: a sign ignores it.
                return []
            return [_wrong(won, "every win once", f"{won.words(self._currency)} again")]
        if self._perhaps.pop(won.award, _NOT_THERE) is not _NOT_THERE:
            _remember(self._matched, won.award)
            return []
        expected = self._awaited.pop(won.award, None)
        if expected is None:
            self._early[won.award] = won
            return []
        return self._match(expected, won)

    def finish(self) -> list[Mismatch]:
        """Nothing more will come."""
        found = [
            _wrong(won, f"{won.words(self._currency)} on the signs", "none")
            for won in self._awaited.values()
        ]
        found += [
            _wrong(won, "no such award", won.words(self._currency)) for won in self._early.values()
        ]
        return found

    def forget(self, table: str) -> None:
        """A table has left with a message of unknown fate: what it won nobody was told."""
        self._own -= {table}
        for won in [each for each in self._early.values() if each.table == table]:
            del self._early[won.award]
            _remember(self._others, (won.meter, won.seq))

    # --- both ----------------------------------------------------------------------------------

    def _match(self, expected: Won, shown: Won) -> list[Mismatch]:
        _remember(self._matched, expected.award)
        if shown == expected:
            return []
        return [_wrong(expected, expected.words(self._currency), shown.words(self._currency))]

    def _covers(self, seq: int) -> bool:
        return self._from_seq is not None and seq > self._from_seq

    def _overdue(self) -> list[Mismatch]:
        """At once: a win comes right behind the values that it led to, before any newer ones."""
        late = [won for won in self._awaited.values() if won.seq <= self._shown_before_seq]
        for won in late:
            del self._awaited[won.award]
        return [
            _wrong(won, f"{won.words(self._currency)} at once on the signs", "newer values")
            for won in late
        ]


def _remember(seen: OrderedDict[K, None], key: K) -> None:
    seen[key] = None
    while len(seen) > REMEMBERED_MAX:
        seen.popitem(last=False)


def _wrong(won: Won, expected: str, came: str) -> Mismatch:
    return Mismatch(f"{won.table} on the signs", None, expected, came)
