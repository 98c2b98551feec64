"""What one award moved between two moments: made, worked out again, voided.

Each of them belongs to the moment at which it happened, for ever. So the flows of days add up to
those of their range, however much later a void came.
"""

from msgspec import Struct

from progressive.application.finance.book.standing import AwardEntry


class AwardFlows(Struct, frozen=True, kw_only=True):
    """In cents: what is due to the winner, and what the line is worth in all."""

    made: bool
    voided: bool
    awarded_cents: int
    """Due as it was made."""
    resettled_cents: int
    """By how much voids of others changed what is due; with a minus, where it became less."""
    voided_cents: int
    """What was due when it was voided."""
    amount_cents: int
    """Of the line, with all three: what a meter gave, less what it got back."""
    stake_back_cents: int
    """A stake that had been returned, and went back with the void."""
    records: tuple[int, ...]
    """Which records did all this; empty: nothing moved."""

    @property
    def due_cents(self) -> int:
        """Awarded, with all that happened to it since."""
        return self.awarded_cents + self.resettled_cents - self.voided_cents


def flows_between(entry: AwardEntry, begins: str, ends: str) -> AwardFlows:
    """From one moment until just before another. `entry`: as it stood at the later one."""
    award = entry.made
    made = begins <= entry.at < ends
    voided = entry.voided is not None and begins <= entry.voided.at < ends
    changes = [each for each in entry.resettled if begins <= each.at < ends]
    records = [entry.seq] * made + [each.seq for each in changes]
    if voided and entry.voided is not None:
        records.append(entry.voided.seq)
    amount = entry.made_cents if made else 0
    amount += sum(each.amount_cents for each in changes)
    return AwardFlows(
        made=made,
        voided=voided,
        awarded_cents=award.due_at(entry.made_cents) if made else 0,
        resettled_cents=sum(each.due_cents for each in changes),
        voided_cents=award.due_cents if voided else 0,
        amount_cents=amount - (award.amount_cents if voided else 0),
        stake_back_cents=award.stake_returned_cents if voided else 0,
        records=tuple(records),
    )
