"""COLD. How awards were treated, by the recorded policy: rack, approvals and tax forms.

Terms of older programs record no policy: what hangs on it is then only asked whether it can be.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from progressive.application.audit.awards import due_cents, due_of
from progressive.application.audit.findings import DiscrepancyError, differs, shown
from progressive.application.audit.register import AuditedAward
from progressive.domain.award_events import AwardChange, AwardMade
from progressive.domain.rulebook.house_terms import HouseTerms
from progressive.domain.rulebook.policy import ApprovalRule, AwardPolicy, TaxFormRule


class Treatment:
    """The recorded policy on the local day of a record."""

    def __init__(self, policy: AwardPolicy, house: HouseTerms, at: str) -> None:
        self._policy = policy
        try:
            zone = ZoneInfo(house.time_zone)
        except (KeyError, ValueError, OSError):
            raise DiscrepancyError(f"{shown(house.time_zone)} is not a valid time zone") from None
        self._day = datetime.fromisoformat(at).astimezone(zone).date().isoformat()

    def check_awards(self, awards: Sequence[AwardMade], *, early: bool) -> None:
        """Raise where an award was treated otherwise; before the peek the rack has no limit."""
        for made in awards:
            of = f"award {made.award}"
            due = due_of(made)
            of_rack = made.status == "payable" or made.pays_from == "rack"
            within = early or due < self._policy.rack_limit_cents
            if of_rack and not within:
                raise DiscrepancyError(
                    f"{of}: {due} cents from the rack, whose limit is recorded as "
                    f"{self._policy.rack_limit_cents}"
                )
            if made.kind == "fixed" and within and not of_rack:
                raise DiscrepancyError(
                    f"{of}: {due} cents for the cage, though the rack's limit is recorded as "
                    f"{self._policy.rack_limit_cents}"
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
        begun = [rule for rule in self._policy.approvals if rule.from_day <= self._day]
        if not begun:
            return 0
        newest: ApprovalRule = max(begun, key=lambda rule: rule.from_day)
        return max([s.approvers for s in newest.steps if s.from_cents <= due], default=0)

    def _form(self, made: AwardMade, amount_cents: int) -> str | None:
        """Winnings less the wager; a line that gives the stake back leaves it out already."""
        begun = [rule for rule in self._policy.tax_forms if rule.from_day <= self._day]
        if not begun:
            return None
        newest: TaxFormRule = max(begun, key=lambda rule: rule.from_day)
        own_stake = made.wager_cents - made.stake_returned_cents
        winnings = amount_cents + made.bonus_cents - own_stake
        reached = winnings >= max(newest.least_cents, newest.least_multiple * made.wager_cents)
        return newest.form if reached else None


def treatment(of_round: HouseTerms | None, present: HouseTerms | None, at: str) -> Treatment | None:
    """By which policy the awards of a record are treated; None where none is recorded."""
    house = of_round or present
    return None if house is None else Treatment(house.policy, present or house, at)
