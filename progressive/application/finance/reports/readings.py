"""`readings`: what people read off signs, beside the sign log and the journal of that moment, and
every decrease of a meter since it was read before, with its document.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from progressive.application.finance.report import Report, Row
from progressive.application.finance.reports.columns import columns
from progressive.application.finance.reports.context import Context, made
from progressive.application.finance.reports.readings_then import RULE, ReadingThen, SignsThen
from progressive.application.finance.stated.entries import Entered, of_kind
from progressive.application.finance.stated.explained import Explanations
from progressive.application.journal.times import as_journal_time
from progressive.domain.finance_events import SignReading
from progressive.domain.ids import MeterId

KIND: Final = "readings"
TITLE: Final = "Meter readings"
CLAUSES: Final = ("SD 20:18:17:24.02",)
DUE_DAYS: Final = 7
"""How often every meter is to be read."""
NAMED_MAX: Final = 20
"""Meters that a note names."""

COLUMNS: Final = columns("""
    meter                text             Meter: The meter.
    sign                 text             Sign: Where it was read.
    entry                text             Entry: reading; decrease: a record after which the meter
        showed less; not read: it was read at no time in the range.
    at                   time             At: When it was read, or booked.
    shown_cents          cents            Read: What the person read.
    read_by              text             Read by: Who read it.
    sign_log_cents       cents            Sign log: What the sign itself reported for the moment.
    sign_log             text, detail     Sign's state: As it reported, or why nothing is known.
    sign_log_at          time, detail     Reported at: When the sign reported that.
    journal_microcents   microcents       Journal: The meter at the moment.
    difference_cents     cents, zero      Difference: By how much the reading is beside all that
        the meter was within the lag of a sign, half a minute; zero: it agrees.
    previous_at          time, detail     Before at: When this sign's meter was read before.
    previous_cents       cents, detail    Before: What was read then.
    change_cents         cents, detail    Change: Since then.
    decrease_microcents  microcents, sum  Decrease: Of a decrease, on display.
    document             text             Document: The award, void or correction behind a
        decrease.
    explanation          text, detail     Explanation: Of a difference, as entered.
    explained_by         text, detail     Explained by: Who entered it.
    reviewed_by          text, detail     Reviewed by: Who entered the reading.
    entered_at           time, detail     Entered at: When.
    entered_seq          seq, detail      Entered in: The record that entered it.
""")


class Reading(Struct, frozen=True):
    """One reading, its time in the journal's form."""

    entered: Entered
    reading: SignReading
    at: str

    @property
    def item(self) -> str:
        """What an explanation names it by."""
        return item_of(self.reading.sign, self.reading.meter)


def item_of(sign: str, meter: str) -> str:
    """What an explanation names a meter on a sign by."""
    return f"{sign} {meter}"


def readings_of(entries: Sequence[Entered]) -> list[Reading]:
    """All readings by their time. Entered again for the same moment, the later entry counts."""
    found: dict[tuple[str, str, str], Reading] = {}
    for entered, reading in of_kind(entries, SignReading):
        at = as_journal_time(reading.read_at)
        # Whoever entered no time has read it by then.
        key = (reading.sign, reading.meter, at or entered.at)
        found[key] = Reading(entered, reading, at or entered.at)
    return sorted(found.values(), key=lambda each: (each.at, each.entered.seq))


def of_days(context: Context, readings: Sequence[Reading]) -> list[Reading]:
    """Those that were entered for the days of the report."""
    days = {book.day for book in context.books}
    return [each for each in readings if each.entered.day in days]


def report(context: Context) -> Report:
    """The readings of a range of days, by meter and time."""
    signs = context.signs or SignsThen()
    known = readings_of(context.entries)
    found = of_days(context, known)
    explanations = Explanations(context.entries, KIND)
    rows: list[Row] = []
    for meter in _meters(context, found):
        of_meter = [
            _reading_row(each, known, signs.readings.get(each.entered.seq), explanations)
            for each in found
            if each.reading.meter == meter
        ]
        of_meter += [
            _empty(meter, "decrease") | {
                "at": each.at,
                "decrease_microcents": each.microcents,
                "document": each.because,
                "first_seq": each.seq,
                "last_seq": each.seq,
            }
            for each in signs.decreases
            if each.meter == meter
        ]  # fmt: skip
        rows += sorted(of_meter, key=lambda row: str(row["at"]))
        rows += _not_read(context, meter, found, known, signs)
    return made(
        context, kind=KIND, title=TITLE, clauses=CLAUSES, columns=COLUMNS, rows=rows,
        notes=[*_notes(context, known, rows, signs)],
    )  # fmt: skip


