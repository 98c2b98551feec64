"""Which record is meant by a number or a moment."""

from msgspec import Struct

from progressive.application.finance.days import LinkDays
from progressive.application.finance.refusals import FinanceRefusedError
from progressive.application.journal.finding import finding
from progressive.application.journal.ports import JournalReader
from progressive.application.journal.times import as_journal_time, both_times, clock_text
from progressive.domain.ids import LinkId


class BadMomentError(FinanceRefusedError):
    """Neither a time nor a record's number."""


class RecordAsked(Struct, frozen=True):
    """The record that is meant."""

    seq: int
    note: str = ""
    """What whoever asks should know of how their words were taken."""


async def record_asked(
    reader: JournalReader, link: LinkId, days: LinkDays, at: str | None, *, now: str
) -> RecordAsked:
    """The record that is asked about; the journal's last where none is. `now`: the time.

    Raises FinanceRefusedError, StoreError, JournalBrokenError.
    """
    end = days.end
    if at is None:
        return RecordAsked(end.seq)
    if at.isascii() and at.isdecimal():
        # As a number it may be longer than one that can be read.
        seq = int(at) if len(at) <= len(str(end.seq)) else 0
        if not 1 <= seq <= end.seq:
            raise FinanceRefusedError(
                f"{link} has the records 1 to {end.seq}: there is no {at[:40]}"
            )
        return RecordAsked(seq)
    moment = as_journal_time(at) or as_journal_time(at, days.zone)
    if moment is None:
        raise BadMomentError(f"{at[:64]!r} is neither a time nor a record's number")
    stored = await reader.last_record_until(link, moment, last_seq=end.seq)
    if stored is None:
        raise FinanceRefusedError(f"{at} is before the first record of {link}")
    found = finding(stored)
    # Between the newest record and now nothing has moved; what is to come nobody knows.
    if found.seq == end.seq and moment > max(now, found.at):
        raise FinanceRefusedError(
            f"{at[:64]} is still to come: the newest record of {link} is {end.seq}, of "
            f"{clock_text(found.at, days.zone)}"
        )
    return RecordAsked(found.seq, _twice(at, days))


def _twice(at: str, days: LinkDays) -> str:
    both = both_times(at, days.zone)
    if both is None:
        return ""
    first, second = both
    return f"{at} comes twice: taken is the first, {first}; for the second say {second}"
