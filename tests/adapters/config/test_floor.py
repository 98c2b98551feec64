"""Every refusal of the floor file, as an edit of the demo floor and the lines it leads to."""

from pathlib import Path
from typing import get_args

import pytest

from progressive.adapters.config.floor import ConfigError, LoadedFloor, load_floor, shipped_config
from progressive.domain.money import CENTS_MAX
from progressive.domain.options import SignLanguage, SignLayout, SignTheme

SHIPPED = (shipped_config() / "floor.toml").read_text(encoding="utf-8")

BET = "link.main.bet.blazing7"
METERS = f"{BET}.meter"
LIMITS = "base_min_cents = 1000\nbase_max_cents = 200000\n"
CLAUSE_I = "(N.J.A.C. 13:69F-2.28(i))"

Edit = tuple[str, str]


def without(text: str, *marks: str) -> str:
    """A floor without the paragraphs that hold one of these marks."""
    paragraphs = text.split("\n\n")
    kept = [each for each in paragraphs if not any(mark in each for mark in marks)]
    assert len(kept) < len(paragraphs)
    return "\n\n".join(kept)


GOOD = without(SHIPPED, 'id = "buster"')
"""The demo floor with its progressive bet alone."""


def edited(*edits: Edit) -> str:
    """The demo floor with some text replaced, each at its first place."""
    text = GOOD
    for old, new in edits:
        assert old in text, f"{old!r} is not in the demo floor"
        text = text.replace(old, new, 1)
    return text


def check(folder: Path, text: str) -> tuple[list[str], list[str]]:
    """The problems and warnings of a floor, as lines without the file."""
    file = folder / "floor.toml"
    file.write_text(text, encoding="utf-8")
    try:
        return [], [each.line().removeprefix(f"{file}: ") for each in load_floor(file).warnings]
    except ConfigError as error:
        problems = [each.line().removeprefix(f"{file}: ") for each in error.problems]
        return problems, [each.line().removeprefix(f"{file}: ") for each in error.warnings]


def rates(mega: int, major: int = 0, minor: int = 0, *, reset: int = 0) -> list[Edit]:
    """Other rates for the demo floor; `reset` is that of the Minor."""
    return [
        ("rate_ppm = 120000", f"rate_ppm = {mega}"),
        ("reset_rate_ppm = 10000", "reset_rate_ppm = 0"),
        ("rate_ppm = 60000\nreset_rate_ppm = 5000", f"rate_ppm = {major}\nreset_rate_ppm = 0"),
        (
            "rate_ppm = 40000\nreset_rate_ppm = 5000",
            f"rate_ppm = {minor}\nreset_rate_ppm = {reset}",
        ),
    ]


ONE_METER = without(
    edited(
        ('paytable = "3"', 'paytable = "1"'),
        ('id = "mega"', 'id = "progressive"'),
        ("rate_ppm = 120000", "rate_ppm = 200000"),
    ),
    'id = "major"',
    'id = "minor"',
)
"""The demo floor on paytable 1."""

SECOND_LINK = """
[[link]]
id = "high"
name = "High limit"
decks = 8
dealer_procedure = "no_peek"
soft17 = "stand"

[[link.bet]]
id = "blazing7"
game = "nj-blazing-7s"
paytable = "2"
dealing_option = 2
wager_cents = 100

[[link.bet.meter]]
id = "progressive"
rate_ppm = 200000
initial_cents = 200000
reset_cents = 200000
"""


# --- what is good -------------------------------------------------------------------------------


def test_demo_floor_is_good_and_complete() -> None:
    loaded = load_floor(shipped_config() / "floor.toml")
    assert isinstance(loaded, LoadedFloor)
    assert loaded.warnings == ()
    rules = loaded.rules
    assert (rules.name, rules.currency, rules.jurisdiction) == ("Boardwalk Casino", "USD", "us-nj")
    (link,) = rules.links
    assert (link.currency, link.player_dealer_bets) == ("USD", frozenset())
    assert [table.id for table in link.tables] == [f"BJ-{number:02}" for number in range(1, 13)]
    assert set(link.seats.values()) == {7}
    assert set(link.base_limits.values()) == {(1_000, 200_000)}
    assert (link.terms.decks, link.terms.dealer_procedure, link.terms.soft17) == (
        6,
        "card_reader",
        "hit",
    )
    bet, buster = link.terms.bets
    assert (bet.game, bet.paytable, bet.wager_cents, bet.dealing_option) == (
        "nj-blazing-7s",
        "3",
        500,
        1,
    )
    assert bet.needs_base_wager
    assert not bet.capped_by_base_wager
    assert [meter.id for meter in bet.meters] == ["mega", "major", "minor"]
    assert sum(meter.rate_ppm + meter.reset_rate_ppm for meter in bet.meters) >= 200_000
    assert (buster.game, buster.paytable, buster.free_bonus) == ("nj-buster", "A", "B1")
    assert (buster.min_cents, buster.max_cents, buster.meters) == (100, 10_000, ())
    assert [sign.id for sign in rules.signs][:2] == ["entrance", "pit"]
    # Every layout, theme and language can be seen there.
    assert {sign.layout for sign in rules.signs} == set(get_args(SignLayout))
    assert {sign.theme for sign in rules.signs} == set(get_args(SignTheme))
    assert {sign.language for sign in rules.signs} == set(get_args(SignLanguage))
    assert rules.sign_log_days == 90
    assert rules.close_within_hours == 24
    assert [game.id for game in rules.games] == ["nj-blazing-7s", "nj-buster"]


