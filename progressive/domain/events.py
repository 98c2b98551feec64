"""What happened, past tense: the record that everything else is derived from.

Every event carries the amounts it moved, so that the books can be read from the journal alone;
the audit recomputes them from the wagers and the recorded terms. Fields may be added with a
default; they are never renamed, removed or given another unit. `gc=False`: values of values cannot
form a cycle, and a thousand tables keep many of them alive.
"""

from collections.abc import Sequence

from msgspec import Struct, field

from progressive.domain.award_events import NO_MONEY, AwardMade, AwardMoney, MeterFlow
from progressive.domain.commands import (
    AmountCents,
    BetName,
    DealerCards,
    SeatCards,
    SmallNumber,
    Wager,
)
from progressive.domain.finance_events import FinanceEvent
from progressive.domain.guard_events import GuardEvent
from progressive.domain.ids import BetId, LinkId, RoundId, TableId
from progressive.domain.person_events import ActEvent
from progressive.domain.rulebook.floor_record import FloorRecord
from progressive.domain.rulebook.rules import LinkTerms
from progressive.domain.signatures import Signature

__all__ = [
    "Checkpointed",
    "Event",
    "FloorRecorded",
    "LinkOpened",
    "LinkReopened",
    "MeterFlow",
    "RoundSettled",
    "RoundVoided",
    "SettledEarly",
    "Stake",
    "TableEvent",
    "WagersRegistered",
]


class Stake(Struct, frozen=True, array_like=True, gc=False):
    """All wagers of a round on one bet, by tender."""

    bet: BetId
    chip_cents: int
    coupon_cents: int


class PlainWagers(Struct, frozen=True, array_like=True, gc=False):
    """Chips of one amount on one bet, seat by seat: nearly every lock-out is that and no more."""

    bet: BetName
    amount_cents: AmountCents
    seats: tuple[SmallNumber, ...]
    base_cents: tuple[AmountCents, ...]

    @property
    def whole(self) -> bool:
        """Whether every seat has its base wager: what a decoder cannot see."""
        return len(self.seats) == len(self.base_cents)


def plain_wagers(wagers: Sequence[Wager]) -> PlainWagers | None:
    """The wagers in short, where they are plain; None where they are not, or there are none."""
    if not wagers:
        return None
    bet, amount = wagers[0].bet, wagers[0].amount_cents
    if not all(
        wager.bet == bet and wager.amount_cents == amount and wager.tender == "chip"
        for wager in wagers
    ):
        return None
    return PlainWagers(
        bet,
        amount,
        tuple([wager.seat for wager in wagers]),
        tuple([wager.base_cents for wager in wagers]),
    )


class LinkOpened(Struct, frozen=True, kw_only=True, gc=False, tag="link_opened", tag_field="type"):
    """The first record of a journal: the terms, and the house's money on the meters."""

    link: LinkId
    terms: LinkTerms
    terms_version: int
    funding: tuple[MeterFlow, ...]
    dealer_decides: bool = False
    """Opened by a program that settles all wagers on the dealer's hand by that hand, always."""
    floor: FloorRecord | None = None
    """Who began it, with which program and tables. None: an older journal did not record it."""
    times_hold: bool = False
    """Whether no record after this one bears an earlier time than the one before it."""


class LinkReopened(
    Struct, frozen=True, kw_only=True, gc=False, tag="link_reopened", tag_field="type"
):
    """Other terms before anything was ever wagered: the house's money moves to the new meters."""

    terms: LinkTerms
    terms_version: int
    funding: tuple[MeterFlow, ...]
    """Onto new meters, off (with a minus) those that go, and what their initial amounts differ."""
    meters: tuple[int, ...]


class FloorRecorded(
    Struct,
    frozen=True,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    tag="floor_recorded",
    tag_field="type",
):
    """What a start of the service brought that needs nobody's approval; it moves nothing."""

    floor: FloorRecord
    terms: LinkTerms | None = None
    """The present terms with what an older program did not record of them; None: nothing."""
    meters: tuple[int, ...]


class WagersRegistered(
    Struct,
    frozen=True,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    tag="wagers_registered",
    tag_field="type",
):
    """A lock-out. NJ 13:69F-2.28(b): registered on the meters before the first card."""

    table: TableId
    table_seq: int
    round: RoundId
    terms_version: int
    listed: tuple[Wager, ...] = field(name="wagers")
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
        plain = self.plain
        if plain is None:
            return self.listed
        return tuple(
            [
                Wager(seat, plain.bet, plain.amount_cents, base_cents)
                for seat, base_cents in zip(plain.seats, plain.base_cents, strict=True)
            ]
        )


class RoundSettled(
    Struct,
    frozen=True,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    tag="round_settled",
    tag_field="type",
):
    """The round is over. Awards, when there are any, are part of this same event."""

    table: TableId
    table_seq: int
    round: RoundId
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
    """The dealer who was signed on, where the number of that sign-on is not known."""
    dealt_seq: int = 0
    """The record by which that dealer signed on: a settlement holds no name, so that it can be
    given to the winner. 0: nobody is signed on, or `dealt_by` names the dealer."""
    awarded_at: str = ""
    """The record's own time, where there are awards: it stays with them."""
    dealer_decides: bool = False
    """The round had wagers that the dealer's one hand decides, and all of them are settled by it.

    Records of 0.1.0 lack it: there only the seats that were keyed were settled.
    """


class SettledEarly(
    Struct,
    frozen=True,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    tag="settled_early",
    tag_field="type",
):
    """NJ 13:69F-2.6(j)4: two-card awards, before the hole card goes into the reader.

    The round stays open; its settlement pays only what comes on top.
    """

    table: TableId
    table_seq: int
    round: RoundId
    dealer: DealerCards
    seats: tuple[SeatCards, ...]
    meters: tuple[int, ...]
    awards: tuple[AwardMade, ...] = ()
    money: AwardMoney = NO_MONEY
    dealt_by: Signature | None = None
    dealt_seq: int = 0
    awarded_at: str = ""
    """The record's own time, where an award waits for a supervisor: it stays with it."""


class RoundVoided(
    Struct,
    frozen=True,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    tag="round_voided",
    tag_field="type",
):
    """A misdeal. Contra entries: the wagers stay on the books and so does their return."""

    table: TableId
    table_seq: int
    round: RoundId
    reason: str
    stakes: tuple[Stake, ...]
    flows: tuple[MeterFlow, ...]
    hold: int
    meters: tuple[int, ...]
    by: Signature | None = None
    """The supervisor who voided it in the table's place, where the terms ask for one."""


class Checkpointed(
    Struct, frozen=True, kw_only=True, gc=False, tag="checkpointed", tag_field="type"
):
    """The digest of the state before this record, so that the chain vouches for the snapshot."""

    state_digest: str
    meters: tuple[int, ...]
    times_hold: bool = False
    """As in `link_opened`: a journal begun by an older version promises it from here on."""


TableEvent = WagersRegistered | RoundSettled | SettledEarly | RoundVoided
Event = (
    LinkOpened
    | LinkReopened
    | FloorRecorded
    | TableEvent
    | ActEvent
    | FinanceEvent
    | Checkpointed
    | GuardEvent
)
