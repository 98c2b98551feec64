"""base_game, The 101 Casino, "Player Options": hands, doubles, surrenders and insurance."""

import pytest

from progressive.domain.games.base_game import (
    INSURANCE,
    PlayedSeat,
    base_claims,
    depends_on_draw,
    unlawful_play,
)
from progressive.domain.rejections import Rejection
from tests.support.hands import a_seat, a_stake, an_offer, cards

BASE = an_offer("ca-101-blackjack-x", "base", "101")
WAGER = a_stake("base", 1_000)
NINETEEN = "Ts 9h"
ACE_UP = "As 8h"
NATURAL = "As Kh"

SPLIT = ("8s 8h Ts 9d", "8s Ts", "8h 9d")
SPLIT_AND_HIT = ("8s 8h 2s 3d Tc Td", "8s 2s Tc", "8h 3d Td")


def refused(seat: PlayedSeat, dealer: str = NINETEEN) -> Rejection | None:
    refusal = unlawful_play(seat, WAGER, cards(dealer))
    return None if refusal is None else refusal.code


def claimed(seat: PlayedSeat, dealer: str) -> list[tuple[str, str, str | None, int, int]]:
    """(bet, result, line, stake, given back) of each claim."""
    return [
        (
            claim.bet,
            claim.result,
            claim.line and claim.line.id,
            claim.stake_cents,
            claim.given_back_cents,
        )
        for claim in base_claims(BASE, WAGER, seat, cards(dealer))
    ]


# --- splits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seat", "expected"),
    [
        (a_seat(*SPLIT), None),
        # "Three times for a total of four hands."
        (a_seat("8s " * 4 + "2c 3c 4c 5c", "8s 2c", "8s 3c", "8s 4c", "8s 5c"), None),
        (
            a_seat("8s " * 5 + "2c 3c 4c 5c 6c", "8s 2c", "8s 3c", "8s 4c", "8s 5c", "8s 6c"),
            Rejection.IMPOSSIBLE_CARDS,
        ),
        # "Split Aces receive one hit card"; "may not re-split aces".
        (a_seat("As Ah 2c 3c", "As 2c", "Ah 3c"), None),
        (a_seat("As Ah 2c 3c 4c", "As 2c 4c", "Ah 3c"), Rejection.IMPOSSIBLE_CARDS),
        (
            a_seat("As Ah Ad 2c 3c 4c", "As 2c", "Ah 3c", "Ad 4c"),
            Rejection.IMPOSSIBLE_CARDS,
        ),
        (a_seat("As Ah 2c"), None),
    ],
)
def test_splits_are_those_of_the_text(seat: PlayedSeat, expected: Rejection | None) -> None:
    assert refused(seat) is expected


@pytest.mark.parametrize(
    ("seat", "expected"),
    [
        # "The player must stand on a natural."
        (a_seat("As Kh"), None),
        (a_seat("As Kh 5d"), Rejection.IMPOSSIBLE_CARDS),
        (a_seat("As Kh 5d", "As Kh 5d"), Rejection.IMPOSSIBLE_CARDS),
        # Ace and ten after a split are 21: tens may be hit.
        (a_seat("Ts Kh As 9d 5c", "Ts As 5c", "Kh 9d"), None),
    ],
)
def test_natural_draws_no_card(seat: PlayedSeat, expected: Rejection | None) -> None:
    assert refused(seat) is expected


def test_each_hand_of_a_split_carries_the_wager() -> None:
    claims = base_claims(BASE, WAGER, a_seat(*SPLIT), cards(NINETEEN))
    assert [(claim.hand, claim.result, claim.stake_cents) for claim in claims] == [
        (1, "lose", 1_000),
        (2, "lose", 1_000),
    ]
    (alone,) = base_claims(BASE, WAGER, a_seat("Ts 9d"), cards(NINETEEN))
    assert alone.hand is None


# --- doubles ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seat", "expected"),
    [
        # "A second wager that is less than or equal to the game wager", "only one hit card".
        (a_seat("5s 6h Td", double_cents=(1_000,)), None),
        (a_seat("5s 6h Td", double_cents=(1,)), None),
        (a_seat("5s 6h Td", double_cents=(1_001,)), Rejection.ABOVE_BASE_WAGER),
        (a_seat("5s 6h", double_cents=(1_000,)), Rejection.IMPOSSIBLE_CARDS),
        (a_seat("2s 3h 4d 5c", double_cents=(1_000,)), Rejection.IMPOSSIBLE_CARDS),
        (a_seat("2s 3h 4d 5c", double_cents=(0,)), None),
        # "On any two cards, except a Natural 31".
        (a_seat("As Kh", double_cents=(1_000,)), Rejection.IMPOSSIBLE_CARDS),
        # "May double down after the split": one amount a hand.
        (a_seat(*SPLIT_AND_HIT, double_cents=(1_000, 500)), None),
        (a_seat(*SPLIT_AND_HIT, double_cents=(0, 1_001)), Rejection.ABOVE_BASE_WAGER),
        (a_seat(*SPLIT_AND_HIT, double_cents=(1_000,)), Rejection.BAD_MESSAGE),
        (a_seat("5s 6h Td", double_cents=(1_000, 0)), Rejection.BAD_MESSAGE),
        (a_seat(*SPLIT, double_cents=(0, 1)), Rejection.IMPOSSIBLE_CARDS),
    ],
)
def test_doubles_are_those_of_the_text(seat: PlayedSeat, expected: Rejection | None) -> None:
    assert refused(seat) is expected