def test_meters_keep_the_order_of_the_file(tmp_path: Path) -> None:
    # Every message lists meters in this order, so it is the operator's to choose.
    mega = next(part for part in GOOD.split("\n\n") if 'id = "mega"' in part)
    text = without(GOOD, 'id = "mega"').replace("[[table]]", f"{mega}\n\n[[table]]", 1)
    file = tmp_path / "floor.toml"
    file.write_text(text, encoding="utf-8")
    (bet,) = load_floor(file).rules.links[0].terms.bets
    assert [meter.id for meter in bet.meters] == ["major", "minor", "mega"]


def test_left_out_amounts_and_names_have_plain_defaults(tmp_path: Path) -> None:
    file = tmp_path / "floor.toml"
    table = '\n[[table]]\nid = "H-1"\nlink = "high"\nseats = 1\n'
    file.write_text(GOOD + SECOND_LINK + table, encoding="utf-8")
    high = load_floor(file).rules.links[1]
    (bet,) = high.terms.bets
    (meter,) = bet.meters
    assert (bet.payment_order, bet.award_rounding) == ("counter_clockwise", "nearest")
    assert (meter.name, meter.reset_rate_ppm, meter.limit_cents) == ("progressive", 0, 0)
    assert [each.id for each in high.tables] == ["H-1"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GOOD, id="demo"),
        pytest.param(ONE_METER, id="paytable 1"),
        pytest.param(ONE_METER.replace('paytable = "1"', 'paytable = "2"'), id="paytable 2"),
        pytest.param(edited(("decks = 6", "decks = 8")), id="eight decks"),
        pytest.param(edited(("wager_cents = 500", "wager_cents = 100")), id="one dollar"),
        pytest.param(edited(("dealing_option = 1", "dealing_option = 2")), id="option 2"),
        # 2.28(i): 20 percent is enough, and it counts all meters with their reset meters.
        pytest.param(edited(*rates(120_000, 50_000, 20_000, reset=10_000)), id="200000 ppm"),
        pytest.param(edited(*rates(200_000)), id="200000 ppm on one meter"),
        pytest.param(edited(*rates(500_000, 300_000, 199_999, reset=1)), id="1000000 ppm"),
        pytest.param(edited(*rates(1_000_000)), id="the whole wager on one meter"),
        # 2.28(i): Mega and Major may be $0, the Minor $2,500.
        pytest.param(
            edited(
                ("initial_cents = 10000000", "initial_cents = 0"),
                ("reset_cents = 2500000", "reset_cents = 0"),
                ("initial_cents = 1500000", "initial_cents = 0"),
                ("reset_cents = 500000", "reset_cents = 0"),
                ("initial_cents = 300000", "initial_cents = 250000"),
            ),
            id="least amounts of paytable 3",
        ),
        pytest.param(
            ONE_METER.replace("initial_cents = 10000000", "initial_cents = 200000").replace(
                "reset_cents = 2500000", "reset_cents = 200000"
            ),
            id="least amounts of paytable 1",
        ),
        pytest.param(edited(("limit_cents = 0", "limit_cents = 10000000")), id="limit = initial"),
        pytest.param(edited(("limit_cents = 0", f"limit_cents = {CENTS_MAX}")), id="big limit"),
        pytest.param(edited(("seats = 7", "seats = 1")), id="one seat"),
        pytest.param(edited(("seats = 7", "seats = 15")), id="fifteen seats"),
        pytest.param(edited(('"06:00"', '"00:00"')), id="midnight"),
        pytest.param(edited(('"06:00"', '"23:59"')), id="last minute"),
        pytest.param(edited(('"Boardwalk Casino"', '"Spielbank Bad Füssing"')), id="umlaut"),
        pytest.param(without(GOOD, "[[sign]]"), id="no signs"),
        pytest.param(GOOD.replace("\n", "\r\n"), id="lines end as on Windows"),
        pytest.param("\ufeff" + GOOD, id="byte order mark"),
    ],
)
def test_good_floor_has_no_problem_and_no_warning(tmp_path: Path, text: str) -> None:
    assert check(tmp_path, text) == ([], [])


# --- what the rule texts refuse -----------------------------------------------------------------

