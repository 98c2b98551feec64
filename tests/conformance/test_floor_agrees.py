"""`progressive settle` and the live floor give the same money for the same round, keyed either way.

A few thousand rounds of every game and option here; `make drill` plays 100,000.
"""

from random import Random

import pytest
from msgspec import structs

from progressive.adapters.config.games import shipped_games
from tests.conformance import floor_drill
from tests.conformance.floor_drill import DisagreementError, drill, play

ROUNDS = 3_000
SEED = 12


@pytest.mark.slow
def test_settle_and_the_floor_agree_on_every_game_and_option(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with capsys.disabled():
        print(f"\nfloor drill: seed {SEED}, {ROUNDS} rounds")
    seen = play(ROUNDS, SEED)
    played = {what for what in seen if " option " in what}
    for game in shipped_games().values():
        for paytable in game.paytable_ids:
            options = (1, 2) if game.id == "nj-blazing-7s" else ("-",)
            for option in options:
                assert f"{game.id} {paytable} option {option}" in played
    # Every way of keying, every answer, and every line that three games know.
    for what in ("winners only", "answers", "shown", "early, option 1", "early, option 2"):
        assert seen[what] > 0, what
    for bet in (bet for game in shipped_games().values() for bet in game.bets):
        if bet.id != "base":
            lines = {line.id for paytable in bet.paytables for line in paytable.lines}
            assert all(seen[line] for line in lines), bet.id


def test_a_floor_that_pays_by_another_table_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The drill sees what it is for: of two paytables that differ at six cards, one is played."""
    books = floor_drill.BOOKS
    (bet,) = books["nj-buster"].bets
    by_c = bet.paytable("C")
    assert by_c is not None
    other = structs.replace(bet, paytables=(structs.replace(by_c, id="A"),))
    swapped = books | {"nj-buster": structs.replace(books["nj-buster"], bets=(other,))}
    request = {
        "game": "nj-buster",
        "paytable": "A",
        "decks": 6,
        "wagers": [{"seat": 1, "bet": "buster", "amount_cents": 500, "base_cents": 500}],
        "dealer": {"cards": ["2s", "2h", "3d", "4c", "5s", "Kh"]},
        "seats": [{"seat": 1, "cards": ["Ts", "9s"]}],
    }
    assert drill(request, Random(1))["bust_6"] == 1
    monkeypatch.setattr(floor_drill, "BOOKS", swapped)
    with pytest.raises(DisagreementError, match="awards, complete"):
        drill(request, Random(1))
