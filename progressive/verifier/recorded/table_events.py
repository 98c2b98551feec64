"""What happened at tables, and to the link as a whole: opened, floor recorded, checkpointed.

The two kinds that are nearly all of a journal (`WagersRegistered`, `RoundSettled`) and the record
itself are not frozen: a frozen dataclass takes three times as long to make.
"""

from dataclasses import dataclass
from typing import ClassVar

from progressive.verifier.recorded.award_events import NO_MONEY, AwardMade, AwardMoney
from progressive.verifier.recorded.house import FloorRecord
from progressive.verifier.recorded.terms import LinkTerms
from progressive.verifier.recorded.values import (
    DealerCards,
    MeterFlow,
    PlainWagers,
    SeatCards,
    Signature,
    Stake,
    Wager,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOpened:
    """The first record of a journal: the terms, and the house's money on the meters."""

    TYPE: ClassVar = "link_opened"

    link: str
    terms: LinkTerms
    terms_version: int
    funding: tuple[MeterFlow, ...]
    dealer_decides: bool = False
    """Opened by a program that settles all wagers on the dealer's hand by that hand, always."""
    floor: FloorRecord | None = None
    """Who began it, with which program and tables. None: an older journal did not record it."""
    times_hold: bool = False
    """Whether no record after this one bears an earlier time than the one before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkReopened:
    """Other terms before anything was ever wagered: the house's money moves to the new meters."""

    TYPE: ClassVar = "link_reopened"

    terms: LinkTerms
    terms_version: int
    funding: tuple[MeterFlow, ...]
    """Onto new meters, off (with a minus) those that go, and what their initial amounts differ."""
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorRecorded:
    """What a start of the service brought that needs nobody's approval; it moves nothing."""

    TYPE: ClassVar = "floor_recorded"
    OMITS_DEFAULTS: ClassVar = True

    floor: FloorRecord
    terms: LinkTerms | None = None
    """The present terms with what an older program did not record of them; None: nothing."""
    meters: tuple[int, ...]


@dataclass(slots=True, kw_only=True)
class WagersRegistered:
    """A lock-out. NJ 13:69F-2.28(b): registered on the meters before the first card."""

    TYPE: ClassVar = "wagers_registered"
    OMITS_DEFAULTS: ClassVar = True
    STORED_AS: ClassVar = {"listed": "wagers"}

    table: str
    table_seq: int
    round: str
    terms_version: int
    listed: tuple[Wager, ...]
    """The wagers one by one; none, where `plain` tells them all in a third of the space."""
    plain: PlainWagers | None = None
    chips_counted: int
    stakes: tuple[Stake, ...]
    flows: tuple[MeterFlow, ...]
    hold: int
    """Microcents of the wagers that no meter took: the house's to pay fixed awards from."""
    meters: tuple[int, ...]
    """Primary meters after this event, microcents, in the order of the terms."""

    @property
    def wagers(self) -> tuple[Wager, ...]:
        """The wagers as they were sent."""
        return self.listed if self.plain is None else self.plain.listed()


@dataclass(slots=True, kw_only=True)
class RoundSettled:
    """The round is over. Awards, when there are any, are part of this same event."""

    TYPE: ClassVar = "round_settled"
    OMITS_DEFAULTS: ClassVar = True

    table: str
    table_seq: int
    round: str
    dealer: DealerCards
    seats: tuple[SeatCards, ...]
    complete: bool
    meters: tuple[int, ...]
    awards: tuple[AwardMade, ...] = ()
    """In the order of payment."""
    flows: tuple[MeterFlow, ...] = ()
    """What the awards took off the meters, and what their resets put on."""
    money: AwardMoney = NO_MONEY
    dealt_by: Signature | None = None
    """The dealer who was signed on, where the number of that sign-on was not known."""
    dealt_seq: int = 0
    """The record by which that dealer signed on; 0: nobody is, or `dealt_by` names the dealer."""
    awarded_at: str = ""
    """The record's own time, where there are awards: it stays with them."""
    dealer_decides: bool = False
    """The round had wagers that the dealer's one hand decides, and all of them are settled by it.

    Records of 0.1.0 lack it: there only the seats that were keyed were settled.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledEarly:
    """NJ 13:69F-2.6(j)4: two-card awards, before the hole card goes into the reader.

    The round stays open; its settlement pays only what comes on top.
    """

    TYPE: ClassVar = "settled_early"
    OMITS_DEFAULTS: ClassVar = True

    table: str
    table_seq: int
    round: str
    dealer: DealerCards
    seats: tuple[SeatCards, ...]
    meters: tuple[int, ...]
    awards: tuple[AwardMade, ...] = ()
    money: AwardMoney = NO_MONEY
    dealt_by: Signature | None = None
    dealt_seq: int = 0
    awarded_at: str = ""
    """The record's own time, where an award waits for a supervisor: it stays with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundVoided:
    """A misdeal. Contra entries: the wagers stay on the books and so does their return."""

    TYPE: ClassVar = "round_voided"
    OMITS_DEFAULTS: ClassVar = True

    table: str
    table_seq: int
    round: str
    reason: str
    stakes: tuple[Stake, ...]
    flows: tuple[MeterFlow, ...]
    hold: int
    meters: tuple[int, ...]
    by: Signature | None = None
    """The supervisor who voided it in the table's place, where the terms ask for one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpointed:
    """The digest of the state before this record, so that the chain confirms the snapshot."""

    TYPE: ClassVar = "checkpointed"

    state_digest: str
    meters: tuple[int, ...]
    times_hold: bool = False
    """As in `link_opened`: a journal begun by an older version promises it from here on."""