COMBINED = "ppm combined (all meters, primary and reset)"

LEGAL_REFUSALS = [
    # 13:69F-2.28(i): the combined rate of progression, and no more than there is.
    (
        rates(120_000, 50_000, 20_000, reset=9_999),
        [f"{METERS}: 199999 {COMBINED} is below 200000 {CLAUSE_I}"],
    ),
    (rates(0), [f"{METERS}: 0 {COMBINED} is below 200000 {CLAUSE_I}"]),
    (
        rates(500_000, 300_000, 200_000, reset=1),
        [f"{METERS}: 1000001 {COMBINED} is above 1000000, the whole wager"],
    ),
    (
        rates(1_000_000, 1_000_000, 1_000_000, reset=1_000_000),
        [f"{METERS}: 4000000 {COMBINED} is above 1000000, the whole wager"],
    ),
    # 2.28(i): the floors of the Minor.
    (
        [("reset_cents = 250000 ", "reset_cents = 240000 ")],
        [f"{METERS}.minor.reset_cents: 240000 is below 250000 {CLAUSE_I}"],
    ),
    (
        [("reset_cents = 250000 ", "reset_cents = 249999 ")],
        [f"{METERS}.minor.reset_cents: 249999 is below 250000 {CLAUSE_I}"],
    ),
    (
        [("initial_cents = 300000", "initial_cents = 249999")],
        [f"{METERS}.minor.initial_cents: 249999 is below 250000 {CLAUSE_I}"],
    ),
    # A reset amount that is left out is none: the floor holds all the same.
    (
        [("reset_cents = 250000 ", "# ")],
        [f"{METERS}.minor.reset_cents: 0 is below 250000 {CLAUSE_I}"],
    ),
    # 2.2(a)4: six or eight decks, and nothing between or beyond.
    *[
        (
            [("decks = 6", f"decks = {decks}")],
            [f"link.main.decks: {decks} is not 6 or 8 (N.J.A.C. 13:69F-2.2(a)4)"],
        )
        for decks in (-6, 0, 1, 5, 7, 9, 12)
    ],
    # 2.28(b): $1 or $5.
    *[
        (
            [("wager_cents = 500", f"wager_cents = {wager}")],
            [f"{BET}.wager_cents: {wager} is not 100 or 500 (N.J.A.C. 13:69F-2.28(b))"],
        )
        for wager in (-500, 0, 1, 5, 200, 499, 501, 1000)
    ],
    ([("wager_cents = 500", "#")], [f"{BET}.wager_cents: missing (N.J.A.C. 13:69F-2.28(b))"]),
    # 2.3(m): the posted amount and no range beside it.
    (
        [("wager_cents = 500", "wager_cents = 500\nmin_cents = 100\nmax_cents = 500 #")],
        [
            f"{BET}.min_cents: 100 is not wanted beside wager_cents (N.J.A.C. 13:69F-2.28(b))",
            f"{BET}.max_cents: 500 is not wanted beside wager_cents (N.J.A.C. 13:69F-2.28(b))",
        ],
    ),
    # 2.28(c): two dealing options, and no guess which.
    *[
        (
            [("dealing_option = 1", f"dealing_option = {option}")],
            [f"{BET}.dealing_option: {option} is not 1 or 2 (N.J.A.C. 13:69F-2.28(c))"],
        )
        for option in (-1, 0, 3)
    ],
    ([("dealing_option = 1", "#")], [f"{BET}.dealing_option: missing (N.J.A.C. 13:69F-2.28(c))"]),
    # 2.28(c)(iii): the meters of the paytable.
    (
        [('id = "minor"', 'id = "mini"')],
        [
            f"{METERS}.minor: missing: paytable 3 has mega, major, minor "
            "(N.J.A.C. 13:69F-2.28(c)(iii))",
            f"{METERS}.mini: no such meter: paytable 3 has mega, major, minor "
            "(N.J.A.C. 13:69F-2.28(c)(iii))",
        ],
    ),
    (
        [('paytable = "3"', 'paytable = "4"')],
        [f'{BET}.paytable: "4" is no paytable of nj-blazing-7s: 1, 2, 3 (N.J.A.C. 13:69F-2.28)'],
    ),
    (
        [("award_rounding =", 'free_bonus = "B1"\naward_rounding =')],
        [f"{BET}.free_bonus: blazing7 has no free bonus (N.J.A.C. 13:69F-2.28)"],
    ),
]


@pytest.mark.parametrize(("edits", "expected"), LEGAL_REFUSALS)
def test_rule_text_refuses(tmp_path: Path, edits: list[Edit], expected: list[str]) -> None:
    problems, warnings = check(tmp_path, edited(*edits))
    assert problems == expected
    # A meter without reset money warns besides; nothing else here may.
    assert all("second winner" in warning for warning in warnings)


