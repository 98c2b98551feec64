"""The rows of `exceptions` that no record stands behind: refusals, outages, alarms.

Refusals of one table and code are one row a gaming day, and so are alarms that are over at once:
a reader wants to know that it went on, and for how long, and not each minute of it.
"""

from collections.abc import Iterator
from typing import Final

from progressive.application.finance.report import Row
from progressive.application.finance.reports.context import Context
from progressive.domain.alarms import AlarmKind
from progressive.domain.happenings import Happened, HappenedKind, signed_in
from progressive.domain.rejections import Rejection
from progressive.domain.time_text import microseconds_between

NOT_KNOWN: Final = "Only what the journal holds: refusals, outages and signs are not in it."
BESIDE: Final = (
    "Rows without a record are from the log of happenings, which is not sealed and no part of the "
    "journal."
)
SEVERE_ALARMS: Final = frozenset(
    (
        AlarmKind.LINK_INOPERABLE,
        AlarmKind.TABLE_AHEAD,
        AlarmKind.CLOCK,
        AlarmKind.NOT_REMEMBERED,
        AlarmKind.NOT_VERIFIED,
        AlarmKind.NOT_SEALED,
        AlarmKind.NOT_WITNESSED,
        AlarmKind.SIGN_WRONG,
    )
)
ROUTINE_REFUSALS: Final = frozenset(
    (
        Rejection.LINK_INOPERABLE,
        Rejection.NOT_LEADER,
        Rejection.TRY_AGAIN,
        Rejection.SEQ_GAP,
        Rejection.SEQ_REUSED,
    )
)
"""Numbering and the link's own state: nobody has claimed anything."""
ASKED_NAMED: Final = 5
"""Of what one person was refused in one way on one day; the rest are counted."""
_MICROSECONDS: Final = 1_000_000

_Together = tuple[str, ...]


def not_recorded(context: Context) -> list[Row]:
    """Oldest first."""
    if context.happened is None:
        return []
    rows = [*_together(context.happened.happened)]
    return [_row(each, until) for each, until in rows if context.at_table(each.about)]


def notes_of(context: Context) -> list[str]:
    """Where the rows come from, and what is not known."""
    return notes_on_log(
        context, "refusals, outages and alarms", beside=BESIDE, without_log=NOT_KNOWN
    )


def notes_on_log(context: Context, what: str, *, beside: str, without_log: str) -> list[str]:
    """What a report takes from the log of happenings, and of when that is not known."""
    then = context.happened
    if then is None:
        return [without_log]
    notes = [beside]
    if not then.begins:
        notes.append(f"That log is empty: {what} are not known.")
    elif then.begins > context.first.begins:
        notes.append(
            f"That log begins at {context.clock(then.begins)}: {what} before are not known."
        )
    return [*notes, *(f"{problem}." for problem in then.problems)]


def _together(happened: tuple[Happened, ...]) -> Iterator[tuple[Happened, str]]:
    """Each with the time at which it ended, or was last seen; moments of a day as one."""
    first: dict[_Together, Happened] = {}
    times: dict[_Together, int] = {}
    last: dict[_Together, str] = {}
    asked: dict[_Together, list[str]] = {}
    order: list[_Together | Happened] = []
    for each in happened:
        if each.lasts:
            order.append(each)
            continue
        key = (each.day, each.kind, each.about, each.code, each.who)
        if key not in first:
            first[key] = each
            order.append(key)
        times[key] = times.get(key, 0) + each.times
        last[key] = max(last.get(key, ""), each.at)
        said = asked.setdefault(key, [])
        if each.message and each.message not in said:
            said.append(each.message)
    for place in order:
        if isinstance(place, Happened):
            yield place, place.until
        else:
            each = first[place]
            message = _named(asked[place]) if _is_act(each) else each.message
            yield (
                _of_day(each, times[place], message),
                "" if last[place] == each.at else last[place],
            )


def _is_act(each: Happened) -> bool:
    return each.kind is HappenedKind.ACT_REFUSED


def _named(asked: list[str]) -> str:
    more = len(asked) - ASKED_NAMED
    return ", ".join(asked[:ASKED_NAMED]) + (f" and {more} more" if more > 0 else "")


def _of_day(first: Happened, times: int, message: str) -> Happened:
    return Happened(
        kind=first.kind,
        at=first.at,
        day=first.day,
        link=first.link,
        about=first.about,
        who=first.who,
        code=first.code,
        times=times,
        message=message,
    )


def _row(each: Happened, until: str) -> Row:
    ended = each.lasts and bool(until)
    is_alarm = each.kind is HappenedKind.ALARM
    return {
        "at": each.at,
        "day": each.day or None,
        "kind": each.code.replace("_", " ") if is_alarm else str(each.kind),
        "severity": _severity(each),
        "object": each.about or None,
        "code": None if is_alarm else each.code or None,
        "times": None if each.lasts else each.times,
        "until": until or None,
        "seconds": microseconds_between(each.at, until) // _MICROSECONDS if ended else None,
        "who": each.who or None,
        "second": None,
        "reason": None,
        "amount_cents": None,
        "detail": _detail(each) or None,
        "first_seq": None,
        "last_seq": None,
    }


def _severity(each: Happened) -> str:
    match each.kind:
        case HappenedKind.OUTAGE:
            return "notable" if each.clean else "severe"
        case HappenedKind.ALARM:
            if each.code in SEVERE_ALARMS:
                return "severe"
            return "routine" if each.code == AlarmKind.LESSER_RULES else "notable"
        case HappenedKind.REFUSED:
            return "routine" if each.code in ROUTINE_REFUSALS else "notable"
        case HappenedKind.ACT_REFUSED if each.about or each.code:
            # Strangers could hold up every close: whoever has no session has claimed nothing.
            return "notable" if signed_in(each.who, each.about, each.code) else "routine"
        case _:
            return "notable"


def _detail(each: Happened) -> str:
    match each.kind:
        case HappenedKind.OUTAGE:
            how = "stopped" if each.clean else "ended without a stop, up to a minute later"
            return how if each.until else f"{how}; not started again in these days"
        case HappenedKind.SILENCE:
            return "the service wrote nothing: suspended, without room on its disk, or ended"
        case HappenedKind.LOST:
            return "lines of the log that were not written: no room, or too many a day"
        case HappenedKind.REFUSED | HappenedKind.ACT_REFUSED if not (each.about or each.code):
            return "of too many different ones in a minute"
        case HappenedKind.REFUSED if not each.about:
            return "all tables"
        case _:
            return each.message
