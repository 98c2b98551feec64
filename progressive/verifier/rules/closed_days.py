"""The close of gaming days: in order, by two people, with the totals that the records come to.

Where a day ended, the position of all accounts is remembered until the day is closed; a close is
held against it. In a journal that is walked in stretches a close may stand in a later stretch than
the day: it is handed on then, with what is known, and resolved when they are joined.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from progressive.verifier.findings import DiscrepancyError, differs, shown
from progressive.verifier.record import GENESIS, Record, read_time
from progressive.verifier.recorded.finance_events import (
    AccountBalance,
    BankBalance,
    CageFile,
    DayClosed,
    DayPrepared,
    DayTotals,
    Explanation,
    FinanceEntered,
    LateItem,
    Returned,
    SignReading,
)
from progressive.verifier.recorded.values import MeterFlow
from progressive.verifier.rules.gaming_days import GamingDays, next_day
from progressive.verifier.rules.people import check_signed, check_two_people
from progressive.verifier.rules.texts import check_text

_PARTS: Final = ("primary", "reset", "overflow")
_OF_ITS_DAY: Final = (SignReading, CageFile, BankBalance, Explanation, Returned)


@dataclass(frozen=True, slots=True)
class Position:
    """A link after the last record of a day. Counts are from where the walk began."""

    day: str
    begins: str
    ends: str
    seq: int
    head: str
    rounds: int
    wagers: int
    voided: int
    balances: Mapping[str, int]

    def counted_from(self, rounds: int, wagers: int, voided: int) -> "Position":
        """The same with what was counted before the walk began."""
        return Position(
            self.day,
            self.begins,
            self.ends,
            self.seq,
            self.head,
            self.rounds + rounds,
            self.wagers + wagers,
            self.voided + voided,
            self.balances,
        )


@dataclass(frozen=True, slots=True)
class Prepared:
    """A preparation that waits for its reviewer."""

    seq: int
    event: DayPrepared


@dataclass(frozen=True, slots=True)
class Days:
    """Closed and prepared days, as a saved state has them."""

    first: str = ""
    last: str = ""
    close_seq: int = 0
    restated: tuple[tuple[str, int, int], ...] = ()
    prepared: tuple[Prepared, ...] = ()


@dataclass(slots=True)
class Stated:
    """Totals that are still to be held against the positions of the day, and the one before."""

    seq: int
    day: str
    number: int
    totals: DayTotals
    late: tuple[LateItem, ...] = ()


@dataclass(slots=True)
class Positions:
    """What is known of the ends of days, and what was stated of them."""

    ended: dict[str, Position] = field(default_factory=dict)
    """By day; those before the last closed one are forgotten."""
    closed: dict[str, bytes] = field(default_factory=dict)
    """Digests of totals, which a restatement must repeat."""
    booked: dict[int, tuple[MeterFlow, ...]] = field(default_factory=dict)
    """What approved corrections and voids of awards moved, by record: late items repeat it."""
    unresolved: list[Stated] = field(default_factory=list)
    known_from: str = ""
    """The first day that was seen from its beginning: records before it were purged, or did not
    say yet how days are counted."""

    def check(self, stated: Stated) -> bool:
        """Whether the totals could be checked; raises DiscrepancyError where they are wrong."""
        totals, of = stated.totals, f"day {shown(stated.day)}"
        if stated.number:
            original = self.closed.get(stated.day)
            if original is not None and original != _digest(totals):
                raise DiscrepancyError(f"{of} is stated again with other totals")
            return self._check_late(of, stated) and original is not None
        after = self.ended.get(stated.day)
        before = next(
            (each for each in self.ended.values() if after and each.ends == after.begins), None
        )
        if after is None or before is None:
            return False
        for what, found, recomputed in (
            ("begins", totals.begins, after.begins),
            ("ends", totals.ends, after.ends),
            ("first_seq", totals.first_seq, before.seq + 1),
            ("last_seq", totals.last_seq, after.seq),
            ("head", totals.head, after.head),
            ("rounds", totals.rounds, after.rounds - before.rounds),
            ("wagers", totals.wagers, after.wagers - before.wagers),
            ("voided", totals.voided, after.voided - before.voided),
        ):
            if found != recomputed:
                raise differs(f"{of}: {what}", stored=found, recomputed=recomputed)
        _check_balances(f"{of}, opening", totals.opening, before.balances)
        _check_balances(f"{of}, closing", totals.closing, after.balances)
        return True

    def _check_late(self, of: str, stated: Stated) -> bool:
        """Whether what was booked late could be looked up; raises where it was not so."""
        known = True
        for item in stated.late:
            booked = self.booked.get(item.seq)
            if booked is None:
                known = False
                continue
            amounts: dict[tuple[str, str | None], int] = {
                (flow.meter, part): amount
                for flow in booked
                for part, amount in zip(_PARTS, flow[1:], strict=True)
            }
            if item.meter is not None and amounts.get((item.meter, item.part)) != item.microcents:
                raise DiscrepancyError(
                    f"{of}: late item of record {item.seq} is not what was booked there"
                )
        return known

    def close(self, stated: Stated) -> None:
        """A day was closed: the positions before its end are not needed any more."""
        if not stated.number:
            self.closed[stated.day] = _digest(stated.totals)
            ends = stated.totals.ends
            self.ended = {day: each for day, each in self.ended.items() if each.ends >= ends}

    def joined(self, after: "Positions", *, rounds: int, wagers: int, voided: int) -> "Positions":
        """With those of the next stretch, whose counts begin behind this one's.

        Raises DiscrepancyError where what that one could not check is wrong.
        """
        later = {
            day: each.counted_from(rounds, wagers, voided) for day, each in after.ended.items()
        }
        whole = Positions(
            self.ended | later,
            self.closed | after.closed,
            self.booked | after.booked,
            [*self.unresolved],
            self.known_from,
        )
        whole.unresolved += [each for each in after.unresolved if not whole.check(each)]
        return whole

    def copy(self) -> "Positions":
        """Another one that goes its own way."""
        return Positions(
            dict(self.ended),
            dict(self.closed),
            dict(self.booked),
            list(self.unresolved),
            self.known_from,
        )

    def finish(self) -> None:
        """At the end of the journal: raise where a close could not be held against its day."""
        for each in self.unresolved:
            if each.day >= self.known_from:
                raise DiscrepancyError(
                    f"record {each.seq} states day {shown(each.day)} with an end or late items "
                    "that no record before it has"
                )


class ClosedDays:
    """Which days are closed, which are prepared, and where each ended."""

    def __init__(self) -> None:
        self.counted = GamingDays()
        self.days = Days()
        self.positions = Positions()

    def begin_in_the_middle(self) -> None:
        """What was before is not known: nor, then, is the beginning of this day."""
        if self.counted.day:
            self.positions.known_from = next_day(self.counted.day)

    def begin(self) -> None:
        """Before the first record of a journal there was nothing."""
        begins = self.counted.begins
        self.positions.ended[""] = Position("", "", begins, 0, GENESIS, 0, 0, 0, {})
        self.positions.known_from = ""

    def turn(self, at: str, position: Callable[[str, str, str], Position]) -> None:
        """A record of a later day comes: every day up to it is over."""
        counted = self.counted
        while at >= counted.ends:
            self.positions.ended[counted.day] = position(counted.day, counted.begins, counted.ends)
            counted.turn()

    # --- records of finance ------------------------------------------------------------------

    def enter(self, event: FinanceEntered) -> None:
        """A figure that only people know."""
        check_signed("entry of finance", event.by)
        next_day(event.day)
        entry = event.entry
        for text in (getattr(entry, name, "") for name in ("text", "reason", "note", "read_by")):
            check_text("an entry of finance", text)
        if isinstance(entry, _OF_ITS_DAY):
            if self._is_closed(event.day):
                raise DiscrepancyError(f"an entry for day {shown(event.day)}, which is closed")
            self._replace(event.day)

    def prepare(self, event: DayPrepared, record: Record) -> None:
        """One person of finance says that the day agrees."""
        of = f"day {shown(event.day)}"
        check_signed(f"{of} is prepared", event.by)
        check_text("note", event.note)
        if read_time(record.at) < read_time(event.totals.ends):
            raise DiscrepancyError(f"{of} is prepared before it is over")
        if doubtful := [check.check for check in event.checks if check.state == "open"]:
            raise DiscrepancyError(f"{of} is prepared though {shown(doubtful[0])} is open")
        self._check_order(event.day, event.number)
        if bool(event.number) != bool(event.late):
            raise DiscrepancyError(f"{of}: late items stand in restatements, and only there")
        if any(item.seq >= record.seq for item in event.late):
            raise DiscrepancyError(f"{of}: a late item was not booked yet")
        self._replace(event.day, Prepared(record.seq, event))

    def close(self, event: DayClosed, record: Record) -> None:
        """Another person of finance has reviewed it."""
        of = f"day {shown(event.day)}"
        prepared = next((p for p in self.days.prepared if p.event.day == event.day), None)
        if prepared is None or prepared.seq != event.prepared_seq:
            raise DiscrepancyError(f"{of} is closed, and was not prepared so")
        if len(event.by) != 2 or event.by[0] != prepared.event.by:
            raise DiscrepancyError(f"{of} is not signed as it was prepared")
        check_signed(f"{of} is closed", event.by[1])
        check_two_people(f"{of} is closed", *event.by)
        for what, found, recomputed in (
            ("number", event.number, prepared.event.number),
            ("totals", event.totals, prepared.event.totals),
            ("late", event.late, prepared.event.late),
            ("before_seq", event.before_seq, self._before(event)),
        ):
            if found != recomputed:
                raise differs(f"{of}: {what}", stored=found, recomputed=recomputed)
        self._check_order(event.day, event.number)
        stated = Stated(record.seq, event.day, event.number, event.totals, event.late)
        if not self.positions.check(stated):
            self.positions.unresolved.append(stated)
        self.positions.close(stated)
        days = self.days
        if event.number:
            others = tuple(each for each in days.restated if each[0] != event.day)
            restated = (*others, (event.day, event.number, record.seq))
            self.days = Days(days.first, days.last, days.close_seq, restated, days.prepared)
        else:
            self.days = Days(
                days.first or event.day, event.day, record.seq, days.restated, days.prepared
            )
        self._replace(event.day)

    def _before(self, event: DayClosed) -> int:
        if not event.number:
            return self.days.close_seq
        return next((seq for of, _, seq in self.days.restated if of == event.day), 0)

    def _check_order(self, day: str, number: int) -> None:
        days = self.days
        if self._is_closed(day):
            expected = 1 + next((found for of, found, _ in days.restated if of == day), 0)
            if number != expected:
                raise differs(f"day {shown(day)}: number", stored=number, recomputed=expected)
            return
        if number:
            raise DiscrepancyError(f"day {shown(day)} is stated again, and was never closed")
        if days.last and day != next_day(days.last):
            raise DiscrepancyError(
                f"day {shown(day)} is closed out of order: the last closed one is {days.last}"
            )

    def _is_closed(self, day: str) -> bool:
        return bool(self.days.first) and self.days.first <= day <= self.days.last

    def _replace(self, day: str, prepared: Prepared | None = None) -> None:
        days = self.days
        rest = tuple(each for each in days.prepared if each.event.day != day)
        waiting = rest if prepared is None else (*rest, prepared)
        self.days = Days(days.first, days.last, days.close_seq, days.restated, waiting)


def _check_balances(
    of: str, stated: tuple[AccountBalance, ...], recomputed: Mapping[str, int]
) -> None:
    found = dict(stated)
    if len(found) != len(stated):
        raise DiscrepancyError(f"{of}: an account stands there twice")
    for account in sorted(found.keys() | recomputed.keys()):
        stored, expected = found.get(account, 0), recomputed.get(account, 0)
        if stored != expected:
            raise differs(f"{of}: {shown(account)}", stored=stored, recomputed=expected)


def _digest(totals: DayTotals) -> bytes:
    return sha256(repr(totals).encode()).digest()
