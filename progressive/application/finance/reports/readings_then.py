"""What was there when somebody read a sign: on the sign's own log, and in the journal.

Plain values; `questions/readings.py` fills them.

The rule: a sign follows the journal with a delay, and its digits roll. A reading agrees if the
meter stood there, or went through there on its way up, at some time from half a minute before the
reading until the reading. A time that is given in whole minutes means all of its minute.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from progressive.domain.ids import MeterId

LAG_SECONDS: Final = 30
"""How far a sign may be behind: as long as the plausibility of its own reports allows."""
RULE: Final = (
    f"A reading agrees where the journal had that amount, or went through it on the way up, within "
    f"{LAG_SECONDS} seconds before the reading; a time in whole minutes means all of its minute."
)


class ReadingThen(Struct, frozen=True, kw_only=True):
    """What stands beside one reading."""

    log_cents: int | None = None
    """What the sign itself reported; None: nothing about this moment, or not this meter."""
    log: str = ""
    """The state of that report, or why there is none."""
    log_at: str | None = None
    journal_microcents: int | None = None
    """The meter at the moment; None where the journal did not have it."""
    off_cents: int | None = None
    """By how much the reading is beside all that the meter was within the lag; 0: it agrees."""
    first_seq: int | None = None
    last_seq: int | None = None
    """The records that it was held against."""


class Decrease(Struct, frozen=True, kw_only=True):
    """A record after which a meter showed less."""

    meter: MeterId
    seq: int
    at: str
    microcents: int
    """Below zero: after a hit, what the reset put back is taken off."""
    because: str


class SignsThen(Struct, frozen=True, kw_only=True):
    """Everything that the readings of a range are held against."""

    readings: Mapping[int, ReadingThen] = {}
    """By the record that entered the reading."""
    decreases: Sequence[Decrease] = ()
    shown: Sequence[tuple[str, MeterId]] = ()
    """Sign and meter, as the sign log says of the end of the range."""
    log_problem: str = ""
    """Why there is nothing of the sign log."""


def moments_of(read_at: str) -> tuple[str, str, str]:
    """Of a reading: from when the journal counts, the moment itself, and until when."""
    at = datetime.fromisoformat(read_at)
    until = at
    if at.second == at.microsecond == 0:
        until = at + timedelta(minutes=1) - timedelta(microseconds=1)
    return _text(at - timedelta(seconds=LAG_SECONDS)), _text(at), _text(until)


def off_by(shown_cents: int, amounts_cents: Iterable[int]) -> int | None:
    """By how much a reading is beside the amounts of its time, in their order.

    Between two amounts that grow, digits go through all others; a meter that fell was won, and
    goes through nothing.
    """
    least: int | None = None
    last: int | None = None
    for cents in amounts_cents:
        low = cents if last is None or cents < last else last
        off = shown_cents - min(max(shown_cents, low), cents)
        if least is None or abs(off) < abs(least):
            least = off
        last = cents
    return least


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
