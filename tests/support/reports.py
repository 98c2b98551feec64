"""Made-up reports for the formats: every kind of column, hostile texts, none and many rows."""

from collections.abc import Sequence
from datetime import UTC, datetime

from progressive.application.finance.report import (
    JOURNAL_COLUMNS,
    Band,
    Chart,
    Column,
    JournalRange,
    Mark,
    Report,
    Row,
    Series,
    sums,
)

PRINTED_AT = datetime(2026, 11, 2, 14, 5, 6, tzinfo=UTC)
DAY_RULE = (
    "A round belongs to the gaming day of its lock-out, an award to the day of its settlement, a "
    "payment to the day it is paid. Day starts 06:00 America/New_York."
)
HEAD = "9f2c4e1b7a6d5038c1e2f3a4b5c6d7e8f90123456789abcdef0123456789abcd"

EVERY_KIND = (
    Column("table", "Table", "text", "Where the round was dealt.", width=12),
    Column("day", "Gaming day", "day", "The day it belongs to."),
    Column("locked_at", "Lock-out", "time", "When betting ended."),
    Column("wagers", "Wagers", "int", "How many wagers were registered.", total=True),
    Column("wager_cents", "Wagered", "cents", "Their sum.", total=True),
    Column("to_meters_microcents", "To meters", "microcents", "What meters got.", total=True),
    Column("rate_ppm", "Rate", "ppm", "The contribution rate."),
    Column("effective_ppm", "Effective rate", "percent", "To meters against wagered."),
    Column("reason", "Reason", "text", "What a person wrote.", width=30),
    *JOURNAL_COLUMNS,
)

HOSTILE = (
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "  =HYPERLINK(1)",
    "＝1+1",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7*7 }} {% raw %}",
    "&amp; ]]> <!-- -->",
    "paid \u202e00.1$\u202c",
    "zero\u200bwidth",
    "two\nlines\r\nthree",
    "nul\0 bell\x07",
    "lone \ud800 surrogate",
    "emoji 🎰👨‍👩‍👧",
    "日本語 العربية Ελληνικά Ж",
    "é e\u0301 ﬁ",
    "comma, \"quote\"; 'apostrophe'",
    "x" * 500,
    "word " * 2_000,
    "",
)


def row(number: int, reason: str = "") -> Row:
    """The same number gives the same row."""
    wagered = 500 * (number % 7 + 1)
    return {
        "table": f"BJ-{number % 40 + 1:02}",
        "day": "2026-11-01",
        "locked_at": f"2026-11-01T{number % 24:02}:{number % 60:02}:09.250000Z",
        "wagers": number % 7 + 1,
        "wager_cents": wagered,
        "to_meters_microcents": wagered * 234_567,
        "rate_ppm": 234_567,
        "effective_ppm": None if number % 5 == 4 else 234_567,
        "reason": reason,
        "first_seq": number + 1,
        "last_seq": number + 9,
    }


def made_up(
    rows: Sequence[Row] = (),
    *,
    columns: tuple[Column, ...] = EVERY_KIND,
    closed: bool = True,
    charts: tuple[Chart, ...] = (),
    currency: str = "USD",
    floor: str = "Riverside Casino",
    **others: int,
) -> Report:
    """A report with these rows; `others` are totals that are no sums."""
    return Report(
        report="wagers",
        title="Wagers",
        link="main",
        link_name="Main link",
        floor=floor,
        currency=currency,
        time_zone="America/New_York",
        from_day="2026-11-01",
        to_day="2026-11-01",
        closed=closed,
        journal=JournalRange(1, len(rows) + 9, HEAD) if rows else JournalRange(None, None, HEAD),
        terms_versions=(3, 4),
        day_rule=DAY_RULE,
        clauses=("N.J.A.C. 13:69D-1.52(e)", "25 CFR 543.24"),
        columns=columns,
        rows=tuple(rows),
        totals={**sums(columns, rows), **others},
        program="0.1.0",
        notes=("Voided rounds are not counted.",),
        charts=charts,
    )


