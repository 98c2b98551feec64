"""What of the wagers is left after awards, three times: as paid, as awarded, as accrued.

Everything belongs to the day on which it happened, a void to the day of the void, so that the bases
of days add up to those of their range. Which base is the right one is for each jurisdiction to say.
"""

from msgspec import Struct

from progressive.application.finance.book.award_flows import flows_between
from progressive.application.finance.book.standing import Parts, Standing
from progressive.application.finance.reports.awards import entries_of, paid_within
from progressive.application.finance.reports.context import Context
from progressive.application.finance.reports.liability import house_part
from progressive.domain.money import MICROCENTS_PER_CENT


class Bases(Struct, frozen=True, kw_only=True):
    """In cents, of the days and the table of a report."""

    handle: int
    """Wagers less those of voided rounds."""
    coupons: int
    """Of it."""
    returned: int
    """Stakes that went back to winners, less those that voids of awards took back."""
    paid: int
    awarded: int
    """Less voids, and with what these changed for other awards."""
    accrued: int | None
    """Awarded, and what the players' money on the meters grew by. None of one table: the meters are
    of all of them."""

    def left(self, deducted: int) -> int:
        """A base."""
        return self.handle - self.returned - deducted


def bases_of(context: Context) -> Bases:
    """All three."""
    cells = [
        cell
        for book in context.books
        for cell in book.cells.values()
        if context.at_table(cell.table)
    ]
    racks = sum(
        rack.cents + rack.bonus_cents - rack.paid_before_cents
        for book in context.books
        for rack in book.racks.values()
        if context.at_table(rack.table)
    )
    entries = entries_of(context)
    begins, ends = context.first.begins, context.last.ends
    flows = [flows_between(entry, begins, ends) for entry in entries]
    coupons = sum(cell.coupon_cents - cell.voided_coupon_cents for cell in cells)
    handle = sum(
        cell.registered_cents - cell.voided_chip_cents - cell.voided_coupon_cents for cell in cells
    )
    awarded = racks + sum(each.due_cents for each in flows)
    # Differences of whole cents, so that days add up.
    grown = _players_cents(context.last.closing, context)
    grown -= _players_cents(context.first.opening, context)
    return Bases(
        handle=handle,
        coupons=coupons,
        returned=sum(cell.returned_cents for cell in cells)
        - sum(each.stake_back_cents for each in flows),
        paid=racks + sum(paid_within(context, entry) for entry in entries),
        awarded=awarded,
        accrued=awarded + grown if context.table is None else None,
    )


def _players_cents(standing: Standing, context: Context) -> int:
    """The players' money on all parts of all meters, in whole cents."""
    total = 0
    for meter in context.meters:
        parts = standing.meters.get(meter, Parts())
        total += parts.primary + parts.reset + parts.overflow - house_part(standing, meter)
    return total // MICROCENTS_PER_CENT
