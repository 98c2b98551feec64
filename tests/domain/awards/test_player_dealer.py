"""player_dealer, The 101 Casino: how far the bank's wager goes, and whose turn the bank is."""

import pytest

from progressive.domain.awards.player_dealer import BankTurn, cover, next_bank
from progressive.domain.awards.settlement import Settled
from progressive.domain.games.claims import Claim
from progressive.domain.ids import BetId


def lost(stake_cents: int, *, given_back_cents: int = 0) -> Settled:
    claim = Claim(
        seat=1,
        bet=BetId("base"),
        stake_cents=stake_cents,
        result="lose",
        given_back_cents=given_back_cents,
    )
    return Settled(claim=claim, stake_returned_cents=given_back_cents)


def won(pay_cents: int, *, stake_cents: int = 1_000) -> Settled:
    claim = Claim(seat=1, bet=BetId("base"), stake_cents=stake_cents, result="win")
    return Settled(claim=claim, kind="fixed", pay_cents=pay_cents, stake_returned_cents=stake_cents)


def pushed(stake_cents: int = 1_000) -> Settled:
    claim = Claim(seat=1, bet=BetId("base"), stake_cents=stake_cents, result="push")
    return Settled(claim=claim, stake_returned_cents=stake_cents)


@pytest.mark.parametrize(
    ("settled", "wager_cents", "expected"),
    [
        # "May not win or lose more than the original amount wagered": (paid, collected) each.
        ([won(500)], 500, [(500, 0)]),
        ([won(501)], 500, [(500, 0)]),
        ([won(300), won(300)], 500, [(300, 0), (200, 0)]),
        ([won(500), won(300)], 500, [(500, 0), (0, 0)]),
        ([lost(500)], 500, [(0, 500)]),
        ([lost(501)], 500, [(0, 500)]),
        ([lost(300), lost(300)], 500, [(0, 300), (0, 200)]),
        ([lost(500), lost(1)], 500, [(0, 500), (0, 0)]),
        # A running net: what was won covers more, what was paid lets more be won.
        ([lost(300), won(800)], 500, [(0, 300), (800, 0)]),
        ([lost(300), won(801)], 500, [(0, 300), (800, 0)]),
        ([won(300), lost(800)], 500, [(300, 0), (0, 800)]),
        ([won(300), lost(801)], 500, [(300, 0), (0, 800)]),
        ([won(500), lost(400), won(600)], 500, [(500, 0), (0, 400), (400, 0)]),
        ([pushed(), won(500), pushed()], 500, [(0, 0), (500, 0), (0, 0)]),
        # A surrender: the half that is kept stays out of it.
        ([lost(1_000, given_back_cents=500)], 500, [(0, 500)]),
        ([lost(1_000, given_back_cents=500)], 499, [(0, 499)]),
        # No money, no action.
        ([won(500), lost(500)], 0, [(0, 0), (0, 0)]),
        ([], 500, []),
    ],
)
def test_bank_wins_and_loses_no_more_than_its_wager(
    settled: list[Settled], wager_cents: int, expected: list[tuple[int, int]]
) -> None:
    covered = cover(settled, wager_cents)
    assert [(each.pay_cents, each.collected_cents) for each in covered] == expected
    for before, after in zip(settled, covered, strict=True):
        # What is not covered goes back; what the hand did is still told.
        assert after.stake_returned_cents + after.collected_cents == before.claim.stake_cents
        assert (after.claim, after.kind) == (before.claim, before.kind)


def test_winner_that_is_not_covered_keeps_the_stake() -> None:
    (_, uncovered) = cover([won(500), won(300, stake_cents=300)], 500)
    assert (uncovered.pay_cents, uncovered.stake_returned_cents) == (0, 300)


@pytest.mark.parametrize(
    ("seat", "rounds_banked", "seats", "expected"),
    [
        # "For two consecutive rounds of play before it is offered in a clockwise fashion".
        (3, 1, (1, 3, 5), BankTurn(True, 3)),
        (3, 2, (1, 3, 5), BankTurn(False, 5)),
        (3, 3, (1, 3, 5), BankTurn(False, 5)),
        # Round to the first seat after the last; the order they are told in does not matter.
        (5, 2, (5, 3, 1), BankTurn(False, 1)),
        (1, 2, (5, 3, 1), BankTurn(False, 3)),
        (4, 2, (1, 3, 5), BankTurn(False, 5)),
        # Nobody else is there to be asked.
        (3, 2, (3,), BankTurn(False, 3)),
        (3, 2, (), BankTurn(False, 3)),
    ],
)
def test_bank_is_offered_clockwise_after_two_rounds(
    seat: int, rounds_banked: int, seats: tuple[int, ...], expected: BankTurn
) -> None:
    assert next_bank(seat, rounds_banked=rounds_banked, seats=seats, bank_rounds=2) == expected
