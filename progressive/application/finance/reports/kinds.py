"""The registry of report kinds: which module makes which, and which can be asked for one table."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from progressive.application.finance.report import Column, Report
from progressive.application.finance.reports import (
    awards,
    cage,
    exceptions,
    gl,
    hold,
    liability,
    parameters,
    readings,
    reconciliation,
    rollforward,
    tax,
    wagers,
)
from progressive.application.finance.reports.context import Context


class ReportKind(Struct, frozen=True):
    """One kind of report."""

    kind: str
    title: str
    clauses: tuple[str, ...]
    columns: tuple[Column, ...]
    report: Callable[[Context], Report]
    by_table: bool = False
    """Whether it can be asked for one table; meters are fed by all of them."""
    beside_journal: bool = False
    """Whether it shows what happened without a record."""


_BY_TABLE: Final = {wagers.KIND, awards.KIND, exceptions.KIND, tax.KIND}
_BESIDE_JOURNAL: Final = {exceptions.KIND, wagers.KIND}

KINDS: Final[Mapping[str, ReportKind]] = {
    each.KIND: ReportKind(
        each.KIND,
        each.TITLE,
        each.CLAUSES,
        each.COLUMNS,
        each.report,
        by_table=each.KIND in _BY_TABLE,
        beside_journal=each.KIND in _BESIDE_JOURNAL,
    )
    for each in (
        reconciliation,
        wagers,
        awards,
        liability,
        hold,
        exceptions,
        readings,
        rollforward,
        gl,
        cage,
        tax,
        parameters,
    )
}
"""Those that are computed from the journal, in the order of the documentation."""