@pytest.mark.parametrize("paytable", ["1", "2"])
@pytest.mark.parametrize(
    ("old", "key"),
    [
        ("initial_cents = 10000000", "initial_cents"),
        ("reset_cents = 2500000", "reset_cents"),
    ],
)
def test_single_meter_starts_and_resets_at_2000_dollars(
    tmp_path: Path, paytable: str, old: str, key: str
) -> None:
    # 13:69F-2.28(i)
    text = ONE_METER.replace('paytable = "1"', f'paytable = "{paytable}"')
    problems, _ = check(tmp_path, text.replace(old, f"{key} = 199999"))
    assert problems == [f"{METERS}.progressive.{key}: 199999 is below 200000 {CLAUSE_I}"]


def test_missing_meters_are_told_one_by_one(tmp_path: Path) -> None:
    problems, _ = check(tmp_path, without(GOOD, 'id = "major"', 'id = "minor"'))
    has = "missing: paytable 3 has mega, major, minor (N.J.A.C. 13:69F-2.28(c)(iii))"
    assert problems == [
        f"{METERS}.major: {has}",
        f"{METERS}.minor: {has}",
        # What is there is judged as it stands: a meter that is not there takes nothing.
        f"{METERS}: 130000 {COMBINED} is below 200000 {CLAUSE_I}",
    ]


def test_meter_of_another_paytable_is_extra(tmp_path: Path) -> None:
    problems, _ = check(tmp_path, edited(('paytable = "3"', 'paytable = "2"')))
    has = "paytable 2 has progressive (N.J.A.C. 13:69F-2.28(c)(ii))"
    assert problems == [
        f"{METERS}.progressive: missing: {has}",
        f"{METERS}.mega: no such meter: {has}",
        f"{METERS}.major: no such meter: {has}",
        f"{METERS}.minor: no such meter: {has}",
    ]


# --- what arithmetic and the format refuse ------------------------------------------------------

NO_ID = "is no id: up to 64 letters, digits, '.', '_' and '-', a letter or digit first"

