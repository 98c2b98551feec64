"""The verifier's own books: numbering, rounds and terms; every amount is computed again.

Written from the recorded terms alone. It must never borrow from `decide`, `evolve` or `ledger`:
a mistake made there has to show here.
"""

from collections.abc import Sequence

from progressive.verifier.findings import DiscrepancyError, differs, shown
from progressive.verifier.record import Record, read_time
from progressive.verifier.recorded.award_events import (
    AwardMade,
    AwardMoney,
    AwardPaid,
    AwardVoided,
    RoundValidated,
)
from progressive.verifier.recorded.events import ActEvent, FinanceEvent, GuardEvent
from progressive.verifier.recorded.finance_events import DayClosed, DayPrepared, FinanceEntered
from progressive.verifier.recorded.guard_events import ClockStepped, LossAccepted, SegmentsPurged
from progressive.verifier.recorded.house import FloorRecord, HouseTerms, RecordedTable
from progressive.verifier.recorded.limits import MICROCENTS_PER_CENT
from progressive.verifier.recorded.person_events import (
    AlarmAcknowledged,
    CorrectionApproved,
    CorrectionProposed,
    CorrectionRefused,
    DealerSignedOn,
    LinkRetired,
    RetirementProposed,
    RetirementWithdrawn,
    TermsChanged,
    TermsProposed,
)
from progressive.verifier.recorded.table_events import (
    Checkpointed,
    FloorRecorded,
    LinkOpened,
    LinkReopened,
    RoundSettled,
    RoundVoided,
    SettledEarly,
    WagersRegistered,
)
from progressive.verifier.recorded.terms import LinkTerms
from progressive.verifier.recorded.values import MeterFlow
from progressive.verifier.rules.accounts import Accounts
from progressive.verifier.rules.bases import check_bases
from progressive.verifier.rules.closed_days import ClosedDays, Position
from progressive.verifier.rules.corrections import Corrections
from progressive.verifier.rules.dealer_hand import has_wager_on_the_dealer
from progressive.verifier.rules.differences import flows_differ
from progressive.verifier.rules.floor import check_floor, check_recorded, check_seats
from progressive.verifier.rules.guard import check_clock_step, check_loss
from progressive.verifier.rules.longer_odds import check_odds
from progressive.verifier.rules.purge import check_purge
from progressive.verifier.rules.register import Register
from progressive.verifier.rules.retirement import Retirement
from progressive.verifier.rules.settlement import (
    RoundInPlay,
    enter_early,
    enter_settlement,
    moves_nothing,
)
from progressive.verifier.rules.tables import AuditedTable, Tables
from progressive.verifier.rules.terms import TermsInForce, audited_bets
from progressive.verifier.rules.terms_change import (
    bets_after,
    bets_reopened,
    check_approved,
    check_proposed,
)
from progressive.verifier.rules.texts import check_texts
from progressive.verifier.rules.treatment import treatment, zone_of
from progressive.verifier.rules.voids import check_void_signed, enter_void


