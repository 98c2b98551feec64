"""Games banked by one of their players, The 101 Casino: coverage, and whose turn the bank is.

The player-dealer "shall collect all losing wagers, pay all winning wagers, and may not win or lose
more than the original amount wagered".
"""

from collections.abc import Sequence

from msgspec import Struct, structs

from progressive.domain.awards.settlement import Settled


def cover(settled: Sequence[Settled], wager_cents: int) -> list[Settled]:
    """The wagers, in the order they are settled, as far as the player-dealer's money goes.

    A running net that never passes the wager in either direction. A winner is paid what is left
    and keeps the stake; a loser gives what may still be won; the rest goes back to its owner.
    """
    net = 0
    covered: list[Settled] = []
    for each in settled:
        pay = min(each.pay_cents, wager_cents + net)
        collected = min(each.collected_cents, wager_cents - net)
        net += collected - pay
        covered.append(
            structs.replace(
                each,
                pay_cents=pay,
                stake_returned_cents=each.claim.stake_cents - collected,
            )
        )
    return covered


class BankTurn(Struct, frozen=True):
    """Who may bank the next round."""

    may_continue: bool
    """Whether the present player-dealer may bank one more round."""
    offered_to: int
    """The seat that is asked next: the banker's own, or the next one clockwise."""


def next_bank(seat: int, *, rounds_banked: int, seats: Sequence[int], bank_rounds: int) -> BankTurn:
    """Whose turn the bank is after a round.

    "For two consecutive rounds of play before it is offered in a clockwise fashion": upward from
    the banker's seat, then round to the first. `seats` are those that are taken.
    """
    if rounds_banked < bank_rounds:
        return BankTurn(may_continue=True, offered_to=seat)
    others = sorted(other for other in seats if other != seat)
    following = next((other for other in others if other > seat), None)
    if following is None:
        following = others[0] if others else seat
    return BankTurn(may_continue=False, offered_to=following)
