"""The rule books as files: every printed table, and what a floor may choose from each of them."""

from pathlib import Path

import pytest

from progressive.adapters.config.floor import ConfigError, LoadedFloor, load_floor, shipped_config
from progressive.adapters.config.games import load_game
from progressive.adapters.config.problems import Report
from progressive.domain.rulebook.paytable import GameBet, ToOne
from progressive.domain.rulebook.rules import BetRules
from tests.support.hands import game_bet, games

BUST_LINES = ("bust_8_or_more", "bust_7", "bust_6", "bust_5", "bust_4", "bust_3")

# --- the printed tables -----------------------------------------------------------------------

# From eight or more cards down to three, all "to 1".
A_TO_F = {
    "A": (250, 50, 15, 4, 2, 2),
    "B": (200, 50, 15, 4, 2, 2),
    "C": (250, 50, 12, 4, 2, 2),
    "D": (200, 50, 12, 4, 2, 2),
    "E": (250, 50, 12, 3, 2, 2),
    "F": (250, 50, 20, 8, 2, 1),
}


def odds(bet: GameBet) -> dict[str, dict[str, tuple[int, int]]]:
    """Each paytable's lines in their order, as odds."""
    tables: dict[str, dict[str, tuple[int, int]]] = {}
    for table in bet.paytables:
        rows = tables.setdefault(table.id, {})
        for line in table.lines:
            assert isinstance(line.pays, ToOne)
            rows[line.id] = (line.pays.to, line.pays.per)
        assert table.meters == ()
    return tables


@pytest.mark.parametrize(
    ("game", "printed"),
    [
        # N.J.A.C. 13:69F-2.30(g); ARSD 20:18:15:30.07(8); WSGC 2014-06-25; 101 Casino
        ("nj-buster", A_TO_F),
        ("sd-buster", A_TO_F),
        ("wa-buster", {"WA": (250, 50, 15, 4, 2, 2)}),
        ("ca-101-blackjack-x", {"101": (200, 50, 15, 4, 2, 2)}),
    ],
)
def test_buster_tables_are_the_printed_ones(game: str, printed: dict[str, tuple[int, ...]]) -> None:
    expected = {
        table: {line: (to, 1) for line, to in zip(BUST_LINES, row, strict=True)}
        for table, row in printed.items()
    }
    found = odds(game_bet(game, "buster"))
    assert found == expected
    # Highest first, as the first line made is the one paid.
    assert all(tuple(rows) == BUST_LINES for rows in found.values())


@pytest.mark.parametrize(
    ("game", "printed"),
    [
        # 2.30(i); SD (9)(b); WA "Player Blackjack Free Bonus Pay Tables": no B2 in NJ and SD.
        ("nj-buster", {"B1": (800_000, 100_000, 0), "B3": (500_000, 100_000, 0)}),
        ("sd-buster", {"B1": (800_000, 100_000, 0), "B3": (500_000, 100_000, 0)}),
        (
            "wa-buster",
            {
                "B1": (800_000, 100_000, 0),
                "B2": (800_000, 100_000, 4_000),
                "B3": (500_000, 100_000, 0),
            },
        ),
        ("ca-101-blackjack-x", {}),
    ],
)
def test_free_bonuses_are_the_printed_ones(
    game: str, printed: dict[str, tuple[int, int, int]]
) -> None:
    found = {
        bonus.id: tuple(bonus.cents(line) for line in BUST_LINES)
        for bonus in game_bet(game, "buster").free_bonuses
    }
    assert found == {name: (*row, 0, 0, 0) for name, row in printed.items()}


def test_jack_magic_and_the_base_game_pay_the_printed_odds() -> None:
    assert odds(game_bet("ca-101-blackjack-x", "jack_magic")) == {
        "101": {
            "three_one_eyed_jacks": (300, 1),
            "three_jacks": (100, 1),
            "two_one_eyed_jacks": (40, 1),
            "two_jacks": (10, 1),
            "one_one_eyed_jack": (3, 1),
            "one_jack": (1, 1),
        }
    }
    assert odds(game_bet("ca-101-blackjack-x", "base")) == {
        "101": {
            "blackjack_x": (2, 1),
            "natural_31": (3, 2),
            "hard_31": (3, 1),
            "other": (1, 1),
        }
    }


LIMITS = ((500, 60_000), (1_000, 60_000), (2_500, 300_000))
RATES = ((150, 350, 450, 650, 950), (150, 400, 500, 700, 1_000), (150, 450, 550, 750, 1_050))


