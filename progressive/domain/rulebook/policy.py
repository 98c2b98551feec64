"""Approval thresholds, rack limit and tax forms, as plain data. `awards/paperwork.py` applies them.

Most of it is dated: a rule holds from its day on, until the next one does. Days are local, and
written as text (`2026-01-01`).
"""

from typing import Final

from msgspec import Struct

RACK_LIMIT_CENTS: Final = 200_000
"""Fixed awards below this are paid from the rack at once, where a floor does not say."""


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
