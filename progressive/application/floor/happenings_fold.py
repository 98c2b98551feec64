"""From the lines of the log to what happened: beginnings joined with their ends, gaps noticed.

The same lines give the same result, whenever they are read. What lasts beyond the range that was
asked for has no end in it, so that a report over days that are past does not change any more; only
an outage is given its end, which the next start has written down.
"""

from collections.abc import Iterable
from typing import Final

from progressive.domain.happenings import Happened, HappenedKind, HappeningLine, Noted
from progressive.domain.ids import LinkId
from progressive.domain.time_text import microseconds_between

SILENT_SECONDS: Final = 150
"""Two signs of life were missed."""
_CUT_OFF: Final = "the service ended before it did"
_MICROSECONDS: Final = 1_000_000
_TO_THE_HOUR: Final = len("2026-01-02T03:")
_MINUTES: Final = slice(_TO_THE_HOUR, _TO_THE_HOUR + 2)


class HappeningsFold:
    """Goes over the lines in the order in which they lie."""

    def __init__(self, from_at: str, to_at: str, link: LinkId | None) -> None:
        """What overlaps this range; of one link and of the whole service, or of all links."""
        self._from_at = from_at
        self._to_at = to_at
        self._link = link
        self._open: dict[str, HappeningLine] = {}
        self._last_alive = ""
        self._stopped = False
        self._found: list[Happened] = []

    def over(self, lines: Iterable[HappeningLine]) -> None:
        """The next lines."""
        for line in lines:
            self._next(line)

    def finish(self) -> tuple[Happened, ...]:
        """What lasts at the end of the range, and whether the service was there until then."""
        if self._last_alive and self._silent(self._last_alive, self._to_at):
            self._close_all(self._last_alive)
            # Killed, or alive and not able to write: the next start tells.
            kind = HappenedKind.OUTAGE if self._stopped else HappenedKind.SILENCE
            self._enter(Happened(kind=kind, at=self._last_alive, lasts=True, clean=self._stopped))
        for line in self._open.values():
            self._enter_span(line, "")
        self._open.clear()
        return tuple(sorted(self._found, key=_place))

    def _next(self, line: HappeningLine) -> None:
        what = line.what
        if what == Noted.STARTED:
            self._start(line)
        elif what == Noted.MOMENT:
            # Of the past, where somebody acted while the service was down: no sign of its life.
            self._enter_counted(HappenedKind.ALARM, line)
            return
        elif self._last_alive and self._silent(self._last_alive, line.at):
            self._enter(
                Happened(kind=HappenedKind.SILENCE, at=self._last_alive, until=line.at, lasts=True)
            )
        self._last_alive = max(self._last_alive, line.at)
        self._stopped = what == Noted.STOPPED
        if what == Noted.STOPPED:
            self._close_all(line.at)
        elif what in (Noted.RAISED, Noted.STANDS):
            self._open.setdefault(line.name, line)
        elif what == Noted.ENDED:
            self._enter_span(self._open.pop(line.name, line), line.at)
        elif what == Noted.REFUSED:
            self._enter_counted(HappenedKind.REFUSED, line)
        elif what == Noted.ACT_REFUSED:
            self._enter_counted(HappenedKind.ACT_REFUSED, line)
        elif what == Noted.LOST:
            self._enter_counted(HappenedKind.LOST, line)

    def _start(self, line: HappeningLine) -> None:
        self._close_all(line.since or line.at)
        if line.since and line.since < line.at:
            self._enter(
                Happened(
                    kind=HappenedKind.OUTAGE,
                    at=line.since,
                    until=line.at,
                    lasts=True,
                    clean=line.clean,
                )
            )

    def _close_all(self, at: str) -> None:
        for line in self._open.values():
            self._enter_span(line, at, why=_CUT_OFF)
        self._open.clear()

    def _enter_span(self, line: HappeningLine, until: str, *, why: str = "") -> None:
        at = line.since or line.at
        self._enter(
            Happened(
                kind=HappenedKind.ALARM,
                at=at,
                # A clock that was set back must not make an end before the beginning.
                until="" if until >= self._to_at else max(at, until) if until else "",
                lasts=True,
                link=line.link,
                about=line.about,
                code=line.kind,
                message="; ".join(each for each in (line.message, why) if each),
            ),
            until=until,
        )

    def _enter_counted(self, kind: HappenedKind, line: HappeningLine) -> None:
        self._enter(
            Happened(
                kind=kind,
                at=line.at,
                link=line.link,
                about=line.about,
                who=line.who,
                code=line.kind,
                times=line.times,
                message=line.message,
            )
        )

    def _enter(self, happened: Happened, *, until: str | None = None) -> None:
        """Where it overlaps the range; `until`: its end, where that is not to be told."""
        end = happened.until if until is None else until
        if not happened.lasts:
            end = happened.at
        before = bool(end) and (end < self._from_at or (happened.lasts and end == self._from_at))
        other = None not in (self._link, happened.link) and happened.link != self._link
        if not before and not other and happened.at < self._to_at:
            self._found.append(happened)

    def _silent(self, since: str, until: str) -> bool:
        if since[:_TO_THE_HOUR] == until[:_TO_THE_HOUR]:
            # Nearly every line of a year: less than two minutes apart, at a glance.
            minutes = int(until[_MINUTES]) - int(since[_MINUTES])
            if minutes < SILENT_SECONDS // 60:
                return False
        passed = microseconds_between(since, until)
        return passed > SILENT_SECONDS * _MICROSECONDS


def _place(happened: Happened) -> tuple[str, ...]:
    each = happened
    return (each.at, each.kind, each.link or "", each.about, each.code, each.who, each.until)
