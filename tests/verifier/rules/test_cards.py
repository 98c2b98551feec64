"""The audit's own reading of cards, row by row of the rule texts."""

import pytest

from progressive.adapters.config.games import shipped_games
from progressive.domain.ids import BetId
from progressive.domain.options import DealerProcedure
from progressive.domain.rulebook.paytable import BonusLine
from progressive.verifier.findings import DiscrepancyError
from progressive.verifier.recorded.terms import BetRules, LinkTerms
from progressive.verifier.recorded.values import SeatCards, Wager
from progressive.verifier.rules.cards import bonus_cents, is_blackjack, line_won, points
from tests.support.builders import a_bet, a_buster, a_link
from tests.support.recorded import as_recorded


def a_game_bet(game: str, bet: str, paytable: str, **changes: object) -> BetRules:
    found = next(each for each in shipped_games()[game].bets if each.id == bet)
    table = found.paytable(paytable)
    assert table is not None
    made = a_bet(
        id=BetId(bet), reader=found.reader, paytable=paytable, lines=table.lines, **changes
    )
    return recorded(made)


def recorded(bet: object) -> BetRules:
    rules: BetRules = as_recorded(BetRules, bet)
    return rules


def seat(cards: str, *hands: str) -> SeatCards:
    return SeatCards(1, tuple(cards.split()), tuple(tuple(hand.split()) for hand in hands))


def line(
    bet: BetRules, cards: SeatCards, dealer: str, procedure: DealerProcedure = "card_reader"
) -> str | None:
    terms = as_recorded(LinkTerms, a_link(dealer_procedure=procedure).terms)
    won = line_won(bet, terms, cards, tuple(dealer.split()))
    return None if won is None else won.id


@pytest.mark.parametrize(
    ("cards", "by_paytable"),
    [
        ("7d 7d 7d", ("three_7_suited", "three_7_diamonds", "three_7_diamonds")),
        ("7h 7h 7h", ("three_7_suited", "three_7_suited_other", "three_7_suited_other")),
        ("7d 7h 7d", ("three_7_color", "three_7_color", "three_7_color")),
        ("7s 7c 7s", ("three_7_color", "three_7_color", "three_7_color")),
        ("7s 7h 7c", ("three_7_any", "three_7_mixed", "three_7_mixed")),
        ("7s 7h 2c", ("two_7", "two_7", "two_7")),
        ("7s 7h", ("two_7", "two_7", "two_7")),
        # 2.28(c): a 7 that comes third counts only toward three of them.
        ("7s 2h 7c", ("one_7", "one_7", "one_7")),
        ("2s 7h 7c", ("one_7", "one_7", "one_7")),
        ("2s 3h 7c", (None, None, None)),
        ("7d 7d 2c 7d", ("two_7", "two_7", "two_7")),
    ],
)
def test_sevens_by_paytable(cards: str, by_paytable: tuple[str | None, ...]) -> None:
    made = [
        line(a_game_bet("nj-blazing-7s", "blazing7", paytable), seat(cards), "9s 9h")
        for paytable in "123"
    ]
    assert tuple(made) == by_paytable


@pytest.mark.parametrize(
    ("procedure", "dealer", "made"),
    [
        ("card_reader", "As Ks", "two_7"),
        ("card_reader", "Ks As", "two_7"),
        ("hole_face_up", "As Ks", "two_7"),
        ("no_peek", "As Ks", "three_7_mixed"),
        ("card_reader", "As 9s", "three_7_mixed"),
        ("card_reader", "9s", "three_7_mixed"),
        ("no_peek", "", "three_7_mixed"),
    ],
)
def test_dealers_blackjack_that_is_seen_leaves_two_cards(
    procedure: DealerProcedure, dealer: str, made: str
) -> None:
    bet = a_game_bet("nj-blazing-7s", "blazing7", "3")
    assert line(bet, seat("7s 7h 7c"), dealer, procedure) == made


@pytest.mark.parametrize("dealer", ["", "As", "Td"])
def test_three_sevens_are_not_told_without_the_card_that_decides(dealer: str) -> None:
    with pytest.raises(DiscrepancyError, match="missing"):
        line(a_game_bet("nj-blazing-7s", "blazing7", "3"), seat("7s 7h 7c"), dealer)


