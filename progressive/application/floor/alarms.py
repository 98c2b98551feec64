"""Alarms that stand: raised, over, acknowledged. A bounded book, and nothing it writes is money.

An alarm for something that lasts (a table lost) stays while it lasts, and after that until somebody
has acknowledged it. An alarm for something that happened (a bad claim) stays until acknowledged.
"""

from typing import Final

from msgspec import structs

from progressive.domain.alarms import Alarm, AlarmKind

ALARMS_MAX: Final = 200


class AlarmBook:
    """The alarms that stand now, by id, oldest first."""

    def __init__(self) -> None:
        self._alarms: dict[str, Alarm] = {}
        self._standing: dict[tuple[AlarmKind, str], str] = {}

    @property
    def alarms(self) -> dict[str, Alarm]:
        """A copy: the book moves on."""
        return self._alarms.copy()

    def find(self, alarm: str) -> Alarm | None:
        """An alarm that stands."""
        return self._alarms.get(alarm)

    def standing(self, kind: AlarmKind, subject: str) -> Alarm | None:
        """The alarm about this, if one stands."""
        name = self._standing.get((kind, subject))
        return None if name is None else self._alarms[name]

    def raise_alarm(
        self,
        kind: AlarmKind,
        subject: str,
        *,
        at: str,
        message: str,
        link: str | None = None,
        lasts: bool = True,
        mark: str | None = None,
    ) -> None:
        """Something is wrong, still or again; `mark` ends its name."""
        was = self.standing(kind, subject)
        if was is None:
            made = Alarm(
                alarm=".".join((kind, subject, mark or _compact(at))),
                kind=kind,
                subject=subject,
                link=link,
                at=at,
                last_at=at,
                message=message,
                over=not lasts,
            )
            self._alarms[made.alarm] = made
            self._standing[kind, subject] = made.alarm
            self._make_room()
        elif was.over:
            # Again, or once more: whoever acknowledges it sees how often.
            again = structs.replace(
                was, last_at=at, count=was.count + 1, message=message, over=not lasts
            )
            self._alarms[was.alarm] = again
        elif was.message != message:
            self._alarms[was.alarm] = structs.replace(was, message=message)

    def end(self, kind: AlarmKind, subject: str, *, at: str) -> None:
        """What lasted is over; once that is acknowledged too, the alarm goes."""
        was = self.standing(kind, subject)
        if was is None or was.over:
            return
        if was.acknowledged_by is not None:
            self._drop(was)
        else:
            self._alarms[was.alarm] = structs.replace(was, over=True, last_at=at)

    def acknowledge(self, alarm: str, *, by: str, at: str, note: str = "") -> None:
        """Somebody looks after it; unknown ones went before."""
        was = self._alarms.get(alarm)
        if was is None or was.acknowledged_by is not None:
            return
        if was.over:
            self._drop(was)
        else:
            self._alarms[alarm] = structs.replace(
                was, acknowledged_by=by, acknowledged_at=at, note=note
            )

    def drop(self, kind: AlarmKind, subject: str) -> None:
        """Somebody did what the alarm asked for: it goes at once, acknowledged or not."""
        if (was := self.standing(kind, subject)) is not None:
            self._drop(was)

    def _drop(self, alarm: Alarm) -> None:
        del self._alarms[alarm.alarm]
        del self._standing[alarm.kind, alarm.subject]

    def _make_room(self) -> None:
        """The least pressing goes first: acknowledged, then over, then the oldest."""
        while len(self._alarms) > ALARMS_MAX:
            alarms = list(self._alarms.values())[:-1]
            self._drop(min(alarms, key=lambda each: (each.acknowledged_by is None, not each.over)))


def _compact(at: str) -> str:
    """A time as part of a name: `20260102T030405.000000Z`."""
    return at.replace("-", "").replace(":", "")
