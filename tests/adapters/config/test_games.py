"""Game and jurisdiction files: what is shipped says what the rule text says; bad ones are told."""

import shutil
from pathlib import Path

import pytest

from progressive.adapters.config.floor import ConfigError, load_floor, shipped_config
from progressive.adapters.config.games import load_game, load_jurisdiction
from progressive.adapters.config.problems import Report
from progressive.domain.rulebook.paytable import (
    ForOne,
    Game,
    GameBet,
    Paytable,
    ShareOfMeter,
    ToOne,
)

SHIPPED_GAME = shipped_config() / "games" / "nj-blazing-7s.toml"
TABLES = "bet.blazing7.paytable"
SHIPPED_JURISDICTION = shipped_config() / "jurisdictions" / "us-nj.toml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A floor with game and jurisdiction files of its own."""
    for name in ("games", "jurisdictions"):
        shutil.copytree(shipped_config() / name, tmp_path / name)
    shutil.copy(shipped_config() / "floor.toml", tmp_path)
    return tmp_path


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def problems_of(folder: Path) -> list[str]:
    try:
        load_floor(folder / "floor.toml")
    except ConfigError as error:
        return [problem.line().removeprefix(f"{folder}/") for problem in error.problems]
    return []


def shipped_game() -> Game:
    report = Report()
    game = load_game(SHIPPED_GAME, report)
    assert report.problems == ()
    assert game is not None
    return game


def shipped_bet() -> GameBet:
    (bet,) = shipped_game().bets
    return bet


def rows(paytable: Paytable) -> list[tuple[str, str | int, int | None]]:
    def row(line_id: str) -> tuple[str, str | int, int | None]:
        line = paytable.line(line_id)
        assert line is not None
        match line.pays:
            case ShareOfMeter():
                return line_id, line.pays.meter, line.pays.share_percent
            case ForOne():
                return line_id, line.pays.for_one, None
            case ToOne():
                return line_id, line.pays.to, line.pays.per

    return [row(line.id) for line in paytable.lines]


# 13:69F-2.28(c), the three paytables as printed.
@pytest.mark.parametrize(
    ("paytable", "expected"),
    [
        (
            "1",
            [
                ("three_7_suited", "progressive", 100),
                ("three_7_color", "progressive", 10),
                ("three_7_any", 200, None),
                ("two_7", 25, None),
                ("one_7", 2, None),
            ],
        ),
        (
            "2",
            [
                ("three_7_diamonds", "progressive", 100),
                ("three_7_suited_other", "progressive", 10),
                ("three_7_color", 500, None),
                ("three_7_mixed", 200, None),
                ("two_7", 25, None),
                ("one_7", 2, None),
            ],
        ),
        (
            "3",
            [
                ("three_7_diamonds", "mega", 100),
                ("three_7_suited_other", "major", 100),
                ("three_7_color", "minor", 100),
                ("three_7_mixed", 200, None),
                ("two_7", 25, None),
                ("one_7", 2, None),
            ],
        ),
    ],
)
def test_paytable_is_the_printed_one(
    paytable: str, expected: list[tuple[str, str | int, int | None]]
) -> None:
    found = shipped_bet().paytable(paytable)
    assert found is not None
    assert rows(found) == expected
    assert found.line("royal_flush") is None


# 13:69F-2.28(i)
@pytest.mark.parametrize(
    ("paytable", "floors"),
    [
        ("1", {"progressive": 200_000}),
        ("2", {"progressive": 200_000}),
        ("3", {"mega": 0, "major": 0, "minor": 250_000}),
    ],
)
def test_meter_floors_are_those_of_the_text(paytable: str, floors: dict[str, int]) -> None:
    found = shipped_bet().paytable(paytable)
    assert found is not None
    assert {meter.id: meter.initial_min_cents for meter in found.meters} == floors
    assert {meter.id: meter.reset_min_cents for meter in found.meters} == floors


