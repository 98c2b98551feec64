"""What a link looks like now: a fold of its journal.

The values are frozen; only the mappings of a `LinkState` move, and only by `evolve.apply` on a
working copy that the link's writer owns. What others see is made from it after a commit.
"""

from typing import Final, Literal

from msgspec import Struct

from progressive.domain.events import MeterFlow, RegisteredWager, Stake
from progressive.domain.ids import LinkId, MeterId, RoundId, TableId
from progressive.domain.ledger import Account
from progressive.domain.rules import LinkTerms

RECEIPTS_KEPT: Final = 8
"""Answers remembered per table; a table may have as many messages unanswered, and no more."""


class MeterCounters(Struct, frozen=True, gc=False):
    """A meter's lifetime counters: they only grow. Voided wagers are counted, not taken back."""

    wagers_cents: int = 0
    voided_cents: int = 0
    hits: int = 0
    wins_cents: int = 0


class OpenRound(Struct, frozen=True):
    """A round between lock-out and settlement, with what its wagers put where."""

    round: RoundId
    wagers: tuple[RegisteredWager, ...]
    stakes: tuple[Stake, ...]
    flows: tuple[MeterFlow, ...]
    hold: int


ReceiptKind = Literal["locked", "settled", "voided"]


class Receipt(Struct, frozen=True, gc=False):
    """The answer to an accepted message, kept so that the same message gets it again."""

    seq: int
    digest: str
    kind: ReceiptKind
    round: RoundId
    journal_seq: int
    meters: tuple[int, ...]
    """Primary meters after it, microcents."""


class TableState(Struct, frozen=True):
    """A table: its numbering and its open round."""

    last_seq: int = 0
    round: OpenRound | None = None
    last_round: RoundId | None = None
    receipts: tuple[Receipt, ...] = ()
    """Newest last; gap-free up to `last_seq`."""


NEW_TABLE: Final = TableState()


class LinkState(Struct):
    """A link after its journal record `seq`."""

    link: LinkId
    seq: int = 0
    terms: LinkTerms | None = None
    terms_version: int = 0
    balances: dict[Account, int] = {}
    """Microcents by account; always sums to zero. A meter's amounts are accounts like others."""
    counters: dict[MeterId, MeterCounters] = {}
    tables: dict[TableId, TableState] = {}

    def copy(self) -> "LinkState":
        """A working copy: moving it leaves this one as it is."""
        return LinkState(
            link=self.link,
            seq=self.seq,
            terms=self.terms,
            terms_version=self.terms_version,
            balances=self.balances.copy(),
            counters=self.counters.copy(),
            tables=self.tables.copy(),
        )

    def primary_microcents(self) -> tuple[int, ...]:
        """The displayed meters, in the order of the terms."""
        if self.terms is None:
            return ()
        balances = self.balances
        return tuple([balances["primary", meter.id] for meter in self.terms.meters])
