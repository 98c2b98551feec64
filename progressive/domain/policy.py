"""What decides about papers and people, not about amounts: racks, approvals, tax forms.

Most of it is dated: a rule holds from its day on, until the next one does. Days are local, and
come in from outside as text (`2026-01-01`), so that nothing here reads a clock.
"""

from collections.abc import Sequence
from typing import Final, TypeVar

from msgspec import Struct

RACK_LIMIT_CENTS: Final = 200_000
"""Fixed awards below this are paid from the rack at once, where a floor does not say."""


class Moment(Struct, frozen=True):
    """When something is decided."""

    at: str
    """RFC 3339 UTC, as the record will bear it."""
    day: str
    """The local day, as dated rules count it."""


class ApprovalStep(Struct, frozen=True, kw_only=True):
    """From an amount on, so many people beside the one who pays must approve."""

    from_cents: int
    approvers: int


class ApprovalRule(Struct, frozen=True, kw_only=True):
    """The steps that hold from a day on."""

    from_day: str
    clause: str
    steps: tuple[ApprovalStep, ...]


class TaxFormRule(Struct, frozen=True, kw_only=True):
    """From a day on: winnings, less the wager, that need a form."""

    from_day: str
    form: str
    least_cents: int
    least_multiple: int
    """Of the wager: both must be reached."""
    clause: str


class AwardPolicy(Struct, frozen=True, kw_only=True):
    """How the awards of a link are treated."""

    rack_limit_cents: int = RACK_LIMIT_CENTS
    approvals: tuple[ApprovalRule, ...] = ()
    tax_forms: tuple[TaxFormRule, ...] = ()

    def approvers(self, cents: int, *, on: str) -> int:
        """How many must approve a payment of so much."""
        rule = _in_force(self.approvals, on)
        if rule is None:
            return 0
        return max((step.approvers for step in rule.steps if cents >= step.from_cents), default=0)

    def tax_form(self, winnings_cents: int, wager_cents: int, *, on: str) -> str | None:
        """The form that winnings need; they are given less the wager."""
        rule = _in_force(self.tax_forms, on)
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
