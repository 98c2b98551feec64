"""Double entry: every event is a set of postings that sums to zero.

Money comes out of a source (minus) and goes into a place where it now lies (plus). The accounts
of a link therefore always sum to zero, whatever happened: that is the conservation of money.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final, Literal

from progressive.domain.award_events import (
    AwardMoney,
    AwardPaid,
    AwardVoided,
    MeterFlow,
    RoundValidated,
)
from progressive.domain.events import (
    Event,
    LinkOpened,
    LinkReopened,
    RoundSettled,
    RoundVoided,
    SettledEarly,
    WagersRegistered,
)
from progressive.domain.ids import MeterId
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.person_events import CorrectionApproved, LinkRetired, TermsChanged
from progressive.domain.rulebook.rules import LinkTerms

AccountKind = Literal[
    "primary",
    "reset",
    "overflow",
    "wagers",
    "refunds",
    "hold",
    "funding",
    "pending",
    "paid",
    "returned",
    "corrections",
    "parked",
]
Account = tuple[AccountKind, str]
"""A kind and of what: a meter's id, a tender, or nothing."""
Posting = tuple[Account, int]

WAGERS_CHIP: Final[Account] = ("wagers", "chip")
WAGERS_COUPON: Final[Account] = ("wagers", "coupon")
REFUNDS_CHIP: Final[Account] = ("refunds", "chip")
REFUNDS_COUPON: Final[Account] = ("refunds", "coupon")
HOLD: Final[Account] = ("hold", "")
"""What the meters did not take of the wagers; fixed awards are paid from it."""
FUNDING: Final[Account] = ("funding", "")
"""Money the house put on meters: initial amounts, and its part of every reset."""
PENDING: Final[Account] = ("pending", "")
"""Awards that are owed: a liability until they are paid or void."""
PAID: Final[Account] = ("paid", "")
RETURNED: Final[Account] = ("returned", "")
"""Stakes that went back to winners of "to 1" lines."""
CORRECTIONS: Final[Account] = ("corrections", "")
"""What approved corrections put on meters, or took off them."""

PARKED: Final[Account] = ("parked", "")
"""What lay on the meters of a link that was retired."""


def postings(event: Event) -> list[Posting]:
    """What an event moves, in microcents; sums to zero. Accounts that do not move are left out."""
    match event:
        case WagersRegistered():
            return _of_round(event, chip=WAGERS_CHIP, coupon=WAGERS_COUPON, sign=-1)
        case RoundVoided():
            return _of_round(event, chip=REFUNDS_CHIP, coupon=REFUNDS_COUPON, sign=1)
        case LinkOpened():
            return _funded(event.funding)
        case RoundSettled():
            return _of_awards(event.flows, event.money) if event.awards else []
        case SettledEarly():
            return _of_awards((), event.money)
        case AwardVoided():
            return _of_awards(event.flows, event.money)
        case AwardPaid() | RoundValidated():
            cents = event.cents * MICROCENTS_PER_CENT
            return [(PENDING, -cents), (PAID, cents)] if cents else []
        case CorrectionApproved():
            return [*_on_meters(event.flows), (CORRECTIONS, -event.corrected)]
        case TermsChanged() | LinkReopened():
            return _funded(event.funding)
        case LinkRetired():
            return [*_on_meters(event.flows), (PARKED, event.parked)]
        case _:
            # Checkpoints, proposals, signatures: they move nothing.
            return []


@cache
def meter_accounts(meter: MeterId) -> tuple[Account, Account, Account]:
    """A meter's displayed, reset and overflow amounts; made once, they are looked up for ever."""
    return ("primary", meter), ("reset", meter), ("overflow", meter)


def accounts_of(terms: LinkTerms) -> list[Account]:
    """Every account that a link with these terms can post to."""
    accounts = [
        WAGERS_CHIP,
        WAGERS_COUPON,
        REFUNDS_CHIP,
        REFUNDS_COUPON,
        HOLD,
        FUNDING,
        PENDING,
        PAID,
        RETURNED,
        CORRECTIONS,
        PARKED,
    ]
    for meter in terms.meters:
        accounts += meter_accounts(meter.id)
    return accounts


def _of_round(
    event: WagersRegistered | RoundVoided, *, chip: Account, coupon: Account, sign: int
) -> list[Posting]:
    moved = _on_meters(event.flows)
    for stake in event.stakes:
        if stake.chip_cents:
            moved.append((chip, sign * stake.chip_cents * MICROCENTS_PER_CENT))
        if stake.coupon_cents:
            moved.append((coupon, sign * stake.coupon_cents * MICROCENTS_PER_CENT))
    if event.hold:
        moved.append((HOLD, event.hold))
    return moved


def _funded(funding: Sequence[MeterFlow]) -> list[Posting]:
    moved = _on_meters(funding)
    moved.append((FUNDING, -sum([amount for _, amount in moved])))
    return moved


def _of_awards(flows: Sequence[MeterFlow], money: AwardMoney) -> list[Posting]:
    moved = _on_meters(flows)
    for account, amount in (
        (FUNDING, money.funding),
        (HOLD, money.hold),
        (PENDING, money.pending),
        (PAID, money.paid),
        (RETURNED, money.returned),
    ):
        if amount:
            moved.append((account, amount))
    return moved


def _on_meters(flows: Sequence[MeterFlow]) -> list[Posting]:
    moved: list[Posting] = []
    for flow in flows:
        primary, reset, overflow = meter_accounts(flow.meter)
        if flow.primary:
            moved.append((primary, flow.primary))
        if flow.reset:
            moved.append((reset, flow.reset))
        if flow.overflow:
            moved.append((overflow, flow.overflow))
    return moved
