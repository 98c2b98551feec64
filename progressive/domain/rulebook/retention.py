"""How long records are kept: what the jurisdiction asks at least, and what the floor file says."""

from typing import Final

from msgspec import Struct

JOURNAL_MIN_DAYS: Final = 1_827
"""Five years with their leap days: what holds where a jurisdiction file names no other."""
HOUSE_CLAUSE: Final = "house default: five years, where the jurisdiction file names no rule"


class RetentionRule(Struct, frozen=True, kw_only=True):
    """The least that a jurisdiction asks for."""

    journal_min_days: int = JOURNAL_MIN_DAYS
    sign_log_min_days: int = 0
    """0: no rule for what the signs read."""
    clause: str = HOUSE_CLAUSE


class Retention(Struct, frozen=True, kw_only=True):
    """How long a floor keeps its journals before two people may purge the oldest part."""

    journal_days: int = JOURNAL_MIN_DAYS
    happenings_days: int = JOURNAL_MIN_DAYS
    """What left no record: refusals, outages, alarms. The service removes them by itself."""
    clause: str = HOUSE_CLAUSE
    """Of the jurisdiction's minimum, whether or not the floor keeps them longer."""