def plain(count: int = 5, *, closed: bool = True) -> Report:
    """A report with figures, texts, a chart and a total that is no sum."""
    rows = [row(number, "Miscounted chips" if number % 3 == 0 else "") for number in range(count)]
    return made_up(rows, closed=closed, charts=(BY_HOUR,), effective_ppm=234_567)


def wide(meters: int = 3, *, closed: bool = True, off_by: int = 0) -> Report:
    """A reconciliation: more amounts than fit beside each other on any paper."""
    rows = []
    for number in range(meters):
        for part in ("primary", "reset", "overflow"):
            amounts = {
                f"{name}_microcents": (123_456_789_012_345 + 7_777_777 * number) * (place % 3 - 1)
                for place, name in enumerate(_FLOWS)
            }
            rows.append(
                {
                    "meter": f"mega-{number + 1}",
                    "part": part,
                    **amounts,
                    "difference_microcents": off_by if (number, part) == (1, "reset") else 0,
                    "wagers": 1_234 * number,
                    "effective_ppm": 200_500,
                    "floor_ppm": 200_000,
                    "explanation": "",
                    "first_seq": 8_112,
                    "last_seq": 312_450,
                }
            )
    return made_up(rows, columns=_WIDE, closed=closed, charts=(GROWTH, HOLD))


_FLOWS = (
    *("opening", "contributions", "void_contra", "house_initial", "house_reset", "reserve_moved"),
    *("overflow_moved", "awards", "awards_voided", "corrections", "transfers_in", "transfers_out"),
    *("closing", "recomputed", "difference"),
)
_WIDE = (
    Column("meter", "Meter", "text", "The meter.", width=12),
    Column("part", "Part", "text", "Displayed amount, reserve, or overflow.", width=8),
    *(
        Column(
            f"{name}_microcents",
            name.replace("_", " ").capitalize(),
            "microcents",
            f"The {name.replace('_', ' ')} of the days, to the microcent.",
            total=True,
            must_be_zero=name == "difference",
        )
        for name in _FLOWS
    ),
    Column("wagers", "Wagers", "int", "How many wagers.", total=True),
    Column("effective_ppm", "Effective rate", "percent", "Contributions against wagers."),
    Column("floor_ppm", "Floor", "percent", "What the rule asks for at least."),
    Column("explanation", "Explanation", "text", "Why there is a difference.", width=24),
    *JOURNAL_COLUMNS,
)


def hostile() -> Report:
    """Every hostile text as a reason, one as the floor's name."""
    rows = [row(number, text) for number, text in enumerate(HOSTILE)]
    return made_up(rows, floor='=<b>"Floor"</b>\u202e')


BY_HOUR = Chart(
    title="Wagers by hour",
    kind="bars",
    x=tuple(f"{hour % 24:02}:00" for hour in range(6, 30)),
    series=(
        Series("Wagered", tuple(900_000 + 37_313 * (hour * 7 % 13) for hour in range(24))),
        Series("Voided", tuple(10_000 * (hour % 3) for hour in range(24))),
    ),
    unit="cents",
)
GROWTH = Chart(
    title="Mega meter",
    kind="steps",
    x=tuple(range(1_000, 1_000 + 40 * 25, 25)),
    series=(
        Series("Displayed", tuple(1_000_000_00 + (n % 17) * 123_456 for n in range(40))),
        Series("Reserve", tuple(None if n in (5, 6) else 50_000_00 + n * 9_999 for n in range(40))),
    ),
    unit="cents",
    marks=(Mark(16, "hit A-17"), Mark(33, "hit A-18")),
    x_title="journal record",
)
HOLD = Chart(
    title="Hold against theory",
    kind="line",
    x=tuple(f"2026-10-{day:02}" for day in range(2, 32)),
    series=(
        Series("Hold", tuple(250_000 + (day * 7919 % 23 - 11) * 4_000 for day in range(30))),
        Series("Theory", (250_000,) * 30),
    ),
    bands=(Band("Two standard errors", (215_000,) * 30, (285_000,) * 30),),
    unit="percent",
)
