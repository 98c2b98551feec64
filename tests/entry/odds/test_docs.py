"""The tables of `docs/odds.md` are what the program answers."""

import json
from fractions import Fraction
from itertools import takewhile
from typing import Any

import pytest
from click.testing import CliRunner

from progressive.entry.cli import main
from tests.support.service import ROOT

TEXT = (ROOT / "docs" / "odds.md").read_text(encoding="utf-8")


def table(after: str) -> list[dict[str, str]]:
    """The first table below a sentence, each row by the names of its columns."""
    lines = TEXT[TEXT.index(after) :].splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("|"))
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in takewhile(lambda line: line.startswith("|"), lines[start:])
    ]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def told(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(main, ["odds", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def percent(fraction: str) -> str:
    return f"{float(100 * Fraction(fraction)):.2f}"


@pytest.mark.parametrize(
    ("after", "soft17"),
    [("Buster, house edge", "hit"), ("The same where the dealer stands", "stand")],
)
def test_buster_edges(after: str, soft17: str) -> None:
    for row in table(after):
        decks = row.pop("decks")
        for paytable, edge in row.items():
            answer = told("sd-buster", "--paytable", paytable, "--decks", decks, "--soft17", soft17)
            assert percent(answer["house_edge"]) == edge, (decks, paytable)


def test_paytables_of_washington_and_the_101_casino_are_a_and_b() -> None:
    six = ("--decks", "6")
    for bet, same in (
        (("wa-buster",), "A"),
        (("ca-101-blackjack-x", "--bet", "buster"), "B"),
    ):
        edge = told(*bet, *six)["house_edge"]
        assert edge == told("nj-buster", "--paytable", same, *six)["house_edge"]


def test_bonus_worths() -> None:
    for row in table("Free bonus, worth in cents"):
        decks = row.pop("decks")
        for bonus, worth in row.items():
            answer = told("wa-buster", "--decks", decks, "--free-bonus", bonus)
            assert f"{float(Fraction(answer['free_bonus']['worth_cents'])):.2f}" == worth


@pytest.mark.slow
def test_blazing_sevens_returns_and_even_meters() -> None:
    for row in table("Blazing 7's, option 1, $5"):
        paytable, decks, procedure = (row.pop(name) for name in ("paytable", "decks", "procedure"))
        answer = told(
            *("nj-blazing-7s", "--paytable", paytable, "--decks", decks),
            *("--procedure", procedure),
        )
        assert percent(answer["fixed_return"]) == row.pop("fixed return")
        even = {
            meter: f"{-(-cents // 100):,}" for meter, cents in answer["break_even_cents"].items()
        }
        assert {meter: dollars for meter, dollars in row.items() if dollars} == even


def test_jack_magic_edges() -> None:
    (row,) = table("Jack Magic, house edge")
    for decks, edge in row.items():
        answer = told("ca-101-blackjack-x", "--bet", "jack_magic", "--decks", decks)
        assert percent(answer["house_edge"]) == edge