def test_shipped_game_and_jurisdiction_say_what_the_text_says() -> None:
    game = shipped_game()
    bet = shipped_bet()
    assert bet.paytable("4") is None
    assert bet.wager_cents is not None
    assert bet.dealing_option is not None
    assert (bet.wager_cents.accepted, game.decks.accepted) == ((100, 500), (6, 8))
    assert bet.dealing_option.accepted == (1, 2)
    assert game.payment_order.standard == "counter_clockwise"
    report = Report()
    jurisdiction = load_jurisdiction(SHIPPED_JURISDICTION, report)
    assert jurisdiction is not None
    assert report.problems == ()
    assert "nj-blazing-7s" in jurisdiction.games
    assert jurisdiction.progression is not None
    assert jurisdiction.progression.combined_min_ppm == 200_000
    assert jurisdiction.progression.clause == "N.J.A.C. 13:69F-2.28(i)"
    assert jurisdiction.accounting is not None
    assert jurisdiction.accounting.base == "memo"
    assert "ASC 924-605" in jurisdiction.accounting.clause


def test_every_shipped_game_and_jurisdiction_is_good() -> None:
    report = Report()
    for file in (shipped_config() / "games").glob("*.toml"):
        load_game(file, report)
    for file in (shipped_config() / "jurisdictions").glob("*.toml"):
        load_jurisdiction(file, report)
    assert report.problems == ()


def test_further_paytable_is_a_data_change_only(folder: Path) -> None:
    with (folder / "games" / "nj-blazing-7s.toml").open("a", encoding="utf-8") as file:
        file.write(
            """
[[bet.paytable]]
id = "4"
clause = "N.J.A.C. 13:69F-2.28(c)(iv)"
line = [
    { id = "three_7_diamonds", meter = "grand", share_percent = 100 },
    { id = "one_7", for_one = 2 },
]
meter = [{ id = "grand", initial_min_cents = 1, reset_min_cents = 500000, clause = "(z)" }]
"""
        )
    edit(folder / "floor.toml", 'paytable = "3"', 'paytable = "4"')
    edit(folder / "floor.toml", 'id = "mega"', 'id = "grand"')
    text = (folder / "floor.toml").read_text(encoding="utf-8")
    parts = [part for part in text.split("\n\n") if '"major"' not in part and '"minor"' not in part]
    (folder / "floor.toml").write_text("\n\n".join(parts), encoding="utf-8")
    edit(folder / "floor.toml", "rate_ppm = 120000", "rate_ppm = 220000")
    assert problems_of(folder) == []
    edit(folder / "floor.toml", "reset_cents = 2500000", "reset_cents = 499999")
    assert problems_of(folder) == [
        "floor.toml: link.main.bet.blazing7.meter.grand.reset_cents: 499999 is below 500000 ((z))"
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('name = "Bl', 'names = 1\nname = "Bl', "names: unknown key: did you mean name?"),
        ("schema = 1", "schema = 9", "schema: 9 is not 1"),
        ('id = "nj-blazing-7s"', 'id = "nj-7s"', 'id: "nj-7s" is not the name of the file'),
        (
            "needs_base_wager = true",
            "needs_base_wager = 1",
            "bet.blazing7.needs_base_wager: 1 is not true or false",
        ),
        ('capped_by_base_wager = "never"', "", "bet.blazing7.capped_by_base_wager: missing"),
        (
            "accepted = [6, 8]",
            "accepted = [6, true]",
            "decks.accepted: [6, true] is not a list of whole numbers from 1 to 100000000000",
        ),
        (
            "accepted = [6, 8]",
            "accepted = []",
            "decks.accepted: [] is not a list of whole numbers from 1 to 100000000000",
        ),
        ("[decks]", "[deck]", "decks: missing"),
        (
            "[decks]\naccepted",
            "[decks]\nacepted = 7\naccepted",
            "decks.acepted: unknown key: did you mean accepted?",
        ),
        (
            'on_approval = ["clockwise", "equal_share"]',
            'on_approval = ["upward"]',
            'payment_order.on_approval: ["upward"] is not a list out of '
            "counter_clockwise, clockwise, equal_share",
        ),
        (
            'on_approval = ["clockwise", "equal_share"]',
            "on_approval = [1]",
            "payment_order.on_approval: [1] is not a list of ids in quotes",
        ),
        (
            'meter = "progressive", share_percent = 10 }',
            'meter = "mega", share_percent = 10 }',
            f'{TABLES}.1.line.three_7_color.meter: "mega" is not one of progressive',
        ),
        (
            'meter = "progressive", share_percent = 10 }',
            'meter = "progressive", share_percent = 101 }',
            f"{TABLES}.1.line.three_7_color.share_percent: 101 is above 100",
        ),
        (
            'meter = "progressive", share_percent = 10 }',
            'meter = "progressive" }',
            f"{TABLES}.1.line.three_7_color.share_percent: missing",
        ),
        (
            'meter = "progressive", share_percent = 10 }',
            'meter = "progressive", share_percent = 10, for_one = 5 }',
            f"{TABLES}.1.line.three_7_color.meter: a line that pays for_one pays no meter",
        ),
        (
            '"one_7", for_one = 2 }',
            '"one_7" }',
            f"{TABLES}.1.line.one_7: pays nothing: "
            "give meter and share_percent, for_one, to_one or odds",
        ),
        (
            '"one_7", for_one = 2 }',
            '"one_7", for_one = 0 }',
            f"{TABLES}.1.line.one_7.for_one: 0 is below 1",
        ),
        (
            '"one_7"',
            '"two_7"',
            f'{TABLES}.1.line.two_7.id: "two_7" is also the id of {TABLES}.1.line.#5',
        ),
        (
            'id = "2"',
            'id = "1"',
            f'{TABLES}.1.id: "1" is also the id of {TABLES}.#2',
        ),
        (
            "initial_min_cents = 200000",
            "initial_min_cents = 2000.00",
            f"{TABLES}.1.meter.progressive.initial_min_cents: 2000.0 is not a whole number",
        ),
        (
            '{ id = "three_7_diamonds", meter = "mega", share_percent = 100 },',
            "",
            f"{TABLES}.3.meter.mega: no line pays this meter: "
            "what players put on it could not be won",
        ),
    ],
)
def test_bad_game_file_is_told_under_its_own_name(
    folder: Path, old: str, new: str, expected: str
) -> None:
    edit(folder / "games" / "nj-blazing-7s.toml", old, new)
    # What else the floor says is checked all the same.
    edit(folder / "floor.toml", '"USD"', '"usd"')
    problems = problems_of(folder)
    assert f"games/nj-blazing-7s.toml: {expected}" in problems
    assert 'floor.toml: currency: "usd" is not three capital letters, like USD' in problems


