"""A report as JSON: for programs. The names are a contract with those who wrote such programs.

Amounts are whole numbers in the unit that the name ends with; times are as in the journal.
"""

from datetime import UTC, datetime
from typing import Any

import msgspec

from progressive.adapters.reports.figures.visible import well_formed
from progressive.application.finance.report import Report


def json_bytes(report: Report, printed_at: datetime) -> bytes:
    """One object, with a line end after it."""
    return msgspec.json.encode(_object(report, printed_at)) + b"\n"


def _object(report: Report, printed_at: datetime) -> dict[str, Any]:
    ids = [column.id for column in report.columns]
    return {
        "report": report.report,
        "title": report.title,
        "link": report.link,
        "link_name": well_formed(report.link_name),
        "floor": well_formed(report.floor),
        "currency": report.currency,
        "time_zone": report.time_zone,
        "from": report.from_day,
        "to": report.to_day,
        "closed": report.closed,
        "journal": report.journal,
        "terms_versions": report.terms_versions,
        "day_rule": report.day_rule,
        "clauses": report.clauses,
        "columns": [
            {
                "id": column.id,
                "title": column.title,
                "kind": column.kind,
                "meaning": column.meaning,
                "total": column.total,
                "must_be_zero": column.must_be_zero,
            }
            for column in report.columns
        ],
        "rows": [{name: _cell(row[name]) for name in ids} for row in report.rows],
        "totals": {name: report.totals[name] for name in ids if name in report.totals},
        "notes": [well_formed(note) for note in report.notes],
        "charts": report.charts,
        "program": report.program,
        "printed_at": printed_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }


def _cell(cell: str | int | None) -> str | int | None:
    return well_formed(cell) if isinstance(cell, str) else cell
