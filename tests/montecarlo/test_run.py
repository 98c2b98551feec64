"""The simulation agrees with the exact odds, and would say so if it did not."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest
from msgspec import structs

from progressive.domain.games.readers import LINES
from progressive.domain.games.reading import Dealing
from progressive.domain.odds.engine import Chances
from progressive.domain.odds.engines import ENGINES
from progressive.domain.odds.returns import paid_line
from progressive.domain.odds.shoe import Shoe
from progressive.montecarlo.game import Setup
from progressive.montecarlo.run import CHUNK_HANDS, GAMES, simulate
from progressive.montecarlo.score import Event, Observed, Result, observed

HANDS = 1_000_000
SEED = 20_26

SUITED = ("three_7_suited", "three_7_color", "three_7_any", "two_7", "one_7")
DIAMONDS = (
    "three_7_diamonds",
    "three_7_suited_other",
    "three_7_color",
    "three_7_mixed",
    "two_7",
    "one_7",
)
BUSTS = LINES["buster"]
JACKS = LINES["jack_magic"]
NATURALS = ("blackjack_x", "natural_31")


def expected_of(reader: str, setup: Setup) -> dict[Event, Fraction]:
    dealing = Dealing(
        option=setup.dealing_option, procedure=setup.dealer_procedure, soft17=setup.soft17
    )
    engine = ENGINES[reader]
    found = {Event("win", line): Fraction() for line in setup.lines}

    def add(chances: Chances, result: Result) -> None:
        for hand, chance in chances.items():
            line = paid_line(setup.lines, hand)
            if line is not None:
                event = Event("push" if hand.pushes else result, line)
                found[event] = found.get(event, Fraction()) + chance

    add(engine.chances(Shoe(setup.decks), dealing), "win")
    if setup.free_bonus:
        assert engine.with_blackjack is not None
        add(engine.with_blackjack(Shoe(setup.decks), dealing), "free_bonus")
    return found


def run(reader: str, setup: Setup, *, hands: int = HANDS, seed: int = SEED) -> tuple[Observed, ...]:
    seen = simulate(reader, setup, hands=hands, seed=seed, on_progress=lambda _: None)
    return observed(seen, expected_of(reader, setup), hands=hands)


def farthest(lines: Iterable[Observed]) -> float:
    return max(abs(each.z) for each in lines if each.z is not None)


# The seed is fixed, so these are no games of chance: they fail the same way every time or never.
@pytest.mark.parametrize("decks", [1, 6, 8, None])
@pytest.mark.parametrize(
    ("reader", "lines", "options"),
    [
        ("blazing_sevens", DIAMONDS, {}),
        ("blazing_sevens", SUITED, {}),
        ("blazing_sevens", DIAMONDS, {"dealer_procedure": "card_reader"}),
        ("blazing_sevens", DIAMONDS, {"dealer_procedure": "hole_face_up", "dealing_option": 2}),
        ("buster", BUSTS, {}),
        ("buster", BUSTS, {"soft17": "stand"}),
        ("buster", BUSTS, {"free_bonus": True}),
        ("jack_magic", JACKS, {}),
        ("blackjack_x", NATURALS, {}),
    ],
)
def test_hands_dealt_agree_with_the_exact_odds(
    reader: str, lines: tuple[str, ...], options: dict[str, Any], decks: int | None
) -> None:
    found = run(reader, Setup(decks=decks, lines=lines, **options))
    assert farthest(found) < 4.5
    for each in found:
        assert each.count > 0 or each.expected * HANDS < 20, each
        assert each.count == 0 or each.expected > 0, "it came, and was said to be impossible"


@pytest.mark.parametrize(
    ("reader", "dealt", "claimed"),
    [
        ("buster", Setup(decks=6, lines=BUSTS), {"soft17": "stand"}),
        ("buster", Setup(decks=1, lines=BUSTS), {"decks": 6}),
        ("blazing_sevens", Setup(decks=1, lines=DIAMONDS), {"decks": 6}),
        ("jack_magic", Setup(decks=1, lines=JACKS), {"decks": 6}),
        ("blackjack_x", Setup(decks=1, lines=NATURALS), {"decks": None}),
    ],
)
def test_wrong_odds_stand_out(reader: str, dealt: Setup, claimed: dict[str, Any]) -> None:
    seen = simulate(reader, dealt, hands=4 * HANDS, seed=SEED, on_progress=lambda _: None)
    wrong = expected_of(reader, structs.replace(dealt, **claimed))
    assert farthest(observed(seen, wrong, hands=4 * HANDS)) > 6


def test_same_seed_deals_the_same_hands_and_another_does_not() -> None:
    setup = Setup(decks=6, lines=BUSTS)
    assert run("buster", setup, hands=10_000) == run("buster", setup, hands=10_000)
    assert run("buster", setup, hands=10_000) != run("buster", setup, hands=10_000, seed=1)


@pytest.mark.parametrize("hands", [1, CHUNK_HANDS, CHUNK_HANDS + 1])
def test_exactly_so_many_hands_are_dealt(hands: int) -> None:
    told: list[int] = []
    setup = Setup(decks=6, lines=BUSTS)
    simulate("buster", setup, hands=hands, seed=1, on_progress=told.append)
    assert told == sorted({min(hands, CHUNK_HANDS), hands})


def test_every_reader_can_be_dealt() -> None:
    assert GAMES.keys() == ENGINES.keys()


def test_nothing_is_said_of_what_cannot_vary() -> None:
    event = Event("win", "never")
    (told,) = observed({}, {event: Fraction()}, hands=10)
    assert (told.count, told.frequency, told.expected, told.z) == (0, 0.0, 0.0, None)


def test_standard_score_is_in_standard_deviations() -> None:
    event = Event("win", "heads")
    (told,) = observed({event: 5_100}, {event: Fraction(1, 2)}, hands=10_000)
    assert (told.frequency, told.z) == (0.51, 2.0)
