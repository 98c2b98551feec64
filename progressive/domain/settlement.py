"""Claims to money: who is paid what, from where, in the order of payment."""

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from progressive.domain.awards import MeterAmounts, Taking, take, take_equally
from progressive.domain.claims import Claim
from progressive.domain.ids import MeterId
from progressive.domain.money import rounded
from progressive.domain.options import AwardRounding, PaymentOrder
from progressive.domain.paytable import ForOne, ShareOfMeter, ToOne


class Settled(Struct, frozen=True, kw_only=True):
    """One wager, settled. Its stake goes back or is collected: the two always add up to it."""

    claim: Claim
    kind: Literal["meter", "fixed", "none"] = "none"
    pay_cents: int = 0
    """The whole amount on a "for 1" or meter line; without the stake on a "to 1" line."""
    stake_returned_cents: int = 0
    taking: Taking | None = None
    """What a meter line took, and from what."""

    @property
    def collected_cents(self) -> int:
        """What the bank keeps of the stake."""
        return self.claim.stake_cents - self.stake_returned_cents


def settle_claims(
    claims: Sequence[Claim],
    meters: Mapping[MeterId, MeterAmounts],
    *,
    order: PaymentOrder,
    rounding: AwardRounding = "nearest",
) -> tuple[list[Settled], dict[MeterId, MeterAmounts]]:
    """The claims, in the order of payment, and the meters as the last of them leaves them."""
    now = dict(meters)
    shared = _equal_takings(claims, now) if order == "equal_share" else None
    settled: list[Settled] = []
    for place, claim in enumerate(claims):
        pays = None if claim.line is None else claim.line.pays
        if claim.result == "win" and isinstance(pays, ShareOfMeter):
            if shared is not None:
                taking = shared[place]
            else:
                taking = take(now[pays.meter], share_percent=pays.share_percent, rounding=rounding)
            now[pays.meter] = taking.after
            settled.append(
                Settled(claim=claim, kind="meter", pay_cents=taking.amount_cents, taking=taking)
            )
        else:
            settled.append(_settle_fixed(claim))
    return settled, now


def _settle_fixed(claim: Claim) -> Settled:
    """A wager that no meter pays."""
    if claim.result == "push":
        return Settled(claim=claim, stake_returned_cents=claim.stake_cents)
    pays = None if claim.line is None else claim.line.pays
    if claim.result == "win" and isinstance(pays, ForOne):
        # "For 1" has the stake in it: nothing goes back on top.
        return Settled(claim=claim, kind="fixed", pay_cents=claim.stake_cents * pays.for_one)
    if claim.result == "win" and isinstance(pays, ToOne):
        return Settled(
            claim=claim,
            kind="fixed",
            pay_cents=rounded(claim.stake_cents * pays.to, pays.per, "nearest"),
            stake_returned_cents=claim.stake_cents,
        )
    return Settled(claim=claim, stake_returned_cents=claim.given_back_cents)


def _equal_takings(
    claims: Sequence[Claim], meters: Mapping[MeterId, MeterAmounts]
) -> dict[int, Taking]:
    """What each claim takes where winners of a meter share it; by place among the claims."""
    places: dict[MeterId, list[int]] = {}
    shares: dict[MeterId, list[int]] = {}
    for place, claim in enumerate(claims):
        pays = None if claim.line is None else claim.line.pays
        if claim.result == "win" and isinstance(pays, ShareOfMeter):
            places.setdefault(pays.meter, []).append(place)
            shares.setdefault(pays.meter, []).append(pays.share_percent)
    return {
        place: taking
        for meter, of_meter in places.items()
        for place, taking in zip(of_meter, take_equally(meters[meter], shares[meter]), strict=True)
    }
