"""What must be true of a link at any moment; shared by the writer, recovery and tests."""

from progressive.domain.money import PPM, microcents
from progressive.domain.state.ledger import PENDING
from progressive.domain.state.link_state import LinkState


class InvariantBrokenError(Exception):
    """Money does not add up. The link stops: a wrong amount is worse than no amount."""


def check(state: LinkState) -> None:
    """Raise unless money is conserved, no meter is below nothing, and numbering is whole."""
    if (total := sum(state.balances.values())) != 0:
        raise InvariantBrokenError(f"{state.link}: the accounts sum to {total} microcents, not 0")
    displayed = tuple(
        state.balances["primary", meter.id] for meter in (state.terms.meters if state.terms else ())
    )
    if state.primaries != displayed:
        raise InvariantBrokenError(
            f"{state.link}: the meters show {state.primaries}, the books say {displayed}"
        )
    for (kind, of), amount in state.balances.items():
        if amount < 0 and kind in ("primary", "reset", "overflow"):
            raise InvariantBrokenError(f"{state.link}: {kind} meter {of} is below zero: {amount}")


def check_deeply(state: LinkState) -> None:
    """`check`, and what is too slow to look at after every batch."""
    check(state)
    for table, at_table in state.tables.items():
        kept = [receipt.event.table_seq for receipt in at_table.receipts]
        if kept != list(range(at_table.last_seq + 1 - len(kept), at_table.last_seq + 1)):
            raise InvariantBrokenError(f"{table}: answers {kept} do not end at {at_table.last_seq}")
    owed = sum(
        microcents(award.made.due_cents) for award in state.awards.values() if not award.final
    )
    if (pending := state.balances.get(PENDING, 0)) != owed:
        raise InvariantBrokenError(
            f"{state.link}: {pending} microcents are owed, the open awards say {owed}"
        )
    for bet in state.terms.bets if state.terms else ():
        if sum(meter.rate_ppm + meter.reset_rate_ppm for meter in bet.meters) > PPM:
            raise InvariantBrokenError(f"{bet.id}: the meters take more than the whole wager")
