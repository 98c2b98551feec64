"""Approvals and tax forms: who must approve a payment, which form winnings need.

Nothing here decides about an amount.
"""

from collections.abc import Sequence
from typing import TypeVar

from progressive.domain.rulebook.policy import ApprovalRule, AwardPolicy, TaxFormRule
from progressive.domain.rulebook.rules import BetRules


def approvers(policy: AwardPolicy, cents: int, *, on: str) -> int:
    """How many must approve a payment of so much, on a local day."""
    rule = _in_force(policy.approvals, on)
    if rule is None:
        return 0
    return max((step.approvers for step in rule.steps if cents >= step.from_cents), default=0)


def asks_validation(bet: BetRules, worth_cents: int) -> bool:
    """Whether a supervisor confirms a fixed award of this worth before the rack pays it."""
    if bet.validation == "from_amount":
        return worth_cents >= bet.validation_from_cents
    return bet.validation == "every"


def tax_form(
    policy: AwardPolicy, in_all_cents: int, wager_cents: int, returned_cents: int, *, on: str
) -> str | None:
    """The form for winnings less the wager; a "to 1" line leaves the stake out already."""
    rule = _in_force(policy.tax_forms, on)
    winnings_cents = in_all_cents - (wager_cents - returned_cents)
    if (
        rule is None
        or winnings_cents < rule.least_cents
        or winnings_cents < rule.least_multiple * wager_cents
    ):
        return None
    return rule.form


_Rule = TypeVar("_Rule", ApprovalRule, TaxFormRule)


def _in_force(rules: Sequence[_Rule], on: str) -> _Rule | None:
    """The newest rule that has begun; ISO days compare as texts."""
    begun = [rule for rule in rules if rule.from_day <= on]
    return max(begun, key=lambda rule: rule.from_day, default=None)
