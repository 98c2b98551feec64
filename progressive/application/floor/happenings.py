"""HOT. Takes note of what changes no journal: refusals, refused acts, alarms, links out of service.

Taking note is an entry in memory: it never waits, never raises, and never grows without a limit.
`happenings_writing` takes it to the disk. It knows no clock of its own for a refusal: those are
counted, and a count gets its time when it is taken.
"""

from collections import deque
from collections.abc import Mapping
from typing import Final

from progressive.application.clock import Clock
from progressive.application.floor.refused_acts import what_was_asked
from progressive.application.people.act_log import TABLE_MESSAGE, ActRecord, Outcome
from progressive.domain.alarms import Alarm, AlarmKind
from progressive.domain.happenings import HappeningLine, Noted
from progressive.domain.ids import LinkId, TableId
from progressive.domain.rejections import Rejection
from progressive.domain.views import LinkView

LINES_WAITING_MAX: Final = 10_000
"""Beyond this the oldest go: the disk has not taken a line for long."""
COUNTS_MAX: Final = 2_000
"""Different refusals in one minute; all further ones are counted together, without their names."""
MESSAGE_CHARACTERS_MAX: Final = 200
LINK_KIND: Final = str(AlarmKind.LINK_INOPERABLE)

# The link's own state, which every table of it meets: a floor of 1,000 tables that send again and
# again would fill the log with what one line says.
_OF_THE_LINK: Final = frozenset(
    map(str, (Rejection.LINK_INOPERABLE, Rejection.NOT_LEADER, Rejection.TRY_AGAIN))
)

_REFUSED: Final = str(Noted.REFUSED)
_Count = tuple[str, str | None, str, str, str, str]
"""What, link, about, who, code, message."""


class Happenings:
    """What is waiting to be written, what was refused since, and what lasts now."""

    def __init__(self, clock: Clock, links: Mapping[TableId, LinkId]) -> None:
        """`links`: which link a table is in."""
        self._clock = clock
        self._links = links
        self._lines: deque[HappeningLine] = deque()
        self._counts: dict[_Count, int] = {}
        self._counted: set[_Count] = set()
        """Written in this minute already: what comes on top waits for its end."""
        self._standing: dict[str, HappeningLine] = {}
        self._alarms: dict[str, Alarm] = {}
        self._began = self._known_until = clock.now()
        self.pushed_out = 0
        """Lines that had to make room since they were taken last."""

    # --- taking note -------------------------------------------------------------------------

    def known_until(self, at: str) -> None:
        """What came until then is in the log already: an earlier process wrote it."""
        # A clock that was set back must not hide what happens from now on.
        self._known_until = min(at, self._began)

    def table_refused(self, table: TableId, code: Rejection) -> None:
        """HOT. A message of a table was refused."""
        # Plain texts: an enum's own hash costs more than all the rest.
        plain = str(code)
        about = "" if plain in _OF_THE_LINK else table
        self._count((_REFUSED, self._links.get(table), about, "", plain, ""))

    def hear(self, act: ActRecord) -> None:
        """A record of the act log; those of an earlier process come again at a start."""
        # What tables were refused is there as well, though not all of it.
        if (
            act.outcome is Outcome.REFUSED
            and act.act != TABLE_MESSAGE
            and act.at > self._known_until
        ):
            code = str(act.details.get("code") or act.details.get("status") or "")
            asked = _cut(what_was_asked(act, code))
            self._count((str(Noted.ACT_REFUSED), None, act.act, act.who or "", code, asked))

    def link_state(self, view: LinkView) -> None:
        """A link went out of service, came back, or is out of it for another reason."""
        name = f"link {view.link}"
        at = self._clock.now()
        self._end(name, at)
        if view.state != "live":
            self._raise(
                HappeningLine(
                    at=at,
                    what=Noted.RAISED,
                    kind=LINK_KIND,
                    link=view.link,
                    about=view.link,
                    name=name,
                    message=_cut(view.reason or view.state),
                )
            )

    def see_alarms(self, alarms: Mapping[str, Alarm]) -> None:
        """All alarms that are open now. What is new of them is found by comparing."""
        before, self._alarms = self._alarms, dict(alarms)
        for name, alarm in alarms.items():
            # A link's state is noted where it changes, and not a second later.
            if alarm.kind is not AlarmKind.LINK_INOPERABLE:
                self._see(before.get(name), alarm)
        for name in before.keys() - alarms.keys():
            self._end(name, self._clock.now())

    def _see(self, before: Alarm | None, alarm: Alarm) -> None:
        if not alarm.over:
            if before is None or before.over:
                self._raise(_line(alarm, Noted.RAISED, at=max(alarm.last_at, self._began)))
        elif before is not None and not before.over:
            self._end(alarm.alarm, alarm.last_at)
        elif alarm.last_at > self._known_until:
            # Of one that an earlier process knew, the last time only is certainly new.
            known = 0 if before is None else before.count
            if before is None and alarm.at <= self._known_until:
                known = alarm.count - 1
            if alarm.count > known:
                self._note(_line(alarm, Noted.MOMENT, at=alarm.last_at, times=alarm.count - known))

    def _raise(self, line: HappeningLine) -> None:
        self._standing[line.name] = line
        self._note(line)

    def _end(self, name: str, at: str) -> None:
        line = self._standing.pop(name, None)
        if line is not None:
            self._note(_again(line, Noted.ENDED, at=at))

    def _note(self, line: HappeningLine) -> None:
        if len(self._lines) >= LINES_WAITING_MAX:
            self._lines.popleft()
            self.pushed_out += 1
        self._lines.append(line)

    def _count(self, key: _Count) -> None:
        """HOT."""
        counts = self._counts
        if key in counts:
            counts[key] += 1
        elif key in self._counted or len(counts) + len(self._counted) < COUNTS_MAX:
            counts[key] = 1
        else:
            rest = (key[0], key[1], "", "", "", "")
            counts[rest] = counts.get(rest, 0) + 1

    # --- for whoever writes ------------------------------------------------------------------

    def take(self, *, minute_over: bool) -> list[HappeningLine]:
        """What is to be written now.

        A refusal is written at once the first time, so that a crash does not lose it; what comes on
        top of it in the same minute is one more line.
        """
        lines = list(self._lines)
        self._lines.clear()
        at = self._clock.now()
        due = [key for key in self._counts if minute_over or key not in self._counted]
        for key in due:
            what, link, about, who, code, message = key
            lines.append(
                HappeningLine(
                    at=at,
                    what=what,
                    link=link,
                    about=about,
                    who=who,
                    kind=code,
                    times=self._counts.pop(key),
                    message=message,
                )
            )
        if minute_over:
            self._counted.clear()
        else:
            self._counted.update(due)
        return lines

    def standing(self, at: str) -> list[HappeningLine]:
        """All that lasts now, for the beginning of a file or after lines were lost."""
        return [_again(line, Noted.STANDS, at=at) for line in self._standing.values()]


def _line(alarm: Alarm, what: Noted, *, at: str, times: int = 1) -> HappeningLine:
    return HappeningLine(
        at=at,
        what=what,
        kind=alarm.kind,
        link=alarm.link,
        about=alarm.subject,
        times=times,
        name=alarm.alarm,
        message=_cut(alarm.message),
    )


def _again(line: HappeningLine, what: Noted, *, at: str) -> HappeningLine:
    return HappeningLine(
        at=at,
        what=what,
        kind=line.kind,
        link=line.link,
        about=line.about,
        since=line.at,
        name=line.name,
        message=line.message,
    )


def _cut(text: str) -> str:
    return text[:MESSAGE_CHARACTERS_MAX]
