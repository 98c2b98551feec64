"""How awards were treated, by the recorded policy: rack, approvals and tax forms.

Terms of older programs record no policy: what hangs on it is then only asked whether it can be.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar
from zoneinfo import ZoneInfo, available_timezones

from progressive.verifier.findings import DiscrepancyError, MachineError, differs, shown
from progressive.verifier.record import read_time
from progressive.verifier.recorded.award_events import AwardChange, AwardMade
from progressive.verifier.recorded.house import ApprovalRule, AwardPolicy, HouseTerms, TaxFormRule
from progressive.verifier.rules.awards import due_cents, due_of
from progressive.verifier.rules.register import AuditedAward

Dated = TypeVar("Dated", ApprovalRule, TaxFormRule)


class Treatment:
    """The recorded policy on the local day of a record."""

    def __init__(self, policy: AwardPolicy, house: HouseTerms, at: str) -> None:
        self._rack_limit_cents = policy.rack_limit_cents
        day = local_day(at, zone_of(house))
        self._approvals: ApprovalRule | None = _newest(policy.approvals, day)
        self._tax_forms: TaxFormRule | None = _newest(policy.tax_forms, day)

    def check_awards(self, awards: Sequence[AwardMade], *, early: bool) -> None:
        """Raise where an award was treated otherwise; before the peek the rack has no limit."""
        for made in awards:
            of = f"award {made.award}"
            due = due_of(made)
            of_rack = made.status == "payable" or made.pays_from == "rack"
            within = early or due < self._rack_limit_cents
            if of_rack and not within:
                raise DiscrepancyError(
                    f"{of}: {due} cents from the rack, whose limit is recorded as "
                    f"{self._rack_limit_cents}"
                )
            if made.kind == "fixed" and within and not of_rack:
                raise DiscrepancyError(
                    f"{of}: {due} cents for the cage, though the rack's limit is recorded as "
                    f"{self._rack_limit_cents}"
                )
            approvers = 0 if of_rack else self._approvers(due)
            if made.approvers != approvers:
                raise differs(f"{of}, approvers", stored=made.approvers, recomputed=approvers)
            if made.tax_form != (form := self._form(made, made.amount_cents)):
                raise differs(f"{of}, tax_form", stored=made.tax_form, recomputed=form)

    def check_changes(
        self, changes: Sequence[AwardChange], awards: Mapping[str, AuditedAward]
    ) -> None:
        """The same of awards that a void had worked out again."""
        for change in changes:
            made = awards[change.award].made
            of = f"award {made.award} worked out again"
            due = due_cents(change.amount_cents, made.bonus_cents, made.paid_before_cents)
            if change.approvers != (approvers := self._approvers(due)):
                raise differs(f"{of}, approvers", stored=change.approvers, recomputed=approvers)
            if change.tax_form != (form := self._form(made, change.amount_cents)):
                raise differs(f"{of}, tax_form", stored=change.tax_form, recomputed=form)

    def _approvers(self, due: int) -> int:
        if self._approvals is None:
            return 0
        return max([s.approvers for s in self._approvals.steps if s.from_cents <= due], default=0)

    def _form(self, made: AwardMade, amount_cents: int) -> str | None:
        """Winnings less the wager; a line that gives the stake back leaves it out already."""
        newest = self._tax_forms
        if newest is None:
            return None
        own_stake = made.wager_cents - made.stake_returned_cents
        winnings = amount_cents + made.bonus_cents - own_stake
        reached = winnings >= max(newest.least_cents, newest.least_multiple * made.wager_cents)
        return newest.form if reached else None


def _newest(rules: Sequence[Dated], day: str) -> Dated | None:
    """The last of dated rules that has begun."""
    begun = [rule for rule in rules if rule.from_day <= day]
    return max(begun, key=lambda rule: rule.from_day) if begun else None


def zone_of(house: HouseTerms) -> ZoneInfo:
    """Where the floor is; raises where the terms name no place on earth."""
    try:
        # Python remembers the zones that it has read.
        return ZoneInfo(house.time_zone)
    except (KeyError, ValueError, OSError):
        if not available_timezones():
            raise MachineError(
                "this computer has no time zone data, which dated rules need: install its package "
                "tzdata, then verify again. Where that is one of Python's (Windows: pip install "
                "tzdata), run the verifier without -I -S, which hide such packages"
            ) from None
        raise DiscrepancyError(f"{shown(house.time_zone)} is not a valid time zone") from None


def local_day(at: str, zone: ZoneInfo) -> str:
    """The day of a record where the floor is."""
    try:
        return read_time(at).astimezone(zone).date().isoformat()
    except OverflowError:
        raise DiscrepancyError(f"{shown(at)} is a time that no calendar has") from None


def treatment(of_round: HouseTerms | None, present: HouseTerms | None, at: str) -> Treatment | None:
    """By which policy the awards of a record are treated; None where none is recorded."""
    house = of_round or present
    return None if house is None else Treatment(house.policy, present or house, at)
