"""COLD. Which days nothing keeps from closing: remembered until finance states something new.

A checklist takes seconds, and the strip of days shows many. A day that is over changes by what
finance enters, and by rounds that are settled late; else its checklist stays as it is.
"""

from typing import Final

from msgspec import Struct

from progressive.application.finance.questions.day_status import DayStatus
from progressive.application.finance.stated.closed_days import STATED
from progressive.application.journal.ports import JournalReader
from progressive.domain.ids import LinkId
from progressive.domain.time_text import later

SETTLED_SECONDS: Final = 60
"""After its end a day's last lines are in the log of happenings. A checklist from before, or with
a round that is open, holds for so long."""


class _Known(Struct, frozen=True):
    """What a checklist came to."""

    seq: int
    """The last record that it knew."""
    ready: bool
    holds_until: str
    """Empty: until finance states something."""


class ReadyDays:
    """For the process that works checklists out, whoever asked for them."""

    def __init__(self, reader: JournalReader) -> None:
        self._reader = reader
        self._known: dict[LinkId, dict[str, _Known]] = {}

    def note(self, status: DayStatus, now: str) -> None:
        """A checklist was worked out."""
        of_link = self._known.setdefault(status.link, {})
        if not status.over or status.closed is not None:
            of_link.pop(status.day, None)
            return
        settled = later(status.ends, seconds=SETTLED_SECONDS) <= now
        waits = any(each.check == "rounds" and each.state == "open" for each in status.checks)
        holds_until = "" if settled and not waits else later(now, seconds=SETTLED_SECONDS)
        of_link[status.day] = _Known(status.journal_seq, not status.keeps_open, holds_until)

    async def days(self, link: LinkId, now: str) -> dict[str, bool]:
        """The days of which it is known, and whether they are ready.

        Raises StoreError and JournalBrokenError.
        """
        of_link = self._known.get(link, {})
        if not of_link:
            return {}
        end = (await self._reader.journal_end(link)).seq
        since = min(each.seq for each in of_link.values())
        if since > end or await self._reader.acts(
            link, after_seq=since, until_seq=end, types=STATED
        ):
            # What is stated about one day may bring the turn of another one.
            of_link.clear()
        for day, known in list(of_link.items()):
            if known.holds_until and known.holds_until <= now:
                del of_link[day]
        return {day: known.ready for day, known in of_link.items()}
