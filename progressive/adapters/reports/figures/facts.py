"""What every report says about itself, in words: title lines, and what it rests on.

Every format for people prints the same facts in the same order.
"""

from datetime import datetime
from typing import Final

from progressive.adapters.reports.figures.figures import Figures, moment_text
from progressive.adapters.reports.figures.visible import visible
from progressive.application.finance.report import Report

SIGNATURES: Final = ("Prepared by", "Reviewed by", "Audited by")


def days_text(report: Report) -> str:
    """Which gaming days the report covers."""
    if report.from_day == report.to_day:
        return f"Gaming day {report.from_day}"
    return f"Gaming days {report.from_day} to {report.to_day}"


def place_text(report: Report) -> str:
    """Whose figures they are: the floor and the link."""
    of_link = f"{visible(report.link_name)} ({report.link})"
    # Older journals do not say what the floor is called.
    return f"{visible(report.floor)} · {of_link}" if report.floor else of_link


def open_text(report: Report) -> str | None:
    """The words in large letters on a report of days that are not all closed."""
    if report.closed:
        return None
    if report.outside:
        return "OUTSIDE THE CLOSES"
    return "OPEN DAY" if report.from_day == report.to_day else "OPEN: NOT ALL DAYS ARE CLOSED"


def open_means(report: Report) -> str:
    """What those words mean."""
    if report.outside:
        return "Days before the first closed day are never closed."
    return "Not closed yet: these figures can still change."


def basis(report: Report, printed_at: datetime, figures: Figures) -> list[tuple[str, str]]:
    """What the figures rest on, as label and text."""
    versions = ", ".join(map(str, report.terms_versions)) or "none"
    facts = [
        ("Day rule", report.day_rule),
        ("Status", "Closed" if report.closed else f"{open_text(report)}. {open_means(report)}"),
        ("Journal", journal_text(report)),
        ("Last hash", report.journal.head or "none"),
        ("Terms versions", versions),
        ("Currency", report.currency or "not stated"),
        ("Time zone", report.time_zone),
        ("Program", report.program),
        ("Printed at", moment_text(printed_at.astimezone(figures.zone))),
    ]
    if report.clauses:
        facts.insert(2, ("Clauses", "; ".join(report.clauses)))
    return [(label, visible(text)) for label, text in facts]


def journal_text(report: Report) -> str:
    """Which records of which journal."""
    journal = report.journal
    if journal.first_seq is None or journal.last_seq is None:
        return f"link {report.link}, no records"
    return f"link {report.link}, records {journal.first_seq} to {journal.last_seq}"
