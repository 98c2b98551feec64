"""What a link looks like now: a fold of its journal.

The values are frozen; only the mappings of a `LinkState` move, and only by `evolve.apply` on a
working copy that the link's writer owns. What others see is made from it after a commit.
"""

from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from progressive.domain.events import TableEvent, WagersRegistered
from progressive.domain.ids import BetId, LinkId, MeterId, RoundId, TableId
from progressive.domain.ledger import Account
from progressive.domain.rules import LinkTerms

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
        )
