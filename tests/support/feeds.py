"""A link's history as a feed would tell it, for readers that are put to the test."""

from itertools import count
from typing import Self

from progressive.domain.rulebook.line_names import line_names
from progressive.wire.feed_messages import Snapshot, StateChanged, Tick, Update, Win
from progressive.wire.meters import MeterCents, NamedMeter

Place = tuple[int, int]
NAMES = {"mega": "Mega", "minor": "Minor"}
RESET_CENTS = 100


class Moment:
    """A link after one of its records."""

    def __init__(self, place: Place, cents: dict[str, int], wins: list[Win]) -> None:
        self.place = place
        self.cents = cents
        self.wins = wins
        """Every one so far, oldest first."""

    @property
    def at(self) -> str:
        epoch, seq = self.place
        return f"2026-01-01T{epoch:02}:{seq // 60:02}:{seq % 60:02}.000000Z"


class History:
    """Grows record by record; meters grow, are won and begin again; a restart is a new epoch."""

    def __init__(self, *, epoch: int = 1, seq: int = 1) -> None:
        self.moments = [Moment((epoch, seq), dict.fromkeys(NAMES, RESET_CENTS), [])]

    @property
    def last(self) -> Moment:
        return self.moments[-1]

    def grow(self, cents: int = 1) -> Self:
        epoch, seq = self.last.place
        grown = {meter: amount + cents for meter, amount in self.last.cents.items()}
        self.moments.append(Moment((epoch, seq + 1), grown, self.last.wins))
        return self

    def win(self, meter: str = "mega") -> Self:
        epoch, seq = self.last.place
        seq += 1
        won = Win(
            epoch=epoch,
            seq=seq,
            at=f"2026-01-01T{epoch:02}:{seq // 60:02}:{seq % 60:02}.500000Z",
            award=f"main.{seq}.1",
            table="BJ-01",
            seat=1,
            meter=meter,
            line="three_7_diamonds",
            amount_cents=self.last.cents[meter],
            next_cents=RESET_CENTS,
            line_names=line_names("three_7_diamonds"),
        )
        cents = self.last.cents | {meter: RESET_CENTS}
        self.moments.append(Moment((epoch, seq), cents, [*self.last.wins, won]))
        return self

    def restart(self) -> Self:
        epoch, seq = self.last.place
        self.moments.append(Moment((epoch + 1, seq), self.last.cents, self.last.wins))
        return self

    def at(self, place: Place) -> Moment:
        return next(moment for moment in self.moments if moment.place == place)


def snapshot(moment: Moment, *, state: str = "live", age_ms: int = 0, wins: int = 64) -> Snapshot:
    epoch, seq = moment.place
    return Snapshot(
        link="main",
        epoch=epoch,
        seq=seq,
        at=moment.at,
        state=state,
        meters=[NamedMeter(meter, NAMES[meter], cents) for meter, cents in moment.cents.items()],
        wins=moment.wins[-wins:],
        reason=None if state == "live" else "out of order",
        age_ms=age_ms,
    )


def update(moment: Moment) -> Update:
    meters = [MeterCents(meter, cents) for meter, cents in moment.cents.items()]
    return Update(*moment.place, moment.at, meters)


_ticks = count()


def tick(moment: Moment) -> Tick:
    """No two are alike, as time goes on."""
    number = next(_ticks)
    return Tick(
        *moment.place,
        f"2026-01-02T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}.000000Z",
    )


def inoperable(reason: str = "out of order") -> StateChanged:
    return StateChanged("inoperable", reason)


def live() -> StateChanged:
    return StateChanged("live", None)