FORMAT_REFUSALS = [
    # Types: `true` is not 1, 0.2 is not a rate, "500" is not an amount.
    (
        ("rate_ppm = 120000", "rate_ppm = 0.2"),
        f"{METERS}.mega.rate_ppm: 0.2 is not a whole number",
    ),
    (
        ("rate_ppm = 120000", "rate_ppm = nan"),
        f"{METERS}.mega.rate_ppm: nan is not a whole number",
    ),
    (
        ("rate_ppm = 120000", "rate_ppm = true"),
        f"{METERS}.mega.rate_ppm: true is not a whole number",
    ),
    (
        ("wager_cents = 500", 'wager_cents = "500"'),
        f'{BET}.wager_cents: "500" is not a whole number',
    ),
    (
        ("wager_cents = 500", "wager_cents = 500.0"),
        f"{BET}.wager_cents: 500.0 is not a whole number",
    ),
    (
        ("dealing_option = 1", "dealing_option = true"),
        f"{BET}.dealing_option: true is not a whole number",
    ),
    (("decks = 6", "decks = [6, 8]"), "link.main.decks: [6, 8] is not a whole number"),
    (("sign_log_days = 90", "sign_log_days = 0"), "sign_log_days: 0 is below 1"),
    (("sign_log_days = 90", "sign_log_days = 9999"), "sign_log_days: 9999 is above 3660"),
    (("sign_log_days = 90", "close_within_hours = 0"), "close_within_hours: 0 is below 1"),
    (("sign_log_days = 90", "close_within_hours = 8785"), "close_within_hours: 8785 is above 8784"),
    (('paytable = "3"', "paytable = 3"), f"{BET}.paytable: 3 is not a text in quotes"),
    (('soft17 = "hit"', "soft17 = true"), "link.main.soft17: true is not one of hit, stand"),
    (
        ('name = "Boardwalk Casino"', "name = 1999-12-31"),
        "name: 1999-12-31 is not a text in quotes",
    ),
    (
        ('gaming_day_starts = "06:00"', "gaming_day_starts = 06:00:00"),
        "gaming_day_starts: 06:00:00 is not a text in quotes",
    ),
    (("schema = 1", "schema = true"), "schema: true is not a whole number"),
    (("schema = 1", "schema = 2"), "schema: 2 is not 1"),
    (("schema = 1", "#"), "schema: missing"),
    # Ranges.
    (("rate_ppm = 120000", "rate_ppm = -1"), f"{METERS}.mega.rate_ppm: -1 is below 0"),
    (
        ("reset_rate_ppm = 10000", "reset_rate_ppm = -10000"),
        f"{METERS}.mega.reset_rate_ppm: -10000 is below 0",
    ),
    (
        ("initial_cents = 10000000", f"initial_cents = {CENTS_MAX + 1}"),
        f"{METERS}.mega.initial_cents: 100000000001 is above 100000000000",
    ),
    (
        ("initial_cents = 10000000", "initial_cents = -1"),
        f"{METERS}.mega.initial_cents: -1 is below 0",
    ),
    (("limit_cents = 0", "limit_cents = -1"), f"{METERS}.mega.limit_cents: -1 is below 0"),
    (
        ("limit_cents = 0", "limit_cents = 9999999"),
        f"{METERS}.mega.limit_cents: 9999999 is below initial_cents 10000000",
    ),
    (
        ("wager_cents = 500", f"wager_cents = {'9' * 30}"),
        f"{BET}.wager_cents: {'9' * 30} is above 100000000000",
    ),
    # Hexadecimal numbers may have more digits than Python is willing to print.
    (
        ("decks = 6", f"decks = 0x{'F' * 5000}"),
        "link.main.decks: a far too big number is above 100000000000",
    ),
    (("seats = 7", "seats = 0"), "table.BJ-01.seats: 0 is below 1"),
    (("seats = 7", "seats = 16"), "table.BJ-01.seats: 16 is above 15"),
    (("seats = 7", "seats = 100"), "table.BJ-01.seats: 100 is above 15"),
    (("seats = 7", "#"), "table.BJ-01.seats: missing"),
    # Names and words.
    (('name = "Boardwalk Casino"', 'name = ""'), 'name: "" is empty'),
    (('name = "Mega"', 'name = "  "'), f'{METERS}.mega.name: "  " is empty'),
    (
        ('name = "Main pit"', 'name = "Main\\u001b[31m\\u2028pit"'),
        'link.main.name: "Main\\u001b[31m\\U00002028pit" has characters that cannot be shown',
    ),
    (
        ('name = "Main pit"', f'name = "{"x" * 101}"'),
        f'link.main.name: "{"x" * 59}…" is longer than 100 characters',
    ),
    (('"USD"', '"usd"'), 'currency: "usd" is not three capital letters, like USD'),
    (('"USD"', '"US$"'), 'currency: "US$" is not three capital letters, like USD'),
    (('"USD"', '"USDX"'), 'currency: "USDX" is not three capital letters, like USD'),
    (('"USD"', '"ÄÖÜ"'), 'currency: "ÄÖÜ" is not three capital letters, like USD'),
    *[
        (
            ('"America/New_York"', f'"{zone}"'),
            f'time_zone: "{zone}" is no time zone, like America/New_York',
        )
        for zone in ("America/Boardwalk", "America", "../UTC", "/etc/localtime", "EST-25")
    ],
    *[
        (('"06:00"', f'"{time}"'), f'gaming_day_starts: "{time}" is not a time from 00:00 to 23:59')
        for time in ("6:00", "24:00", "06:60", "06:00:00", "٠٦:٠٠", "noon")
    ],
    (
        ('"counter_clockwise"', '"leftward"'),
        f'{BET}.payment_order: "leftward" is not one of counter_clockwise, clockwise, equal_share',
    ),
    (
        ('award_rounding = "nearest"', 'award_rounding = "half_even"'),
        f'{BET}.award_rounding: "half_even" is not one of nearest, down, up',
    ),
    (
        ('dealer_procedure = "card_reader"', 'dealer_procedure = "peek"'),
        'link.main.dealer_procedure: "peek" is not one of card_reader, hole_face_up, no_peek',
    ),
    # Unknown keys, with what was probably meant.
    (("decks = 6", "decks = 6\ndeck = 6"), "link.main.deck: unknown key: did you mean decks?"),
    (("schema = 1", "schema = 1\nzzz = 1"), "zzz: unknown key"),
    (("schema = 1", 'schema = 1\n"a\\nb" = 1'), '"a\\nb": unknown key'),
    (
        ('name = "Mega"', 'name = "Mega"\nseed_cents = 5'),
        f"{METERS}.mega.seed_cents: unknown key: did you mean reset_cents?",
    ),
    (("seats = 7", "seats = 7\nshoe.decks = 6"), "table.BJ-01.shoe: unknown key"),
    # Ids.
    (('id = "BJ-12"', 'id = "BJ/12"'), f'table.#12.id: "BJ/12" {NO_ID}'),
    (('id = "BJ-12"', 'id = ".."'), f'table.#12.id: ".." {NO_ID}'),
    (('id = "BJ-12"', 'id = ""'), f'table.#12.id: "" {NO_ID}'),
    (('id = "BJ-12"', "id = 12"), f"table.#12.id: 12 {NO_ID}"),
    (('id = "BJ-12"', ""), "table.#12.id: missing"),
    (('id = "BJ-12"', 'id = "BJ-01"'), 'table.BJ-01.id: "BJ-01" is also the id of table.#12'),
    (('id = "pit"', 'id = "entrance"'), 'sign.entrance.id: "entrance" is also the id of sign.#2'),
    # What names something else.
    (
        ('id = "BJ-01"\nlink = "main"', 'id = "BJ-01"\nlink = "mian"'),
        'table.BJ-01.link: "mian" is not a link of this floor: main',
    ),
    (('id = "BJ-01"\nlink = "main"', 'id = "BJ-01"'), "table.BJ-01.link: missing"),
    (
        ('id = "BJ-01"\nlink = "main"', 'id = "BJ-01"\nlink = ["main", "high"]'),
        'table.BJ-01.link: ["main", "high"] is not a text in quotes',
    ),
    (
        ('id = "pit"\nlink = "main"', 'id = "pit"\nlink = "west"'),
        'sign.pit.link: "west" is not a link of this floor: main',
    ),
    # Signs.
    (
        ('id = "pit"', 'id = "pit"\ntheme = "beige"'),
        'sign.pit.theme: "beige" is not one of midnight, deco, neon, ivory',
    ),
    (
        ('id = "pit"', 'id = "pit"\nlayout = "wall"'),
        'sign.pit.layout: "wall" is not one of meters, strip, paytable',
    ),
    (
        ('id = "pit"', 'id = "pit"\nlanguage = "fr"'),
        'sign.pit.language: "fr" is not one of en, es, zh',
    ),
    (
        ('id = "pit"', 'id = "pit"\nmeters = ["mega", "maxi"]'),
        'sign.pit.meters: ["mega", "maxi"] is not a list out of mega, major, minor',
    ),
    (
        ('id = "pit"', 'id = "pit"\nmeters = ["mega", "mega"]'),
        'sign.pit.meters: ["mega", "mega"] names one of them twice',
    ),
    (
        ('id = "pit"', 'id = "pit"\nmeters = []'),
        "sign.pit.meters: [] is not a list of ids in quotes",
    ),
    (
        ('id = "pit"', 'id = "pit"\nbet = "keno"'),
        'sign.pit.bet: "keno" is not one of blazing7',
    ),
    (('id = "pit"', 'id = "pit"\nname = ""'), 'sign.pit.name: "" is empty'),
]


