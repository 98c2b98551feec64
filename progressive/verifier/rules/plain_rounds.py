"""HOT. Plain rounds, entered without decoding: the record that must stand there is predicted.

Nearly every record is one of two: a lock-out, or a settlement that says no more than that the round
is over. What such a record must say follows from its wagers and the books; so its text is written
here and compared, byte for byte, with what is stored. Only where they are the same is it entered.
In every other case nothing is entered and nothing is said: `Books` judges the record then, and
finds the words for what is wrong.
"""

import re
from dataclasses import dataclass
from typing import Final

from progressive.verifier.record import Record
from progressive.verifier.recorded.limits import CENTS_MAX
from progressive.verifier.recorded.table_events import RoundSettled, WagersRegistered
from progressive.verifier.recorded.values import (
    DealerCards,
    PlainWagers,
    Stake,
    Wager,
)
from progressive.verifier.rules.books import Books
from progressive.verifier.rules.dealer_hand import has_wager_on_the_dealer
from progressive.verifier.rules.lost_rounds import RoundCards, lost_round
from progressive.verifier.rules.prepared_locks import PreparedLock, PreparedLocks
from progressive.verifier.rules.tables import AuditedTable

_TIME_LENGTH: Final = len("2026-01-31T23:59:59.999999Z")
_SEATS_MAX: Final = 1_000
"""Lists of seats that are remembered, and the highest number of a seat in them."""

_NAME: Final = r'([^"\\\x00-\x1f]*+)'
_ROUND: Final = r"([!#-\[\]-~]++)"
"""Visible ASCII without a space: nothing that a rule on texts could object to."""
_NUMBER: Final = "([1-9][0-9]{0,17}+)"
_NUMBERS: Final = "([1-9][0-9]{0,10}+(?:,[1-9][0-9]{0,10}+)*+)"
_OF_ROUND: Final = rf'"table":"{_NAME}","table_seq":{_NUMBER},"round":"{_ROUND}",'
_LOCK: Final = re.compile(rf'wagers_registered",{_OF_ROUND}"terms_version":{_NUMBER},"wagers":\[')
_PLAIN: Final = re.compile(
    rf'\],"plain":\["([^"\\\x00-\x1f]{{0,64}}+)",{_NUMBER},\[{_NUMBERS}\],\[{_NUMBERS}\]\],'
)
_LISTED_ENDS: Final = '}],"chips_counted":'
_SETTLEMENT: Final = re.compile(rf'round_settled",{_OF_ROUND}"dealer":\{{"cards":\[')
_AWARDS: Final = ',"awards":[{'
_NOT_KEYED: Final[RoundCards] = DealerCards(), (), False


@dataclass(slots=True)
class _Wagers:
    """The wagers of a lock-out that are beyond doubt."""

    listed: tuple[Wager, ...]
    plain: PlainWagers | None
    count: int
    stakes: tuple[Stake, ...]
    chips_counted: int
    end_at: int
    """Where the rest of the record begins, which follows from them."""


@dataclass(slots=True)
class _Seats:
    seats: tuple[int, ...]
    highest: int


