"""Parts of jurisdiction and floor files that decide about awards and grown meters."""

import re
from typing import Final, get_args

from progressive.adapters.config.fields import Section
from progressive.domain.money import CENTS_MAX
from progressive.domain.options import OverflowPolicy
from progressive.domain.rulebook.house_terms import LongerOdds

APPROVAL_KEYS: Final = ("from", "clause", "step")
STEP_KEYS: Final = ("from_cents", "approvers")
TAX_FORM_KEYS: Final = ("from", "form", "least_cents", "least_multiple", "clause")
OVERFLOW_KEYS: Final = ("on_reset", "clause")
METER_CHANGES_KEYS: Final = ("longer_odds", "retire_notice_days", "clause")

APPROVERS_MAX: Final = 5
MULTIPLE_MAX: Final = 1_000_000
NOTICE_DAYS_MAX: Final = 3_660
"""Ten years."""

_DAY: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")


def check_approvals(root: Section) -> list[dict[str, object]]:
    """`[[payment_approval]]`: who beside the payer must approve, from which amounts on."""
    drafts: list[dict[str, object]] = []
    rules = root.sections("payment_approval", APPROVAL_KEYS)
    for rule in rules:
        day = _day(rule)
        rule.text("clause")
        steps = rule.sections("step", STEP_KEYS)
        if not steps:
            rule.problem("step", "missing: an approval has at least one")
        for step in steps:
            step.whole("from_cents", low=1)
            step.whole("approvers", low=1, high=APPROVERS_MAX)
        drafts.append(rule.clean | {"from_day": day, "steps": [step.clean for step in steps]})
    _refuse_same_day(rules)
    return drafts


def check_tax_forms(root: Section) -> list[dict[str, object]]:
    """`[[tax_form]]`: winnings that need a form, from a day on."""
    drafts: list[dict[str, object]] = []
    rules = root.sections("tax_form", TAX_FORM_KEYS)
    for rule in rules:
        day = _day(rule)
        rule.text("form")
        rule.whole("least_cents", low=1, high=CENTS_MAX)
        rule.whole("least_multiple", low=0, high=MULTIPLE_MAX)
        rule.text("clause")
        drafts.append(rule.clean | {"from_day": day})
    _refuse_same_day(rules)
    return drafts


def check_overflow(root: Section) -> str:
    """`[overflow]`: what becomes of money above a limit when the meter is reset."""
    standard: OverflowPolicy = "to_reset_meter"
    if not root.has("overflow"):
        return standard
    section = root.section("overflow", OVERFLOW_KEYS)
    if section is None:
        return standard
    section.text("clause")
    return section.choice("on_reset", get_args(OverflowPolicy)) or standard


def check_meter_changes(root: Section) -> dict[str, object]:
    """`[meter_changes]`: what may become of meters that players have paid into."""
    section = (
        root.section("meter_changes", METER_CHANGES_KEYS) if root.has("meter_changes") else None
    )
    if section is None:
        return {}
    section.choice("longer_odds", get_args(LongerOdds))
    section.whole("retire_notice_days", low=0, high=NOTICE_DAYS_MAX)
    section.text("clause")
    return section.clean


def _day(rule: Section) -> str | None:
    day = rule.text("from")
    if day is not None and not _DAY.fullmatch(day):
        rule.problem("from", f'"{day}" is no day, like 2026-01-01')
        return None
    return day


def _refuse_same_day(rules: list[Section]) -> None:
    days: set[object] = set()
    for rule in rules:
        day = rule.clean.pop("from", None)
        if day is not None and day in days:
            rule.problem("from", f"another rule begins on {day} too")
        days.add(day)