@pytest.mark.parametrize("schedule", range(1, 10))
def test_collection_schedules_are_the_printed_ones(schedule: int) -> None:
    # 101 Casino, Collection Rates Schedule: three table limits for each of three sets of rates.
    banked = games()["ca-101-blackjack-x"].player_dealer
    assert banked is not None
    found = banked.collection(schedule)
    assert found is not None
    rates, limits = divmod(schedule - 1, 3)
    assert (found.table_min_cents, found.table_max_cents) == LIMITS[limits]
    assert tuple(band.player_dealer_cents for band in found.bands) == RATES[rates]
    assert [band.up_to_cents for band in found.bands] == [10_000, 20_000, 30_000, 60_000, None]
    assert found.player_cents == 0


def test_bank_is_for_two_rounds_and_five_dollars_of_action() -> None:
    banked = games()["ca-101-blackjack-x"].player_dealer
    assert banked is not None
    assert (banked.bank_rounds, banked.least_action_cents) == (2, 500)
    assert [each.id for each in banked.collections] == list(range(1, 10))
    assert [bet.id for bet in games()["ca-101-blackjack-x"].bets] == [
        "base",
        "buster",
        "jack_magic",
    ]
    assert all(
        game.player_dealer is None for name, game in games().items() if not name.startswith("ca-")
    )


@pytest.mark.parametrize(
    ("game", "decks", "soft17", "standard", "cap", "least_cents", "bonus_minimum", "points"),
    [
        # Clause by clause: (1), (f)3, (c), (h); the cap of SD stands in (9)(a) only.
        ("nj-buster", 1, ("hit",), "counter_clockwise", "always", 100, (500, False), None),
        (
            *("sd-buster", 1, ("hit", "stand"), "counter_clockwise"),
            *("with_free_bonus", None, (500, False), None),
        ),
        (
            *("wa-buster", 1, ("hit", "stand"), "counter_clockwise"),
            *("always", None, (500, True), 27),
        ),
        ("ca-101-blackjack-x", 1, ("hit",), "clockwise", "always", None, None, None),
    ],
)
def test_buster_is_offered_as_each_text_has_it(
    game: str,
    decks: int,
    soft17: tuple[str, ...],
    standard: str,
    cap: str,
    least_cents: int | None,
    bonus_minimum: tuple[int, bool] | None,
    points: int | None,
) -> None:
    rules, bet = games()[game], game_bet(game, "buster")
    assert rules.decks.accepted == tuple(range(decks, 9))
    assert (rules.soft17.accepted, rules.payment_order.standard) == (soft17, standard)
    assert (bet.capped_by_base_wager, bet.needs_base_wager) == (cap, True)
    assert (bet.least_wager and bet.least_wager.cents) == least_cents
    minimum = bet.free_bonus_minimum
    assert (minimum and (minimum.cents, minimum.adjustable)) == bonus_minimum
    assert (bet.player_points and bet.player_points.points) == points
    assert bet.lammers is (game == "sd-buster")


def test_every_rule_names_its_clause() -> None:
    for game in games().values():
        clauses = [game.clause, game.decks.clause, game.soft17.clause, game.payment_order.clause]
        for bet in game.bets:
            clauses += [bet.clause, *(table.clause for table in bet.paytables)]
            clauses += [bonus.clause for bonus in bet.free_bonuses]
        assert all(clauses)


# --- floors of other states -------------------------------------------------------------------


def a_floor(
    jurisdiction: str,
    game: str,
    paytable: str,
    *,
    bet_id: str = "buster",
    soft17: str = "hit",
    decks: int = 6,
    bet: str = "min_cents = 500\nmax_cents = 10000",
) -> str:
    """A floor of one table with one fixed bet; `bet` are further keys of the bet."""
    return f"""
schema = 1
name = "A small room"
currency = "USD"
time_zone = "America/Denver"
gaming_day_starts = "06:00"
jurisdiction = "{jurisdiction}"

[[link]]
id = "main"
decks = {decks}
dealer_procedure = "no_peek"
soft17 = "{soft17}"

[[link.bet]]
id = "{bet_id}"
game = "{game}"
paytable = "{paytable}"
{bet}

[[table]]
id = "T-1"
link = "main"
seats = 7
"""


def loaded(folder: Path, text: str) -> LoadedFloor:
    file = folder / "floor.toml"
    file.write_text(text, encoding="utf-8")
    return load_floor(file)


def the_bet(folder: Path, text: str) -> BetRules:
    (bet,) = loaded(folder, text).rules.links[0].terms.bets
    return bet


def problems(folder: Path, text: str) -> list[str]:
    try:
        loaded(folder, text)
    except ConfigError as error:
        return [each.line().removeprefix(f"{folder / 'floor.toml'}: ") for each in error.problems]
    return []


