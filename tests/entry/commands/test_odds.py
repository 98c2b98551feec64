"""`progressive odds` as a person, a script and a doubter meet it."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import progressive
from progressive.adapters.config.files import shipped_config
from progressive.entry.cli import main


def odds(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["odds", *arguments])


def told(*arguments: str) -> dict[str, Any]:
    result = odds(*arguments, "--json")
    assert result.exit_code == 0, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def probabilities(answer: dict[str, Any]) -> dict[str, Fraction]:
    return {line["line"]: Fraction(line["probability"]) for line in answer["lines"]}


# --- the contract -------------------------------------------------------------------------------


def test_json_is_the_object_of_the_contract() -> None:
    assert told("nj-blazing-7s", "--paytable", "3", "--decks", "6") == {
        "game": "nj-blazing-7s",
        "bet": "blazing7",
        "paytable": "3",
        "decks": 6,
        "dealing_option": 1,
        "dealer_procedure": "no_peek",
        "soft17": None,
        "wager_cents": 500,
        "lines": [
            {"line": "three_7_diamonds", "probability": "1/250666", "one_in": 250666.0},
            {"line": "three_7_suited_other", "probability": "3/250666", "one_in": 250666 / 3},
            {"line": "three_7_color", "probability": "9/125333", "one_in": 125333 / 9},
            {"line": "three_7_mixed", "probability": "198/626665", "one_in": 626665 / 198},
            {"line": "two_7", "probability": "3312/626665", "one_in": 626665 / 3312},
            {"line": "one_7", "probability": "576/4043", "one_in": 4043 / 576},
        ],
        "fixed_return": "60192/125333",
        "house_edge": None,
        "break_even_cents": {"mega": 65_141_000, "major": 21_713_667, "minor": 3_618_945},
        "assumptions": [
            "a player with a pair of 7s takes a third card wherever there is one",
            "against a dealer's blackjack three cards count as well",
        ],
    }


def test_fixed_bet_has_an_edge_and_nothing_to_break_even() -> None:
    answer = told("nj-buster", "--paytable", "A", "--decks", "6")
    edge = Fraction(answer["house_edge"])
    assert f"{float(100 * edge):.2f}" == "5.42"
    assert Fraction(answer["fixed_return"]) == 1 - edge
    assert answer["break_even_cents"] == {}
    assert (answer["soft17"], answer["dealing_option"]) == ("hit", None)
    assert "free_bonus" not in answer


def test_free_bonus_has_its_worth_and_what_it_leaves_of_the_edge() -> None:
    answer = told("sd-buster", "--paytable", "F", "--decks", "8", "--free-bonus", "B3")
    bonus = answer["free_bonus"]
    assert bonus["paytable"] == "B3"
    assert [(line["line"], line["cents"]) for line in bonus["lines"]] == [
        ("bust_8_or_more", 500_000),
        ("bust_7", 100_000),
    ]
    worth = sum(Fraction(line["probability"]) * line["cents"] for line in bonus["lines"])
    assert Fraction(bonus["worth_cents"]) == worth
    edge = Fraction(answer["house_edge"])
    assert Fraction(bonus["house_edge_with_bonus"]) == edge - worth / 500
    assert all(
        line["one_in"] == pytest.approx(float(1 / Fraction(line["probability"])))
        for line in bonus["lines"]
    )


def test_what_cannot_come_is_never() -> None:
    answer = told("ca-101-blackjack-x", "--bet", "jack_magic", "--decks", "1")
    assert answer["lines"][0] == {
        "line": "three_one_eyed_jacks",
        "probability": "0",
        "one_in": None,
    }
    two_decks = told("nj-blazing-7s", "--paytable", "3", "--decks", "2")
    assert two_decks["break_even_cents"]["mega"] is None


def test_base_game_tells_what_the_deal_decides() -> None:
    answer = told("ca-101-blackjack-x", "--bet", "base", "--decks", "6")
    assert [line["line"] for line in answer["lines"]] == ["blackjack_x", "natural_31"]
    assert answer["lines"][0]["push_probability"] == "1748/12909299"
    assert (answer["fixed_return"], answer["house_edge"]) == (None, None)
    assert any("left out" in assumption for assumption in answer["assumptions"])


def test_choices_change_the_odds_they_should() -> None:
    blazing = ("nj-blazing-7s", "--paytable", "3", "--decks", "6")
    free = probabilities(told(*blazing))
    limited = probabilities(told(*blazing, "--procedure", "card_reader"))
    assert limited["three_7_diamonds"] < free["three_7_diamonds"]
    assert limited["two_7"] > free["two_7"]
    assert limited["one_7"] == free["one_7"]
    second = told(*blazing, "--option", "2", "--procedure", "card_reader")
    assert probabilities(second) == free
    assert second["dealing_option"] == 2
    buster = ("wa-buster", "--decks", "6")
    assert told(*buster) == told(*buster, "--soft17", "hit")
    assert Fraction(told(*buster, "--soft17", "stand")["house_edge"]) > Fraction(
        told(*buster)["house_edge"]
    )


def test_infinite_decks_and_meters_are_told_back() -> None:
    answer = told(
        *("nj-blazing-7s", "--paytable", "1", "--decks", "infinite"),
        *("--meter", "progressive=1000000", "--wager-cents", "100"),
    )
    assert answer["decks"] == "infinite"
    assert answer["wager_cents"] == 100
    assert answer["meters_cents"] == {"progressive": 1_000_000}
    chances = probabilities(answer)
    won = chances["three_7_suited"] + chances["three_7_color"] / 10
    edge = 1 - Fraction(answer["fixed_return"]) - won * 1_000_000 / 100
    assert Fraction(answer["house_edge"]) == edge


def test_game_file_of_ones_own_is_read(tmp_path: Path) -> None:
    text = (shipped_config() / "games" / "nj-buster.toml").read_text("utf-8")
    own = tmp_path / "house-buster.toml"
    own.write_text(
        text.replace('id = "nj-buster"', 'id = "house-buster"').replace("= 250 }", "= 300 }"),
        encoding="utf-8",
    )
    ours = told(str(own), "--paytable", "A", "--decks", "6")
    theirs = told("nj-buster", "--paytable", "A", "--decks", "6")
    assert ours["game"] == "house-buster"
    assert ours["lines"] == theirs["lines"]
    gain = 50 * probabilities(ours)["bust_8_or_more"]
    assert Fraction(ours["house_edge"]) == Fraction(theirs["house_edge"]) - gain


# --- for people ---------------------------------------------------------------------------------


def test_table_says_what_a_person_asks() -> None:
    result = odds("nj-blazing-7s", "--paytable", "3", "--decks", "6")
    assert (result.exit_code, result.stderr) == (0, "")
    for part in (
        "Blazing 7's, paytable 3, 6 decks",
        "Three 7s of diamonds",
        "100% of mega",
        "250,666.00",
        "fixed return  48.025660%",
        "house edge    depends on the meters: --meter ID=CENTS",
        "break-even    mega $651,410.00, the other meters empty",
        "- a player with a pair of 7s takes a third card",
    ):
        assert part in result.stdout


def test_bonus_and_pushes_have_their_place_in_the_table() -> None:
    bonus = odds("wa-buster", "--decks", "8", "--free-bonus", "B2").stdout
    assert "Free bonus B2" in bonus
    assert "worth         1.9470 cents a round" in bonus
    assert "house edge    4.987223% with the bonus" in bonus
    base = odds("ca-101-blackjack-x", "--bet", "base", "--decks", "1").stdout
    assert "Blackjack X, paytable 101, 1 deck" in base
    assert "push" in base
    assert "house edge" not in base


def test_plain_terminal_gets_plain_signs() -> None:
    source = str(Path(progressive.__file__).resolve().parents[1])
    ran = subprocess.run(
        [sys.executable, "-m", "progressive", "odds", "wa-buster", "--decks", "6"],
        env=os.environ | {"PYTHONPATH": source, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"5.422" in ran.stdout


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nj-poker"], "GAME: unknown game 'nj-poker' (known: ca-101-blackjack-x, nj-blazing-7s"),
        (["none.toml"], "GAME: none.toml: there is no such file"),
        (["ca-101-blackjack-x"], "--bet: missing (use base, buster, jack_magic"),
        (["nj-buster", "--bet", "base"], "--bet: unknown: 'base' (use buster"),
        (["nj-buster"], "--paytable: missing (use A, B, C, D, E, F"),
        (["nj-buster", "--paytable", "G"], "--paytable: unknown: 'G' (use A, B"),
        (
            ["nj-buster", "--paytable", "A", "--soft17", "stand"],
            "--soft17: 'stand' is not hit (N.J.A.C. 13:69F-2.30(f)3)",
        ),
        (
            ["ca-101-blackjack-x", "--bet", "buster", "--soft17", "stand"],
            "--soft17: 'stand' is not hit (101 Casino, Rules for the player-dealer)",
        ),
        (["wa-buster", "--option", "1"], "--option: the bet buster has no dealing options"),
        (
            ["nj-blazing-7s", "--paytable", "3", "--option", "3"],
            "--option: 3 is not 1 or 2 (N.J.A.C. 13:69F-2.28(c))",
        ),
        (["sd-buster", "--paytable", "A", "--free-bonus", "B2"], "--free-bonus: unknown: 'B2'"),
        (
            ["nj-blazing-7s", "--paytable", "3", "--free-bonus", "B1"],
            "--free-bonus: the bet blazing7 has no free bonus",
        ),
        (["wa-buster", "--meter", "mega=1"], "--meter: paytable WA has no meter 'mega'"),
        (
            ["nj-blazing-7s", "--paytable", "1", *["--meter", "progressive=1"] * 2],
            "--meter: a meter is given twice",
        ),
        (["wa-buster", "--meter", "mega"], "'--meter': 'mega' is not a meter and its whole cents"),
        (["wa-buster", "--meter", "mega=1.5"], "'--meter': 'mega=1.5' is not a meter"),
        (["wa-buster", "--wager-cents", "0"], "'--wager-cents': 0 is not in the range"),
        (["wa-buster", "--simulate", "0"], "'--simulate': 0 is not in the range"),
        (["wa-buster", "--procedure", "peek"], "'--procedure': 'peek' is not one of"),
    ],
)
def test_bad_input_exits_with_2_and_names_the_option(arguments: list[str], reason: str) -> None:
    result = odds(*arguments, "--decks", "6")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"Error: Invalid value for {reason}" in result.stderr


@pytest.mark.parametrize("decks", ["0", "9", "-1", "six", "6.0", "²", "Infinite", ""])
def test_decks_are_1_to_8_or_infinite(decks: str) -> None:
    result = odds("wa-buster", "--decks", decks)
    assert result.exit_code == 2
    assert f"'--decks': {decks!r} is not 1 to 8 or infinite" in result.stderr


def test_decks_must_be_said() -> None:
    result = odds("wa-buster")
    assert result.exit_code == 2
    assert "Missing option '--decks'" in result.stderr


# --- the simulation beside it -------------------------------------------------------------------


def test_simulation_stands_beside_the_exact_answer() -> None:
    buster = ("nj-buster", "--paytable", "A", "--decks", "6", "--free-bonus", "B1")
    answer = told(*buster, "--simulate", "300000", "--seed", "7")
    simulation = answer.pop("simulation")
    assert answer == told(*buster), "a simulation changes nothing in the answer"
    assert (simulation["hands"], simulation["seed"]) == (300_000, 7)
    wins = [line for line in simulation["lines"] if line["result"] == "win"]
    assert [line["line"] for line in wins] == [line["line"] for line in answer["lines"]]
    for line in wins:
        assert line["frequency"] == line["count"] / 300_000
        assert line["expected"] == float(probabilities(answer)[line["line"]])
        assert abs(line["z"]) < 4.5
    assert {line["line"] for line in simulation["lines"] if line["result"] == "free_bonus"} == {
        "bust_7",
        "bust_8_or_more",
    }


def test_simulation_is_a_table_and_its_speed_no_data() -> None:
    result = odds("ca-101-blackjack-x", "--bet", "base", "--decks", "6", "--simulate", "70000")
    assert result.exit_code == 0
    assert "Simulated: 70,000 hands, seed 1" in result.stdout
    assert "Natural 31 (push)" in result.stdout
    assert "million a second" in result.stderr
    assert "million a second" not in result.stdout


def test_without_numpy_only_the_simulation_is_refused() -> None:
    def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
        without = "import sys; sys.modules['numpy'] = None; import progressive.entry.cli as c"
        return subprocess.run(
            [sys.executable, "-c", f"{without}; c.main()", "odds", "wa-buster", *arguments],
            env=os.environ | {"PYTHONPATH": str(Path(progressive.__file__).resolve().parents[1])},
            capture_output=True,
            text=True,
            check=False,
        )

    assert ran("--decks", "6").returncode == 0
    refused = ran("--decks", "6", "--simulate", "1000")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--simulate: numpy is not installed: pip install 'progressive-meters[simulate]'" in (
        refused.stderr
    )
