"""What a regulator asks of every floor, whatever the game: a jurisdiction file, as plain data.

`legal_checks.py` holds a floor against it.
"""

from msgspec import Struct

from progressive.domain.options import HouseMoney, OverflowPolicy
from progressive.domain.rulebook.house_terms import MeterChanges
from progressive.domain.rulebook.policy import ApprovalRule, TaxFormRule
from progressive.domain.rulebook.retention import RetentionRule


class Progression(Struct, frozen=True, kw_only=True):
    """How much of a wager the meters must take, all together."""

    combined_min_ppm: int
    clause: str


class ReadingRule(Struct, frozen=True, kw_only=True):
    """How often somebody writes down what the signs show."""

    every_days: int
    clause: str


class Accounting(Struct, frozen=True, kw_only=True):
    """How the house's money on meters stands in the books, where the house's own accountants do not
    say otherwise. Reports read it; it is no term, and no record holds it."""

    base: HouseMoney
    clause: str


class Jurisdiction(Struct, frozen=True, kw_only=True):
    """What a regulator asks of every floor, whatever the game."""

    id: str
    name: str
    regulator: str
    games: tuple[str, ...]
    progression: Progression | None = None
    """None: no rule, where only fixed pays are offered."""
    overflow: OverflowPolicy = "to_reset_meter"
    approvals: tuple[ApprovalRule, ...] = ()
    tax_forms: tuple[TaxFormRule, ...] = ()
    meter_changes: MeterChanges = MeterChanges()
    """What may become of meters that players have paid into."""
    retention: RetentionRule = RetentionRule()
    """How long records are kept at least."""
    readings: ReadingRule | None = None
    """None: nobody asks for it."""
    accounting: Accounting | None = None
    """None: nothing is known of it."""
