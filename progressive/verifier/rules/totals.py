"""Where a link's money came from and where it lies, as the verifier adds it up."""

from dataclasses import dataclass

from progressive.verifier.recorded.award_events import AwardMoney


@dataclass(slots=True)
class Totals:
    """Where money came from and where it lies now, in microcents."""

    wagers_chip: int = 0
    wagers_coupon: int = 0
    funding: int = 0
    meters: int = 0
    hold: int = 0
    refunds_chip: int = 0
    refunds_coupon: int = 0
    corrections: int = 0
    """Put on meters by approved corrections; below zero where they took more off."""
    pending: int = 0
    """Owed to winners, and not paid yet."""
    paid: int = 0
    returned: int = 0
    """Stakes that went back to winners of "to 1" lines."""
    parked: int = 0
    """What lay on the meters of a link that was retired."""

    @property
    def came_in(self) -> int:
        """All that came from outside."""
        return self.wagers_chip + self.wagers_coupon + self.funding + self.corrections

    @property
    def lies(self) -> int:
        """All that lies somewhere now."""
        kept = self.meters + self.hold + self.refunds_chip + self.refunds_coupon
        return kept + self.pending + self.paid + self.returned + self.parked

    def move(self, money: AwardMoney) -> None:
        """Enter what awards move beside the meters; a source counts with a minus there."""
        self.funding -= money.funding
        self.hold += money.hold
        self.pending += money.pending
        self.paid += money.paid
        self.returned += money.returned