def test_unknown_reader_is_refused(folder: Path) -> None:
    # A game whose cards nobody can read could take wagers and never settle them.
    edit(folder / "games" / "nj-blazing-7s.toml", 'reader = "blazing_sevens"', 'reader = "tarot"')
    (problem,) = problems_of(folder)
    assert problem.startswith(
        'games/nj-blazing-7s.toml: bet.blazing7.reader: "tarot" is not one of '
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("regulator =", "regulater =", "regulator: missing"),
        ('id = "us-nj"', 'id = "us-pa"', 'id: "us-pa" is not the name of the file'),
        ("games = [", "games = [5, ", "games: "),
        (
            "combined_min_ppm = 200000",
            "combined_min_ppm = 0.2",
            "progression.combined_min_ppm: 0.2 is not a whole number",
        ),
        ("[progression]", "[progress]", "progress: unknown key: did you mean progression?"),
        ("[progression]", "progression = 5\n[other]", "progression: 5 is not a section"),
        ('base = "memo"', 'base = "none"', 'accounting.base: "none" is not one of memo, accrue'),
        ('base = "memo"', "", "accounting.base: missing"),
    ],
)
def test_bad_jurisdiction_file_is_told_under_its_own_name(
    folder: Path, old: str, new: str, expected: str
) -> None:
    edit(folder / "jurisdictions" / "us-nj.toml", old, new)
    assert any(
        problem.startswith(f"jurisdictions/us-nj.toml: {expected}")
        for problem in problems_of(folder)
    )


def test_jurisdiction_must_list_the_game(folder: Path) -> None:
    file = folder / "jurisdictions" / "us-nj.toml"
    text = file.read_text(encoding="utf-8")
    start = text.index("games = [")
    end = text.index("]", start)
    file.write_text(text[:start] + 'games = ["nj-other"' + text[end:], encoding="utf-8")
    assert problems_of(folder) == [
        'floor.toml: link.main.bet.blazing7.game: "nj-blazing-7s" is not a game of us-nj: nj-other',
        'floor.toml: link.main.bet.buster.game: "nj-buster" is not a game of us-nj: nj-other',
    ]