@pytest.mark.parametrize(
    ("jurisdiction", "game", "paytable"),
    [
        ("us-nj", "nj-buster", "A"),
        ("us-sd", "sd-buster", "F"),
        ("us-wa", "wa-buster", "WA"),
    ],
)
def test_floor_of_fixed_bets_only_is_good(
    tmp_path: Path, jurisdiction: str, game: str, paytable: str
) -> None:
    # No meters, so no rate of progression to reach: 2.28(i) is about those that have one.
    floor = loaded(tmp_path, a_floor(jurisdiction, game, paytable))
    assert floor.warnings == ()
    (bet,) = floor.rules.links[0].terms.bets
    assert (bet.game, bet.reader, bet.meters, bet.progressive) == (game, "buster", (), False)
    assert [line.id for line in bet.lines] == list(BUST_LINES)
    assert (bet.min_cents, bet.max_cents) == (500, 10_000)


def test_rules_of_the_text_reach_the_bet(tmp_path: Path) -> None:
    washington = the_bet(
        tmp_path,
        a_floor(
            *("us-wa", "wa-buster", "WA"),
            soft17="stand",
            bet='min_cents = 100\nfree_bonus = "B2"\nfree_bonus_min_cents = 200',
        ),
    )
    assert washington.player_points_max == 27
    assert washington.capped_by_base_wager
    assert (washington.free_bonus, washington.free_bonus_min_cents) == ("B2", 200)
    assert [(line.id, line.cents) for line in washington.free_bonus_lines] == [
        ("bust_8_or_more", 800_000),
        ("bust_7", 100_000),
        ("bust_6", 4_000),
    ]
    dakota = the_bet(
        tmp_path,
        a_floor("us-sd", "sd-buster", "A", bet='min_cents = 1\nlammers = "after_hand"'),
    )
    assert (dakota.lammers, dakota.player_points_max) == ("after_hand", None)
    california = the_bet(house_banks(tmp_path), a_floor("us-ca", "ca-101-blackjack-x", "101"))
    assert california.payment_order == "clockwise"


def house_banks(folder: Path) -> Path:
    """A local copy of the 101's text that knows no player-dealer: a game of several bets."""
    text = (shipped_config() / "games" / "ca-101-blackjack-x.toml").read_text("utf-8")
    games = folder / "games"
    games.mkdir(exist_ok=True)
    (games / "ca-101-blackjack-x.toml").write_text(text[: text.index("[player_dealer]")], "utf-8")
    return folder


@pytest.mark.parametrize("bet_id", ["buster", "jack_magic"])
def test_game_that_a_player_banks_is_refused_on_a_link_by_clause(
    tmp_path: Path, bet_id: str
) -> None:
    assert problems(tmp_path, a_floor("us-ca", "ca-101-blackjack-x", "101", bet_id=bet_id)) == [
        f"link.main.bet.{bet_id}.game: ca-101-blackjack-x is banked by a player-dealer: the house "
        "may have no interest in the outcome, and a floor has no player-dealer yet "
        "(101 Casino, Type of Game)"
    ]


@pytest.mark.parametrize(("bonus", "capped"), [("", False), ('free_bonus = "B3"', True)])
def test_south_dakota_caps_the_bet_where_the_bonus_is_offered(
    tmp_path: Path, bonus: str, capped: bool
) -> None:
    # ARSD 20:18:15:30.07(9)(a)
    bet = the_bet(tmp_path, a_floor("us-sd", "sd-buster", "A", bet=f"min_cents = 1\n{bonus}"))
    assert bet.capped_by_base_wager is capped


def test_free_bonus_has_the_texts_minimum_unless_another_is_set(tmp_path: Path) -> None:
    for text in (
        a_floor("us-nj", "nj-buster", "A", bet='min_cents = 100\nfree_bonus = "B1"'),
        a_floor("us-wa", "wa-buster", "WA", bet='min_cents = 100\nfree_bonus = "B1"'),
    ):
        assert the_bet(tmp_path, text).free_bonus_min_cents == 500


def test_least_wager_of_the_text_is_the_ranges_low_end(tmp_path: Path) -> None:
    # 2.30(c): "at least $1.00"
    jersey = the_bet(tmp_path, a_floor("us-nj", "nj-buster", "A", bet="max_cents = 2500"))
    assert (jersey.min_cents, jersey.max_cents) == (100, 2_500)
    dakota = the_bet(tmp_path, a_floor("us-sd", "sd-buster", "A", bet="max_cents = 2500"))
    assert (dakota.min_cents, dakota.max_cents) == (1, 2_500)


