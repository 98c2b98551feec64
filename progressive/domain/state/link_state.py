"""What a link looks like now: a fold of its journal.

The values are frozen; only the mappings of a `LinkState` move, and only by `evolve.apply` on a
working copy that the link's writer owns. What others see is made from it after a commit.
"""

from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from progressive.domain.events import SettledEarly, TableEvent, WagersRegistered
from progressive.domain.ids import AwardId, BetId, CorrectionId, LinkId, MeterId, RoundId, TableId
from progressive.domain.person_events import CorrectionProposed, RetirementProposed, TermsProposed
from progressive.domain.rulebook.floor_record import FloorRecord
from progressive.domain.rulebook.policy import AwardPolicy
from progressive.domain.rulebook.rules import LinkTerms
from progressive.domain.signatures import Signature
from progressive.domain.state.award_state import Award, WonMeter
from progressive.domain.state.days import Days
from progressive.domain.state.ledger import Account

RECEIPTS_KEPT: Final = 2
"""Answers remembered per table: those of one round. Older ones are found in the journal."""


class BetCounters(Struct, frozen=True, gc=False):
    """What was ever wagered on a bet: only grows. Voided wagers are counted, not taken back."""

    wagers_cents: int = 0
    voided_cents: int = 0


class MeterCounters(Struct, frozen=True, gc=False):
    """How often a meter was ever hit and what it ever paid: only grows."""

    hits: int = 0
    wins_cents: int = 0
    voided_hits: int = 0
    """Of the hits: those that turned out to be none."""
    voided_cents: int = 0
    """Of the wins, and of what a re-settlement took from one: never paid."""


class Receipt(Struct, frozen=True, gc=False):
    """What an accepted message led to: its answer, now and whenever it is sent again."""

    journal_seq: int
    event: TableEvent


class TableState(Struct, frozen=True, gc=False):
    """A table: its numbering and its open round."""

    last_seq: int = 0
    round: WagersRegistered | None = None
    """The lock-out of the open round: it says what its wagers put where."""
    last_round: RoundId | None = None
    receipts: tuple[Receipt, ...] = ()
    """Newest last, gap-free up to `last_seq`."""


NEW_TABLE: Final = TableState()


@dataclass(slots=True)
class LinkState:
    """A link after its journal record `seq`."""

    link: LinkId
    seq: int = 0
    terms: LinkTerms | None = None
    terms_version: int = 0
    balances: dict[Account, int] = field(default_factory=dict)
    """Microcents by account; always sums to zero. A meter's amounts are accounts like others."""
    primaries: tuple[int, ...] = ()
    """The displayed meters in the order of the terms: the balances once more, ready to show."""
    bet_counters: dict[BetId, BetCounters] = field(default_factory=dict)
    """Every meter of a bet counts all wagers on that bet as its wagers in."""
    meter_counters: dict[MeterId, MeterCounters] = field(default_factory=dict)
    tables: dict[TableId, TableState] = field(default_factory=dict)
    dealers: dict[TableId, Signature] = field(default_factory=dict)
    """Who is signed on at a table."""
    sign_ons: dict[TableId, int] = field(default_factory=dict)
    """By which record each of them signed on; not there where an older version took it in."""
    early: dict[TableId, SettledEarly] = field(default_factory=dict)
    """Two-card awards of the open round, by table."""
    awards: dict[AwardId, Award] = field(default_factory=dict)
    """Awards of rounds in which some are still open, in the order they were made."""
    won: dict[int, tuple[WonMeter, ...]] = field(default_factory=dict)
    """What it takes to settle such a round anew, by the record of its settlement."""
    finals: dict[AwardId, Award] = field(default_factory=dict)
    """The last awards that are finished."""
    corrections: dict[CorrectionId, CorrectionProposed] = field(default_factory=dict)
    """Proposals that nobody has decided about."""
    documents: int = 0
    """The last number of the service's own series of payment documents."""
    manual_documents: frozenset[str] = frozenset()
    terms_proposed: TermsProposed | None = None
    """Other terms that one person has approved."""
    former_terms: dict[int, LinkTerms] = field(default_factory=dict)
    """Terms that open rounds were locked under, by version."""
    floor: FloorRecord | None = None
    """What was last recorded of the floor. None: an older program did not."""
    retirement: RetirementProposed | None = None
    """The proposal to end the link, while its notice runs."""
    retired: bool = False
    """Whether the link has ended: nothing can happen to it."""
    days: Days = field(default_factory=Days)
    """Gaming days that finance has closed, or prepared."""

    def copy(self) -> "LinkState":
        """A working copy: moving it leaves this one as it is."""
        return LinkState(
            link=self.link,
            seq=self.seq,
            terms=self.terms,
            terms_version=self.terms_version,
            balances=self.balances.copy(),
            primaries=self.primaries,
            bet_counters=self.bet_counters.copy(),
            meter_counters=self.meter_counters.copy(),
            tables=self.tables.copy(),
            dealers=self.dealers.copy(),
            sign_ons=self.sign_ons.copy(),
            early=self.early.copy(),
            awards=self.awards.copy(),
            won=self.won.copy(),
            finals=self.finals.copy(),
            corrections=self.corrections.copy(),
            documents=self.documents,
            manual_documents=self.manual_documents,
            terms_proposed=self.terms_proposed,
            former_terms=self.former_terms.copy(),
            floor=self.floor,
            retirement=self.retirement,
            retired=self.retired,
            days=self.days,
        )

    def terms_of(self, version: int) -> LinkTerms:
        """The terms that a round was locked under."""
        if version == self.terms_version and self.terms is not None:
            return self.terms
        return self.former_terms[version]

    def policy_of(self, version: int) -> AwardPolicy:
        """How awards of a round locked under these terms are treated.

        Terms of an older program do not say: the present ones hold then.
        """
        terms = self.terms_of(version)
        if terms.house is None and self.terms is not None:
            return self.terms.policy
        return terms.policy

    def dealer_of(self, table: TableId) -> tuple[int, Signature | None]:
        """Who deals, as a settlement names it: by the record of the sign-on, or by name.

        By name only where that record is not known; nothing where nobody is signed on.
        """
        sign_on = self.sign_ons.get(table, 0)
        return sign_on, None if sign_on else self.dealers.get(table)

    def award(self, award: AwardId) -> Award | None:
        """An award that is open, or one of the last that were."""
        return self.awards.get(award) or self.finals.get(award)
