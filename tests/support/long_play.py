"""A floor that plays for days in a few seconds: the service's own rules, without socket or disk.

Every record is decided, applied and encoded as the service does it (`application.link.batch`), so
that what comes out is what it would have written. Only the clock, the tables and the people are
made up here.
"""

import random
from collections import deque
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.record import GENESIS, encode_record, hash_record
from progressive.application.link.appender import CHECKPOINT_EVERY
from progressive.application.link.batch import NOBODY, ActSubmission, Batch
from progressive.application.link.moment import moment
from progressive.application.link.snapshot import digest_of, encode_state
from progressive.application.link.take_over import terms_digest
from progressive.domain.acts import (
    ApprovePayment,
    ApproveTerms,
    ApproveVoid,
    PayAward,
    PersonsAct,
    ProposeVoid,
    SignOn,
    ValidateAward,
    ValidateRound,
)
from progressive.domain.commands import (
    DealerCards,
    RegisterWagers,
    SeatCards,
    SettleRound,
    TableCommand,
    VoidRound,
    Wager,
)
from progressive.domain.decide.decide import open_link
from progressive.domain.decide.plain_round import PlainRounds
from progressive.domain.decide.terms import approve_terms
from progressive.domain.events import Checkpointed, Event
from progressive.domain.ids import BetId, RoundId, TableId
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.floor_record import FloorRecord
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.award_state import Award
from progressive.domain.state.evolve import apply
from progressive.domain.state.link_state import LinkState

SEATS: Final = range(1, 8)
BASES_CENTS: Final = (1_500, 2_500, 2_500, 2_500, 5_000, 5_000, 10_000, 12_500)
BUSTER_EVERY, VOID_EVERY, FIXED_EVERY, METER_EVERY = 20, 150, 50, 2_000
"""One round in so many has a wager on Buster beside the seven, is voided, has a winner of a fixed
line, has a winner of a meter."""
AWARD_VOID_EVERY: Final = 25
"""One award in so many turns out to be none."""
SIGN_ON_EVERY: Final = 400
"""One batch in so many brings a dealer to a table."""

SUE, SID = Signature("Sue", "Table games"), Signature("Sid", "Table games")
FAY, FIN = Signature("Fay", "Cage"), Signature("Fin", "Cage")
ADA = Signature("Ada", "Accounts")
DEALERS: Final = tuple(Signature(f"Dealer {number}", "Table games") for number in range(40))

_WAGERS: Final = {
    (seat, base): Wager(seat, BetId("blazing7"), 500, base)
    for seat in SEATS
    for base in BASES_CENTS
}
_METER_CARDS: Final = (*((("7s", "7c", "7s"),) * 12), *((("7s", "7s", "7s"),) * 3), ("7d",) * 3)
_BUSTED, _STOOD = ("Ts", "6h", "Kc"), ("Ts", "8h")


class Committed(Struct, frozen=True):
    """What one commit of the service wrote."""

    epoch: int
    first_seq: int
    records: list[bytes]
    head: str
    """Hash of the last of them."""
    at: str
    snapshot: bytes | None = None
    """The state before its one record, which confirms it."""

    @property
    def last_seq(self) -> int:
        return self.first_seq + len(self.records) - 1


class Pace(Struct, frozen=True, kw_only=True):
    """When the floor plays, and how many records one commit takes on the average."""

    begins: datetime
    seconds_a_record: float
    batch: int = 0
    """So many records a commit; 0: two to five, as at a real floor."""
    days: GamingDays | None = None
    """Where given, a checkpoint is made when a gaming day turns."""


