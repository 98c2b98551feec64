"""decide: the dealer's one hand decides every Buster wager of a round.

NJ 13:69F-2.30(d), (e), (f)3; SD 20:18:15:30.07(4), (5); Washington; The 101. A seat's own cards are
asked for where they can change what is paid, and nowhere else.
"""

import pytest
from msgspec import UNSET

from progressive.domain.commands import SeatCards, SettleRound, Wager
from progressive.domain.decide.decide import decide
from progressive.domain.events import RoundSettled
from progressive.domain.ids import BetId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.paytable import BonusLine
from progressive.domain.rulebook.rules import LinkRules
from tests.support.awards import assert_sound
from tests.support.builders import (
    BJ1,
    NOW,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_settle,
    after,
    wagers,
)

STANDS = "Ts 9s"
BUST_3 = "Ts 6h Kc"
BUST_7 = "2s 2h 2d 3c 3d 3s Kc"
BONUS = (BonusLine(id="bust_7", cents=100_000), BonusLine(id="bust_6", cents=0))

PLAIN = a_link(bets=(a_bet(), a_buster()))
WITH_BONUS = a_link(
    bets=(a_bet(), a_buster(free_bonus="B1", free_bonus_lines=BONUS, free_bonus_min_cents=500))
)
WASHINGTON = a_link(
    bets=(a_buster(player_points_max=27, free_bonus_lines=BONUS, free_bonus_min_cents=500),)
)


def busters(*seats: int, cents: int = 700) -> list[Wager]:
    return [Wager(seat, BetId("buster"), cents, 2_500) for seat in seats]


def keyed(dealer: str, *seats: SeatCards, complete: bool = False, seq: int = 2) -> SettleRound:
    return a_settle(seq, seats=seats, dealer=dealer, complete=complete)


def cards(seat: int, text: str, *hands: str) -> SeatCards:
    return SeatCards(seat, tuple(text.split()), tuple(tuple(hand.split()) for hand in hands))


def decided(rules: LinkRules, placed: list[Wager], command: SettleRound) -> RoundSettled | Refusal:
    state = after(rules, a_lock(1, wagers=placed))
    event = decide(state, rules, BJ1, command, NOW)
    if isinstance(event, RoundSettled):
        assert event.dealer_decides
        assert_sound(after(rules, a_lock(1, wagers=placed), command))
        return event
    assert isinstance(event, Refusal)
    return event


def paid(event: RoundSettled | Refusal) -> list[tuple[int, str, int, int]]:
    assert isinstance(event, RoundSettled), event
    return [(made.seat, made.bet, made.amount_cents, made.bonus_cents) for made in event.awards]


# --- one hand, all wagers ---------------------------------------------------------------------


@pytest.mark.parametrize("complete", [False, True])
def test_nobody_won_is_not_accepted_without_the_dealers_hand(complete: bool) -> None:
    refused = decided(PLAIN, busters(1, 2), keyed("", complete=complete))
    assert isinstance(refused, Refusal)
    assert refused.code is Rejection.INCOMPLETE_CARDS
    if not complete:
        assert "the dealer's completed hand is missing" in refused.message


@pytest.mark.parametrize("dealer", ["Ts", "Ts 6h", "As 6h", "2s 3s 4s"])
def test_a_hand_that_is_not_played_out_decides_nothing(dealer: str) -> None:
    refused = decided(PLAIN, busters(1), keyed(dealer))
    assert isinstance(refused, Refusal)
    assert refused.code is Rejection.INCOMPLETE_CARDS


def test_a_bust_pays_every_buster_wager_with_no_seat_keyed() -> None:
    assert paid(decided(PLAIN, busters(1, 2, 7), keyed(BUST_3))) == [
        (seat, "buster", 1_400, 0) for seat in (7, 2, 1)
    ]


def test_a_bust_keyed_with_one_of_two_bettors_pays_both() -> None:
    event = decided(PLAIN, busters(1, 2), keyed(BUST_3, cards(1, "2c 3c")))
    assert [(seat, bet) for seat, bet, *_ in paid(event)] == [(2, "buster"), (1, "buster")]


