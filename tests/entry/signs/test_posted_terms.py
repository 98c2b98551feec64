"""What is posted beside a table: of every game, every paytable, exactly as it is paid."""

import asyncio
from fractions import Fraction
from typing import get_args

import pytest
from msgspec import structs

from progressive.adapters.config.games import shipped_games
from progressive.domain.games.readers import BASE_GAME
from progressive.domain.ids import BetId, LinkId, MeterId
from progressive.domain.options import SignLanguage
from progressive.domain.rulebook.paytable import Game, GameBet, Paytable
from progressive.domain.rulebook.rules import BetRules, FloorRules, LinkTerms, MeterRules
from progressive.entry.signs.posted_terms import PostedTerms, one_in_text, posted_of
from progressive.wire.signs import Posted, PostedBet
from tests.support.service import shipped_rules

GAMES = shipped_games()
OFFERED = [
    pytest.param(game, bet, paytable, id=f"{game.id} {bet.id} {paytable.id}")
    for game in GAMES.values()
    for bet in game.bets
    for paytable in bet.paytables
    if bet.reader != BASE_GAME
]


def a_floor(game: Game, offered: GameBet, paytable: Paytable) -> FloorRules:
    """The demo floor with one bet: this one, as its text would have it."""
    floor = shipped_rules()
    bonus = offered.free_bonuses[0] if offered.free_bonuses else None
    minimum = offered.free_bonus_minimum
    points = offered.player_points
    bet = BetRules(
        id=BetId("side"),
        game=game.id,
        reader=offered.reader,
        paytable=paytable.id,
        dealing_option=1 if offered.dealing_option else None,
        wager_cents=500 if offered.wager_cents else None,
        min_cents=100,
        max_cents=10_000,
        lines=paytable.lines,
        free_bonus_lines=() if bonus is None else bonus.lines,
        free_bonus_min_cents=0 if minimum is None else minimum.cents,
        player_points_max=None if points is None else points.points,
        payment_order=game.payment_order.standard,
        needs_base_wager=offered.needs_base_wager,
        meters=tuple(
            MeterRules(id=MeterId(m.id), name=m.id.title(), rate_ppm=200_000, reset_cents=7)
            for m in paytable.meters
        ),
    )
    terms = LinkTerms(decks=6, dealer_procedure="no_peek", soft17="hit", bets=(bet,))
    link = structs.replace(floor.links[0], terms=terms)
    return structs.replace(floor, links=(link,), games=(game,))


def posted_bet(game: Game, offered: GameBet, paytable: Paytable) -> PostedBet:
    floor = a_floor(game, offered, paytable)
    (bet,) = posted_of(floor, floor.links[0]).bets
    return bet


@pytest.mark.parametrize(("game", "offered", "paytable"), OFFERED)
def test_every_line_is_posted_with_its_pay_and_its_odds(
    game: Game, offered: GameBet, paytable: Paytable
) -> None:
    bet = posted_bet(game, offered, paytable)
    assert (bet.name, bet.clause) == (offered.name, paytable.clause)
    assert [line.id for line in bet.lines] == [line.id for line in paytable.lines]
    for line in bet.lines:
        ways = (line.share_percent, line.for_one, line.to_one)
        assert sum(way is not None for way in ways) == 1
        assert (line.meter is None) == (line.share_percent is None)
        assert line.probability is not None
        assert line.one_in is not None
        assert 0 < Fraction(line.probability) < 1
    assert sum(Fraction(line.probability or 0) for line in bet.lines) < 1
    assert [meter.id for meter in bet.meters] == [meter.id for meter in paytable.meters]
    assert (bet.wager_cents is None) == (bet.max_cents is not None)


@pytest.mark.parametrize(
    ("game", "paytable", "line", "one_in"),
    [
        ("nj-blazing-7s", "3", "three_7_diamonds", "250,666"),
        ("nj-blazing-7s", "1", "two_7", "189"),
        ("nj-buster", "A", "bust_3", "5.8"),
    ],
)
def test_odds_are_those_that_the_command_prints(
    game: str, paytable: str, line: str, one_in: str
) -> None:
    offered = GAMES[game].bets[0]
    table = offered.paytable(paytable)
    assert table is not None
    bet = posted_bet(GAMES[game], offered, table)
    assert next(each.one_in for each in bet.lines if each.id == line) == one_in


def test_the_free_bonus_is_posted_with_what_entitles_to_it() -> None:
    offered = GAMES["nj-buster"].bets[0]
    bet = posted_bet(GAMES["nj-buster"], offered, offered.paytables[0])
    # N.J.A.C. 13:69E-1.10(x)(4), 13:69F-2.30(h).
    assert bet.free_bonus_min_cents == 500
    assert [(line.name, line.bonus_cents) for line in bet.free_bonus] == [
        ("Dealer busts with 8 or more cards", 800_000),
        ("Dealer busts with 7 cards", 100_000),
    ]


def test_washington_posts_the_points_and_california_the_player_dealer() -> None:
    washington, california = GAMES["wa-buster"], GAMES["ca-101-blackjack-x"]
    (offered,) = washington.bets
    assert posted_bet(washington, offered, offered.paytables[0]).player_points_max == 27
    (buster,) = (bet for bet in california.bets if bet.reader == "buster")
    bet = posted_bet(california, buster, buster.paytables[0])
    assert bet.lines[0].name == "Player-dealer busts with 8 or more cards"
    assert bet.lines[0].names["es"] == "El jugador-crupier se pasa con 8 o más cartas"
    assert bet.payment_order == "clockwise"


def test_every_line_of_every_game_has_a_name_of_its_own() -> None:
    for game in GAMES.values():
        for bet in game.bets:
            for paytable in bet.paytables:
                if bet.reader == BASE_GAME:
                    continue
                lines = posted_bet(game, bet, paytable).lines
                assert [line.name for line in lines] == [line.names["en"] for line in lines]
                for language in get_args(SignLanguage):
                    names = [line.names[language] for line in lines]
                    assert len(set(names)) == len(names)
                    assert not [name for name in names if "_" in name or "{" in name]


@pytest.mark.parametrize(
    ("probability", "expected"),
    [
        (Fraction(1, 250_666), "250,666"),
        (Fraction(2, 501_333), "250,667"),
        (Fraction(1, 100), "100"),
        (Fraction(10, 999), "99.9"),
        (Fraction(1, 13), "13"),
        (Fraction(5, 66), "13.2"),
        (Fraction(1), "1"),
        (Fraction(0), None),
        (None, None),
    ],
)
def test_one_in_is_told_as_people_say_it(
    probability: Fraction | None, expected: str | None
) -> None:
    assert one_in_text(probability) == expected


async def test_terms_are_made_once_however_many_ask_at_once() -> None:
    terms = PostedTerms(shipped_rules())
    told = await asyncio.gather(*[terms.of(LinkId("main")) for _ in range(5)])
    assert isinstance(told[0], Posted)
    assert all(each is told[0] for each in told)
    assert [bet.id for bet in told[0].bets] == ["blazing7", "buster"]
    assert await terms.of(LinkId("nowhere")) is None
