"""decide, settlement: which cards can have been dealt, and that no winner is passed over."""

import pytest

from progressive.domain.commands import SeatCards, SettleRound
from progressive.domain.decide.decide import decide
from progressive.domain.events import RoundSettled
from progressive.domain.rejections import Refusal, Rejection
from tests.support.builders import (
    BJ1,
    NOW,
    a_link,
    a_lock,
    a_settle,
    accept,
    after,
    opened_link,
    wagers,
)

RULES = a_link()
# Wagers at seats 1 and 2 of 7.
LOCKED = after(RULES, a_lock(1, wagers=wagers(1, 2)))
NOBODY = after(RULES, a_lock(1, wagers=()))


def seat(number: int, cards: str, *hands: str) -> SeatCards:
    return SeatCards(
        seat=number, cards=tuple(cards.split()), hands=tuple(tuple(hand.split()) for hand in hands)
    )


def refused(command: SettleRound) -> Refusal:
    decision = decide(LOCKED, RULES, BJ1, command, NOW)
    assert isinstance(decision, Refusal), decision
    return decision


@pytest.mark.parametrize(
    "command",
    [
        # A dealer keys "nobody won".
        a_settle(2, complete=False),
        a_settle(2, complete=False, dealer="Ts 6h"),
        a_settle(2, complete=True, seats={1: "2s 3s", 2: "4s 5s"}),
        a_settle(2, complete=True, seats={1: "2s 3s", 2: "4s 5s"}, dealer="Ts 6h"),
        # A card reader gives every seat, those without a side bet too.
        a_settle(2, complete=True, seats={1: "2s 3s", 2: "4s 5s", 7: "7s 7d 7h"}),
        # 2.28(c): a 7 that comes third, or as the dealer's up card, counts only toward three.
        a_settle(2, complete=True, seats={1: "2s 3s 7d", 2: "4s 5s 7d 7d"}),
        a_settle(2, complete=True, seats={1: "2s 3s", 2: "4s 5s"}, dealer="7s 7h"),
    ],
)
def test_round_without_a_winner_settles(command: SettleRound) -> None:
    event = accept(LOCKED.copy(), RULES, command)
    assert isinstance(event, RoundSettled)
    assert (event.dealer, event.seats, event.complete) == (
        command.dealer,
        command.seats,
        command.complete,
    )
    assert event.meters == LOCKED.primaries


@pytest.mark.parametrize("complete", [True, False])
def test_round_nobody_bet_on_settles_without_cards(complete: bool) -> None:
    assert isinstance(decide(NOBODY, RULES, BJ1, a_settle(2, complete=complete), NOW), RoundSettled)


@pytest.mark.parametrize(
    "command",
    [
        a_settle(2, seats={1: "2s xx"}),
        a_settle(2, seats={1: "2s 1s"}),
        a_settle(2, seats={1: "2s 10s"}),
        a_settle(2, seats={1: "2S 3s"}),
        a_settle(2, seats={1: "ts 3s"}),
        a_settle(2, seats={1: "2s s3"}),
        a_settle(2, seats={1: "2s ٧d"}),
        a_settle(2, seats=(SeatCards(seat=1, cards=("2s", "")),)),
        a_settle(2, seats=(SeatCards(seat=1, cards=("2s", "3s ")),)),
        a_settle(2, seats=(seat(1, "2s 2h", "2s 3s", "2h xx"),)),
        a_settle(2, seats={1: "2s 3s"}, dealer="Zz"),
        a_settle(2, dealer="xx"),
    ],
)
def test_text_that_is_no_card_is_refused(command: SettleRound) -> None:
    assert refused(command).code is Rejection.BAD_CARD


@pytest.mark.parametrize("number", [0, 8, -1, 10**6])
def test_cards_of_a_seat_the_table_lacks_are_refused(number: int) -> None:
    assert refused(a_settle(2, seats={number: "2s 3s"})).code is Rejection.UNKNOWN_SEAT


def test_seat_given_twice_is_refused() -> None:
    twice = a_settle(2, seats=(seat(1, "2s 3s"), seat(1, "2s 3s")))
    assert refused(twice).code is Rejection.BAD_MESSAGE


def test_winning_seat_without_a_wager_is_refused() -> None:
    assert refused(a_settle(2, seats={3: "7s 7d"}, complete=False)).code is Rejection.NOT_WAGERED


@pytest.mark.parametrize("seats", [{1: "2s 3s"}, {1: "7s 2s", 2: "2s 3s"}])
def test_seat_that_wins_nothing_is_not_keyed_as_a_winner(seats: dict[int, str]) -> None:
    # A dealer who keys winners only has misread a card, or keyed another seat: better asked now.
    refusal = refused(a_settle(2, seats=seats, complete=False))
    assert refusal.code is Rejection.NOT_A_WINNER
    assert f"seat {max(seats)}" in refusal.message


@pytest.mark.parametrize(
    "command",
    [
        a_settle(2, complete=True),
        a_settle(2, complete=True, dealer="2s 3s"),
        a_settle(2, complete=True, seats={1: "2s 3s"}),
        a_settle(2, complete=True, seats={1: "2s 3s", 3: "4s 5s"}),
        a_settle(2, complete=True, seats={1: "2s 3s", 2: ""}),
        a_settle(2, complete=True, seats={1: "2s 3s", 2: "4s"}),
        a_settle(2, seats={1: "2s"}),
        a_settle(2, seats={1: ""}),
    ],
)
def test_missing_cards_are_refused(command: SettleRound) -> None:
    assert refused(command).code is Rejection.INCOMPLETE_CARDS