@pytest.mark.parametrize("dealer", [STANDS, "As Ks", "As 6h 4c"])
def test_a_hand_that_does_not_bust_ends_the_round_and_asks_nothing(dealer: str) -> None:
    assert paid(decided(WASHINGTON, busters(1, 2, 3), keyed(dealer))) == []


def test_other_bets_of_seats_not_given_are_lost_as_ever() -> None:
    placed = [*wagers(1, 2), *busters(1, 2)]
    event = decided(PLAIN, placed, keyed(BUST_3, cards(1, "7s 7h")))
    assert [(seat, bet) for seat, bet, *_ in paid(event)] == [
        (1, "blazing7"),
        (2, "buster"),
        (1, "buster"),
    ]


def test_a_seat_that_wins_nothing_is_still_a_slip() -> None:
    placed = [*wagers(1), *busters(2)]
    refused = decided(PLAIN, placed, keyed(BUST_3, cards(1, "2s 3s")))
    assert isinstance(refused, Refusal)
    assert refused.code is Rejection.NOT_A_WINNER


def test_a_round_without_such_a_wager_is_closed_as_shortly_as_before() -> None:
    state = after(PLAIN, a_lock(1, wagers=wagers(1, 2)))
    event = decide(state, PLAIN, BJ1, a_settle(2), NOW)
    assert isinstance(event, RoundSettled)
    assert not event.dealer_decides


# --- where a seat's own cards matter ----------------------------------------------------------


def test_a_bonus_in_reach_asks_the_seats_that_could_have_it() -> None:
    placed = [*busters(1, cents=499), *busters(4, 6, cents=500)]
    refused = decided(WITH_BONUS, placed, keyed(BUST_7))
    assert isinstance(refused, Refusal)
    assert refused.code is Rejection.INCOMPLETE_CARDS
    assert refused.message == (
        "seat 4: a blackjack would earn the free bonus. Give its first two cards, "
        'or say "no blackjack"'
    )
    answered = keyed(BUST_7, SeatCards(4, blackjack=False), cards(6, "As Kd"))
    assert paid(decided(WITH_BONUS, placed, answered)) == [
        (6, "buster", 25_000, 100_000),
        (4, "buster", 25_000, 0),
        (1, "buster", 24_950, 0),
    ]


def test_a_line_without_a_bonus_asks_nobody() -> None:
    assert len(paid(decided(WITH_BONUS, busters(1, 2), keyed(BUST_3)))) == 2
    bust_6 = "2s 2h 2d 3c 4d Kc"
    assert len(paid(decided(WITH_BONUS, busters(1, 2), keyed(bust_6)))) == 2


def test_washington_asks_for_the_whole_hand_or_for_28_or_more() -> None:
    refused = decided(WASHINGTON, busters(3), keyed(BUST_3))
    assert isinstance(refused, Refusal)
    assert refused.code is Rejection.INCOMPLETE_CARDS
    assert refused.message == (
        "seat 3: the dealer busted, so its points count. Give its whole hand, "
        'or say "28 or more" or "27 or less"'
    )


@pytest.mark.parametrize(
    ("seat", "wins"),
    [
        (SeatCards(3, points_over=True), False),
        (SeatCards(3, points_over=False), True),
        (cards(3, "Ts 7h Td"), True),
        (cards(3, "Ts 8h Td"), False),
        (cards(3, "8s 8h Td Ts 3c", "8s Td", "8h Ts 3c"), True),
        # One hand of 28 or more is enough, whichever of a split it is.
        (cards(3, "8s 8h Td 9s 2c Tc", "8s Td", "8h 9s 2c Tc"), False),
        # The first cards, and what the dealer says of the rest.
        (SeatCards(3, ("Ts", "8h"), points_over=True), False),
        (SeatCards(3, ("Ts", "8h"), points_over=False), True),
    ],
)
def test_washingtons_27_points(seat: SeatCards, wins: bool) -> None:
    assert bool(paid(decided(WASHINGTON, busters(3), keyed(BUST_3, seat)))) is wins