@pytest.mark.parametrize(("edit", "expected"), FORMAT_REFUSALS)
def test_format_refuses(tmp_path: Path, edit: Edit, expected: str) -> None:
    assert check(tmp_path, edited(edit)) == ([expected], [])


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            ('game = "nj-blazing-7s"', 'game = "nj-blazing-8s"'),
            f'{BET}.game: "nj-blazing-8s" is not among the games found: ',
        ),
        # A name is no path: files elsewhere cannot be reached with it.
        (
            ('game = "nj-blazing-7s"', 'game = "../games/nj-blazing-7s"'),
            f'{BET}.game: "../games/nj-blazing-7s" is not among the games found: ',
        ),
        (
            ('jurisdiction = "us-nj"', 'jurisdiction = "us-zz"'),
            'jurisdiction: "us-zz" is not among the jurisdictions found: ',
        ),
    ],
)
def test_unknown_rule_text_names_those_there_are(tmp_path: Path, edit: Edit, expected: str) -> None:
    ((problem,), warnings) = check(tmp_path, edited(edit))
    assert problem.startswith(expected)
    assert ("nj-blazing-7s" if "games" in expected else "us-nj") in problem.removeprefix(expected)
    assert warnings == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("link = 5", "link: 5 is not a list: each one starts with [[link]]"),
        ("link = [5]", "link.#1: 5 is not a section [[link]]"),
        ("[link]", "link: a section is not a list: each one starts with [[link]]"),
        (
            "[[link]]\n[link.bet]",
            "link.#1.bet: a section is not a list: each one starts with [[link.bet]]",
        ),
        ("link = [[1, [2]]]", "link.#1: [1, …] is not a section [[link]]"),
        ("link = []", "link: missing: a floor has at least one"),
        ("", "link: missing: a floor has at least one"),
        ("[[link]]", "link.#1.bet: missing: a link has at least one"),
        (
            f"link = [{'1, ' * 99}]",
            "link.#99: 1 is not a section [[link]]",
        ),
        ("[[link]]\n[[link.bet]]", "link.#1.bet.#1.wager_cents: missing"),
        (
            "[[link]]\n[[link.bet]]\nmin_cents = 500\nmax_cents = 499",
            "link.#1.bet.#1.max_cents: 499 is below min_cents 500",
        ),
        ("name.first = 1", "name: a section is not a text in quotes"),
        # Dotted keys nest without limit; neither the check nor its words may follow them down.
        (f"{'a.' * 3000}b = 1", "a: unknown key"),
        (f"name{'.a' * 3000} = 1", "name: a section is not a text in quotes"),
    ],
)
def test_wrong_shape_is_a_problem_like_others(tmp_path: Path, text: str, expected: str) -> None:
    problems, _ = check(tmp_path, text)
    assert expected in problems


