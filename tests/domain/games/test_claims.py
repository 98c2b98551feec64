"""claims: what the cards made of each wager, and the order in which it is paid."""

from itertools import permutations

import pytest

from progressive.domain.games.claims import Claim, highest_line, in_payment_order, side_bet_claims
from progressive.domain.ids import BetId
from progressive.domain.options import PaymentOrder
from progressive.domain.rulebook.paytable import ForOne, PayLine
from tests.support.hands import BUSTS, a_seat, a_stake, an_offer, cards

BLACKJACK = "As Kh"


def bonus_cents(
    game: str,
    paytable: str,
    free_bonus: str,
    *,
    dealt: str = BLACKJACK,
    hands: tuple[str, ...] = (),
    count: int = 7,
    stake_cents: int = 500,
    least_cents: int = 500,
) -> int:
    offer = an_offer(
        game, "buster", paytable, free_bonus=free_bonus, free_bonus_min_cents=least_cents
    )
    (claim,) = side_bet_claims(
        offer,
        [a_stake("buster", stake_cents)],
        {1: a_seat(dealt, *hands)},
        cards(BUSTS[count]),
    )
    assert claim.result == "win"
    return claim.bonus_cents


# --- lines ------------------------------------------------------------------------------------


def test_highest_line_is_the_first_of_the_paytable() -> None:
    # 2.28(e): "the payout for only the highest possible ... hand".
    high, low = (
        PayLine(id="two", pays=ForOne(for_one=25)),
        PayLine(id="one", pays=ForOne(for_one=2)),
    )
    assert highest_line((high, low), ("one", "two")) == high
    assert highest_line((high, low), ("two", "one")) == high
    assert highest_line((high, low), ("one",)) == low
    assert highest_line((high, low), ("three",)) is None


def test_each_wager_is_claimed_on_its_own_cards() -> None:
    offer = an_offer("nj-blazing-7s", "blazing7", "3")
    seats = {1: a_seat("2s 3s"), 2: a_seat("7d 7h", seat=2), 5: a_seat("7d 2c", seat=5)}
    wagers = [a_stake("blazing7", seat=seat, base_cents=2_500) for seat in (5, 1, 2)]
    claims = side_bet_claims(offer, wagers, dict(seats), ())
    assert [
        (claim.seat, claim.result, claim.line and claim.line.id, claim.stake_cents)
        for claim in claims
    ] == [(5, "win", "one_7", 500), (1, "lose", None, 500), (2, "win", "two_7", 500)]


# --- free bonus -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "paytable", "free_bonus", "count", "cents"),
    [
        # N.J.A.C. 13:69F-2.30(i)
        ("nj-buster", "A", "B1", 8, 800_000),
        ("nj-buster", "A", "B1", 13, 800_000),
        ("nj-buster", "A", "B1", 7, 100_000),
        ("nj-buster", "A", "B1", 6, 0),
        ("nj-buster", "A", "B3", 8, 500_000),
        ("nj-buster", "A", "B3", 7, 100_000),
        ("nj-buster", "A", "B3", 6, 0),
        # ARSD 20:18:15:30.07(9)(b)
        ("sd-buster", "F", "B1", 8, 800_000),
        ("sd-buster", "F", "B1", 7, 100_000),
        ("sd-buster", "F", "B1", 6, 0),
        ("sd-buster", "F", "B3", 8, 500_000),
        ("sd-buster", "F", "B3", 7, 100_000),
        ("sd-buster", "F", "B3", 6, 0),
        # WSGC 2014-06-25: B2 alone begins at six cards.
        ("wa-buster", "WA", "B1", 8, 800_000),
        ("wa-buster", "WA", "B1", 7, 100_000),
        ("wa-buster", "WA", "B1", 6, 0),
        ("wa-buster", "WA", "B2", 8, 800_000),
        ("wa-buster", "WA", "B2", 7, 100_000),
        ("wa-buster", "WA", "B2", 6, 4_000),
        ("wa-buster", "WA", "B2", 5, 0),
        ("wa-buster", "WA", "B3", 8, 500_000),
        ("wa-buster", "WA", "B3", 7, 100_000),
        ("wa-buster", "WA", "B3", 6, 0),
    ],
)
def test_free_bonus_is_the_printed_one(
    game: str, paytable: str, free_bonus: str, count: int, cents: int
) -> None:
    assert bonus_cents(game, paytable, free_bonus, count=count) == cents