def _meters(context: Context, found: Sequence[Reading]) -> list[MeterId]:
    return list(dict.fromkeys([*context.meters, *(each.reading.meter for each in found)]))


def _empty(meter: str, entry: str) -> dict[str, str | int | None]:
    row: dict[str, str | int | None] = dict.fromkeys([column.id for column in COLUMNS])
    return row | {"meter": meter, "entry": entry}


def _reading_row(
    found: Reading,
    known: Sequence[Reading],
    then: ReadingThen | None,
    explanations: Explanations,
) -> Row:
    reading, then = found.reading, then or ReadingThen()
    before = _before(known, reading.sign, reading.meter, found.at)
    explained = explanations.of(found.item, found.entered.day) if then.off_cents else None
    return _empty(reading.meter, "reading") | {
        "sign": reading.sign,
        "at": found.at,
        "shown_cents": reading.shown_cents,
        "read_by": reading.read_by,
        "sign_log_cents": then.log_cents,
        "sign_log": then.log or None,
        "sign_log_at": then.log_at,
        "journal_microcents": then.journal_microcents,
        "difference_cents": then.off_cents,
        **_previous(before),
        "change_cents": None if before is None
        else reading.shown_cents - before.reading.shown_cents,
        "explanation": None if explained is None else explained.text,
        "explained_by": None if explained is None else explained.by,
        "reviewed_by": found.entered.by.name,
        "entered_at": found.entered.at,
        "entered_seq": found.entered.seq,
        "first_seq": then.first_seq,
        "last_seq": then.last_seq,
    }  # fmt: skip


def _before(known: Sequence[Reading], sign: str, meter: str, at: str) -> Reading | None:
    earlier = [
        each
        for each in known
        if each.at < at and (each.reading.sign, each.reading.meter) == (sign, meter)
    ]
    return earlier[-1] if earlier else None


def _previous(before: Reading | None) -> dict[str, str | int | None]:
    return {
        "previous_at": None if before is None else before.at,
        "previous_cents": None if before is None else before.reading.shown_cents,
    }


def _not_read(
    context: Context,
    meter: MeterId,
    found: Sequence[Reading],
    known: Sequence[Reading],
    signs: SignsThen,
) -> Iterator[Row]:
    """What was not read in the range: each sign that showed the meter; the meter, where nobody
    knows which did."""
    read = {each.reading.sign for each in found if each.reading.meter == meter}
    showing = [sign for sign, shown in signs.shown if shown == meter]
    for sign in (each for each in showing if each not in read):
        before = _before(known, sign, meter, context.last.ends)
        yield _empty(meter, "not read") | {"sign": sign, **_previous(before)}
    if not read and not showing:
        on_any = [each for each in known if each.reading.meter == meter]
        last = [each for each in on_any if each.at < context.last.ends]
        before = last[-1] if last else None
        last_sign = None if before is None else before.reading.sign
        yield _empty(meter, "not read") | {"sign": last_sign, **_previous(before)}


def _notes(
    context: Context, known: Sequence[Reading], rows: Sequence[Row], signs: SignsThen
) -> Iterator[str]:
    yield RULE
    if signs.log_problem:
        yield f"Nothing is known of the sign log: {signs.log_problem}."
    ends = datetime.fromisoformat(min(context.last.ends, context.last.closing.at or "9"))
    since = (ends - timedelta(days=DUE_DAYS)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    lately = {(each.reading.sign, each.reading.meter) for each in known if each.at >= since}
    overdue = [
        " on ".join(filter(None, (str(row["meter"]), str(row["sign"] or ""))))
        for row in rows
        if row["entry"] == "not read" and (row["sign"], row["meter"]) not in lately
    ]
    if overdue:
        more = f" and {len(overdue) - NAMED_MAX} more" if len(overdue) > NAMED_MAX else ""
        yield (
            f"Every meter is to be read once in {DUE_DAYS} days. Not read for longer: "
            f"{', '.join(overdue[:NAMED_MAX])}{more}."
        )
