"""The verifier's register of awards: each from pending to paid or void, and by whose hands."""

from collections import deque
from dataclasses import dataclass
from typing import Final, Literal

from progressive.verifier.findings import DiscrepancyError, differs, shown
from progressive.verifier.recorded.award_events import (
    AwardMade,
    AwardPaid,
    AwardValidated,
    PaymentApproved,
    RoundValidated,
    VoidProposed,
    VoidWithdrawn,
)
from progressive.verifier.recorded.limits import MICROCENTS_PER_CENT
from progressive.verifier.recorded.person_events import DealerSignedOn
from progressive.verifier.recorded.terms import AwardRounding, PaymentOrder
from progressive.verifier.recorded.values import Signature
from progressive.verifier.rules.awards import due_of
from progressive.verifier.rules.meter_payouts import Amounts, Fallback
from progressive.verifier.rules.people import (
    check_signed,
    check_two_departments,
    check_two_people,
    one_person,
)

FINALS_KEPT: Final = 500
"""Finished awards to hold a snapshot's against."""
_FINAL: Final = ("paid", "void")


@dataclass(slots=True)
class AuditedAward:
    """An award that people have to do with; named as a snapshot names it."""

    made: AwardMade
    journal_seq: int
    at: str
    table: str
    round: str
    dealt_by: Signature | None = None
    status: Literal["pending", "validated", "paid", "void"] = "pending"
    validated_by: Signature | None = None
    approved_by: tuple[Signature, ...] = ()
    void_proposed_by: Signature | None = None
    void_reason: str | None = None
    voided_by: Signature | None = None
    paid_by: Signature | None = None
    document: str | None = None
    manual_document: bool = False
    settled_seq: int = 0
    """The settlement of its round, where it was made before the peek and still waited then."""

    @property
    def filed_under(self) -> int:
        """The record whose awards are filed away together."""
        return self.settled_seq or self.journal_seq


@dataclass(frozen=True, slots=True)
class WonMeter:
    """A meter that a round won, as the round found it; named as a snapshot names it."""

    meter: str
    before: Amounts
    reset: Fallback
    order: PaymentOrder
    rounding: AwardRounding
    awards: tuple[str, ...]


