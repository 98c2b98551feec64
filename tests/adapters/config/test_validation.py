"""`validation` of a bet: which payouts a supervisor confirms (N.J.A.C. 13:69F-2.28(g)3)."""

from pathlib import Path

import pytest

from progressive.adapters.config.floor import load_floor
from progressive.domain.rulebook.differences import differing_terms
from progressive.domain.rulebook.rules import BetRules
from tests.adapters.config.test_floor import BET, GOOD, check, edited

CLAUSE = "(N.J.A.C. 13:69F-2.28(g)3)"


def with_bet(lines: str) -> str:
    return edited(("dealing_option = 1", f"dealing_option = 1\n{lines}"))


def bet_of(folder: Path, text: str) -> BetRules:
    file = folder / "floor.toml"
    file.write_text(text, encoding="utf-8")
    return load_floor(file).rules.links[0].terms.bets[0]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("", ("meters", 0)),
        ('validation = "meters"', ("meters", 0)),
        ('validation = "every"', ("every", 0)),
        ('validation = "from_amount"\nvalidation_from_cents = 5000', ("from_amount", 5_000)),
    ],
)
def test_setting_is_part_of_the_terms(
    tmp_path: Path, lines: str, expected: tuple[str, int]
) -> None:
    bet = bet_of(tmp_path, with_bet(lines))
    assert (bet.validation, bet.validation_from_cents) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            'validation = "all"',
            [f'{BET}.validation: "all" is not one of meters, every, from_amount'],
        ),
        ("validation = 1", [f"{BET}.validation: 1 is not one of meters, every, from_amount"]),
        (
            'validation = "from_amount"',
            [f'{BET}.validation_from_cents: missing: validation = "from_amount" needs it {CLAUSE}'],
        ),
        (
            "validation_from_cents = 5000",
            [
                f"{BET}.validation_from_cents: 5000 is wanted with "
                f'validation = "from_amount" only {CLAUSE}'
            ],
        ),
        (
            'validation = "from_amount"\nvalidation_from_cents = 0',
            [f"{BET}.validation_from_cents: 0 is below 1"],
        ),
    ],
)
def test_setting_that_means_nothing_is_refused(
    tmp_path: Path, lines: str, expected: list[str]
) -> None:
    problems, _ = check(tmp_path, with_bet(lines))
    assert problems == expected


def test_empty_rack_is_warned_about_with_the_way_that_is_meant(tmp_path: Path) -> None:
    text = edited(("rack_limit_cents = 200000", "rack_limit_cents = 0"))
    problems, warnings = check(tmp_path, text)
    assert problems == []
    assert warnings == [
        "link.main.rack_limit_cents: 0 sends every fixed award to the cage, a 2 for 1 too; where a "
        'supervisor is to confirm each payout at the table, set validation = "every" on the bet '
        f"instead {CLAUSE}"
    ]


def test_another_setting_is_another_floor_for_two_people_to_approve(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "floor.toml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "b" / "floor.toml").write_text(with_bet('validation = "every"'), encoding="utf-8")
    before, after = (load_floor(tmp_path / each / "floor.toml").rules.links[0] for each in "ab")
    assert differing_terms(before.terms, after.terms) == [
        "bet.blazing7.validation: meters in the journal, every in the floor"
    ]