@pytest.mark.parametrize(
    ("seats", "dealer", "possible"),
    [
        ({1: "2s 2s 2s 2s 2s 2s"}, "", True),
        ({1: "2s 2s 2s 2s 2s 2s 2s"}, "", False),
        ({1: "2s 2s 2s 2s 2s 2s"}, "2s", False),
        ({1: "2s 2s 2s", 2: "2s 2s 2s"}, "3s", True),
        ({1: "2s 2s 2s", 2: "2s 2s 2s"}, "2s", False),
        ({1: "3s 3s"}, "2s 2s 2s 2s 2s 2s", True),
        ({1: "3s 3s"}, "2s 2s 2s 2s 2s 2s 2s", False),
    ],
)
def test_six_decks_hold_six_of_each_card(
    seats: dict[int, str], dealer: str, possible: bool
) -> None:
    state = after(RULES, a_lock(1, wagers=wagers(*seats)))
    decision = decide(state, RULES, BJ1, a_settle(2, seats=seats, dealer=dealer), NOW)
    if possible:
        assert isinstance(decision, RoundSettled)
    else:
        assert isinstance(decision, Refusal)
        assert decision.code is Rejection.IMPOSSIBLE_CARDS


def test_eight_decks_hold_eight_of_each_card() -> None:
    rules = a_link(decks=8)
    state = after(rules, a_lock(1))
    for copies, accepted in ((8, True), (9, False)):
        decision = decide(state, rules, BJ1, a_settle(2, seats={1: "2s " * copies}), NOW)
        assert isinstance(decision, RoundSettled) is accepted


@pytest.mark.parametrize(
    ("split", "possible"),
    [
        # The same six cards, once as dealt and once as played: six, not twelve.
        (seat(1, "2s 2s 2s 2s 2s 2s", "2s 2s 2s", "2s 2s 2s"), True),
        (seat(1, "2s 2s 2s 2s 2s 2s 2s", "2s 2s 2s", "2s 2s 2s 2s"), False),
        # The final hands hold the cards dealt: none more, none less, no others.
        (seat(1, "2s 2s", "2s 2s 2s", "2s 2s 2s"), False),
        (seat(1, "2s 2h 3d 4d", "2s 3d", "2h"), False),
        (seat(1, "2s 2h 3d 4d", "2s 3d", "2h 5d"), False),
        (seat(1, "3s 3h 3d", "3s 3h"), False),
        # Only a pair is split, one card of it to each hand; tens of any face are a pair.
        (seat(1, "2s 3h 4d 4c", "2s 4d", "3h 4c"), False),
        (seat(1, "8s 8h 4d 4c", "4d 8s", "4c 8h"), False),
        (seat(1, "Ts Kh 4d 4c", "Ts 4d", "Kh 4c"), True),
        # Nobody draws to a hand that is over 21.
        (seat(1, "Ts 9h 4d 4c"), False),
        (seat(1, "8s 8h Td Tc 9c 2d", "8s Td 9c 2d", "8h Tc"), False),
    ],
)
def test_cards_of_a_seat_are_dealt_once_and_played_by_the_rules(
    split: SeatCards, possible: bool
) -> None:
    command = a_settle(2, seats=(split, seat(2, "9c 9d")), dealer="9s 9h")
    decision = decide(LOCKED, RULES, BJ1, command, NOW)
    if possible:
        assert isinstance(decision, RoundSettled)
    else:
        assert isinstance(decision, Refusal)
        assert decision.code is Rejection.IMPOSSIBLE_CARDS


@pytest.mark.parametrize(
    ("cards", "line"),
    [
        ("7d 2s", "one_7"),
        ("2s 7d", "one_7"),
        ("7c Ks 7c", "one_7"),
        ("7h 7h", "two_7"),
        ("7s 7h 2c", "two_7"),
        ("7s 7h 7c", "three_7_mixed"),
        ("7d 7h 7d", "three_7_color"),
        ("7s 7s 7s", "three_7_suited_other"),
        ("7d 7d 7d", "three_7_diamonds"),
    ],
)
@pytest.mark.parametrize("complete", [True, False])
def test_winner_is_never_settled_as_if_nobody_won(cards: str, line: str, complete: bool) -> None:
    seats = {1: cards, 2: "2c 3c"} if complete else {1: cards}
    event = decide(
        LOCKED, RULES, BJ1, a_settle(2, seats=seats, dealer="9s 9h", complete=complete), NOW
    )
    assert isinstance(event, RoundSettled)
    assert [(award.seat, award.line) for award in event.awards] == [(1, line)]


def test_game_of_another_state_is_read_by_the_module_it_names() -> None:
    rules = a_link(game="xx-blazing-7s", reader="blazing_sevens")
    event = accept(after(rules, a_lock(1)), rules, a_settle(2, seats={1: "7d 2s"}))
    assert isinstance(event, RoundSettled)
    assert [award.line for award in event.awards] == ["one_7"]


def test_settling_without_a_winner_moves_no_money() -> None:
    state = LOCKED.copy()
    accept(state, RULES, a_settle(2))
    assert state.balances == LOCKED.balances
    assert state.tables[BJ1].round is None
    assert opened_link(RULES).balances != LOCKED.balances
