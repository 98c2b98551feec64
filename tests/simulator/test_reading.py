"""Two readers of cards that share nothing: on any cards, they say the same."""

from random import Random

import pytest

from progressive.adapters.config.games import shipped_games
from progressive.domain.commands import SeatCards
from progressive.domain.games.claims import highest_line
from progressive.domain.games.readers import READERS
from progressive.domain.games.reading import Dealing
from progressive.domain.rulebook.paytable import GameBet, Paytable
from progressive.domain.rulebook.rules import BetRules
from progressive.entry.table.welcome import bet_message
from progressive.simulator.reading import early_line_of, line_of, points
from progressive.simulator.shoe import Shoe
from progressive.wire.table_messages import DealingMessage

PAYTABLES = [
    pytest.param(game.id, bet, paytable, id=f"{game.id}-{bet.id}-{paytable.id}")
    for game in shipped_games().values()
    for bet in game.bets
    for paytable in bet.paytables
    if bet.reader in READERS
]
HANDS = 1_500


@pytest.mark.parametrize(("game", "bet", "paytable"), PAYTABLES)
@pytest.mark.parametrize("procedure", ["card_reader", "no_peek"])
def test_both_readers_find_the_same_line(
    game: str, bet: GameBet, paytable: Paytable, procedure: str
) -> None:
    made: set[str] = set()
    for option in bet.dealing_option.accepted if bet.dealing_option else (None,):
        points_max = bet.player_points.points if bet.player_points else None
        rules = BetRules(
            id=bet.id,
            game=game,
            reader=bet.reader,
            paytable=paytable.id,
            dealing_option=option,
            lines=paytable.lines,
            player_points_max=points_max,
        )
        told = bet_message(rules)
        dealing = DealingMessage(8, procedure, "hit", 0, "to_reset_meter")
        domain = Dealing(
            procedure=procedure, soft17="hit", option=option, player_points_max=points_max
        )
        shoe = Shoe(Random(f"{game}/{option}"), dealing, demo=bet.reader == "blazing_sevens")
        for _ in range(HANDS):
            dealt = shoe.deal(range(1, 6))
            for seat in dealt.seats:
                names = READERS[bet.reader].made(seat, dealt.dealer, domain)
                theirs = highest_line(paytable.lines, names)
                ours = line_of(told, seat, dealt.dealer, dealing)
                assert (ours and ours.id) == (theirs and theirs.id), (seat, dealt.dealer)
                made.add("none" if ours is None else ours.id)
    # The rarest (busts of seven and more, three one-eyed jacks) are another test's.
    common = {line.id for line in paytable.lines if line.id not in RARE}
    assert made >= {"none", *common}


RARE = {"bust_7", "bust_8_or_more", "bust_6", "three_one_eyed_jacks", "natural_31", "blackjack_x"}


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("As Kd", 21),
        ("As Ad", 12),
        ("As 6d", 17),
        ("As 6d Tc", 17),
        ("Ts 7d Tc", 27),
        ("Ts 7d Ac Td", 28),
        ("9s 8d", 17),
    ],
)
def test_points(cards: str, expected: int) -> None:
    assert points(cards.split()) == expected


@pytest.mark.parametrize(
    ("cards", "option", "expected"),
    [
        ("7d 7h", 1, "two_7"),
        ("7d 2h", 1, "one_7"),
        ("2d 7h", 1, "one_7"),
        ("2d 3h", 1, None),
        ("7d 7h", 2, "two_7"),
    ],
)
def test_before_the_peek_two_cards_count(cards: str, option: int, expected: str | None) -> None:
    paytable = shipped_games()["nj-blazing-7s"].bets[0].paytable("3")
    assert paytable is not None
    bet = bet_message(
        BetRules(
            id=shipped_games()["nj-blazing-7s"].bets[0].id,
            game="nj-blazing-7s",
            reader="blazing_sevens",
            paytable="3",
            dealing_option=option,
            lines=paytable.lines,
        )
    )
    line = early_line_of(bet, SeatCards(1, tuple(cards.split())))
    assert (line and line.id) == expected
