"""How long amounts stay on a sign whose driver is dead or whose line is cut. Pure.

Signs of the first generation know nothing of a driver; but they have a clock, and run each TEXT
file at its time of day. So the amounts run for ten minutes of one day of the week only, and a
notice at all other times. The driver sets the sign's clock back into the last of those minutes
again and again; without it the clock goes on, out of them. The clock is used for nothing else, so
it need not be right.
"""

from typing import Final

from display.led import alpha

LIVE: Final = alpha.RunTimes((13, 10), (13, 20))
"""When the amounts run. Far from midnight, where a sign that was without power may begin."""
NOTICES: Final = (alpha.RunTimes((13, 20), (23, 50)), alpha.RunTimes((0, 0), (13, 10)))
"""When the notice runs. No time reaches over midnight: not every sign may understand one that
does. From 23:50 to midnight the sign is blank."""
LIVE_DAY: Final = "7"
DAILY: Final = "0"

CLOCK_HOUR, CLOCK_MINUTE = 13, 17
"""Where the clock is set to: three minutes before the amounts' time is over."""
CLOCK_SECONDS: Final = 60.0
"""So often. One that is lost on the line is not noticed: the next one comes in time, even on a
sign that keeps its seconds when its clock is set."""
EXPIRES_SECONDS: Final = 180.0
"""After the last setting of the clock."""

_SETTING: Final = {
    "clock": alpha.set_time_of_day(CLOCK_HOUR, CLOCK_MINUTE),
    "day": alpha.set_day_of_week(LIVE_DAY),
}
_LAYOUT: Final = {
    f"days {label}": alpha.set_run_days(label, day)
    for label, day in (
        (alpha.TEXT_LABEL, LIVE_DAY),
        *((label, DAILY) for label in alpha.NOTICE_LABELS),
    )
}


def memory(notice: bytes) -> list[alpha.MemoryFile]:
    """The room for the notice, beside that of the amounts."""
    size_bytes = len(notice) + alpha.TEXT_OVERHEAD_BYTES
    return [
        alpha.MemoryFile(label, "text", size_bytes, times)
        for label, times in zip(alpha.NOTICE_LABELS, NOTICES, strict=True)
    ]


def settings() -> dict[str, bytes]:
    """The commands that keep the amounts alive, by name; to be repeated."""
    return _SETTING


def layout(notice: bytes) -> dict[str, bytes]:
    """The commands that tell the sign what runs when, by name; once after each memory layout."""
    texts = {
        f"notice {label}": alpha.write_text(notice, "rotate", label=label)
        for label in alpha.NOTICE_LABELS
    }
    return _LAYOUT | texts
