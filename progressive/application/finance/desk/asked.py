"""Every question that the service passes on to the bookkeeper, and the one form of its answers.

Plain data that crosses a pipe. The service loads nothing of reports for it.
"""

from typing import Final

from msgspec import Struct

BUSY: Final = "TRY_AGAIN"
BAD_DAY: Final = "BAD_DAY"
BAD_QUESTION: Final = "BAD_QUESTION"
BAD_TIME: Final = "BAD_TIME"
UNKNOWN_REPORT: Final = "UNKNOWN_REPORT"
UNKNOWN_FORMAT: Final = "UNKNOWN_FORMAT"
UNKNOWN_LINK: Final = "UNKNOWN_LINK"
UNKNOWN_TABLE: Final = "UNKNOWN_TABLE"
UNKNOWN_METER: Final = "UNKNOWN_METER"
UNKNOWN_MAPPING: Final = "UNKNOWN_MAPPING"
BAD_FILE: Final = "BAD_FILE"
PURGED: Final = "PURGED"
TOO_LARGE: Final = "TOO_LARGE"
DAMAGED: Final = "JOURNAL_DAMAGED"
UNAVAILABLE: Final = "UNAVAILABLE"
FAILED: Final = "REPORT_FAILED"


class _Asked(Struct, frozen=True, kw_only=True, tag_field="ask"):
    """A question. `now` is the service's time: what is later has not happened."""

    now: str


class KindsAsked(_Asked, frozen=True, kw_only=True, tag="kinds"):
    """Which reports there are."""


class ReportAsked(_Asked, frozen=True, kw_only=True, tag="report"):
    """A report as a file."""

    kind: str
    form: str
    printed_at: str
    """RFC 3339; the same time gives the same bytes."""
    day: str | None = None
    from_day: str | None = None
    to_day: str | None = None
    month: str | None = None
    link: str | None = None
    table: str | None = None


class ExplainAsked(_Asked, frozen=True, kw_only=True, tag="explain"):
    """How a meter came to its amount."""

    link: str
    meter: str
    at: str | None = None
    """A moment, or a record's number; None: now."""


class RecordsAsked(_Asked, frozen=True, kw_only=True, tag="records"):
    """Records as they are stored: what a figure stands on."""

    link: str
    from_seq: int
    to_seq: int
    limit: int
    only: tuple[int, ...] = ()
    """These and no others, in place of a stretch."""


class DaysAsked(_Asked, frozen=True, kw_only=True, tag="days"):
    """The newest gaming days of a link, and how far each has got."""

    link: str | None = None


class DayAsked(_Asked, frozen=True, kw_only=True, tag="day"):
    """Where one gaming day stands on its way to being closed."""

    link: str
    day: str
    refold: bool = False
    """For somebody who signs it: no stored book has a part in it."""


class CageAsked(_Asked, frozen=True, kw_only=True, tag="cage"):
    """The payments in a cage's file."""

    link: str
    file: str
    """What it is called."""
    body: bytes
    mapping: str = ""
    """By which of the mappings it is read; empty: by the names of its columns."""


class PackAsked(_Asked, frozen=True, kw_only=True, tag="pack"):
    """The audit pack of a day."""

    link: str
    day: str
    printed_at: str
    sample: int
    seed: int
    keys: str
    """Public lines of the house's keys, one a line."""


class LookAsked(_Asked, frozen=True, kw_only=True, tag="look"):
    """Nobody asks: read on while there is time, and say how the days of every link stand."""


Asked = (
    KindsAsked
    | ReportAsked
    | ExplainAsked
    | RecordsAsked
    | DaysAsked
    | DayAsked
    | CageAsked
    | PackAsked
    | LookAsked
)


class Answer(Struct, frozen=True, kw_only=True):
    """What came of a question: a file, or why there is none."""

    code: str = ""
    """Empty: the answer is in `parts`."""
    message: str = ""
    media_type: str = "application/json"
    file_name: str = ""
    parts: tuple[bytes, ...] = ()
    """The file, in pieces that can be passed on one by one."""

    @property
    def body(self) -> bytes:
        """The whole file."""
        return b"".join(self.parts)


class LinkSight(Struct, frozen=True, kw_only=True):
    """How the days of one link stand, for metrics and alarms."""

    link: str
    due_day: str = ""
    """The oldest day that is over and should be closed; empty where there is none."""
    due_since: str = ""
    """When it ended."""
    due_ended: str = ""
    """The same by the floor's clock, for people."""
    difference_microcents: int = 0
    """What does not add up in the days that are not closed, without its sign; zero."""
    difference: str = ""
    """Which report says so, of which day; empty where all adds up."""