class LongPlay:
    """One link that plays on and on."""

    def __init__(self, rules: LinkRules, floor: FloorRecord, pace: Pace, *, seed: int) -> None:
        self.state = LinkState(link=rules.id)
        self.head = GENESIS
        self.at = ""
        self.epoch = 1
        self.awards: list[tuple[str, str]] = []
        """Every award that is paid against a document, and when it was made."""
        self.rounds = 0
        self.first_messages: dict[TableId, RegisterWagers] = {}
        self._rules = rules
        self._plain = PlainRounds(rules)
        self._floor = floor
        self._pace = pace
        self._random = random.Random(seed)
        self._zone = ZoneInfo(rules.time_zone)
        self._now = pace.begins
        self._day_ends = ""
        self._checkpoint_seq = 0
        self._acts: deque[PersonsAct] = deque()
        self._tables = [table.id for table in rules.tables]
        self._numbers = dict.fromkeys(self._tables, 0)
        self._round_numbers = dict.fromkeys(self._tables, 0)
        self._open: dict[TableId, tuple[RoundId, bool]] = {}

    # --- what happens on the floor -----------------------------------------------------------

    def open(self) -> Committed:
        """The first record."""
        self._tick(0)
        return self._alone(open_link(self._rules, self._floor))

    def play(self, until_seq: int) -> Iterator[Committed]:
        """Commits up to a record or a few more, with the checkpoints in between."""
        while self.state.seq < until_seq:
            size = self._pace.batch or self._random.choice((2, 3, 3, 4, 5))
            self._tick(size)
            if self._day_is_over() or self.state.seq - self._checkpoint_seq >= CHECKPOINT_EVERY:
                yield self.checkpoint()
                if self.state.seq >= until_seq:
                    return
            yield self._batch(min(size, until_seq - self.state.seq))

    def restart(self) -> Iterator[Committed]:
        """The service is stopped, which saves a snapshot, and started: a new epoch."""
        if self.state.seq > self._checkpoint_seq:
            yield self.checkpoint()
        self.epoch += 1

    def change_terms(self, rules: LinkRules) -> Iterator[Committed]:
        """A start with another floor file, which two people approve; a start again with each."""
        yield from self.restart()
        for by in (FAY, SUE):
            self.epoch += 1
            self._tick(30)
            act = ApproveTerms(rules.terms, terms_digest(rules.terms), by, "as agreed")
            event = approve_terms(self.state, act)
            assert not isinstance(event, Refusal), event
            yield self._alone(event)
        self._rules, self._plain = rules, PlainRounds(rules)

    def checkpoint(self) -> Committed:
        """A snapshot that the chain confirms."""
        body = encode_state(self.state)
        event = Checkpointed(
            state_digest=digest_of(body), meters=self.state.primaries, times_hold=True
        )
        done = self._alone(event, snapshot=body)
        self._checkpoint_seq = self.state.seq
        return done

    # --- its parts ---------------------------------------------------------------------------

    def _tick(self, records: int) -> None:
        mean = records * self._pace.seconds_a_record
        self._now += timedelta(seconds=self._random.uniform(0.5, 1.5) * mean)
        self.at = self._now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def _day_is_over(self) -> bool:
        days = self._pace.days
        if days is None or self.at < self._day_ends:
            return False
        began = bool(self._day_ends)
        self._day_ends = days.ends(days.day_of(self.at))
        return began

    def _alone(self, event: Event, *, snapshot: bytes | None = None) -> Committed:
        record = encode_record(self.state.seq + 1, self.at, self.head, event)
        apply(self.state, event)
        self.head = hash_record(record)
        return Committed(self.epoch, self.state.seq, [record], self.head, self.at, snapshot)

    def _batch(self, size: int) -> Committed:
        first_seq = self.state.seq + 1
        batch = Batch(
            self.state,
            self.head,
            rules=self._rules,
            plain=self._plain,
            when=moment(self.at, self._zone),
        )
        if self._random.randrange(SIGN_ON_EVERY) == 0:
            dealer = self._random.choice(DEALERS)
            self._acts.append(SignOn(self._random.choice(self._tables), dealer))
        while len(batch.records) < size:
            # People are slower than tables: at the most one act a commit.
            if self._acts and not batch.records:
                batch.decide(ActSubmission(self._acts.popleft(), NOBODY))
            else:
                table = self._tables[int(self._random.random() * len(self._tables))]
                batch.decide_message(table, self._message(table), NOBODY)
        batch.close()
        assert not batch.refused, batch.refused
        self.state, self.head = batch.draft, batch.head
        for seq, _ in batch.settled:
            won = [each for each in self.state.awards.values() if each.journal_seq == seq]
            self._acts.extend(self._acts_for(won))
        return Committed(self.epoch, first_seq, batch.records, batch.head, self.at)

    def _message(self, table: TableId) -> TableCommand:
        self._numbers[table] = seq = self._numbers[table] + 1
        opened = self._open.pop(table, None)
        if opened is None:
            return self._lock(table, seq)
        round_id, buster = opened
        draw = self._random.random()
        if draw < 1 / VOID_EVERY:
            return VoidRound(seq, round_id, "misdeal")
        seats: tuple[SeatCards, ...] = ()
        dealer: tuple[str, ...] = ()
        if draw > 1 - 1 / METER_EVERY:
            seats, dealer = (self._seat(self._random.choice(_METER_CARDS)),), ("5s",)
        elif draw > 1 - 1 / FIXED_EVERY:
            seats, dealer = (self._seat(("7s", "7h")),), ("5s",)
        if buster:
            dealer = self._random.choice((_BUSTED, _STOOD))
        return SettleRound(seq, round_id, DealerCards(dealer), seats, complete=False)

    def _lock(self, table: TableId, seq: int) -> RegisterWagers:
        self._round_numbers[table] = number = self._round_numbers[table] + 1
        round_id = RoundId(f"{table}-{number}")
        bases = self._random.choices(BASES_CENTS, k=len(SEATS))
        wagers = tuple([_WAGERS[place] for place in zip(SEATS, bases, strict=True)])
        buster = self._random.randrange(BUSTER_EVERY) == 0
        if buster:
            seat = self._random.choice(SEATS)
            wagers += (Wager(seat, BetId("buster"), 1_000, bases[seat - 1]),)
        self._open[table] = (round_id, buster)
        self.rounds += 1
        lock = RegisterWagers(seq, round_id, wagers, chips_counted=len(SEATS))
        if seq == 1:
            self.first_messages[table] = lock
        return lock

    def _seat(self, cards: tuple[str, ...]) -> SeatCards:
        return SeatCards(self._random.choice(SEATS), cards)

    def _acts_for(self, won: list[Award]) -> Iterator[PersonsAct]:
        """What people have to do about the awards of a round."""
        racks = [award for award in won if award.awaits_round]
        if racks:
            yield ValidateRound(racks[0].table, racks[0].round, SUE)
        for award in won:
            if award.made.pays_from == "rack":
                continue
            name = award.made.award
            self.awards.append((name, award.at))
            if self._random.randrange(AWARD_VOID_EVERY) == 0:
                yield ProposeVoid(name, SUE, "a light without a wager")
                yield ApproveVoid(name, SID)
                continue
            yield ValidateAward(name, SUE)
            for by in (FAY, ADA)[: award.made.approvers]:
                yield ApprovePayment(name, by)
            yield PayAward(name, FIN)