def test_empty_file_lacks_every_key_at_once(tmp_path: Path) -> None:
    assert check(tmp_path, "")[0] == [
        "schema: missing",
        "name: missing",
        "currency: missing",
        "time_zone: missing",
        "gaming_day_starts: missing",
        "jurisdiction: missing",
        "link: missing: a floor has at least one",
    ]


# --- links, tables, meters and their ids --------------------------------------------------------


def test_table_in_two_links_is_told_as_such(tmp_path: Path) -> None:
    again = '\n[[table]]\nid = "BJ-01"\nlink = "high"\nseats = 7\n'
    assert check(tmp_path, GOOD + SECOND_LINK + again)[0] == [
        "table.BJ-01.link: BJ-01 is in two links: main, high"
    ]


def test_duplicate_link_and_bet_ids_are_refused(tmp_path: Path) -> None:
    twice = SECOND_LINK.replace('"high"', '"main"')
    bet = SECOND_LINK[SECOND_LINK.index("[[link.bet]]") :]
    assert check(tmp_path, GOOD + twice)[0] == ['link.main.id: "main" is also the id of link.#2']
    # The same bet twice on one link has its meter twice too.
    assert check(tmp_path, GOOD + SECOND_LINK + bet)[0] == [
        'link.high.bet.blazing7.id: "blazing7" is also the id of link.high.bet.#2',
        'link.high.bet.blazing7.meter.progressive.id: "progressive" is also the id of '
        "link.high.bet.#2.meter.progressive",
    ]


def test_meter_id_is_unique_on_its_link_but_free_on_another(tmp_path: Path) -> None:
    third = SECOND_LINK.replace('"high"', '"low"')
    assert check(tmp_path, GOOD + SECOND_LINK + third)[0] == []
    other_bet = third[third.index("[[link.bet]]") :].replace('"blazing7"', '"seconds"')
    assert check(tmp_path, GOOD + SECOND_LINK + other_bet)[0] == [
        'link.high.bet.blazing7.meter.progressive.id: "progressive" is also the id of '
        "link.high.bet.seconds.meter.progressive"
    ]


def test_limit_below_what_a_reset_puts_on_is_refused(tmp_path: Path) -> None:
    minor = 'name = "Minor"'
    problems, _ = check(
        tmp_path,
        edited(
            ("initial_cents = 300000", "initial_cents = 250000"),
            ("reset_cents = 250000 ", "reset_cents = 300000 "),
            (minor, f"{minor}\nlimit_cents = 299999"),
            ("not counted\nlimit_cents = 0", "not counted"),
        ),
    )
    assert problems == [f"{METERS}.minor.limit_cents: 299999 is below reset_cents 300000"]


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("min", "200001", "base_max_cents: 200000 is below base_min_cents 200001"),
        ("min", "-1", "base_min_cents: -1 is below 0"),
        ("max", "-1", "base_max_cents: -1 is below 0"),
        ("min", "15.0", "base_min_cents: 15.0 is not a whole number"),
    ],
)
def test_limits_of_base_wagers_are_checked(
    tmp_path: Path, key: str, value: str, problem: str
) -> None:
    old = {"min": "base_min_cents = 1000 ", "max": "base_max_cents = 200000 "}[key]
    floor = edited((old, f"base_{key}_cents = {value} "))
    assert check(tmp_path, floor) == ([f"table.BJ-01.{problem}"], [])


def test_limits_of_base_wagers_may_be_left_out_or_equal(tmp_path: Path) -> None:
    (tmp_path / "floor.toml").write_text(
        edited(
            ("base_min_cents = 1000 ", "base_min_cents = 200000 "),
            (f"\n{LIMITS}", "\n"),
            (f"\n{LIMITS}", "\nbase_min_cents = 0\nbase_max_cents = 0\n"),
            (f"\n{LIMITS}", "\nbase_min_cents = 2500\n"),
        ),
        encoding="utf-8",
    )
    (link,) = load_floor(tmp_path / "floor.toml").rules.links
    assert list(link.base_limits.values())[:5] == [
        (200_000, 200_000),
        (1, CENTS_MAX),
        (1, CENTS_MAX),
        (2_500, CENTS_MAX),
        (1_000, 200_000),
    ]


# --- warnings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("meter", "reset", "reset_rate"),
    [
        ("mega", "reset_cents = 2500000", "reset_rate_ppm = 10000"),
        ("major", "reset_cents = 500000", "reset_rate_ppm = 5000"),
    ],
)
def test_meter_empty_after_an_award_is_warned_about(
    tmp_path: Path, meter: str, reset: str, reset_rate: str
) -> None:
    # 2.28(i) allows $0, and 2.28(h) then pays a second winner of the round what is there: nothing.
    none = (reset, "reset_cents = 0")
    assert check(tmp_path, edited(none)) == ([], [])
    assert check(tmp_path, edited((reset_rate, "reset_rate_ppm = 0"))) == ([], [])
    assert check(tmp_path, edited(none, (reset_rate, "reset_rate_ppm = 0"))) == (
        [],
        [
            f"{METERS}.{meter}.reset_cents: 0 and no reset_rate_ppm: "
            f"a second winner of the same round is left with nothing {CLAUSE_I}"
        ],
    )


