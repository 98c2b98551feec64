"""`exceptions`: voids, corrections, overrides, losses, set clocks, as the journal knows them; and
refusals, outages and alarms, which leave no record there (`not_recorded`).
"""

from typing import Final

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import Happening
from progressive.application.finance.report import Report, Row
from progressive.application.finance.reports.columns import columns
from progressive.application.finance.reports.context import Context, made
from progressive.application.finance.reports.not_recorded import not_recorded, notes_of
from progressive.domain.money import MICROCENTS_PER_CENT

KIND: Final = "exceptions"
TITLE: Final = "Exceptions"
CLAUSES: Final = ("N.J.A.C. 13:69D-1.34",)

SEVERE: Final = frozenset({"loss accepted", "clock stepped", "difference"})
ROUTINE: Final = frozenset(
    {"service started", "alarm acknowledged", "award void withdrawn", "day closed"}
)

COLUMNS: Final = columns("""
    at            time          At: When, or when it began.
    day           day           Day: The gaming day on which it began.
    kind          text          Kind: What happened.
    severity      text          Severity: severe, notable or routine.
    object        text          Object: The table, sign, award, correction, alarm or act.
    code          text          Code: Of a refusal.
    times         int           Times: How often on that day; of refusals and of alarms that do
        not last.
    until         time, detail  Until: When it ended, or the last of several. Empty: not in these
        days.
    seconds       int, detail   Seconds: How long it lasted, where it lasted and ended.
    who           text          Who: The first person, or the operating system's user.
    second        text, detail  Second: The second person, where it takes two.
    reason        text          Reason: As it was given.
    amount_cents  cents         Amount: What it is about, in whole cents.
    detail        text          Detail: What else the record says.
""")


def report(context: Context) -> Report:
    """The exceptions of a range of days, oldest first."""
    recorded = [row for book in context.books for row in _rows(context, book)]
    rows = _by_time(recorded, not_recorded(context))
    kinds: dict[str, int] = {}
    for row in rows:
        kinds[str(row["kind"])] = kinds.get(str(row["kind"]), 0) + 1
    counted = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
    notes = [f"In these days: {counted or 'nothing'}.", *notes_of(context)]
    return made(
        context, kind=KIND, title=TITLE, clauses=CLAUSES, columns=COLUMNS, rows=rows, notes=notes
    )


def _rows(context: Context, book: DayBook) -> list[Row]:
    found = [*book.happenings]
    found += [
        Happening(
            seq=each.seq,
            at="",
            kind="difference",
            amount_cents=each.microcents // MICROCENTS_PER_CENT,
            detail=f"{each.what} ({each.microcents} microcents)",
        )
        for each in book.differences
    ]
    tables = {entry.made.award: entry.table for entry in book.awards.values()}
    return [
        {
            "at": each.at or None,
            "day": book.day,
            "kind": each.kind,
            "severity": _severity(each.kind),
            "object": each.about or None,
            "code": None,
            "times": None,
            "until": None,
            "seconds": None,
            "who": each.by or None,
            "second": each.second or None,
            "reason": each.reason or None,
            "amount_cents": each.amount_cents,
            "detail": each.detail or None,
            "first_seq": each.seq,
            "last_seq": each.seq,
        }
        for each in sorted(found, key=lambda each: each.seq)
        if context.at_table(tables.get(each.about, each.about))  # type: ignore[call-overload]
    ]


def _by_time(recorded: list[Row], beside: list[Row]) -> list[Row]:
    """One list, oldest first. Records stay in the order of the journal: a difference has no time of
    its own and stands behind the record before it."""
    placed: list[tuple[str, int, Row]] = []
    at = ""
    for row in recorded:
        at = max(at, str(row["at"] or ""))
        placed.append((at, 0, row))
    placed += [(str(row["at"]), 1, row) for row in beside]
    return [row for _, _, row in sorted(placed, key=lambda each: each[:2])]


def _severity(kind: str) -> str:
    return "severe" if kind in SEVERE else "routine" if kind in ROUTINE else "notable"