class Register:
    """Awards that are open, and the numbers of those that were."""

    def __init__(self, link: str) -> None:
        self.dealers: dict[str, Signature] = {}
        self.sign_ons: dict[str, int] = {}
        """The record by which each of them signed on; not there where it was purged, and the state
        after it does not say."""
        self.awards: dict[str, AuditedAward] = {}
        """Of rounds in which some are open, in the order they were made."""
        self.won: dict[int, tuple[WonMeter, ...]] = {}
        """What it takes to settle such a round again, by its record."""
        self.finals: deque[AuditedAward] = deque(maxlen=FINALS_KEPT)
        self.documents = 0
        self.manual_documents: set[str] = set()
        self.one_case = False
        """Whether document numbers that differ in case only are one number."""
        self.paid = 0
        self.void = 0
        self._series = f"{link}-P"

    @property
    def owed(self) -> int:
        """What all open awards together are owed, in microcents."""
        cents = sum([due_of(each.made) for each in self.awards.values() if not is_final(each)])
        return cents * MICROCENTS_PER_CENT

    def count(self, status: str) -> int:
        """How many awards of the rounds that are open are in a status."""
        return sum([award.status == status for award in self.awards.values()])

    def sign_on(self, event: DealerSignedOn, *, seq: int) -> None:
        """Who deals at a table from this record on."""
        if event.dealer is None:
            self.dealers.pop(event.table, None)
            self.sign_ons.pop(event.table, None)
        else:
            self.dealers[event.table] = event.dealer
            self.sign_ons[event.table] = seq

    def enter(
        self,
        event: AwardValidated
        | PaymentApproved
        | RoundValidated
        | AwardPaid
        | VoidProposed
        | VoidWithdrawn,
    ) -> None:
        """Take an act in; raises where nobody could have done it."""
        match event:
            case AwardValidated():
                self._validate(self.open_award(event.award, event.by), event.by)
            case RoundValidated():
                self._validate_round(event)
            case PaymentApproved():
                self._approve(self.open_award(event.award, event.by), event.by)
            case AwardPaid():
                self._pay(self.open_award(event.award, event.by), event)
            case VoidProposed():
                award = self.open_award(event.award, event.by)
                if award.void_proposed_by is not None:
                    raise DiscrepancyError(f"a void of award {event.award} is proposed already")
                if not event.reason.strip():
                    raise DiscrepancyError(f"a void of award {event.award} without a reason")
                award.void_proposed_by, award.void_reason = event.by, event.reason
            case VoidWithdrawn():
                award = self.open_award(event.award, event.by)
                if award.void_proposed_by is None:
                    raise DiscrepancyError(f"no void of award {event.award} is proposed")
                award.void_proposed_by = award.void_reason = None

    def open_award(self, award: str, by: Signature) -> AuditedAward:
        """An award that somebody may still do something about."""
        found = self.awards.get(award)
        if found is None:
            raise DiscrepancyError(f"no award {shown(award)} is open")
        if is_final(found):
            raise DiscrepancyError(f"award {award} is {found.status}: it is not open any more")
        check_signed(f"award {award}", by)
        return found

    def file_away(self, journal_seq: int) -> None:
        """A round whose awards are all finished is not settled again."""
        of_round = [each for each in self.awards.values() if each.filed_under == journal_seq]
        if all(is_final(each) for each in of_round):
            self.won.pop(journal_seq, None)
            for each in of_round:
                del self.awards[each.made.award]
                self.finals.append(each)

    # --- acts --------------------------------------------------------------------------------

    def _validate(self, award: AuditedAward, by: Signature) -> None:
        """NJ 13:69F-2.28(g)3: a supervisor, not whoever dealt or deals there."""
        of = f"award {award.made.award}"
        if award.status != "pending":
            raise DiscrepancyError(f"{of} is {award.status}: it is validated once")
        _refuse_doubted(award)
        if award.made.pays_from is not None:
            raise DiscrepancyError(f"{of} is of the rack: it is confirmed with its round")
        self._refuse_dealer(award, by)
        award.status, award.validated_by = "validated", by

    def _refuse_dealer(self, award: AuditedAward, by: Signature) -> None:
        for dealer in (award.dealt_by, self.dealers.get(award.table)):
            if dealer is not None and one_person(dealer, by):
                raise DiscrepancyError(
                    f"award {award.made.award} is validated by {shown(by.name)}, who dealt it"
                )

    def _validate_round(self, event: RoundValidated) -> None:
        """A supervisor confirms all that a round's rack owes, once, and the rack pays it."""
        of = f"round {shown(event.round)} at {shown(event.table)}"
        check_signed(of, event.by)
        waiting = [
            each
            for each in self.awards.values()
            if (each.table, each.round) == (event.table, event.round)
            and each.made.pays_from == "rack"
            and each.status == "pending"
            and each.void_proposed_by is None
        ]
        names = tuple([each.made.award for each in waiting])
        if not names or event.awards != names:
            raise differs(
                f"{of}, confirmed",
                stored=", ".join(event.awards) or "none",
                recomputed=", ".join(names) or "none",
            )
        if event.cents != (due := sum([due_of(each.made) for each in waiting])):
            raise differs(f"{of}, cents", stored=event.cents, recomputed=due)
        for award in waiting:
            self._refuse_dealer(award, event.by)
            award.status, award.validated_by = "paid", event.by
        self.paid += len(waiting)
        for record in sorted({each.filed_under for each in waiting}):
            self.file_away(record)

    def _approve(self, award: AuditedAward, by: Signature) -> None:
        of = f"approval of award {award.made.award}"
        if award.validated_by is None:
            raise DiscrepancyError(f"{of}: it is {award.status}, not validated")
        if len(award.approved_by) >= award.made.approvers:
            raise DiscrepancyError(f"{of}: {award.made.approvers} were asked for, not one more")
        check_two_departments(of, award.validated_by, by)
        for other in award.approved_by:
            check_two_people(of, other, by)
        award.approved_by += (by,)

    def _pay(self, award: AuditedAward, event: AwardPaid) -> None:
        of = f"payment of award {event.award}"
        if award.validated_by is None:
            raise DiscrepancyError(f"{of}: it is {award.status}, not validated")
        _refuse_doubted(award)
        for signed in (award.validated_by, *award.approved_by):
            check_two_people(of, signed, event.by)
        if (missing := award.made.approvers - len(award.approved_by)) > 0:
            raise DiscrepancyError(f"{of}: {missing} of {award.made.approvers} approvals missing")
        if event.cents != (due := due_of(award.made)):
            raise differs(f"{of}, cents", stored=event.cents, recomputed=due)
        self._check_document(event)
        award.status, award.paid_by = "paid", event.by
        award.document, award.manual_document = event.document, event.manual
        self.paid += 1
        self.file_away(award.filed_under)

    def _check_document(self, event: AwardPaid) -> None:
        """The service's own series has no gap and no repeat; a number of another pays once."""
        if not event.manual:
            expected = f"{self._series}{self.documents + 1:06}"
            if event.document != expected:
                raise differs("document", stored=event.document, recomputed=expected)
            self.documents += 1
            return
        document, series, used = event.document, self._series, self.manual_documents
        if self.one_case:
            document, series = document.lower(), series.lower()
            used = {each.lower() for each in used}
        if not document or document.startswith(series):
            raise DiscrepancyError(f"document {shown(event.document)} is of no manual series")
        if document in used:
            raise DiscrepancyError(f"document {shown(event.document)} pays a second award")
        self.manual_documents.add(event.document)


def is_final(award: AuditedAward) -> bool:
    """Whether nothing more can happen to it."""
    return award.status in _FINAL


def _refuse_doubted(award: AuditedAward) -> None:
    if award.void_proposed_by is not None:
        raise DiscrepancyError(f"award {award.made.award}: a void is proposed, and not withdrawn")
