"""Whole answers for the shipped games: every bet, every paytable, and what is said about them."""

from fractions import Fraction
from itertools import product

import pytest
from msgspec import structs

from progressive.adapters.config.games import shipped_games
from progressive.domain.games.readers import LINES
from progressive.domain.games.reading import Dealing
from progressive.domain.ids import MeterId
from progressive.domain.odds.answer import Odds, Question, answer
from progressive.domain.odds.engines import ENGINES
from progressive.domain.odds.shoe import Shoe

GAMES = shipped_games()
EVERY_PAYTABLE = [
    (game.id, bet.id, paytable.id)
    for game in GAMES.values()
    for bet in game.bets
    for paytable in bet.paytables
]


def a_question(
    game_id: str,
    paytable_id: str,
    decks: int | None,
    *,
    bet_id: str | None = None,
    bonus: str | None = None,
    wager_cents: int = 500,
    meters_cents: dict[MeterId, int] | None = None,
) -> Question:
    game = GAMES[game_id]
    bet = game.bet(bet_id) if bet_id else game.bets[0]
    assert bet is not None
    paytable = bet.paytable(paytable_id)
    assert paytable is not None
    return Question(
        game=game,
        bet=bet,
        paytable=paytable,
        shoe=Shoe(decks),
        dealing=Dealing(option=1),
        wager_cents=wager_cents,
        meters_cents=meters_cents,
        free_bonus=bet.free_bonus(bonus) if bonus else None,
    )


def line(odds: Odds, line_id: str) -> Fraction:
    return next(each.probability for each in odds.lines if each.line.id == line_id)


def test_every_reader_has_an_engine_and_its_lines_are_the_readers() -> None:
    assert ENGINES.keys() == LINES.keys()
    for reader, engine in ENGINES.items():
        assert set(engine.lines) <= set(LINES[reader])


@pytest.mark.parametrize(("game", "bet", "paytable"), EVERY_PAYTABLE)
def test_every_paytable_is_answered_for_every_shoe(game: str, bet: str, paytable: str) -> None:
    for decks in (1, 2, 6, 8, None):
        odds = answer(a_question(game, paytable, decks, bet_id=bet))
        assert 0 < sum(each.probability for each in odds.lines) < 1
        assert odds.assumptions
        if bet == "base":
            assert (odds.fixed_return, odds.house_edge) == (None, None)
            continue
        assert odds.fixed_return is not None
        assert 0 < odds.fixed_return < 1, "no bet gives itself away without its meters"
        if odds.break_even_cents:
            assert odds.house_edge is None
        else:
            assert odds.house_edge == 1 - odds.fixed_return


def test_paytables_of_blazing_sevens_cut_the_same_hands_in_other_ways() -> None:
    one, two, three = (answer(a_question("nj-blazing-7s", table, 6)) for table in "123")
    assert line(one, "three_7_suited") == line(two, "three_7_diamonds") + line(
        two, "three_7_suited_other"
    )
    assert line(one, "three_7_any") == line(two, "three_7_mixed")
    assert [each.probability for each in two.lines] == [each.probability for each in three.lines]


@pytest.mark.parametrize("meters", [*product((0, 2_000_000), (0, 300_000), (0, 250_000))])
def test_house_edge_counts_what_is_on_the_meters(meters: tuple[int, int, int]) -> None:
    named = dict(zip(map(MeterId, ("mega", "major", "minor")), meters, strict=True))
    odds = answer(a_question("nj-blazing-7s", "3", 6, meters_cents=named))
    assert odds.fixed_return is not None
    chances = [each.probability for each in odds.lines[:3]]
    won_cents = sum(cents * chance for cents, chance in zip(meters, chances, strict=True))
    assert odds.house_edge == 1 - odds.fixed_return - won_cents / 500


def test_bet_is_even_at_the_break_even_amount() -> None:
    told = answer(a_question("nj-blazing-7s", "1", 6))
    (meter,) = told.break_even_cents
    even = told.break_even_cents[meter]
    assert even is not None
    for cents, at_most in ((even, True), (even - 1, False)):
        odds = answer(a_question("nj-blazing-7s", "1", 6, meters_cents={meter: cents}))
        assert odds.house_edge is not None
        assert (odds.house_edge <= 0) is at_most


def test_meter_that_is_not_told_is_empty_and_said_to_be() -> None:
    odds = answer(a_question("nj-blazing-7s", "3", 6, meters_cents={MeterId("mega"): 1}))
    assert odds.assumptions[-2:] == (
        "the major meter is taken as empty",
        "the minor meter is taken as empty",
    )


def test_free_bonus_is_worth_its_amounts_times_their_chances() -> None:
    odds = answer(a_question("wa-buster", "WA", 6, bonus="B2"))
    assert odds.free_bonus is not None
    assert odds.house_edge is not None
    lines = odds.free_bonus.lines
    assert [each.line.cents for each in lines] == [800_000, 100_000, 4_000]
    worth = sum(each.line.cents * each.probability for each in lines)
    assert odds.free_bonus.worth_cents == worth
    assert odds.free_bonus.house_edge_with_bonus == odds.house_edge - worth / 500
    # A bonus needs the bust as well as the blackjack: it is rarer than both.
    assert all(each.probability < line(odds, each.line.id) / 20 for each in lines)


def test_wager_below_the_minimum_earns_no_bonus() -> None:
    odds = answer(a_question("nj-buster", "A", 6, bonus="B1", wager_cents=499))
    assert odds.free_bonus is not None
    assert odds.free_bonus.worth_cents == 0
    assert odds.free_bonus.house_edge_with_bonus == odds.house_edge
    assert odds.assumptions[-1] == (
        "the free bonus is worth nothing: it needs a wager of 500 cents (N.J.A.C. 13:69F-2.30(h))"
    )


@pytest.mark.parametrize(
    ("game", "paytable", "decks", "wager_cents", "remark"),
    [
        ("nj-blazing-7s", "3", 2, 500, "N.J.A.C. 13:69F-2.2(a)4 asks for 6 or 8 decks"),
        ("nj-blazing-7s", "3", None, 500, "N.J.A.C. 13:69F-2.2(a)4 asks for 6 or 8 decks"),
        ("nj-buster", "A", None, 500, "N.J.A.C. 13:69F-2.2(a) asks for 1 to 8 decks"),
        (
            "nj-blazing-7s", "3", 6, 300,
            "N.J.A.C. 13:69F-2.28(b) asks for a wager of 100 or 500 cents",
        ),
        ("nj-buster", "A", 6, 99, "N.J.A.C. 13:69F-2.30(c) asks for at least 100 cents"),
    ],
)  # fmt: skip
def test_what_the_rule_text_does_not_offer_is_computed_and_said(
    game: str, paytable: str, decks: int | None, wager_cents: int, remark: str
) -> None:
    odds = answer(a_question(game, paytable, decks, wager_cents=wager_cents))
    assert odds.assumptions[-1] == f"not offered: {remark}"
    assert not any(
        "not offered" in each for each in answer(a_question(game, paytable, 6)).assumptions
    )


def test_washingtons_limit_on_the_players_points_is_assumed_away_and_said() -> None:
    question = a_question("wa-buster", "WA", 6)
    limited = structs.replace(question, dealing=Dealing(player_points_max=27))
    assert answer(limited).lines == answer(question).lines
    assert any("more than 27 points" in each for each in answer(limited).assumptions)