@pytest.mark.parametrize(
    ("seat", "money"),
    [
        (SeatCards(3, points_over=True), []),
        (SeatCards(3, points_over=False, blackjack=False), [(3, "buster", 35_000, 0)]),
        (cards(3, "As Kd"), [(3, "buster", 35_000, 100_000)]),
        (SeatCards(3, points_over=False), None),
        (SeatCards(3, blackjack=False), None),
    ],
)
def test_washingtons_points_and_bonus_are_asked_together(
    seat: SeatCards, money: list[tuple[int, str, int, int]] | None
) -> None:
    event = decided(WASHINGTON, busters(3), keyed(BUST_7, seat))
    if money is None:
        assert isinstance(event, Refusal)
        assert event.code is Rejection.INCOMPLETE_CARDS
    else:
        assert paid(event) == money


@pytest.mark.parametrize(
    ("rules", "command", "code"),
    [
        # Nobody asked.
        (PLAIN, keyed(BUST_3, SeatCards(3, blackjack=False)), Rejection.BAD_MESSAGE),
        (PLAIN, keyed(BUST_3, SeatCards(3, points_over=False)), Rejection.BAD_MESSAGE),
        (WASHINGTON, keyed(STANDS, SeatCards(3, points_over=True)), Rejection.BAD_MESSAGE),
        (WITH_BONUS, keyed(BUST_3, SeatCards(3, blackjack=False)), Rejection.BAD_MESSAGE),
        # The cards say otherwise.
        (
            WITH_BONUS,
            keyed(BUST_7, SeatCards(3, ("As", "Kd"), blackjack=False)),
            Rejection.IMPOSSIBLE_CARDS,
        ),
        (
            WITH_BONUS,
            keyed(BUST_7, SeatCards(3, ("As", "2d"), blackjack=True)),
            Rejection.IMPOSSIBLE_CARDS,
        ),
        (
            WASHINGTON,
            keyed(BUST_3, SeatCards(3, ("Ts", "8h", "Td"), points_over=False)),
            Rejection.IMPOSSIBLE_CARDS,
        ),
        (
            WASHINGTON,
            keyed(BUST_3, SeatCards(3, ("Ts", "8h"), points_over=True), complete=True),
            Rejection.IMPOSSIBLE_CARDS,
        ),
        # A blackjack is shown and not said; a complete round has all its cards.
        (WITH_BONUS, keyed(BUST_7, SeatCards(3, blackjack=True)), Rejection.INCOMPLETE_CARDS),
        (
            WASHINGTON,
            keyed(BUST_3, SeatCards(3, points_over=True), complete=True),
            Rejection.INCOMPLETE_CARDS,
        ),
        (
            WASHINGTON,
            keyed(BUST_3, SeatCards(3, ("Ts",), points_over=True)),
            Rejection.INCOMPLETE_CARDS,
        ),
    ],
)
def test_answers_that_cannot_be_taken(
    rules: LinkRules, command: SettleRound, code: Rejection
) -> None:
    event = decided(rules, busters(3), command)
    assert isinstance(event, Refusal)
    assert event.code is code, event.message


def test_a_seat_that_only_answers_is_not_keyed_for_its_other_bets() -> None:
    rules = a_link(bets=(a_bet(), a_buster(player_points_max=27)))
    placed = [*wagers(3), *busters(3)]
    event = decided(rules, placed, keyed(BUST_3, SeatCards(3, points_over=False)))
    assert [bet for _, bet, *_ in paid(event)] == ["buster"]


def test_an_answer_is_stored_and_its_absence_is_not() -> None:
    said = decided(WASHINGTON, busters(3), keyed(BUST_3, SeatCards(3, points_over=True)))
    assert isinstance(said, RoundSettled)
    assert (said.seats[0].points_over, said.seats[0].blackjack) == (True, UNSET)