@pytest.mark.parametrize(
    ("stake_cents", "least_cents", "earned"),
    [
        # 2.30(h)(ii): "a minimum of $5.00"
        (499, 500, False),
        (500, 500, True),
        (501, 500, True),
        # WA: "at least $2, but $5 is recommended"
        (199, 200, False),
        (200, 200, True),
    ],
)
def test_free_bonus_takes_the_least_wager(stake_cents: int, least_cents: int, earned: bool) -> None:
    found = bonus_cents("wa-buster", "WA", "B1", stake_cents=stake_cents, least_cents=least_cents)
    assert found == (100_000 if earned else 0)


@pytest.mark.parametrize(
    ("dealt", "hands", "earned"),
    [
        # 2.30(h)(i): "the player has a blackjack", on the original two cards.
        ("As Kh", (), True),
        ("Td Ac", (), True),
        ("7s 7h 7d", (), False),
        ("Ts 9h", (), False),
        ("As Ah Ks Kh", ("As Ks", "Ah Kh"), False),
    ],
)
def test_free_bonus_takes_a_blackjack(dealt: str, hands: tuple[str, ...], earned: bool) -> None:
    found = bonus_cents("nj-buster", "A", "B1", dealt=dealt, hands=hands)
    assert found == (100_000 if earned else 0)


def test_lost_bet_earns_no_bonus() -> None:
    offer = an_offer("nj-buster", "buster", "A", free_bonus="B1")
    (claim,) = side_bet_claims(
        offer, [a_stake("buster")], {1: a_seat(BLACKJACK)}, cards("2s 2h 2d 2c 2s 3h 3d 5c")
    )
    assert (claim.result, claim.line, claim.bonus_cents) == ("lose", None, 0)


def test_each_hand_with_a_blackjack_earns_its_own_bonus() -> None:
    # 2.30(b): "on each or any hand he or she is playing".
    offer = an_offer("nj-buster", "buster", "A", free_bonus="B1")
    seats = {1: a_seat(BLACKJACK), 2: a_seat("Ts 9h", seat=2), 3: a_seat("Ad Js", seat=3)}
    wagers = [a_stake("buster", seat=seat) for seat in (1, 2, 3)]
    claims = side_bet_claims(offer, wagers, dict(seats), cards(BUSTS[7]))
    assert [claim.bonus_cents for claim in claims] == [100_000, 0, 100_000]


# --- order ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "seats"),
    [
        # 2.28(h): "first pay the player farthest to the dealer's right", the highest seat.
        ("counter_clockwise", [7, 3, 1]),
        # 101: "settled in clockwise rotation".
        ("clockwise", [1, 3, 7]),
        ("equal_share", [7, 3, 1]),
    ],
)
def test_claims_stand_in_the_order_of_payment(order: PaymentOrder, seats: list[int]) -> None:
    for given in permutations((1, 3, 7)):
        claims = [
            Claim(seat=seat, bet=BetId("buster"), stake_cents=1, result="lose") for seat in given
        ]
        assert [claim.seat for claim in in_payment_order(claims, order)] == seats


@pytest.mark.parametrize("order", ["counter_clockwise", "clockwise"])
def test_hands_of_a_seat_keep_their_order(order: PaymentOrder) -> None:
    claims = [
        Claim(seat=seat, bet=BetId("base"), stake_cents=1, result="lose", hand=hand)
        for seat in (2, 1)
        for hand in (1, 2)
    ]
    found = [(claim.seat, claim.hand) for claim in in_payment_order(claims, order)]
    assert found == sorted(found, key=lambda each: each[0], reverse=order != "clockwise")
    assert [hand for _, hand in found] == [1, 2, 1, 2]
