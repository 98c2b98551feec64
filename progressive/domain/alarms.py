"""An alarm: one thing on the floor that somebody should look after. Plain data."""

from enum import StrEnum

from msgspec import Struct


class AlarmKind(StrEnum):
    """What is wrong."""

    LINK_INOPERABLE = "link_inoperable"
    TABLE_LOST = "table_lost"
    SIGN_STALE = "sign_stale"
    IMPLAUSIBLE_INPUT = "implausible_input"
    LOG_IN_LOCKED = "log_in_locked"
    DISK_LOW = "disk_low"
    SIGN_LOG = "sign_log"
    TABLE_AHEAD = "table_ahead"
    CLOCK = "clock"
    NOT_REMEMBERED = "not_remembered"
    NOT_ARCHIVED = "not_archived"
    NOT_VERIFIED = "not_verified"
    NOT_SEALED = "not_sealed"
    NOT_WITNESSED = "not_witnessed"
    ACCOUNT_UNCONFIRMED = "account_unconfirmed"
    ACCOUNT_ENDED = "account_ended"
    SIGN_KEYS = "sign_keys"
    SIGN_WRONG = "sign_wrong"
    LESSER_RULES = "lesser_rules"
    DAY_NOT_CLOSED = "day_not_closed"
    DOES_NOT_RECONCILE = "does_not_reconcile"


class Alarm(Struct, frozen=True, kw_only=True):
    """One thing that somebody should look after."""

    alarm: str
    kind: AlarmKind
    subject: str
    """Which table, sign, link, person."""
    link: str | None
    """Whose journal keeps its acknowledgement; the act log where there is none."""
    at: str
    last_at: str
    count: int = 1
    """How often it was raised since `at`."""
    message: str
    over: bool = False
    """It lasts no more, or was a moment to begin with."""
    acknowledged_by: str | None = None
    acknowledged_at: str | None = None
    note: str = ""
