"""What house and regulator settle beside the bets, and what is recorded of the floor file."""

from dataclasses import dataclass
from typing import Final, Literal

RACK_LIMIT_CENTS: Final = 200_000
"""Fixed awards below this are paid from the rack at once, where a floor does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalStep:
    """From an amount on, so many people beside the one who pays must approve."""

    from_cents: int
    approvers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRule:
    """The steps that hold from a day on."""

    from_day: str
    clause: str
    steps: tuple[ApprovalStep, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxFormRule:
    """From a day on: winnings, less the wager, that need a form."""

    from_day: str
    form: str
    least_cents: int
    least_multiple: int
    """Of the wager: both must be reached."""
    clause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardPolicy:
    """How the awards of a link are treated."""

    rack_limit_cents: int = RACK_LIMIT_CENTS
    approvals: tuple[ApprovalRule, ...] = ()
    tax_forms: tuple[TaxFormRule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterChanges:
    """What the jurisdiction says about meters that players have paid into."""

    longer_odds: Literal["refused", "approved"] = "approved"
    """Whether two people may put a paytable with longer odds under a meter that has grown."""
    retire_notice_days: int = 0
    """How long a link's retirement is posted before its money may leave its meters."""
    clause: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFile:
    """A game or jurisdiction file that lies beside the floor file and replaces a shipped one."""

    kind: Literal["game", "jurisdiction"]
    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseTerms:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTable:
    """A table as the floor file had it."""

    id: str
    seats: int
    base_min_cents: int = 0
    base_max_cents: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSign:
    """A sign as the floor file had it."""

    id: str
    name: str = ""
    shows: str = ""
    """Layout, theme, language, meters and bet, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorRecord:
    """Who started the service, which program, and what of the floor needs no approval."""

    program: str = ""
    started_by: str = ""
    """The user of the operating system."""
    floor: str = ""
    """The floor's name."""
    tables: tuple[RecordedTable, ...] = ()
    signs: tuple[RecordedSign, ...] = ()
    close_within_hours: int = 24
    """After its end a gaming day should be closed. Older programs did not record it."""
