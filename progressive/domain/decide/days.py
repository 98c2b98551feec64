"""Whether finance may enter a figure, prepare a gaming day, or close one.

A day is closed once, in order, by two people of finance. It is never edited: what comes late stands
in the open day, and in a restatement of the closed one, which takes the same two steps.
"""

import re
from datetime import date, timedelta
from typing import Final

from progressive.domain.decide.locked_in import locked_in
from progressive.domain.finance_acts import CloseDay, EnterFinance, PrepareDay
from progressive.domain.finance_events import (
    OF_ITS_DAY,
    CageFile,
    DayClosed,
    DayPrepared,
    FinanceEntered,
    FinanceEntry,
    LedgerBalance,
    SignReading,
)
from progressive.domain.money import CENTS_MAX
from progressive.domain.people.names import same_person
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.state.days import Days
from progressive.domain.state.link_state import LinkState
from progressive.domain.text import text_problem
from progressive.domain.time_text import Moment

CAGE_PAYMENTS_MAX: Final = 2_000
"""In one file: a house that pays more awards a day pays them at more than one cage."""
TEXT_CHARACTERS_MAX: Final = 500
LATE_ITEMS_MAX: Final = 500
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_MONTH: Final = re.compile(r"\d{4}-\d{2}")


def enter_finance(state: LinkState, act: EnterFinance) -> FinanceEntered | Refusal:
    """A figure that only people know."""
    if not is_day(act.day):
        return Refusal(Rejection.BAD_MESSAGE, f"{act.day!r} is not a day like 2026-11-17")
    if (why := _unfit(state, act.entry)) is not None:
        return Refusal(Rejection.BAD_MESSAGE, why)
    if isinstance(act.entry, OF_ITS_DAY) and state.days.is_closed(act.day):
        return Refusal(
            Rejection.WRONG_STATUS,
            f"{act.day} is closed: what comes late is stated again with the corrections of the day",
        )
    return FinanceEntered(day=act.day, entry=act.entry, by=act.by, meters=state.primaries)


def prepare_day(state: LinkState, act: PrepareDay, when: Moment) -> DayPrepared | Refusal:
    """The first of two people: the day is over, everything agrees, or is explained."""
    days, totals = state.days, act.totals
    if not is_day(act.day):
        return Refusal(Rejection.BAD_MESSAGE, f"{act.day!r} is not a day like 2026-11-17")
    if when.at < totals.ends:
        return Refusal(Rejection.WRONG_STATUS, f"{act.day} is not over before {totals.ends}")
    if (why := _out_of_order(days, act.day)) is not None:
        return Refusal(Rejection.WRONG_STATUS, why)
    for table, at_table in state.tables.items():
        if at_table.round is not None and locked_in(at_table) <= totals.last_seq:
            return Refusal(
                Rejection.WRONG_STATUS,
                f"round {at_table.round.round} is open at {table}: settle or void it first",
            )
    for check in act.checks:
        if check.state == "open":
            return Refusal(Rejection.WRONG_STATUS, f"{check.check}: {check.detail}")
    if act.note and (problem := text_problem(act.note)) is not None:
        return Refusal(Rejection.BAD_MESSAGE, f"note: {problem}")
    again = days.is_closed(act.day)
    if again and (not act.late or not act.note):
        return Refusal(
            Rejection.WRONG_STATUS,
            f"{act.day} is closed and nothing was booked for it since"
            if not act.late
            else "note: why the day is stated again",
        )
    if len(act.late) > LATE_ITEMS_MAX:
        return Refusal(Rejection.WRONG_STATUS, f"more than {LATE_ITEMS_MAX} late items")
    return DayPrepared(
        day=act.day,
        number=days.restatement(act.day)[0] + 1 if again else 0,
        totals=totals,
        checks=act.checks,
        late=act.late if again else (),
        note=act.note,
        by=act.by,
        meters=state.primaries,
    )


def close_day(state: LinkState, act: CloseDay) -> DayClosed | Refusal:
    """The second person: somebody else than who prepared it."""
    prepared = state.days.preparation(act.day)
    if prepared is None:
        closed = " any more: it is closed" if state.days.is_closed(act.day) else ""
        return Refusal(Rejection.WRONG_STATUS, f"{act.day} is not prepared{closed}")
    if prepared.seq != act.prepared_seq:
        return Refusal(
            Rejection.WRONG_STATUS, f"{act.day} was prepared again: look at it once more"
        )
    event = prepared.event
    if same_person(act.by, event.by):
        return Refusal(
            Rejection.SAME_PERSON, f"{act.by.name} prepared it: it takes a second person"
        )
    if event.number == 0 and (why := _out_of_order(state.days, act.day)) is not None:
        return Refusal(Rejection.WRONG_STATUS, why)
    _, restated_seq = state.days.restatement(act.day)
    return DayClosed(
        day=event.day,
        number=event.number,
        prepared_seq=prepared.seq,
        before_seq=restated_seq if event.number else state.days.close_seq,
        totals=event.totals,
        late=event.late,
        by=(event.by, act.by),
        meters=state.primaries,
    )


def is_day(text: str) -> bool:
    """Whether it is a calendar day like `2026-11-17`."""
    if not _DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def next_day(day: str) -> str:
    """The day after."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def _out_of_order(days: Days, day: str) -> str | None:
    """Closed days have no gap; the first that is closed may be any."""
    if not days.last or days.is_closed(day):
        return None
    if day < days.first:
        return f"the first closed day is {days.first}: days before it stay as they are"
    if day != (due := next_day(days.last)):
        return f"close {due} first"
    return None


def _unfit(state: LinkState, entry: FinanceEntry) -> str | None:
    for text in _texts(entry):
        if len(text) > TEXT_CHARACTERS_MAX:
            return f"a text of more than {TEXT_CHARACTERS_MAX} characters"
        if text and (problem := text_problem(text)) is not None:
            return problem
    if any(abs(cents) > CENTS_MAX for cents in _amounts(entry)):
        return "an amount of more than a billion"
    if isinstance(entry, SignReading | LedgerBalance) and (
        ("primary", entry.meter) not in state.balances
    ):
        return f"there is no meter {entry.meter!r}"
    if isinstance(entry, SignReading) and (why := _no_sign(state, entry.sign)) is not None:
        return why
    if isinstance(entry, LedgerBalance) and not (
        _MONTH.fullmatch(entry.month) and is_day(f"{entry.month}-01")
    ):
        return f"{entry.month!r} is not a month like 2026-11"
    if isinstance(entry, CageFile) and len(entry.payments) > CAGE_PAYMENTS_MAX:
        return f"more than {CAGE_PAYMENTS_MAX} payments in one file"
    return None


def _no_sign(state: LinkState, sign: str) -> str | None:
    """A sign that the floor does not have cannot have been read."""
    known = [] if state.floor is None else [each.id for each in state.floor.signs]
    if not known or sign in known:
        return None
    return f"there is no sign {sign!r} (there are: {', '.join(known)})"


def _texts(entry: FinanceEntry) -> list[str]:
    found = [
        value for name in entry.__struct_fields__ if isinstance(value := getattr(entry, name), str)
    ]
    if isinstance(entry, CageFile):
        for payment in entry.payments:
            found += [payment.reference, payment.document, payment.paid_at]
    return found


def _amounts(entry: FinanceEntry) -> list[int]:
    if isinstance(entry, CageFile):
        return [payment.cents for payment in entry.payments]
    return [
        value
        for name in entry.__struct_fields__
        if name.endswith("cents") and isinstance(value := getattr(entry, name), int)
    ]
