"""What happened beside the journal: refusals, outages, alarms. Plain data, and never money.

A `HappeningLine` is stored as it was noted; `Happened` is what a reader makes of many lines.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"
_At = Annotated[str, Meta(pattern=f"^{_TIME}$")]
_MaybeAt = Annotated[str, Meta(pattern=f"^({_TIME})?$")]

SIGN_IN: Final = "log_in"
"""The act of whoever is not signed in yet."""
WITHOUT_SESSION: Final = frozenset({"NO_SESSION", "SESSION_EXPIRED", "SESSION_ENDED"})
"""Codes of refusals that say that nobody was signed in."""


def signed_in(who: str | None, act: str, code: str) -> bool:
    """Whether somebody with a session was refused, and not a stranger or a session that is over."""
    return bool(who) and act != SIGN_IN and code not in WITHOUT_SESSION


class Noted(StrEnum):
    """What a line says. Another version may write others: a reader passes over them."""

    STARTED = "started"
    """The service began; `since`: its last sign of life before; `clean`: it was stopped then."""
    STOPPED = "stopped"
    ALIVE = "alive"
    """Once a minute."""
    REFUSED = "refused"
    """Messages of a table; of the link where no table is named. `kind` is the code."""
    ACT_REFUSED = "act_refused"
    """Something that a person asked for. `about` is the act, `kind` the code."""
    RAISED = "raised"
    """Something is wrong and lasts: an alarm, a link that takes no wagers."""
    STANDS = "stands"
    """It lasts into this file: each file can be read without the one before."""
    ENDED = "ended"
    MOMENT = "moment"
    """An alarm about something that was over at once."""
    LOST = "lost"
    """Lines that were not written: no room, or more than a day may hold."""


class HappeningLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the log. Fields are only ever added, with a default."""

    at: _At
    what: str
    kind: str = ""
    link: str | None = None
    """None: it is about the whole service."""
    about: str = ""
    """The table, sign or act."""
    who: str = ""
    since: _MaybeAt = ""
    times: Annotated[int, Meta(ge=0, le=2**53)] = 1
    clean: bool = False
    name: str = ""
    """What joins the beginning and the end of something that lasts."""
    message: str = ""

    def __post_init__(self) -> None:
        # The pattern takes the 99th of a month, which no reader could count with.
        for at in (self.at, self.since):
            if at:
                datetime.fromisoformat(at)


class HappenedKind(StrEnum):
    """What a reader is told of."""

    OUTAGE = "outage"
    SILENCE = "no sign of life"
    REFUSED = "refused"
    ACT_REFUSED = "act refused"
    ALARM = "alarm"
    """`code` says which."""
    LOST = "not logged"


class Happened(Struct, frozen=True, kw_only=True):
    """Something from its beginning to its end, as far as the days asked for reach."""

    kind: HappenedKind
    at: str
    until: str = ""
    """Empty: a moment, or it lasted beyond these days."""
    lasts: bool = False
    """Whether it is more than a moment."""
    day: str = ""
    """The gaming day on which it began; whoever knows the days enters it."""
    link: str | None = None
    about: str = ""
    who: str = ""
    code: str = ""
    times: int = 1
    clean: bool = False
    """Of an outage: the service was stopped, and neither killed nor cut off."""
    message: str = ""


class HappenedThen(Struct, frozen=True, kw_only=True):
    """What the log knows of a range of time."""

    happened: tuple[Happened, ...] = ()
    begins: str = ""
    """Where the log itself begins; empty: there is none."""
    problems: tuple[str, ...] = ()
    """What of it cannot be read."""
    unreadable: tuple[tuple[str, str], ...] = ()
    """From and until: what was logged then cannot be read."""
