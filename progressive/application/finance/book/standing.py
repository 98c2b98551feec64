"""Where a link stands between two records, as far as reports need it: the seam of two day books.

The closing of one book is the opening of the next. Nothing here decides; amounts are microcents.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from progressive.application.journal.record import GENESIS
from progressive.domain.award_events import AwardMade, MeterFlow
from progressive.domain.ids import AwardId, CorrectionId, MeterId, TableId
from progressive.domain.person_events import CorrectionProposed, TermsProposed
from progressive.domain.rulebook.rules import CLOSE_WITHIN_HOURS, LinkTerms

ACCOUNTS: Final = (
    *("wagers chip", "wagers coupon", "refunds chip", "refunds coupon", "hold", "funding"),
    *("pending", "paid", "returned", "corrections", "parked"),
)
"""Accounts of a link beside its meters, as `domain/state/ledger.py` has them."""


class Step(Struct, frozen=True, array_like=True):
    """What somebody did: who, of which department, when, in which record."""

    name: str
    department: str
    at: str
    seq: int


class Resettled(Struct, frozen=True, array_like=True):
    """A void of another award of the round changed what this one is worth, and what is due."""

    at: str
    seq: int
    amount_cents: int
    """More than before, or less, with a minus; and the same of what is due."""
    due_cents: int


class AwardEntry(Struct, kw_only=True):
    """An award that people had to do with, from its settlement to its document."""

    made: AwardMade
    """As it was last worked out."""
    made_cents: int
    """What it was worth when it was made: a void before it in its round may have changed that."""
    resettled: list[Resettled] = []
    """Each such change, with the moment to which it belongs: it may be days later."""
    seq: int
    at: str
    table: str
    round: str
    dealer: str = ""
    cards: str = ""
    dealer_cards: str = ""
    status: str = "pending"
    validated: Step | None = None
    approvals: list[Step] = []
    paid: Step | None = None
    paid_cents: int = 0
    document: str | None = None
    manual: bool = False
    void_proposed: Step | None = None
    voided: Step | None = None
    void_reason: str = ""
    house_part: int | None = None
    """Of a meter award: the house's money in it, by the pro-rata rule."""
    hit_before_at: str | None = None
    """When the meter was last hit before."""
    last_seq: int = 0
    """The last record about it."""

    @property
    def open(self) -> bool:
        """Whether it is still owed."""
        return self.status not in ("paid", "void")


class Taking(Struct, kw_only=True):
    """What one award took from a meter, and whose money that was."""

    award: AwardId
    meter: MeterId
    cents: int
    before: int
    funded_cents: int
    house_before: int
    house_part: int
    hit_before_at: str | None = None
    hit_before_seq: int = 0
    emptied_before: int = 0
    """What the meter's past said before it: a void brings that back."""
    voided: bool = False
    final: bool = False


class MeterPast(Struct, kw_only=True):
    """What a reading of a meter does not show: the house's money on display, and its last hits."""

    house: int = 0
    hit_at: str | None = None
    """Of the last award from it, voided ones not counted."""
    hit_seq: int = 0
    emptied_seq: int = 0
    """The record after which its present run began: its opening, or the last award of all of it."""


class OpenRound(Struct, frozen=True, array_like=True):
    """A round that is locked out: by which terms, with how many wagers of each kind, and what its
    lock-out put on the meters."""

    terms_version: int
    wagers: tuple[tuple[str, str, int, int], ...]
    """Bet, tender, cents of each, how many."""
    flows: tuple[MeterFlow, ...]


class Parts(Struct, array_like=True):
    """One meter."""

    primary: int = 0
    reset: int = 0
    overflow: int = 0


class Standing(Struct, kw_only=True):
    """A link after a record."""

    seq: int = 0
    head: str = GENESIS
    at: str = ""
    terms_version: int = 0
    terms: dict[int, LinkTerms] = {}
    """The present ones, and older ones that a round of the day was locked under."""
    program: str = ""
    floor: str = ""
    tables: tuple[str, ...] = ()
    """Those that the floor file named last."""
    close_within_hours: int = CLOSE_WITHIN_HOURS
    """After its end a gaming day should be closed, as the floor file said last."""
    meters: dict[MeterId, Parts] = {}
    """Every meter there ever was."""
    accounts: dict[str, int] = {}
    """All other accounts, as `hold`, `wagers chip`."""
    rounds: dict[TableId, OpenRound] = {}
    awards: dict[AwardId, AwardEntry] = {}
    """Those that are owed."""
    pasts: dict[MeterId, MeterPast] = {}
    takings: dict[int, list[Taking]] = {}
    """Of settlements that a void may still work out again."""
    corrections: dict[CorrectionId, CorrectionProposed] = {}
    terms_proposed: TermsProposed | None = None
    proposed_at: str = ""
    dealers: dict[TableId, str] = {}
    documents: int = 0
    """The last number of the service's own series of payment documents."""

    @property
    def present_terms(self) -> LinkTerms | None:
        """The terms that hold now; None before the first record."""
        return self.terms.get(self.terms_version)


def in_play(standing: Standing) -> Mapping[MeterId, int]:
    """Where each present meter stands in the amounts that a record names."""
    terms = standing.present_terms
    return {} if terms is None else terms.place_of_meter