def test_bet_of_a_game_with_several_is_named_by_its_id_or_by_game_bet(tmp_path: Path) -> None:
    house_banks(tmp_path)
    by_id = the_bet(tmp_path, a_floor("us-ca", "ca-101-blackjack-x", "101", bet_id="jack_magic"))
    assert by_id.reader == "jack_magic"
    named = the_bet(
        tmp_path,
        a_floor(
            *("us-ca", "ca-101-blackjack-x", "101"),
            bet_id="jacks",
            bet='min_cents = 500\ngame_bet = "jack_magic"',
        ),
    )
    assert (named.id, named.reader, named.capped_by_base_wager) == ("jacks", "jack_magic", False)
    # A game of one bet needs no naming.
    only = the_bet(tmp_path, a_floor("us-sd", "sd-buster", "A", bet_id="bust-bet"))
    assert (only.id, only.reader) == ("bust-bet", "buster")


AT = "link.main.bet.buster"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            a_floor("us-nj", "nj-buster", "G"),
            f'{AT}.paytable: "G" is no paytable of nj-buster: A, B, C, D, E, F '
            "(N.J.A.C. 13:69F-2.30)",
        ),
        # 2.30(f)3; 101, Rules for the player-dealer
        (
            a_floor("us-nj", "nj-buster", "A", soft17="stand"),
            'link.main.soft17: "stand" is not "hit" (N.J.A.C. 13:69F-2.30(f)3)',
        ),
        (
            a_floor("us-ca", "ca-101-blackjack-x", "101", soft17="stand"),
            'link.main.soft17: "stand" is not "hit" (101 Casino, Rules for the player-dealer)',
        ),
        (
            a_floor("us-sd", "sd-buster", "A", decks=9),
            "link.main.decks: 9 is not 1, 2, 3, 4, 5, 6, 7 or 8 (ARSD 20:18:15:30.07(1))",
        ),
        # 2.30(c): "at least $1.00"
        (
            a_floor("us-nj", "nj-buster", "A", bet="min_cents = 99"),
            f"{AT}.min_cents: 99 is below 100 (N.J.A.C. 13:69F-2.30(c))",
        ),
        (
            a_floor("us-nj", "nj-buster", "A", bet="wager_cents = 99"),
            f"{AT}.wager_cents: 99 is below 100 (N.J.A.C. 13:69F-2.30(c))",
        ),
        # 2.30(h): $5, and B1 or B3
        (
            a_floor("us-nj", "nj-buster", "A", bet='min_cents = 100\nfree_bonus = "B2"'),
            f'{AT}.free_bonus: "B2" is no free bonus of buster: B1, B3 (N.J.A.C. 13:69F-2.30(h))',
        ),
        (
            a_floor(
                *("us-nj", "nj-buster", "A"),
                bet='min_cents = 100\nfree_bonus = "B1"\nfree_bonus_min_cents = 200',
            ),
            f"{AT}.free_bonus_min_cents: 200 is not 500 (N.J.A.C. 13:69F-2.30(h))",
        ),
        (
            a_floor(
                *("us-sd", "sd-buster", "A"),
                bet='min_cents = 100\nfree_bonus = "B1"\nfree_bonus_min_cents = 501',
            ),
            f"{AT}.free_bonus_min_cents: 501 is not 500 (ARSD 20:18:15:30.07(9)(a))",
        ),
        (
            a_floor("us-sd", "sd-buster", "A", bet="min_cents = 1\nfree_bonus_min_cents = 500"),
            f"{AT}.free_bonus_min_cents: is not wanted without a free_bonus",
        ),
        (
            a_floor("us-ca", "ca-101-blackjack-x", "101", bet='min_cents = 1\nfree_bonus = "B1"'),
            f"{AT}.free_bonus: buster has no free bonus (101 Casino, Buster Bet)",
        ),
        (
            a_floor("us-nj", "nj-buster", "A", bet='min_cents = 100\nlammers = "after_hand"'),
            f"{AT}.lammers: buster knows no lammers (N.J.A.C. 13:69F-2.30)",
        ),
        (
            a_floor("us-sd", "sd-buster", "A", bet='min_cents = 100\nlammers = "always"'),
            f'{AT}.lammers: "always" is not one of before_deal, after_hand',
        ),
        (
            a_floor("us-sd", "sd-buster", "A", bet="min_cents = 100\ndealing_option = 1"),
            f"{AT}.dealing_option: buster has no dealing options (ARSD 20:18:15:30.07)",
        ),
        (
            a_floor("us-sd", "sd-buster", "A", bet='min_cents = 1\npayment_order = "equal_share"'),
            f'{AT}.payment_order: "equal_share" is not counter_clockwise or clockwise '
            "(ARSD 20:18:15:30.07)",
        ),
        (
            a_floor("us-wa", "nj-buster", "A"),
            f'{AT}.game: "nj-buster" is not a game of us-wa: wa-buster',
        ),
        (
            a_floor("us-sd", "sd-buster", "A", bet='min_cents = 1\nmeter = [{ id = "mega" }]'),
            f"{AT}.meter.mega: no such meter: paytable A has no meters (ARSD 20:18:15:30.07(8))",
        ),
        # The base game's money is between players: a floor registers side bets.
        (
            a_floor("us-ca", "ca-101-blackjack-x", "101", bet_id="base"),
            "link.main.bet.base.game_bet: base is the base game: a floor registers side bets only "
            "(101 Casino, Odds)",
        ),
        (
            a_floor("us-ca", "ca-101-blackjack-x", "101", bet_id="jacks"),
            "link.main.bet.jacks.game_bet: missing: ca-101-blackjack-x has base, buster, "
            "jack_magic (101 Casino, Blackjack X)",
        ),
        (
            a_floor("us-sd", "sd-buster", "A", bet='min_cents = 1\ngame_bet = "jack_magic"'),
            f'{AT}.game_bet: "jack_magic" is no bet of sd-buster: buster (ARSD 20:18:15:30.07)',
        ),
    ],
)
def test_what_the_text_does_not_offer_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in problems(tmp_path, text)


