"""Which gaming days are closed, and which are prepared: folded from the records of finance."""

from msgspec import Struct, structs

from progressive.domain.finance_events import OF_ITS_DAY, DayClosed, DayPrepared, FinanceEvent


class Prepared(Struct, frozen=True, gc=False):
    """A preparation that waits for its reviewer."""

    seq: int
    event: DayPrepared


class Days(Struct, frozen=True, gc=False):
    """Closed days have no gap: all from the first to the last are closed."""

    first: str = ""
    last: str = ""
    """Empty: no day was closed yet."""
    close_seq: int = 0
    """The record that closed the last one; each names the one before."""
    restated: tuple[tuple[str, int, int], ...] = ()
    """Day, number and record of its newest restatement."""
    prepared: tuple[Prepared, ...] = ()

    def is_closed(self, day: str) -> bool:
        """Whether the day is closed."""
        return bool(self.first) and self.first <= day <= self.last

    def is_outside(self, day: str) -> bool:
        """Whether the day is before the first one that was closed: it is never closed."""
        return bool(self.first) and day < self.first

    def preparation(self, day: str) -> Prepared | None:
        """What waits for a reviewer of the day."""
        return next((each for each in self.prepared if each.event.day == day), None)

    def restatement(self, day: str) -> tuple[int, int]:
        """Number and record of the newest restatement of a day; zeros where there is none."""
        return next(((number, seq) for of, number, seq in self.restated if of == day), (0, 0))


def days_after(days: Days, event: FinanceEvent, seq: int) -> Days:
    """The days after a record of finance."""
    rest = tuple(each for each in days.prepared if each.event.day != event.day)
    match event:
        case DayPrepared():
            return structs.replace(days, prepared=(*rest, Prepared(seq, event)))
        case DayClosed(number=0):
            return structs.replace(
                days,
                first=days.first or event.day,
                last=event.day,
                close_seq=seq,
                prepared=rest,
            )
        case DayClosed():
            others = tuple(each for each in days.restated if each[0] != event.day)
            restated = (*others, (event.day, event.number, seq))
            return structs.replace(days, restated=restated, prepared=rest)
        case _:
            # A preparation that did not know of it is none any more.
            return (
                structs.replace(days, prepared=rest)
                if isinstance(event.entry, OF_ITS_DAY)
                else days
            )