class Books:
    """A link's money and numbering as its journal tells them."""

    def __init__(self, link: str) -> None:
        self.link = link
        self.terms: LinkTerms | None = None
        self.terms_version = 0
        self.terms_proposed: TermsProposed | None = None
        self.in_force: dict[int, TermsInForce] = {}
        """All terms there ever were, by version: open rounds keep theirs."""
        self.floor: FloorRecord | None = None
        """What was last recorded of the floor file. None: by older programs only."""
        self.recorded_tables: dict[str, RecordedTable] = {}
        """Its tables, by id."""
        self.tables = Tables()
        self.accounts = Accounts()
        self.register = Register(link)
        self.corrections = Corrections(link)
        self.retirement = Retirement()
        self.days = ClosedDays()
        self.dealer_decides = False
        """Whether the dealer's hand decides all wagers on it: not so in journals of 0.1.0."""
        self.losses: list[LossAccepted] = []
        """What two people accepted to be missing."""
        self.clock_steps: list[ClockStepped] = []
        self.began_after = 0
        """The last purged record: what was before it is not known."""
        self.purged: SegmentsPurged | None = None
        """The newest purge."""
        self.rounds = 0
        self.voided = 0
        self.wagers = 0
        self.awards_made = 0
        self.awards_from_rack = 0

    def enter(self, record: Record, stored: bytes) -> None:
        """Take one record in; raises DiscrepancyError where it is not what it should be."""
        event = record.event
        if self.terms is None:
            if not isinstance(event, LinkOpened):
                raise DiscrepancyError("a journal begins with link_opened")
            self._open(event, record.at)
            return
        if record.at >= self.days.counted.ends:
            self.end_days(record)
        self.retirement.refuse_after(event)
        if self.floor is not None:
            check_texts(event)
        match event:
            case WagersRegistered():
                self._lock(event)
            case RoundSettled():
                self._settle(event, record)
            case RoundVoided():
                self._void(event)
            case LinkReopened():
                self._reopen(event, record.at)
            case FloorRecorded():
                self._record_floor(event, record.at)
            case LinkOpened():
                raise DiscrepancyError("the link is opened a second time")
            case _:
                self._enter_act(event, record, stored)
        self.accounts.check_meters(event.meters)

    def check_balance(self) -> None:
        """Everything that came in lies somewhere, and what is owed is owed to somebody."""
        self.accounts.check_balance()
        if self.accounts.totals.pending != (owed := self.register.owed):
            raise differs("pending", stored=self.accounts.totals.pending, recomputed=owed)

    # --- events ------------------------------------------------------------------------------

    def _open(self, event: LinkOpened, at: str) -> None:
        if event.link != self.link:
            raise DiscrepancyError(f"this is the journal of {shown(event.link)}")
        if event.terms_version < 1:
            raise DiscrepancyError(f"{shown(event.terms_version)} is no version of terms")
        bets = audited_bets(event.terms)
        meters = [meter for bet in bets for meter in bet.meters]
        expected = tuple([MeterFlow(meter.id, meter.primary, 0, 0) for meter in meters])
        if event.funding != expected:
            raise flows_differ("funding", event.funding, expected)
        self.accounts.install(bets, event.funding)
        self.dealer_decides = event.dealer_decides
        self._adopt(event.terms, event.terms_version, at)
        if event.terms.house is not None:
            self.days.begin()
        if event.floor is not None:
            check_floor(event.floor)
            self._take_floor(event.floor)

    def _record_floor(self, event: FloorRecorded, at: str) -> None:
        check_recorded(event, self.floor, self.terms, self.tables)
        self._take_floor(event.floor)
        if event.terms is not None:
            self._adopt(event.terms, self.terms_version, at)

    def _reopen(self, event: LinkReopened, at: str) -> None:
        if event.terms_version != self.terms_version + 1:
            raise differs(
                "terms_version", stored=event.terms_version, recomputed=self.terms_version + 1
            )
        if self.corrections.proposed:
            raise DiscrepancyError("the link is opened again while a correction is proposed")
        bets = bets_reopened(event, self.accounts, self.terms)
        self.accounts.install(bets, event.funding)
        self.terms_proposed = None
        self._adopt(event.terms, event.terms_version, at)

    def _lock(self, event: WagersRegistered) -> None:
        self.tables.lock(event)
        wagers = event.wagers
        if event.terms_version != self.terms_version:
            raise differs(
                "terms_version", stored=event.terms_version, recomputed=self.terms_version
            )
        if self.floor is not None:
            table = self.recorded_tables.get(event.table)
            if table is None:
                raise DiscrepancyError(f"the recorded floor has no table {shown(event.table)}")
            check_seats(event.table, wagers, table)
            check_bases(event.table, wagers, table)
        self.accounts.lock(event, wagers)
        self.rounds += 1
        self.wagers += len(wagers)

    def _settle(self, event: RoundSettled, record: Record) -> None:
        table, opened = self.tables.in_round(event)
        self._check_mark(event, opened)
        keyed = (
            event.dealer_decides
            or event.seats
            or event.dealer.cards
            or (event.complete and (opened.plain or opened.listed))
        )
        if keyed or event.awards:
            played = self._played(record, table, opened)
            accounts = self.accounts
            enter_settlement(event, played, self.register, accounts.meter_by_id, accounts.totals)
            self._check_treated(event.awards, opened, record)
            self._count(event.awards)
        elif not moves_nothing(event):
            raise DiscrepancyError("a round without awards moves nothing")
        table.opened = table.early = None

    def _check_mark(self, event: RoundSettled, opened: WagersRegistered) -> None:
        """A round with a wager on the dealer's hand says so, once the journal has begun to."""
        on_dealer = has_wager_on_the_dealer(opened, self.in_force[opened.terms_version])
        if event.dealer_decides and not on_dealer:
            raise DiscrepancyError("no wager of the round waits for the dealer's hand")
        if on_dealer and self.dealer_decides and not event.dealer_decides:
            raise DiscrepancyError("a wager on the dealer's hand is settled without it")
        self.dealer_decides = self.dealer_decides or event.dealer_decides

    def _settle_early(self, event: SettledEarly, record: Record) -> None:
        table, opened = self.tables.in_round(event)
        played = self._played(record, table, opened)
        enter_early(event, played, self.register, self.accounts.totals)
        self._check_treated(event.awards, opened, record, early=True)
        self._count(event.awards)
        table.early = event

    def _void(self, event: RoundVoided) -> None:
        table, opened = self.tables.in_round(event)
        if table.early is not None:
            raise DiscrepancyError("a misdeal, though the round was paid upon before the peek")
        check_void_signed(event, opened, self.in_force[opened.terms_version].terms, self.register)
        table.opened = None
        self.accounts.give_back(event, opened)
        self.voided += 1

    def _enter_act(
        self,
        event: ActEvent | FinanceEvent | SettledEarly | Checkpointed | GuardEvent,
        record: Record,
        stored: bytes,
    ) -> None:
        """What people did, and the rare rest."""
        accounts = self.accounts
        match event:
            case SettledEarly():
                self._settle_early(event, record)
            case DealerSignedOn():
                self.register.sign_on(event, seq=record.seq)
            case Checkpointed():
                _check_digest(event.state_digest)
            case AwardVoided():
                open_before = dict(self.register.awards)
                voided = enter_void(event, self.register, accounts.meter_by_id, accounts.totals)
                self.tables.forget_early(voided.table, event.award)
                self.days.positions.booked[record.seq] = event.flows
                if (treated := treatment(None, self._house, record.at)) is not None:
                    treated.check_changes(event.changes, open_before)
            case AwardPaid() | RoundValidated():
                # Older versions took numbers that differ in case for two.
                self.register.one_case = self.floor is not None
                self.register.enter(event)
                accounts.totals.move(
                    AwardMoney(
                        pending=-event.cents * MICROCENTS_PER_CENT,
                        paid=event.cents * MICROCENTS_PER_CENT,
                    )
                )
            case CorrectionProposed():
                self.corrections.propose(event, accounts.meter_by_id, seq=record.seq)
            case CorrectionRefused():
                self.corrections.refuse(event)
            case CorrectionApproved():
                self.corrections.approve(event, accounts.meter_by_id, accounts.totals)
                self.days.positions.booked[record.seq] = event.flows
            case TermsChanged():
                self._change_terms(event, stored, record.at)
            case LossAccepted():
                check_loss(event, record)
                self.losses.append(event)
            case ClockStepped():
                check_clock_step(event, record)
                self.clock_steps.append(event)
            case SegmentsPurged():
                check_purge(event, record, self.purged, began_after=self.began_after)
                self.purged = event
            case FinanceEntered():
                self.days.enter(event)
            case DayPrepared():
                self.days.prepare(event, record)
            case DayClosed():
                self.days.close(event, record)
            case TermsProposed():
                check_proposed(event, self.terms_proposed, asked=self.floor is not None)
                self.terms_proposed = event
            case RetirementProposed():
                self.retirement.propose(event, self._house, record.at)
            case RetirementWithdrawn():
                self.retirement.withdraw(event)
            case LinkRetired():
                self._retire(event, record.at)
            case AlarmAcknowledged():
                # Alarms are no part of the books: there is nothing to work out again.
                pass
            case _:
                self.register.enter(event)

    def _retire(self, event: LinkRetired, at: str) -> None:
        """Nothing may be left that could still move a meter."""
        if self.tables.in_play:
            raise DiscrepancyError("the link is retired while a round is open")
        if self.register.owed or self.register.count("pending") or self.register.count("validated"):
            raise DiscrepancyError("the link is retired while an award is open")
        if self.corrections.proposed:
            raise DiscrepancyError("the link is retired while a correction is proposed")
        self.retirement.retire(event, self.accounts.meters, self.accounts.totals, at)

    def _change_terms(self, event: TermsChanged, stored: bytes, at: str) -> None:
        check_approved(event, self.terms_proposed, stored, asked=self.floor is not None)
        if event.terms_version != self.terms_version + 1:
            raise differs(
                "terms_version", stored=event.terms_version, recomputed=self.terms_version + 1
            )
        bets = bets_after(
            event,
            self.accounts.ever_bets,
            self.accounts.ever_meters,
            self.accounts.meters,
            in_play=bool(self.tables.in_play or self.register.won),
        )
        if self.terms is not None:
            meters = self.accounts.meter_by_id
            check_odds(event, self.terms, meters, asked=self.floor is not None)
        self.accounts.install(bets, event.funding)
        self.terms_proposed = None
        self._adopt(event.terms, event.terms_version, at)

    # --- parts -------------------------------------------------------------------------------

    def end_days(self, record: Record) -> None:
        """The record is of a later day: remember where those before it ended."""
        read_time(record.at)

        def position(day: str, begins: str, ends: str) -> Position:
            return Position(
                day,
                begins,
                ends,
                record.seq - 1,
                record.prev,
                self.rounds,
                self.wagers,
                self.voided,
                self.accounts.balances(),
            )

        self.days.turn(record.at, position)

    def _take_floor(self, floor: FloorRecord) -> None:
        self.floor = floor
        self.recorded_tables = {table.id: table for table in floor.tables}

    def _adopt(self, terms: LinkTerms, version: int, at: str) -> None:
        self.terms, self.terms_version = terms, version
        knew = bool(self.days.counted.day)
        self.days.counted.count_by(terms.house, at)
        if not knew:
            self.days.begin_in_the_middle()
        self.in_force[version] = TermsInForce(terms)

    def _played(self, record: Record, table: AuditedTable, opened: WagersRegistered) -> RoundInPlay:
        in_force = self.in_force[opened.terms_version]
        return RoundInPlay(self.link, record.seq, record.at, opened.wagers, in_force, table.early)

    @property
    def _house(self) -> HouseTerms | None:
        return None if self.terms is None else self.terms.house

    def _check_treated(
        self,
        awards: Sequence[AwardMade],
        opened: WagersRegistered,
        record: Record,
        *,
        early: bool = False,
    ) -> None:
        if not awards:
            self.check_zone(opened)
            return
        of_round = self.in_force[opened.terms_version].terms.house
        if (treated := treatment(of_round, self._house, record.at)) is not None:
            treated.check_awards(awards, early=early)

    def check_zone(self, opened: WagersRegistered) -> None:
        """The zone that awards of a round are dated in exists, though the round has none."""
        house = self._house or self.in_force[opened.terms_version].terms.house
        if house is not None:
            zone_of(house)

    def _count(self, awards: Sequence[AwardMade]) -> None:
        self.awards_made += len(awards)
        self.awards_from_rack += sum([made.status == "payable" for made in awards])


def _check_digest(digest: str) -> None:
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise DiscrepancyError(f"state_digest {shown(digest)} is no SHA-256")