# --- broken rule books ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "old", "new", "expected"),
    [
        # A line that the reader cannot name would never be paid.
        (
            *("nj-buster", '"bust_3", to_one = 2', '"bust_2", to_one = 2'),
            'bet.buster.paytable.A.line.bust_2.id: "bust_2" is no line that the reader knows',
        ),
        (
            *("nj-buster", '"bust_7", cents = 100000', '"bust_9", cents = 100000'),
            'bet.buster.free_bonus.B1.line.bust_9.id: "bust_9" is no line that the reader knows',
        ),
        (
            *("nj-buster", '"bust_3", to_one = 2', '"bust_3", to_one = 2, for_one = 3'),
            "bet.buster.paytable.A.line.bust_3.to_one: a line that pays for_one pays no to_one",
        ),
        (
            *("nj-buster", '"bust_3", to_one = 2', '"bust_3", to_one = 0'),
            "bet.buster.paytable.A.line.bust_3.to_one: 0 is below 1",
        ),
        (
            *("ca-101-blackjack-x", "odds = [3, 2]", "odds = [3]"),
            "bet.base.paytable.101.line.natural_31.odds: [3] is not two numbers",
        ),
        (
            *("ca-101-blackjack-x", "odds = [3, 2]", "odds = [3, 0]"),
            "bet.base.paytable.101.line.natural_31.odds: [3, 0] is not a list of whole numbers",
        ),
        (
            *("wa-buster", "[bet.free_bonus_minimum]", "[bet.free_bonus_least]"),
            "bet.buster.free_bonus_minimum: missing",
        ),
        (
            *("wa-buster", "points = 27", "points = 27.5"),
            "bet.buster.player_points.points: 27.5 is not a whole number",
        ),
        (
            *("sd-buster", '"with_free_bonus"', "true"),
            "bet.buster.capped_by_base_wager: true is not one of",
        ),
        ("sd-buster", '["hit", "stand"]', '["hit", "split"]', "soft17.accepted: "),
        # Bands rise, and the last has no end.
        (
            *("ca-101-blackjack-x", "up_to_cents = 20000", "up_to_cents = 10000"),
            "player_dealer.collection.#1.band.#2.up_to_cents: 10000 is below 10001",
        ),
        (
            *("ca-101-blackjack-x", "{ player_dealer_cents = 950 }"),
            "{ up_to_cents = 90000, player_dealer_cents = 950 }",
            "player_dealer.collection.#1.band.#5.up_to_cents: the last band has no end",
        ),
        ("ca-101-blackjack-x", "bank_rounds = 2", "bank_rounds = 0", "player_dealer.bank_rounds: "),
    ],
)
def test_broken_rule_book_is_told(
    tmp_path: Path, game: str, old: str, new: str, expected: str
) -> None:
    text = (shipped_config() / "games" / f"{game}.toml").read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / f"{game}.toml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    report = Report()
    assert load_game(file, report) is None
    told = [problem.line().removeprefix(f"{file}: ") for problem in report.problems]
    assert any(line.startswith(expected) for line in told), told
