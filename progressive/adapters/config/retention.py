"""`[retention]` of jurisdiction and floor files: how long records are kept, by kind."""

from typing import Final

from progressive.adapters.config.fields import Section
from progressive.domain.rulebook import legal_checks as legal
from progressive.domain.rulebook.retention import JOURNAL_MIN_DAYS, RetentionRule

RETENTION_KEYS: Final = ("journal_days", "happenings_days")
"""Of the floor file. The sign log has its own key there; the act log is never removed, sessions
end by themselves."""
RETENTION_RULE_KEYS: Final = ("journal_min_days", "sign_log_min_days", "clause")

JOURNAL_DAYS_MAX: Final = 36_525
"""A hundred years."""
HAPPENINGS_DAYS_MIN: Final = 62
"""A month is reported on after its end."""
SIGN_LOG_DAYS_MAX: Final = 3_660
"""Ten years."""


def check_retention_rule(root: Section) -> dict[str, object]:
    """A jurisdiction's minimums; without the section the house default of five years."""
    section = root.section("retention", RETENTION_RULE_KEYS) if root.has("retention") else None
    if section is None:
        return {}
    section.whole("journal_min_days", low=1, high=JOURNAL_DAYS_MAX, default=JOURNAL_MIN_DAYS)
    section.whole("sign_log_min_days", low=0, high=SIGN_LOG_DAYS_MAX, default=0)
    section.text("clause")
    return section.clean


def check_retention(root: Section, rule: RetentionRule | None) -> dict[str, object]:
    """The floor's own times, none below the jurisdiction's; unless given, they are just those."""
    rule = rule or RetentionRule()
    days: int | None = rule.journal_min_days
    happenings_days: int | None = max(rule.journal_min_days, HAPPENINGS_DAYS_MIN)
    if root.has("retention"):
        section = root.section("retention", RETENTION_KEYS)
        if section is not None:
            days = section.whole(
                "journal_days", low=1, high=JOURNAL_DAYS_MAX, default=rule.journal_min_days
            )
            if days is not None:
                section.refuse(
                    "journal_days", legal.kept_too_short(days, rule.journal_min_days, rule.clause)
                )
            happenings_days = section.whole(
                "happenings_days",
                low=HAPPENINGS_DAYS_MIN,
                high=JOURNAL_DAYS_MAX,
                default=max(days or JOURNAL_MIN_DAYS, HAPPENINGS_DAYS_MIN),
            )
    sign_days = root.clean.get("sign_log_days")
    if isinstance(sign_days, int):
        root.refuse(
            "sign_log_days", legal.kept_too_short(sign_days, rule.sign_log_min_days, rule.clause)
        )
    return {
        "journal_days": days,
        "happenings_days": happenings_days,
        "clause": rule.clause,
    }