class PlainRounds:
    """Enters plain records into books."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._prepared = PreparedLocks(books.accounts)
        self._seats: dict[str, _Seats] = {}
        self._primaries: list[int] = []
        self._primaries_text = ""

    def enter(self, stored: bytes, seq: int, head: str) -> Record | None:
        """Enter a plain record that follows `head`; None, and nothing done, for any other.

        Its time is taken as it stands: whoever calls looks at that.
        """
        books = self._books
        try:
            text = stored.decode()
        except UnicodeDecodeError:
            return None
        begins = f'{{"seq":{seq},"at":"'
        at_ends = len(begins) + _TIME_LENGTH
        joins = f'","prev":"{head}","event":{{"type":"'
        if (
            not text.startswith(begins)
            or not text.startswith(joins, at_ends)
            or books.terms is None
            or books.retirement.done
            # The first record of a day is not: `Books` remembers where the day before it ended.
            or text[len(begins) : at_ends] >= books.days.counted.ends
        ):
            return None
        begins_at = at_ends + len(joins)
        event = self._lock(text, begins_at) or self._settle(text, begins_at)
        return None if event is None else Record(seq, text[len(begins) : at_ends], head, event)

    # --- a lock-out --------------------------------------------------------------------------

    def _lock(self, text: str, begins_at: int) -> WagersRegistered | None:
        found = _LOCK.match(text, begins_at)
        if found is None:
            return None
        name, table_seq, round_, version = found.groups()
        books, accounts = self._books, self._books.accounts
        table = books.tables.get(name)
        if (
            table is None
            or table.opened is not None
            or table.last_round == round_
            or table.last_seq + 1 != int(table_seq)
            or books.terms_version != int(version)
        ):
            return None
        self._prepared.forget_former_terms()
        end = found.end()
        wagers = self._plain(name, text, end) or self._listed(name, text, end)
        if wagers is None:
            return None
        lock = self._prepared.lock(wagers.stakes, wagers.chips_counted)
        primaries = [m.primary + add for m, add in zip(accounts.meters, lock.adds, strict=True)]
        primaries_text = ",".join(map(str, primaries))
        if text[wagers.end_at :] != f"{lock.text}{primaries_text}]}}}}":
            return None
        self._primaries, self._primaries_text = primaries, primaries_text
        event = WagersRegistered(
            table=name,
            table_seq=table.last_seq + 1,
            round=round_,
            terms_version=books.terms_version,
            listed=wagers.listed,
            plain=wagers.plain,
            chips_counted=lock.chips_counted,
            stakes=lock.stakes,
            flows=lock.flows,
            hold=lock.hold,
            meters=tuple(primaries),
        )
        self._enter_lock(event, table, lock, wagers.count)
        return event

    def _enter_lock(
        self, event: WagersRegistered, table: AuditedTable, lock: PreparedLock, count: int
    ) -> None:
        books, totals = self._books, self._books.accounts.totals
        table.last_seq += 1
        table.opened, table.last_round = event, event.round
        for meter, flow in lock.moves:
            meter.move(flow)
        for bet, cents in lock.wagered:
            bet.wagered_cents += cents
        totals.wagers_chip += lock.chip_microcents
        totals.wagers_coupon += lock.coupon_microcents
        totals.hold += lock.hold
        books.rounds += 1
        books.wagers += count

    def _plain(self, table: str, text: str, begin_at: int) -> _Wagers | None:
        """Chips of one amount on one bet, in their short form."""
        found = _PLAIN.match(text, begin_at)
        if found is None:
            return None
        bet_id, amount, seats_text, bases_text = found.groups()
        bet = self._books.accounts.bet_by_id.get(bet_id)
        seats = self._seats_of(seats_text)
        amount_cents = int(amount)
        bases = tuple(map(int, bases_text.split(",")))
        if (
            bet is None
            or seats is None
            or len(bases) != len(seats.seats)
            or not bet.min_cents <= amount_cents <= bet.max_cents
        ):
            return None
        lowest = min(bases)
        if (
            lowest < bet.base_min_cents
            or (bet.capped_by_base_wager and amount_cents > lowest)
            or not self._fit(table, seats.highest, lowest, max(bases))
        ):
            return None
        count = len(bases)
        return _Wagers(
            (),
            PlainWagers(bet_id, amount_cents, seats.seats, bases),
            count,
            (Stake(bet_id, amount_cents * count, 0),),
            count if bet.meters else 0,
            found.end(),
        )

    def _listed(self, table: str, text: str, begin_at: int) -> _Wagers | None:
        """Wagers one by one: on several bets, of several amounts, or coupons."""
        end_at = text.find(_LISTED_ENDS, begin_at)
        if end_at < 0 or text[begin_at] != "{":
            return None
        listed = self._prepared.listed(text[begin_at + 1 : end_at])
        if listed is None or not self._fit(
            table, listed.highest_seat, listed.lowest_base_cents, listed.highest_base_cents
        ):
            return None
        return _Wagers(
            listed.wagers,
            None,
            len(listed.wagers),
            listed.stakes,
            listed.chips_counted,
            end_at + len("}],"),
        )

    def _fit(self, table: str, highest_seat: int, lowest_base: int, highest_base: int) -> bool:
        """Whether seats and base wagers are those of the recorded table, where one is recorded."""
        if self._books.floor is None:
            return highest_base <= CENTS_MAX
        recorded = self._books.recorded_tables.get(table)
        return (
            recorded is not None
            and highest_seat <= recorded.seats
            and recorded.base_min_cents <= lowest_base
            and highest_base <= (recorded.base_max_cents or CENTS_MAX)
        )

    def _seats_of(self, text: str) -> _Seats | None:
        """The seats of a list; None where one stands there twice, or cannot be one."""
        seats = self._seats.get(text)
        if seats is None:
            numbers = tuple(map(int, text.split(",")))
            if len(set(numbers)) != len(numbers) or max(numbers) > _SEATS_MAX:
                return None
            if len(self._seats) >= _SEATS_MAX:
                self._seats.clear()
            seats = self._seats[text] = _Seats(numbers, max(numbers))
        return seats

    # --- a settlement ------------------------------------------------------------------------

    def _settle(self, text: str, begins_at: int) -> RoundSettled | None:
        if _AWARDS in text:
            return None
        found = _SETTLEMENT.match(text, begins_at)
        if found is None:
            return None
        name, table_seq, round_ = found.groups()
        books = self._books
        table = books.tables.get(name)
        opened = None if table is None else table.opened
        if (
            table is None
            or opened is None
            or opened.round != round_
            or table.early is not None
            or table.last_seq + 1 != int(table_seq)
        ):
            return None
        primaries = [meter.primary for meter in books.accounts.meters]
        if primaries != self._primaries:
            self._primaries, self._primaries_text = primaries, ",".join(map(str, primaries))
        on_dealer = has_wager_on_the_dealer(opened, books.in_force[opened.terms_version])
        decided = ',"dealer_decides":true' if on_dealer else ""
        ends = f',"meters":[{self._primaries_text}]{decided}}}}}'
        dealer, seats, complete = _NOT_KEYED
        if on_dealer or text[found.end() :] != f']}},"seats":[],"complete":false{ends}':
            in_force = books.in_force[opened.terms_version]
            lost = lost_round(text, found.end(), ends, opened, in_force)
            if lost is None:
                return None
            dealer, seats, complete = lost
            books.check_zone(opened)
            books.dealer_decides = books.dealer_decides or on_dealer
        table.last_seq += 1
        table.opened = None
        return RoundSettled(
            table=name,
            table_seq=table.last_seq,
            round=round_,
            dealer=dealer,
            seats=seats,
            complete=complete,
            meters=tuple(primaries),
            dealer_decides=on_dealer,
        )
