"""Two lists of amounts that should be one: the words for the first place where they part."""

from progressive.verifier.findings import DiscrepancyError, differs
from progressive.verifier.recorded.values import MeterFlow, Stake


def stakes_differ(stored: tuple[Stake, ...], recomputed: tuple[Stake, ...]) -> DiscrepancyError:
    """Where two sets of stakes part."""
    if [stake.bet for stake in stored] != [stake.bet for stake in recomputed]:
        return differs(
            "bets of the stakes",
            stored=", ".join([stake.bet for stake in stored]) or "none",
            recomputed=", ".join([stake.bet for stake in recomputed]) or "none",
        )
    for was, ought in zip(stored, recomputed, strict=True):
        if was.chip_cents != ought.chip_cents:
            return differs(
                f"stake of {ought.bet} in chips",
                stored=was.chip_cents,
                recomputed=ought.chip_cents,
            )
        if was.coupon_cents != ought.coupon_cents:
            return differs(
                f"stake of {ought.bet} in coupons",
                stored=was.coupon_cents,
                recomputed=ought.coupon_cents,
            )
    return DiscrepancyError("the stakes differ")


def flows_differ(
    what: str, stored: tuple[MeterFlow, ...], recomputed: tuple[MeterFlow, ...]
) -> DiscrepancyError:
    """Where two sets of flows part: which meter, and which part of it."""
    if [flow.meter for flow in stored] != [flow.meter for flow in recomputed]:
        return differs(
            f"meters of the {what}",
            stored=", ".join([flow.meter for flow in stored]) or "none",
            recomputed=", ".join([flow.meter for flow in recomputed]) or "none",
        )
    for was, ought in zip(stored, recomputed, strict=True):
        for part, found, right in (
            ("", was.primary, ought.primary),
            (", reset meter", was.reset, ought.reset),
            (", overflow meter", was.overflow, ought.overflow),
        ):
            if found != right:
                return differs(f"{what} of {ought.meter}{part}", stored=found, recomputed=right)
    return DiscrepancyError(f"the {what} differ")
