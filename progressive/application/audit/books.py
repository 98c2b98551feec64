"""COLD. The audit's own books: numbering, rounds and terms; every amount is computed again.

Written from the recorded terms alone. It must never borrow from `decide`, `evolve` or `ledger`:
a mistake made there has to show here.
"""

from collections.abc import Sequence

from progressive.application.audit.accounts import Accounts
from progressive.application.audit.bases import check_bases
from progressive.application.audit.corrections import Corrections
from progressive.application.audit.dealer_hand import has_wager_on_the_dealer
from progressive.application.audit.differences import flows_differ
from progressive.application.audit.findings import DiscrepancyError, differs, shown
from progressive.application.audit.floor import check_floor, check_recorded, check_seats
from progressive.application.audit.guard import check_clock_step, check_loss
from progressive.application.audit.longer_odds import check_odds
from progressive.application.audit.purge import check_purge
from progressive.application.audit.register import Register
from progressive.application.audit.retirement import Retirement
from progressive.application.audit.settlement import (
    RoundInPlay,
    enter_early,
    enter_settlement,
    moves_nothing,
)
from progressive.application.audit.tables import AuditedTable, Tables
from progressive.application.audit.terms import TermsInForce, audited_bets
from progressive.application.audit.terms_change import (
    bets_after,
    bets_reopened,
    check_approved,
    check_proposed,
)
from progressive.application.audit.texts import check_texts
from progressive.application.audit.treatment import treatment
from progressive.application.audit.voids import check_void_signed, enter_void
from progressive.application.journal.record import Record
from progressive.domain.award_events import (
    AwardMade,
    AwardMoney,
    AwardPaid,
    AwardVoided,
    RoundValidated,
)
from progressive.domain.events import (
    Checkpointed,
    FloorRecorded,
    LinkOpened,
    LinkReopened,
    MeterFlow,
    RoundSettled,
    RoundVoided,
    SettledEarly,
    WagersRegistered,
)
from progressive.domain.guard_events import ClockStepped, GuardEvent, LossAccepted, SegmentsPurged
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.person_events import (
    ActEvent,
    AlarmAcknowledged,
    CorrectionApproved,
    CorrectionProposed,
    CorrectionRefused,
    LinkRetired,
    RetirementProposed,
    RetirementWithdrawn,
    TermsChanged,
    TermsProposed,
)
from progressive.domain.rulebook.floor_record import FloorRecord, RecordedTable
from progressive.domain.rulebook.house_terms import HouseTerms
from progressive.domain.rulebook.rules import LinkTerms


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
            self._open(event)
            return
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
                self._reopen(event)
            case FloorRecorded():
                self._record_floor(event)
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

    def _open(self, event: LinkOpened) -> None:
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
        self._adopt(event.terms, event.terms_version)
        if event.floor is not None:
            check_floor(event.floor)
            self._take_floor(event.floor)

    def _record_floor(self, event: FloorRecorded) -> None:
        check_recorded(event, self.floor, self.terms, self.tables)
        self._take_floor(event.floor)
        if event.terms is not None:
            self._adopt(event.terms, self.terms_version)

    def _reopen(self, event: LinkReopened) -> None:
        if event.terms_version != self.terms_version + 1:
            raise differs(
                "terms_version", stored=event.terms_version, recomputed=self.terms_version + 1
            )
        if self.corrections.proposed:
            raise DiscrepancyError("the link is opened again while a correction is proposed")
        bets = bets_reopened(event, self.accounts, self.terms)
        self.accounts.install(bets, event.funding)
        self.terms_proposed = None
        self._adopt(event.terms, event.terms_version)

    def _lock(self, event: WagersRegistered) -> None:
        self.tables.lock(event)
        if event.terms_version != self.terms_version:
            raise differs(
                "terms_version", stored=event.terms_version, recomputed=self.terms_version
            )
        if self.floor is not None:
            table = self.recorded_tables.get(event.table)
            if table is None:
                raise DiscrepancyError(f"the recorded floor has no table {shown(event.table)}")
            check_seats(event, table)
            check_bases(event, table)
        self.accounts.lock(event)
        self.rounds += 1
        self.wagers += len(event.wagers)

    def _settle(self, event: RoundSettled, record: Record) -> None:
        table, opened = self.tables.in_round(event)
        self._check_mark(event, opened)
        keyed = (
            event.dealer_decides
            or event.seats
            or event.dealer.cards
            or (event.complete and opened.wagers)
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
        event: ActEvent | SettledEarly | Checkpointed | GuardEvent,
        record: Record,
        stored: bytes,
    ) -> None:
        """What people did, and the rare rest."""
        accounts = self.accounts
        match event:
            case SettledEarly():
                self._settle_early(event, record)
            case Checkpointed():
                _check_digest(event.state_digest)
            case AwardVoided():
                open_before = dict(self.register.awards)
                voided = enter_void(event, self.register, accounts.meter_by_id, accounts.totals)
                self.tables.forget_early(voided.table, event.award)
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
            case TermsChanged():
                self._change_terms(event, stored)
            case LossAccepted():
                check_loss(event, record)
                self.losses.append(event)
            case ClockStepped():
                check_clock_step(event, record)
                self.clock_steps.append(event)
            case SegmentsPurged():
                check_purge(event, record, self.purged, began_after=self.began_after)
                self.purged = event
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

    def _change_terms(self, event: TermsChanged, stored: bytes) -> None:
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
        self._adopt(event.terms, event.terms_version)

    # --- parts -------------------------------------------------------------------------------

    def _take_floor(self, floor: FloorRecord) -> None:
        self.floor = floor
        self.recorded_tables = {table.id: table for table in floor.tables}

    def _adopt(self, terms: LinkTerms, version: int) -> None:
        self.terms, self.terms_version = terms, version
        self.in_force[version] = TermsInForce(terms)

    def _played(self, record: Record, table: AuditedTable, opened: WagersRegistered) -> RoundInPlay:
        in_force = self.in_force[opened.terms_version]
        return RoundInPlay(self.link, record.seq, record.at, opened, in_force, table.early)

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
        of_round = self.in_force[opened.terms_version].terms.house
        if (treated := treatment(of_round, self._house, record.at)) is not None:
            treated.check_awards(awards, early=early)

    def _count(self, awards: Sequence[AwardMade]) -> None:
        self.awards_made += len(awards)
        self.awards_from_rack += sum([made.status == "payable" for made in awards])


def _check_digest(digest: str) -> None:
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise DiscrepancyError(f"state_digest {shown(digest)} is no SHA-256")