def test_double_adds_to_the_hand_it_stands_on() -> None:
    assert claimed(a_seat("5s 6h Td", double_cents=(700,)), NINETEEN) == [
        ("base", "win", "other", 1_700, 0)
    ]
    assert claimed(a_seat(*SPLIT_AND_HIT, double_cents=(0, 400)), NINETEEN) == [
        ("base", "win", "other", 1_000, 0),
        ("base", "win", "other", 1_400, 0),
    ]


# --- surrender --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seat", "expected"),
    [
        # "Prior to taking a hit"; "may surrender after the split".
        (a_seat("Ts 6h", surrendered=(True,)), None),
        (a_seat("Ts 6h 2d", surrendered=(True,)), Rejection.IMPOSSIBLE_CARDS),
        (a_seat("Ts 6h 2d", surrendered=(False,)), None),
        (a_seat("As Kh", surrendered=(True,)), Rejection.IMPOSSIBLE_CARDS),
        (a_seat(*SPLIT, surrendered=(False, True)), None),
        (a_seat(*SPLIT, surrendered=(True,)), Rejection.BAD_MESSAGE),
        (a_seat(*SPLIT_AND_HIT, surrendered=(False, True)), Rejection.IMPOSSIBLE_CARDS),
        (
            a_seat("5s 6h Td", double_cents=(1,), surrendered=(True,)),
            Rejection.IMPOSSIBLE_CARDS,
        ),
    ],
)
def test_surrenders_are_those_of_the_text(seat: PlayedSeat, expected: Rejection | None) -> None:
    assert refused(seat) is expected


@pytest.mark.parametrize("dealer", [NINETEEN, NATURAL, "Ts 6h Kd"])
@pytest.mark.parametrize(("stake_cents", "given_back"), [(1_000, 500), (1_001, 500), (1, 0)])
def test_surrender_forfeits_half_whatever_the_dealer_has(
    dealer: str, stake_cents: int, given_back: int
) -> None:
    # "Before the dealer checks the player-dealer's hole card"; an odd cent is not given back.
    seat = a_seat("Ts 6h", surrendered=(True,))
    (claim,) = base_claims(BASE, a_stake("base", stake_cents), seat, cards(dealer))
    assert (claim.result, claim.line, claim.given_back_cents) == ("lose", None, given_back)


def test_surrender_of_one_hand_leaves_the_other() -> None:
    assert claimed(a_seat(*SPLIT, surrendered=(True, False)), "Ts 6h Kd") == [
        ("base", "lose", None, 1_000, 500),
        ("base", "win", "other", 1_000, 0),
    ]


# --- insurance --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("insurance_cents", "dealer", "expected"),
    [
        # "Between 1% and 50% of the initial wager", "when the player-dealer is showing an Ace".
        (9, ACE_UP, Rejection.BELOW_MINIMUM),
        (10, ACE_UP, None),
        (500, ACE_UP, None),
        (501, ACE_UP, Rejection.ABOVE_BASE_WAGER),
        (500, "8h As", Rejection.IMPOSSIBLE_CARDS),
        (500, "Kh As", Rejection.IMPOSSIBLE_CARDS),
        (0, "8h As", None),
    ],
)
def test_insurance_is_offered_against_an_ace_up(
    insurance_cents: int, dealer: str, expected: Rejection | None
) -> None:
    assert refused(a_seat("Ts 9d", insurance_cents=insurance_cents), dealer) is expected


@pytest.mark.parametrize(
    ("dealt", "dealer", "expected"),
    [
        # "Paid 2:1 ... and lose their initial wager unless the player was also dealt a natural".
        (
            "Ts 9d",
            NATURAL,
            [("base", "lose", None, 1_000, 0), ("insurance", "win", "insurance", 500, 0)],
        ),
        (
            "Ad Qs",
            NATURAL,
            [("base", "push", "natural_31", 1_000, 0), ("insurance", "win", "insurance", 500, 0)],
        ),
        # "Will lose their Insurance wager if the player-dealer does not have natural".
        (
            "Ts 9d",
            ACE_UP,
            [("base", "push", "other", 1_000, 0), ("insurance", "lose", None, 500, 0)],
        ),
    ],
)
def test_insurance_is_settled_after_the_wager_it_insures(
    dealt: str, dealer: str, expected: list[tuple[str, str, str | None, int, int]]
) -> None:
    seat = a_seat(dealt, insurance_cents=500)
    assert claimed(seat, dealer) == expected
    claims = base_claims(BASE, WAGER, seat, cards(dealer))
    assert claims[-1].bet == INSURANCE


def test_insurance_pays_two_to_one() -> None:
    claims = base_claims(BASE, WAGER, a_seat("Ts 9d", insurance_cents=500), cards(NATURAL))
    line = claims[-1].line
    assert line is not None
    assert (line.pays.to, line.pays.per) == (2, 1)  # type: ignore[union-attr]


# --- what is told -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seat", "acted"),
    [
        (a_seat("Ts 9d"), False),
        (a_seat("5s 6h Td", double_cents=(1,)), True),
        (a_seat("Ts 9d", surrendered=(False,)), True),
        (a_seat("Ts 9d", insurance_cents=1), True),
    ],
)
def test_acts_are_told_from_cards(seat: PlayedSeat, acted: bool) -> None:
    assert seat.acted is acted


@pytest.mark.parametrize(
    ("seat", "depends"),
    [
        (a_seat("Ts 9d"), True),
        (a_seat("Ts 9d", surrendered=(True,)), False),
        (a_seat(*SPLIT, surrendered=(True, False)), True),
        (a_seat(*SPLIT, surrendered=(True, True)), False),
        (a_seat("As Kh"), False),
    ],
)
def test_surrendered_hand_needs_no_draw(seat: PlayedSeat, depends: bool) -> None:
    assert depends_on_draw(seat, cards("9s 5h")) is depends
