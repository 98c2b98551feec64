"""What the house and its regulator settle beside the bets: part of what two people approve.

It decides how awards are treated, when a day begins, and what may become of a grown meter.
"""

from typing import Literal

from msgspec import Struct

from progressive.domain.rulebook.policy import AwardPolicy

LongerOdds = Literal["refused", "approved"]
"""Whether two people may put a paytable with longer odds under a meter that has grown."""


class MeterChanges(Struct, frozen=True, kw_only=True):
    """What the jurisdiction says about meters that players have paid into."""

    longer_odds: LongerOdds = "approved"
    retire_notice_days: int = 0
    """How long a link's retirement is posted before its money may leave its meters."""
    clause: str = ""


class RuleFile(Struct, frozen=True, kw_only=True):
    """A game or jurisdiction file that lies beside the floor file and replaces a shipped one."""

    kind: Literal["game", "jurisdiction"]
    name: str
    sha256: str


class HouseTerms(Struct, frozen=True, kw_only=True):
    """The terms of a link beside its bets."""

    name: str = ""
    """The link's, as signs and sheets show it."""
    currency: str = ""
    time_zone: str = "UTC"
    """Where the floor is: dated rules begin at its midnight."""
    gaming_day_starts: str = "00:00"
    jurisdiction: str = ""
    policy: AwardPolicy = AwardPolicy()
    rule_files: tuple[RuleFile, ...] = ()
    """Local ones: what the shipped ones decide stands in the terms already."""
    meter_changes: MeterChanges = MeterChanges()