@pytest.mark.parametrize(
    ("cards", "dealer", "made"),
    [
        ("7d 7d 2s", "7d 9s", "three_7_diamonds"),
        ("7d 7d 7d", "9d 9s", "two_7"),
        ("7d 2d", "7d 9s", "one_7"),
        ("2d 3d", "7d 9s", None),
    ],
)
def test_option_2_counts_the_up_card(cards: str, dealer: str, made: str | None) -> None:
    bet = a_game_bet("nj-blazing-7s", "blazing7", "3", dealing_option=2)
    assert line(bet, seat(cards), dealer) == made


@pytest.mark.parametrize(
    ("dealer", "made"),
    [
        ("Ts 6h Kc", "bust_3"),
        ("Ts 2h 4h Kc", "bust_4"),
        ("2s 2h 2d 2c 3s 3h 2s Ks", "bust_8_or_more"),
        ("Ts 6h 5s", None),
        ("As Ks", None),
        ("Ts 7h", None),
    ],
)
def test_bust_counts_all_cards(dealer: str, made: str | None) -> None:
    assert line(recorded(a_buster()), seat("2s 3s"), dealer) == made


@pytest.mark.parametrize(
    ("cards", "made"),
    [
        (seat("Ts 7h Kc"), "bust_3"),
        (seat("Ts 8h Kc"), None),
        (seat("8s 8h Tc Ks Td 9d", "8s Tc Td", "8h Ks 9d"), None),
        (seat("8s 8h Tc Ks", "8s Tc", "8h Ks"), "bust_3"),
    ],
)
def test_hand_above_washingtons_limit_spoils_the_bet(cards: SeatCards, made: str | None) -> None:
    assert line(recorded(a_buster(player_points_max=27)), cards, "Ts 6h Kc") == made


@pytest.mark.parametrize(
    ("cards", "up", "made"),
    [
        ("Js Jh", "Jh", "three_one_eyed_jacks"),
        ("Js Jd", "Jh", "three_jacks"),
        ("Js Jh", "2c", "two_one_eyed_jacks"),
        ("Js Jd", "2c", "two_jacks"),
        ("Js 2d", "2c", "one_one_eyed_jack"),
        ("2s 2d", "Jc", "one_jack"),
        ("2s 2d", "2c", None),
    ],
)
def test_jacks_by_row(cards: str, up: str, made: str | None) -> None:
    bet = a_game_bet("ca-101-blackjack-x", "jack_magic", "101")
    assert line(bet, seat(cards), f"{up} Js") == made


@pytest.mark.parametrize(
    ("cards", "wager_cents", "bonus"),
    [
        (seat("As Kd"), 500, 5_000),
        (seat("As Kd"), 499, 0),
        (seat("As 5d 5h"), 500, 0),
        (seat("As Ad Kh Ks", "As Kh", "Ad Ks"), 500, 0),
        (seat("Ts Kd"), 500, 0),
    ],
)
def test_free_bonus_takes_a_blackjack_and_enough_of_a_wager(
    cards: SeatCards, wager_cents: int, bonus: int
) -> None:
    bonus_lines = (BonusLine(id="bust_3", cents=5_000),)
    bet = recorded(a_buster(free_bonus_lines=bonus_lines, free_bonus_min_cents=500))
    won = next(each for each in bet.lines if each.id == "bust_3")
    assert bonus_cents(bet, Wager(1, bet.id, wager_cents, 2_500), cards, won) == bonus
    other = next(each for each in bet.lines if each.id == "bust_4")
    assert bonus_cents(bet, Wager(1, bet.id, wager_cents, 2_500), cards, other) == 0


def test_reader_that_no_rule_text_knows_is_a_finding() -> None:
    with pytest.raises(DiscrepancyError, match="no rule text reads roulette"):
        line(recorded(a_bet(reader="roulette")), seat("7s 7h"), "9s 9h")


@pytest.mark.parametrize(
    ("hand", "counted"),
    [
        ("As Ks", (21, True)),
        ("As As", (12, True)),
        ("As 6s", (17, True)),
        ("As 6s Ts", (17, False)),
        ("Ts 9s 3h", (22, False)),
        ("As Ts Js Qs", (31, False)),
    ],
)
def test_points(hand: str, counted: tuple[int, bool]) -> None:
    assert points(hand.split()) == counted


@pytest.mark.parametrize(("hand", "is_one"), [("As Ts", True), ("Ts As", True), ("As As", False)])
def test_blackjack_is_an_ace_and_a_ten(hand: str, is_one: bool) -> None:
    assert is_blackjack(hand.split()) is is_one