def test_rate_of_progression_is_the_jurisdictions_to_set(folder: Path) -> None:
    edit(folder / "jurisdictions" / "us-nj.toml", "= 200000", "= 240001")
    assert problems_of(folder) == [
        "floor.toml: link.main.bet.blazing7.meter: 240000 ppm combined "
        "(all meters, primary and reset) is below 240001 (N.J.A.C. 13:69F-2.28(i))"
    ]


def test_game_without_fixed_amounts_takes_a_range(folder: Path) -> None:
    game = folder / "games" / "nj-blazing-7s.toml"
    edit(game, '[bet.wager_cents]\naccepted = [100, 500]\nclause = "N.J.A.C. 13:69F-2.28(b)"', "")
    edit(game, '[bet.dealing_option]\naccepted = [1, 2]\nclause = "N.J.A.C. 13:69F-2.28(c)"', "")
    at = "floor.toml: link.main.bet.blazing7"
    assert problems_of(folder) == [
        f"{at}.dealing_option: blazing7 has no dealing options (N.J.A.C. 13:69F-2.28)"
    ]
    floor = folder / "floor.toml"
    edit(floor, "dealing_option = 1", "")
    edit(floor, "wager_cents = 500", "min_cents = 100\nmax_cents = 2500 #")
    bet = load_floor(floor).rules.links[0].terms.bets[0]
    assert (bet.wager_cents, bet.min_cents, bet.max_cents) == (None, 100, 2500)
    edit(floor, "max_cents = 2500", "max_cents = 99")
    assert problems_of(folder) == [f"{at}.max_cents: 99 is below min_cents 100"]
    edit(floor, "max_cents = 99", "wager_cents = 0")
    assert problems_of(folder) == [
        f"{at}.wager_cents: 0 is below 1",
        f"{at}.min_cents: 100 is not wanted beside wager_cents",
    ]
    edit(floor, "min_cents = 100\nwager_cents = 0", "")
    assert problems_of(folder) == [f"{at}.wager_cents: missing"]


def test_order_that_no_approval_covers_is_refused(folder: Path) -> None:
    edit(folder / "games" / "nj-blazing-7s.toml", ', "equal_share"]', "]")
    edit(folder / "floor.toml", '"counter_clockwise"', '"equal_share"')
    assert problems_of(folder) == [
        'floor.toml: link.main.bet.blazing7.payment_order: "equal_share" is not '
        "counter_clockwise or clockwise (N.J.A.C. 13:69F-2.28(h))"
    ]


@pytest.mark.parametrize("currency", ["usd", "US$", ""])
def test_currency_of_a_game_is_three_letters(folder: Path, currency: str) -> None:
    edit(folder / "games" / "nj-buster.toml", 'currency = "USD"', f'currency = "{currency}"')
    (problem,) = problems_of(folder)
    assert problem.startswith("games/nj-buster.toml: currency: ")


def test_game_may_leave_its_currency_out(folder: Path) -> None:
    file = folder / "games" / "nj-buster.toml"
    edit(file, 'currency = "USD"\n', "")
    game = load_game(file, Report())
    assert game is not None
    assert game.currency == ""
    assert problems_of(folder) == []


def test_game_that_a_player_banks_is_refused_on_a_floor(folder: Path) -> None:
    floor = folder / "floor.toml"
    edit(floor, 'jurisdiction = "us-nj"', 'jurisdiction = "us-ca"')
    text = floor.read_text(encoding="utf-8")
    head, rest = text[: text.index("[[link.bet]]")], text[text.index("[[table]]") :]
    bet = """[[link.bet]]
id = "bust"
game = "ca-101-blackjack-x"
game_bet = "buster"
paytable = "101"
min_cents = 100
max_cents = 10000

"""
    tables = [part for part in rest.split("\n\n") if "[[table]]" in part]
    floor.write_text(head + bet + "\n\n".join(tables), encoding="utf-8")
    (problem,) = problems_of(folder)
    assert "link.main.bet.bust.game: ca-101-blackjack-x is banked by a player-dealer" in problem