@pytest.mark.parametrize("order", ["clockwise", "equal_share"])
def test_payment_order_of_internal_controls_is_warned_about(tmp_path: Path, order: str) -> None:
    # 2.28(h): the licensee may modify the method "in an approved internal controls submission".
    assert check(tmp_path, edited(('"counter_clockwise"', f'"{order}"'))) == (
        [],
        [
            f'{BET}.payment_order: "{order}" instead of counter_clockwise '
            "needs approved internal controls (N.J.A.C. 13:69F-2.28(h))"
        ],
    )


def test_capped_bet_that_no_base_wager_of_the_table_allows_is_warned_about(tmp_path: Path) -> None:
    # 2.30(c): not above the player's blackjack wager, which ends at $20 here.
    floor = SHIPPED.replace("min_cents = 100 ", "min_cents = 2100 ", 1)
    floor = floor.replace("base_max_cents = 200000 ", "base_max_cents = 2000 ", 1)
    assert check(tmp_path, floor) == (
        [],
        [
            "table.BJ-01.base_max_cents: 2000 is below 2100, the least wager of buster, "
            "which may not exceed the base wager: nobody can make it here"
        ],
    )
    # A bet without a cap is nobody's limit.
    assert check(tmp_path, edited(("base_max_cents = 200000 ", "base_max_cents = 1000 "))) == (
        [],
        [],
    )


def test_link_without_tables_is_warned_about(tmp_path: Path) -> None:
    assert check(tmp_path, GOOD + SECOND_LINK) == ([], ["link.high: no table is in this link"])


# --- all at once --------------------------------------------------------------------------------


def test_ten_problems_are_found_in_one_run(tmp_path: Path) -> None:
    problems, warnings = check(
        tmp_path,
        edited(
            ('"USD"', '"usd"'),
            ("decks = 6", "decks = 7"),
            ('soft17 = "hit"', "soft17 = 17"),
            ("wager_cents = 500", "wager_cents = 300"),
            ("rate_ppm = 120000", "rate_ppm = 0.12"),
            # A wrong type beside it does not hide an amount below its floor.
            ("rate_ppm = 40000", 'rate_ppm = "4%"'),
            ("initial_cents = 300000", "initial_cents = 1"),
            ("reset_cents = 250000 ", "reset_cents = 240000 "),
            ('id = "BJ-02"', 'id = "BJ-01"'),
            ('id = "pit"\nlink = "main"', 'id = "pit"\nlink = "west"'),
            (f"seats = 7\n{LIMITS}\n[[sign]]", f"seats = 70\nseat = 7\n{LIMITS}\n[[sign]]"),
        ),
    )
    assert problems == [
        'currency: "usd" is not three capital letters, like USD',
        "link.main.soft17: 17 is not one of hit, stand",
        "link.main.decks: 7 is not 6 or 8 (N.J.A.C. 13:69F-2.2(a)4)",
        f"{BET}.wager_cents: 300 is not 100 or 500 (N.J.A.C. 13:69F-2.28(b))",
        f"{METERS}.mega.rate_ppm: 0.12 is not a whole number",
        f'{METERS}.minor.rate_ppm: "4%" is not a whole number',
        f"{METERS}.minor.initial_cents: 1 is below 250000 {CLAUSE_I}",
        f"{METERS}.minor.reset_cents: 240000 is below 250000 {CLAUSE_I}",
        "table.BJ-12.seat: unknown key: did you mean seats?",
        "table.BJ-12.seats: 70 is above 15",
        'table.BJ-01.id: "BJ-01" is also the id of table.#2',
        'sign.pit.link: "west" is not a link of this floor: main',
    ]
    assert warnings == []


def test_rate_that_cannot_be_read_still_shows_more_than_the_whole_wager(tmp_path: Path) -> None:
    problems, _ = check(
        tmp_path, edited(("rate_ppm = 120000", "rate_ppm = 0.5"), ("= 60000", "= 990000"))
    )
    assert problems == [
        f"{METERS}.mega.rate_ppm: 0.5 is not a whole number",
        f"{METERS}: 1050000 {COMBINED} is above 1000000, the whole wager",
    ]


def test_error_reads_as_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "floor.toml"
    file.write_text(edited(("decks = 6", "decks = 7"), ('"USD"', '"usd"')), encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        load_floor(file)
    assert str(raised.value) == "\n".join(each.line() for each in raised.value.problems)
    decks = raised.value.problems[1]
    assert (decks.file, decks.key, decks.value) == (str(file), "link.main.decks", "7")
    assert (decks.message, decks.clause) == ("7 is not 6 or 8", "N.J.A.C. 13:69F-2.2(a)4")
