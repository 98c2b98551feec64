"""Claims to money: who is paid what, from where, in the order of payment."""

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from progressive.domain.awards.meter_payouts import MeterAmounts, MeterReset, Taking, take_all
from progressive.domain.games.claims import Claim
from progressive.domain.ids import MeterId
from progressive.domain.options import AwardRounding, PaymentOrder
from progressive.domain.rounding import rounded
from progressive.domain.rulebook.paytable import ForOne, ShareOfMeter, ToOne

Kind = Literal["meter", "fixed", "none"]


class Settled(Struct, frozen=True, kw_only=True):
    """One wager, settled. Its stake goes back or is collected: the two always add up to it."""

    claim: Claim
    kind: Kind = "none"
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
    resets: Mapping[MeterId, MeterReset],
    *,
    order: PaymentOrder,
    rounding: AwardRounding = "nearest",
) -> tuple[list[Settled], dict[MeterId, MeterAmounts]]:
    """The claims, in the order of payment, and the meters as the last of them leaves them."""
    now = dict(meters)
    takings: dict[int, Taking] = {}
    for meter, winners in _winners(claims).items():
        shares = [share for _, share in winners]
        taken = take_all(now[meter], resets[meter], shares, order=order, rounding=rounding)
        now[meter] = taken[-1].after
        takings |= {place: taking for (place, _), taking in zip(winners, taken, strict=True)}
    return [_settle(claim, takings.get(place)) for place, claim in enumerate(claims)], now


def _winners(claims: Sequence[Claim]) -> dict[MeterId, list[tuple[int, int]]]:
    """For each meter that is won: the places of its winners among the claims, and their shares."""
    winners: dict[MeterId, list[tuple[int, int]]] = {}
    for place, claim in enumerate(claims):
        pays = None if claim.line is None else claim.line.pays
        if claim.result == "win" and isinstance(pays, ShareOfMeter):
            winners.setdefault(pays.meter, []).append((place, pays.share_percent))
    return winners


def _settle(claim: Claim, taking: Taking | None) -> Settled:
    if taking is not None:
        return Settled(claim=claim, kind="meter", pay_cents=taking.amount_cents, taking=taking)
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
